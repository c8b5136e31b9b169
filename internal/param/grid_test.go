package param

import (
	"fmt"
	"testing"

	"repslab/internal/frame"
	"repslab/sweep"
)

// TestOneDescriptor: a parameter's descriptor gives its flag, default, values, column and
// the flag of a library's error; lists of a higher rank run faster, zipped ones together.
func TestOneDescriptor(t *testing.T) {
	a, b, c := 1, 2, 3
	fast := Integer("b", "second", 1, 9, &b)
	fast.Rank = 1
	s := Space{
		parameters: []Parameter{
			Integer("a", "first", 1, 9, &a).Field("Alpha"), fast,
			Integer("c", "third", 1, 9, &c).UsedOnly("with --a 1", func() bool { return a == 1 }).NullUnused(),
		},
		reset:    func() { a, b, c = 0, 0, 0 },
		complete: func() error { return nil },
		Point:    func() sweep.Point { return sweep.Point{} },
	}
	m := New(Model{Name: "m"}, func() Space { return s })
	for _, c := range []struct {
		texts map[string]string
		zip   []string
		want  string
	}{
		{nil, nil, "[[1 2 3]]"},
		{map[string]string{"a": "1,2", "b": "5,6", "c": "7,8"}, nil, "[[1 5 7] [1 6 7] [1 5 8] [1 6 8] [2 5 <nil>] [2 6 <nil>]]"},
		{map[string]string{"a": "1,1", "b": "5,6"}, []string{"a", "b"}, "[[1 5 3] [1 6 3]]"},
	} {
		g, err := m.Grid(Selection{Parameters: c.texts, Zip: c.zip})
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]any
		for _, p := range g.Points {
			rows = append(rows, p.Parameters)
		}
		if got := fmt.Sprint(rows); got != c.want {
			t.Errorf("%v gives %s, want %s", c.texts, got, c.want)
		}
	}
	if _, err := m.Grid(Selection{Parameters: Texts{"alpha": "1"}}); err == nil || err.Error() != `parameter "alpha" must be named a` {
		t.Errorf("a parameter under the name of its field: error %v", err)
	}
	var flags []string
	for _, q := range s.parameters {
		flags = append(flags, q.Flag, q.Preset, q.Help)
	}
	if got := fmt.Sprint(flags, frame.Keys(m.Columns())); got != "[a 1 first b 2 second c 3 third] [a b c seed replicas]" {
		t.Errorf("the model has %s", got)
	}
	if flag, ok := s.FieldFlag("alpha"); !ok || flag != "a" || !m.Keys[0].Numeric {
		t.Errorf("the field Alpha has the flag %q", flag)
	}
}

// TestMostCombinations: a command has at most a million combinations. Parameters that run together have the
// combinations of one, and one alone is refused.
func TestMostCombinations(t *testing.T) {
	axes := func(lengths ...int) (list []*axis) {
		for _, length := range lengths {
			list = append(list, &axis{values: valueList{length: length}})
		}
		return list
	}
	if _, total, err := dimensions(axes(1000, 1000)); err != nil || total != 1_000_000 {
		t.Errorf("a million: %d, error %v", total, err)
	}
	for _, zipped := range []int{1, 2, 3} {
		list := axes(2, 2, 2)
		for _, a := range list[3-zipped:] {
			a.zipped = true
		}
		if _, total, err := dimensions(list); (err == nil) != (zipped > 1) || err == nil && total != 1<<(4-zipped) {
			t.Errorf("%d parameters together: %d combinations, error %v", zipped, total, err)
		}
	}
	if _, _, err := dimensions(axes(1000, 1001)); err == nil {
		t.Error("more are taken")
	}
}
