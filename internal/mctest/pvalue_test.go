package mctest

import (
	"math"
	"testing"

	"repslab/mc"
)

// fine is the mean of what finely draws, in 1/2^20 of a step of bell.
const fine = 32<<20 + 1<<19

// finely draws a bell without steps: three equal observations would leave no doubt.
func finely(rng *mc.Rand, n int) (m mc.Moments) {
	for range n {
		m.Add(bell(rng)<<20 + int64(rng.Uint64()>>44))
	}
	return m
}

// TestPValuesHoldTheirRate: one-sided p-values at the true value are below α in a share α of the
// samples, also as far out as Holm's correction of some sixty verdicts looks: for
// means exactly but for the law of the observations, for ratios of few pairs, whose
// p-values take the scatter from the end of the 95 % interval, within twice α. At
// α = 0.0008 it sees an error of twice that.
func TestPValuesHoldTheirRate(t *testing.T) {
	const samples = 20_000
	for _, c := range []struct {
		name  string
		times float64 // α, that are allowed
		p     func(rng *mc.Rand) float64
	}{
		{"mean of 3, below", 1, func(rng *mc.Rand) float64 { return finely(rng, 3).Mean(0.95).PAtMost(fine) }},
		{"mean of 10, below", 1, func(rng *mc.Rand) float64 { return meanOf(rng, 10).Mean(0.95).PAtMost(32) }},
		{"mean of 10, above", 1, func(rng *mc.Rand) float64 { return meanOf(rng, 10).Mean(0.95).PAtLeast(32) }},
		{"ratio of 3, below", 2, func(rng *mc.Rand) float64 { return ratioOf(rng, 3).Ratio(0.95).PAtMost(2) }},
		{"ratio of 3, above", 2, func(rng *mc.Rand) float64 { return ratioOf(rng, 3).Ratio(0.95).PAtLeast(2) }},
	} {
		rng := mc.NewStream(Seed(t, 1), mc.Algorithm, uint64(len(c.name))).Rand()
		levels := []float64{0.025, 0.005, 0.0008}
		counts := make([]int, len(levels))
		for range samples {
			p := c.p(&rng)
			for i, level := range levels {
				if p < level {
					counts[i]++
				}
			}
		}
		for i, level := range levels {
			share, slack := float64(counts[i])/samples, Z(t)*math.Sqrt(level*(1-level)/samples)
			t.Logf("%s: %.5f below %g", c.name, share, level)
			if share > c.times*level+slack {
				t.Errorf("%s: p-values below %g in a share of %.5f, want at most %.2g times that and %.5f", c.name, level, share, c.times, slack)
			}
		}
	}
}
