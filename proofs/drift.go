package proofs

import (
	"fmt"
	"math/big"
	"slices"

	"repslab/recycled"
)

// WorstDrift encloses the largest E[Y' - Y | K = k] of the self-clocked process. The maximum is over all
// loads of n non-empty bins with at most balls balls and k bins above τ, for 1 <= k, k (τ+1) + n - k <=
// balls and τ >= 2.
//
// An overfull bin contributes k/n - 1, whatever its load. A bin with load x <= τ contributes h(x) = E
// max(0, B - (τ - x)), which is convex and increases in x. Putting the k overfull bins at τ+1 leaves most
// balls to the others. The largest sum then has as many bins as possible at τ, one in between, and the
// others at 1. The lower end counts only the bins at τ. The upper end bounds the others by factorial
// moments. It panics if a parameter is out of its range. O(τ).
func WorstDrift(n, threshold, balls, k int) Interval {
	if n < 1 || n > recycled.MaxBins || threshold < 2 || threshold > recycled.MaxThreshold || k < 1 || k > n || balls < k*(threshold+1)+n-k {
		panic(fmt.Sprintf("proofs: WorstDrift: n (%d), threshold (%d), balls (%d) and k (%d) must be in the ranges of its comment",
			n, threshold, balls, k))
	}
	spare := balls - k*(threshold+1) - (n - k) // balls beyond one per bin
	full := min(n-k, spare/(threshold-1))
	drift := ratio(k, n).sub(integer(1)).mul(integer(k)).add(ratio(k, n).mul(integer(full)))
	if full == n-k {
		return drift
	}
	between := excessAtMost(n, k, threshold-1-spare%(threshold-1))
	low := excessAtMost(n, k, threshold-1).mul(integer(n - k - full - 1))
	return Interval{drift.Lo, drift.add(between).add(low).Hi}
}

// DriftRat returns E[Y' - Y] exactly for given loads, none of them zero, by the
// law of the fresh balls of each bin. It panics if a load or the threshold is below 1, or there are none. O(n K)
// operations on rationals.
func DriftRat(threshold int, loads []int) *big.Rat {
	if threshold < 1 || len(loads) == 0 || slices.Min(loads) < 1 {
		panic(fmt.Sprintf("proofs: DriftRat: threshold (%d) and loads (%v) must be at least 1", threshold, loads))
	}
	n, k := len(loads), 0
	for _, load := range loads {
		if load > threshold {
			k++
		}
	}
	drift := new(big.Rat)
	for _, load := range loads {
		if load > threshold {
			drift.Add(drift, rat(k-n, n))
			continue
		}
		drift.Add(drift, excessRat(n, k, rat(threshold-load, 1)))
	}
	return drift
}
