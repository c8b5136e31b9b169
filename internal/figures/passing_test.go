package figures

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"repslab/fattree"
)

// spanOf returns the smallest and the largest mean of a list of gains, for a sentence.
func spanOf(list gains, digits int) string {
	least, most := list.least().ratio.Value, list.largest().ratio.Value
	return fmt.Sprintf("%.*f to %.*f times", digits, least, digits, most)
}

// recordedComparison runs a comparison from the record of a figure.
func recordedComparison(t *testing.T, id string, c comparison) *comparison {
	t.Helper()
	if err := c.run(t.Context(), fromRecord(t, id)); err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestReadmeOnFailures: the README's sentence on failures has the numbers of figures fig08 and passing.
func TestReadmeOnFailures(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lasting := recordedComparison(t, "fig08", newFig08()).gains(patterns, "ops", "reps").where(underFailures)
	all := recordedComparison(t, "passing", newPassing()).gains("", "ops", "reps")
	if len(lasting) != 4 || len(all) != 30 {
		t.Errorf("%d and %d points, want 4 and 30", len(lasting), len(all))
	}
	for _, want := range []string{
		"OPS takes " + spanOf(lasting, 0) + " as long as REPS", "costs OPS " + strings.TrimSuffix(spanOf(all, 1), "times") + "times REPS's time",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md does not say: %s", want)
		}
	}
}

// TestPassing: every failure of the figure is as long as its point says, begins when the notes say, and is of its group.
func TestPassing(t *testing.T) {
	c := newPassing()
	for _, p := range c.points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		faults := n.Spec().Faults
		if strings.HasPrefix(p.group, "An uplink") != (len(faults) == 1 && len(faults[0].Ports) == 1) {
			t.Errorf("%s: %v", p.group, faults)
		}
		for _, f := range faults {
			if f.Start != passingStart*microseconds || f.End-f.Start != microseconds*fattree.Picoseconds(p.x) {
				t.Errorf("%s, %d us: fails from %v to %v", p.group, p.x, f.Start, f.End)
			}
		}
	}
}
