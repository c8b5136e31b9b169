package wrapped

import "testing"

// user is the interface of this test.
type user interface{ Use() }

type plain struct{ _ int }

func (*plain) Use() {}

type able struct{ plain }

type empty struct{}

func (*empty) Use() {}

// holder holds users in all ways.
type holder struct {
	plain
	field  user
	list   []user
	byName map[string]user
	inner  struct{ array [1]*able }
}

// circle holds itself.
type circle struct {
	plain
	next user
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
