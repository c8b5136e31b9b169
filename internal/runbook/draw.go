package runbook

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Draw selects runs of a figure at random, to run them again.
type Draw struct {
	Figure string
	Number uint64  // number of the draw; another number selects other runs
	Share  float64 // share of the runs, in [0, 1]
	least  float64 // the run with this uniform number is always selected; negative for none
}

// NewDraw returns a draw of a share of a book's runs and, unless the share is 0, at least one. O(runs).
func NewDraw(figure string, number uint64, share float64, of *Book) *Draw {
	d := &Draw{figure, number, share, -1}
	if runs := of.Runs(); share > 0 && len(runs) > 0 {
		d.least = d.uniform(slices.MinFunc(runs, func(a, b Run) int {
			if d.uniform(a) < d.uniform(b) {
				return -1
			}
			return 1
		}))
	}
	return d
}

// Selects reports whether a run is drawn.
func (d *Draw) Selects(of Run) bool {
	u := d.uniform(of)
	return u < d.Share || u == d.least
}

// uniform returns a number in [0, 1) that is a hash of the draw and a run.
func (d *Draw) uniform(of Run) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %d %d", d.Number, d.Figure, of.Key, of.Seed, of.Run))
	return math.Ldexp(float64(binary.BigEndian.Uint64(sum[:])>>11), -53)
}

// Shares returns, for each figure, the share of its runs to run again within a budget. costs has the cost
// of all runs of each figure, in the unit of the budget. Figures get equal parts of the budget, and parts
// that a figure does not need go to the others. O(n log n).
func Shares(costs map[string]float64, budget float64) map[string]float64 {
	shares, left := map[string]float64{}, len(costs)
	names := make([]string, 0, len(costs))
	for name := range costs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if costs[a] < costs[b] || costs[a] == costs[b] && a < b {
			return -1
		}
		return 1
	})
	for _, name := range names {
		part := min(costs[name], budget/float64(left))
		shares[name] = 1
		if costs[name] > 0 {
			shares[name] = part / costs[name]
		}
		budget, left = budget-part, left-1
	}
	return shares
}
