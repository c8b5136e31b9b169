package figures

import (
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
)

// TestEveryRuleHasItsClaim: rules name known claims, and each claim has one: the
// scorecard of all figures answers all.
func TestEveryRuleHasItsClaim(t *testing.T) {
	list, err := claims.Claims()
	if err != nil {
		t.Fatal(err)
	}
	decided := map[string]string{}
	for _, f := range All() {
		for _, r := range f.Rules {
			if !slices.ContainsFunc(list, func(c claims.Claim) bool { return c.ID == r.Claim }) {
				t.Errorf("%s: unknown claim %s", f.ID, r.Claim)
			}
			if other, ok := decided[r.Claim]; ok {
				t.Errorf("%s and %s both decide %s", other, f.ID, r.Claim)
			}
			if r.Text == "" {
				t.Errorf("%s: claim %s has no rule", f.ID, r.Claim)
			}
			decided[r.Claim] = f.ID
		}
	}
	for _, c := range list {
		if decided[c.ID] == "" {
			t.Errorf("no figure has a rule for %s", c.ID)
		}
	}
}

// TestNotModelledIsRare: few claims may be left unjudged, those about money,
// programs, hardware and what is cited from others.
func TestNotModelledIsRare(t *testing.T) {
	may := []string{"N003", "N012", "N024", "N055", "N092"}
	for _, f := range All() {
		for _, r := range f.Rules {
			if strings.HasPrefix(r.Text, "not modelled") && !slices.Contains(may, r.Claim) {
				t.Errorf("%s: %s is not modelled, but only %v may be", f.ID, r.Claim, may)
			}
		}
	}
}
