package figures

import (
	"math"
	"testing"

	"repslab/fattree"
)

// TestUnsteady: the standard deviation of each uplink's queue, over samples from one time to another, and its mean over
// the uplinks. A queue that is long but constant is steady.
func TestUnsteady(t *testing.T) {
	trace := uplinkTrace{Times: []fattree.Picoseconds{1e6, 2e6, 3e6, 4e6, 5e6, 6e6},
		Queues: [][]int32{{9, 40, 40, 40, 40, 9}, {0, 3, 7, 3, 7, 50}}}
	for _, c := range []struct{ from, to, want float64 }{
		{2, 6, 1}, // 0 and 2
		{3, 5, 1},
		{2, 3, 0},
		{5, 7, (31.0/2 + 43.0/2) / 2},
	} {
		if got := trace.unsteady(c.from, c.to); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("from %v to %v us: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
