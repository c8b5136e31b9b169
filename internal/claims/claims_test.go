package claims

import (
	"slices"
	"strings"
	"testing"
)

// TestClaimsTable checks the table itself: ids in order, no empty claim.
func TestClaimsTable(t *testing.T) {
	claims := Claims()
	if len(claims) != 97 {
		t.Errorf("%d claims, want 97", len(claims))
	}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.ID)
		if c.Section == "" || c.Scenario == "" || c.Metric == "" || c.Claimed == "" || c.Figure == "" || c.Rule == "" ||
			c.Line == "" || c.Quote == "" {
			t.Errorf("claim %+v has an empty field", c)
		}
		if strings.HasPrefix(c.Scenario, "same") || c.ID == "N014" &&
			c.Scenario != "400G, 4 KiB, 10 ms blackhole with freezing" {
			t.Errorf("%s: scenario %q", c.ID, c.Scenario)
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(claims) {
		t.Error("ids are not ascending")
	}
}
