package paper

import (
	"slices"
	"strings"
	"testing"
)

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
