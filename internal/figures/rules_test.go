package figures

import (
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
)

// TestEveryClaimHasItsFigure: a figure decides each claim, so the scorecards of all figures
// answer all.
func TestEveryClaimHasItsFigure(t *testing.T) {
	for _, c := range claims.Statements() {
		if !slices.ContainsFunc(All(), func(f Figure) bool { return f.ID == c.Figure }) {
			t.Errorf("%s: no figure is called %q", c.ID, c.Figure)
		}
	}
}

// TestNotModelledIsRare: few claims may be left unjudged, those about money,
// programs, hardware and what is cited from others.
func TestNotModelledIsRare(t *testing.T) {
	may := []string{"N003", "N012", "N024", "N055", "N092", "M9"}
	for _, c := range claims.Statements() {
		if strings.HasPrefix(c.Rule, "not modelled") && !slices.Contains(may, c.ID) {
			t.Errorf("%s: %s is not modelled, but only %v may be", c.Figure, c.ID, may)
		}
	}
}
