package figures

import "testing"

// TestContenders: those that stand in one figure differ in key, name and look, each
// opens for the numbers of EVs of the figures, and OPS is there to compare with.
func TestContenders(t *testing.T) {
	for name, list := range map[string][]Scheme{
		"three":    ThreeSchemes(),
		"all":      AllSchemes(),
		"freezing": {OPS(), REPSThawing(), ArtifactThawing(), REPSUnfrozen()},
		"rules":    {OPS(), REPS(), REPSList()},
	} {
		keys, names, looks := map[string]bool{}, map[string]bool{}, map[int]bool{}
		for _, c := range list {
			keys[c.Key], names[c.Name], looks[c.Look] = true, true, true
			for _, evs := range []int{16, 256, 1 << 16} {
				if b, err := c.Open(evs); err != nil || b == nil {
					t.Errorf("%s: %s with %d EVs: %v, error %v", name, c.Key, evs, b, err)
				}
			}
		}
		if !keys["ops"] || len(keys) != len(list) || len(names) != len(list) || len(looks) != len(list) {
			t.Errorf("%s: %d contenders have keys %v, names %v, looks %v", name, len(list), keys, names, looks)
		}
	}
}
