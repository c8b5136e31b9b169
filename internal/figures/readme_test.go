package figures

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// recordedComparison runs a comparison from the record of a figure.
func recordedComparison(t *testing.T, id string, c comparison) *comparison {
	t.Helper()
	if err := c.run(t.Context(), fromRecord(t, id)); err != nil {
		t.Fatal(err)
	}
	return &c
}

// readmeSays checks that the README has a sentence.
func readmeSays(t *testing.T, want string) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

// TestReadmeOnNetworks: the README's sentences on networks have the numbers of the figures that they name.
func TestReadmeOnNetworks(t *testing.T) {
	healthy, slow := recordedComparison(t, "fig03", newFig03()), recordedComparison(t, "fig05", newFig05())
	failed, passing := recordedComparison(t, "fig08", newFig08()), recordedComparison(t, "passing", newPassing())
	for _, c := range []struct {
		gains  gains
		points int
		digits int
		words  string
	}{
		{healthy.gains(patterns, "ops", "reps"), 9, 1, "OPS takes %s times as long as REPS until the last flow ends"},
		{healthy.gains(patterns, "ecmp", "reps"), 9, 1, "ECMP, which keeps a connection on one path, %s times"},
		{slow.gains(patterns, "ops", "reps"), 9, 1, "run at half their rate, OPS takes %s times as long"},
		{failed.gains(patterns, "ops", "reps").where(underFailures), 4, 0, "OPS takes %s times as long as REPS, which avoids them"},
		{passing.gains("", "ops", "reps"), 30, 1, "costs OPS %s times REPS's time"},
	} {
		span := fmt.Sprintf("%.*f to %.*f", c.digits, c.gains.least().ratio.Value, c.digits, c.gains.largest().ratio.Value)
		readmeSays(t, fmt.Sprintf(c.words, span))
		if len(c.gains) != c.points {
			t.Errorf("%s: %d points, want %d", c.words, len(c.gains), c.points)
		}
	}
}
