package main

import (
	"fmt"
	"strings"
	"testing"

	"repslab/internal/table"
	"repslab/sweep"
)

// TestOneDescriptor: a parameter's descriptor gives its flag, default, values, column and
// the flag of a library's error; lists of a higher rank run faster, zipped ones together.
func TestOneDescriptor(t *testing.T) {
	a, b, c := 1, 2, 3
	fast := integer("b", "second", 1, 9, &b)
	fast.rank = 1
	s := space{
		parameters: []parameter{
			integer("a", "first", 1, 9, &a).field("Alpha"), fast,
			integer("c", "third", 1, 9, &c).usedOnly("with --a 1", func() bool { return a == 1 }).nullUnused(),
		},
		reset:    func() { a, b, c = 0, 0, 0 },
		complete: func() error { return nil },
		point:    func() sweep.Point { return sweep.Point{} },
	}
	m := newModel(model{name: "m"}, func() space { return s })
	for _, c := range []struct {
		texts map[string]string
		zip   []string
		want  string
	}{
		{nil, nil, "[[1 2 3]]"},
		{map[string]string{"a": "1,2", "b": "5,6", "c": "7,8"}, nil, "[[1 5 7] [1 6 7] [1 5 8] [1 6 8] [2 5 <nil>] [2 6 <nil>]]"},
		{map[string]string{"a": "1,1", "b": "5,6"}, []string{"a", "b"}, "[[1 5 3] [1 6 3]]"},
	} {
		g, err := m.grid(selection{Parameters: c.texts, Zip: c.zip})
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]any
		for _, p := range g.points {
			rows = append(rows, p.Parameters)
		}
		if got := fmt.Sprint(rows); got != c.want {
			t.Errorf("%v gives %s, want %s", c.texts, got, c.want)
		}
	}
	var flags []string
	for _, q := range s.parameters {
		flags = append(flags, q.flag, q.preset, q.help)
	}
	if got := fmt.Sprint(flags, table.Keys(m.columns())); got != "[a 1 first b 2 second c 3 third] [a b c seed replicas]" {
		t.Errorf("the model has %s", got)
	}
	if flag, ok := s.fieldFlag("alpha"); !ok || flag != "a" || !m.keys[0].Numeric {
		t.Errorf("the field Alpha has the flag %q", flag)
	}
}

// TestNamesInAnyCase: names in capitals, also of a profile, which has other presets, select the
// points of the proper names, and rows have these.
func TestNamesInAnyCase(t *testing.T) {
	for model, lines := range map[string][2]string{
		"fattree": {
			"profile=UET workload=Tornado failure=Cables=1,PLACE=random|NONE freezing=OFF,AT=20 lb=REPS cc=Nscc_UET",
			"profile=uet workload=tornado failure=cables=1,place=random|none freezing=off,at=20 lb=reps cc=nscc-uet",
		},
		"recycled": {"clocking=Self_Clocked start=All-In-One threshold=4*log(n)", "clocking=self-clocked start=all-in-one threshold=4*ln(n)"},
		"allocate": {"rule=Two-Choice weights=UNIT,Given:1:2 sampling=Half:0.5 start=EMPTY", "rule=two-choice weights=unit,given:1:2 sampling=half:0.5 start=empty"},
	} {
		var printed [2]string
		for i, line := range lines {
			args := []string{"sweep", model, "--print-config"}
			for assignment := range strings.FieldsSeq(line) {
				args = append(args, "--"+assignment)
			}
			o := repslab(t, args...)
			if o.code != exitDone {
				t.Fatalf("%v: %+v", args, o)
			}
			printed[i] = o.stdout
		}
		if printed[0] != printed[1] {
			t.Errorf("%s in capitals selects\n%s\nwant\n%s", model, printed[0], printed[1])
		}
	}
}
