package topology

import (
	"slices"
	"strings"
	"testing"
)

// TestFailureKinds: the table of kinds is complete, its examples are failures of their kinds, its options exist, and
// the grammar has a line for each kind and option.
func TestFailureKinds(t *testing.T) {
	var names []string
	grammar := FailureGrammar()
	for _, o := range options() {
		names = append(names, o.name)
		if o.value == "" || o.summary == "" || strings.Count(grammar, "\n  "+o.name+"="+o.value+" ") != 1 {
			t.Errorf("option %+v: incomplete, or not once in the grammar", o)
		}
	}
	for _, k := range FailureKinds() {
		list, err := ParseFailures(k.Example)
		if err != nil || len(list) != 1 || list[0].Kind != k.Kind || list[0].String() != k.Example {
			t.Errorf("%s: %s is %v, error %v", k.Kind, k.Example, list, err)
		}
		if k.Summary == "" || k.Source == "" || strings.Count(grammar, "\n  "+string(k.Kind)+"="+k.value+" ") != 1 {
			t.Errorf("%s: incomplete, or not once in the grammar", k.Kind)
		}
		for _, option := range k.options {
			if !slices.Contains(names, option) {
				t.Errorf("%s has no option %q", k.Kind, option)
			}
		}
	}
}
