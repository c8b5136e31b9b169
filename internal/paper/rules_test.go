package paper

import (
	"slices"
	"strings"
	"testing"
)

// TestEveryClaimIsDecided: each claim has a rule in a figure. That none has two is
// TestEveryRuleHasItsClaim's.
func TestEveryClaimIsDecided(t *testing.T) {
	claims, err := Claims()
	if err != nil {
		t.Fatal(err)
	}
	decided := map[string]bool{}
	for _, f := range Figures() {
		for _, r := range f.Rules {
			decided[r.Claim] = true
		}
	}
	for _, c := range claims {
		if !decided[c.ID] {
			t.Errorf("%s has no rule: %s: %s %s", c.ID, c.Scenario, c.Metric, c.Claimed)
		}
	}
}

// TestNotModelledIsRare: few claims may be left unjudged, those about money,
// programs, hardware and what is cited from others.
func TestNotModelledIsRare(t *testing.T) {
	may := []string{"N003", "N012", "N024", "N025", "N055", "N092"}
	for _, f := range Figures() {
		for _, r := range f.Rules {
			if strings.HasPrefix(r.Text, "not modelled") && !slices.Contains(may, r.Claim) {
				t.Errorf("%s: %s is not modelled, but only %v may be", f.ID, r.Claim, may)
			}
		}
	}
}
