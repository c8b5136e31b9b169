package cases

import (
	"strings"
	"testing"
)

// TestSystems: names are unique and every line of a table is complete.
func TestSystems(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Systems() {
		if seen[c.Flag+c.Name] || c.Name == "" || c.Summary == "" || c.Source == "" || strings.Contains(c.Summary, "\n") {
			t.Errorf("entry %+v", c)
		}
		seen[c.Flag+c.Name] = true
	}
}
