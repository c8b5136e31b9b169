package figures

import (
	"testing"

	"repslab/internal/plot"
)

// TestSchemes: those that stand in one figure differ in key, name and colour, each
// opens for the numbers of EVs of the figures, and OPS is there to compare with.
func TestSchemes(t *testing.T) {
	for name, list := range map[string][]scheme{
		"three":    lbs("ecmp", "ops", "reps"),
		"all":      allSchemes(),
		"freezing": {lb("ops"), lb("reps-100us"), lb("artifact-100us"), lb("reps-unfrozen")},
		"rules":    {lb("ops"), lb("reps"), lb("reps-fifo")},
	} {
		keys, names, colors := map[string]bool{}, map[string]bool{}, map[plot.Color]bool{}
		for _, c := range list {
			keys[c.key], names[c.name], colors[c.color] = true, true, true
			for _, evs := range []int{16, 256, 1 << 16} {
				if b, err := c.open(evs); err != nil || b == nil {
					t.Errorf("%s: %s with %d EVs: %v, error %v", name, c.key, evs, b, err)
				}
			}
		}
		if !keys["ops"] || len(keys) != len(list) || len(names) != len(list) || len(colors) != len(list) {
			t.Errorf("%s: %d schemes have keys %v, names %v, colors %v", name, len(list), keys, names, colors)
		}
	}
}

// TestNoScheme: a key that no load balancer has is a fault.
func TestNoScheme(t *testing.T) {
	if !panics(func() { lb("rep") }) {
		t.Error("an unknown load balancer is accepted")
	}
}
