package wrapped

import (
	"reflect"
	"strings"
	"testing"
)

// user is the interface of this test.
type user interface{ Use() }

// special is an optional interface.
type special interface{ Special() }

type plain struct{ _ int }

func (*plain) Use() {}

type able struct{ plain }

func (*able) Special() {}

type empty struct{}

func (*empty) Use() {}

// holder holds users in all ways.
type holder struct {
	plain
	field  user
	list   []user
	byName map[string]user
	inner  struct{ array [1]*able }
	own    able
}

// opened unwraps to its field.
type opened struct{ holder }

func (o *opened) Unwrap() user { return o.field }

// answering implements the optional interface itself.
type answering struct{ holder }

func (*answering) Special() {}

// circle holds itself.
type circle struct {
	plain
	next user
}

// TestLost: what a wrapper holds in a field, list, map, array or struct is found, unless the wrapper unwraps or answers
// itself. A plain holder loses the special interface of the able user that is its own field.
func TestLost(t *testing.T) {
	special := reflect.TypeFor[special]()
	type bare struct {
		plain
		field  user
		list   []user
		byName map[string]user
	}
	round := &circle{}
	round.next = round
	for name, c := range map[string]struct {
		u     user
		loses bool
	}{
		"alone": {&able{}, false}, "nothing": {&bare{}, false}, "plain": {&bare{field: &plain{}}, false}, "circle": {round, false},
		"field": {&bare{field: &able{}}, true}, "list": {&bare{list: []user{nil, &able{}}}, true}, "map": {&bare{byName: map[string]user{"": &able{}}}, true},
		"own": {&holder{own: able{}}, true}, "nested": {&bare{field: &bare{list: []user{&able{}}}}, true}, "opened": {&opened{}, true}, "answering": {&answering{}, false},
	} {
		if got := Lost(c.u, special); (got != "") != c.loses || c.loses && !strings.Contains(got, "*wrapped.able, which is a wrapped.special: give it a method Unwrap() wrapped.user") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestShared: one pointer in both, at any depth, is shared; new values and pointers to nothing are not.
func TestShared(t *testing.T) {
	one := &able{}
	round := &circle{}
	round.next = round
	for name, c := range map[string]struct {
		a, b   user
		shared bool
	}{
		"same": {one, one, true}, "other": {one, &able{}, false}, "nil": {nil, one, false}, "empty": {&empty{}, &empty{}, false},
		"field": {&holder{field: one}, &holder{field: one}, true}, "one in the other": {one, &holder{list: []user{&holder{field: one}}}, true},
		"map": {&holder{byName: map[string]user{"": one}}, one, true}, "array": {&holder{inner: struct{ array [1]*able }{[1]*able{one}}}, one, true},
		"new": {&holder{field: &able{}}, &holder{field: &able{}}, false}, "circle": {round, one, false},
	} {
		if got := Shared(c.a, c.b); got != c.shared {
			t.Errorf("%s: %v", name, got)
		}
	}
}
