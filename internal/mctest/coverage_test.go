package mctest

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"testing"

	"repslab/mc"
)

// bell draws Binomial(64, 1/2): mean 32, variance 16, near enough to the normal
// law that intervals which assume it are as good as exact.
func bell(rng *mc.Rand) int64 { return int64(bits.OnesCount64(rng.Uint64())) }

// TestCoverage draws many samples from laws whose true values are known and
// counts the 95 % intervals that hold them, for every interval that the program
// prints: the share must be 95 % within its own error. The interval of a
// proportion has a test of its own, by exact probabilities; the interval of a quantile
// promises 95 % or more. Ratios of exponential times are the hard case of the
// logarithmic scale, where 92 % are allowed; all their intervals are finite and above 0. 2,000 samples show a
// coverage that is 3 % off, 20,000 with REPSLAB_LONG=1 one that is 0.95 % off.
func TestCoverage(t *testing.T) {
	samples := 2000
	if Long() {
		samples = 20_000
	}
	for _, c := range []struct {
		name   string
		least  float64 // the smallest share that is allowed
		atMost float64 // the largest
		covers func(rng *mc.Rand) bool
	}{
		{"mean of 3", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(meanOf(rng, 3).Mean(0.95), 32) }},
		{"mean of 10", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(meanOf(rng, 10).Mean(0.95), 32) }},
		{"mean of 200", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(meanOf(rng, 200).Mean(0.95), 32) }},
		{"paired ratio of 3", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(ratioOf(rng, 3).Ratio(0.95), 2) }},
		{"paired ratio of 5", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(ratioOf(rng, 5).Ratio(0.95), 2) }},
		{"paired ratio of 10", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(ratioOf(rng, 10).Ratio(0.95), 2) }},
		{"paired ratio of 100", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(ratioOf(rng, 100).Ratio(0.95), 2) }},
		{"ratio of 2 exponential pairs", 0.92, 0.95, func(rng *mc.Rand) bool { return positive(skewedRatioOf(rng, 2), 2) }},
		{"ratio of 3 exponential pairs", 0.92, 0.95, func(rng *mc.Rand) bool { return positive(skewedRatioOf(rng, 3), 2) }},
		{"ratio of 5 exponential pairs", 0.92, 0.95, func(rng *mc.Rand) bool { return positive(skewedRatioOf(rng, 5), 2) }},
		{"difference of 10 and 40", 0.95, 0.95, func(rng *mc.Rand) bool {
			a, b := meanOf(rng, 10).Mean(0.95), meanOf(rng, 40).Mean(0.95)
			w := mc.NewWelch(b.Value-a.Value, a.StdErr, 10, b.StdErr, 40)
			return w.Lo <= 0 && 0 <= w.Hi
		}},
		{"ratio of 3 exponential pairs over one of 5", 0.92, 0.97, func(rng *mc.Rand) bool {
			return skewedRatioOf(rng, 3).Welch(skewedRatioOf(rng, 5)).P > 0.05
		}},
		{"largest of 9 equal means of 5", 0.95, 1, func(rng *mc.Rand) bool { return holds(mc.LargestOf(meansOf(rng, 9, 5, 0)), 32) }},
		{"largest of 9 equal means of 10", 0.95, 1, func(rng *mc.Rand) bool { return holds(mc.LargestOf(meansOf(rng, 9, 10, 0)), 32) }},
		{"largest of 9 means of 5, one 2 above the others", 0.95, 1, func(rng *mc.Rand) bool { return holds(mc.LargestOf(meansOf(rng, 9, 5, 2)), 34) }},
		{"largest of 9 means of 10, one 9 above the others", 0.95, 0.95, func(rng *mc.Rand) bool { return holds(mc.LargestOf(meansOf(rng, 9, 10, 9)), 41) }},
		// The own interval of the largest, which docs/quality.md tells.
		{"largest of 9 equal means of 5 by its own", 0.84, 0.84, func(rng *mc.Rand) bool { return holds(own(meansOf(rng, 9, 5, 0)), 32) }},
		{"largest of 9 equal means of 10 by its own", 0.815, 0.815, func(rng *mc.Rand) bool { return holds(own(meansOf(rng, 9, 10, 0)), 32) }},
		{"median of 41", 0.95, 1, func(rng *mc.Rand) bool { return holds(quantileOf(rng, 41, 0.5), 1<<31) }},
		{"95 % quantile of 200", 0.95, 1, func(rng *mc.Rand) bool { return holds(quantileOf(rng, 200, 0.95), 0.95*(1<<32)) }},
	} {
		rng := mc.NewStream(Seed(t, 1), mc.Algorithm, uint64(len(c.name))).Rand()
		covered := 0
		for range samples {
			if c.covers(&rng) {
				covered++
			}
		}
		share := float64(covered) / float64(samples)
		slack := Z(t) * math.Sqrt(0.95*0.05/float64(samples))
		t.Logf("%s: %.4f", c.name, share)
		if share < c.least-slack || share > c.atMost+slack {
			t.Errorf("the interval of the %s holds the truth in %.4f of samples, want %.2f to %.2f within %.4f", c.name, share, c.least, c.atMost, slack)
		}
	}
}

func holds(e mc.Estimate, truth float64) bool { return e.Lo <= truth && truth <= e.Hi }

// positive says whether an interval is finite, above 0 and holds the truth.
func positive(e mc.Estimate, truth float64) bool {
	return e.Lo > 0 && !math.IsInf(e.Hi, 1) && holds(e, truth)
}

// meansOf returns means of n observations each, the first with observations that are higher by more.
func meansOf(rng *mc.Rand, means, n int, more int64) (list []mc.Estimate) {
	for i := range means {
		var m mc.Moments
		for range n {
			m.Add(bell(rng) + more*int64(max(0, 1-i)))
		}
		list = append(list, m.Mean(0.95))
	}
	return list
}

// own returns the largest of some estimates with its own interval.
func own(list []mc.Estimate) mc.Estimate {
	return slices.MaxFunc(list, func(a, b mc.Estimate) int { return cmp.Compare(a.Value, b.Value) })
}

func meanOf(rng *mc.Rand, n int) (m mc.Moments) {
	for range n {
		m.Add(bell(rng))
	}
	return m
}

// ratioOf draws pairs that share a part; the means are 288 and 144.
func ratioOf(rng *mc.Rand, n int) (p mc.PairedMoments) {
	for range n {
		common := bell(rng)
		p.Add(2*common+224+bell(rng)-32, common+112+bell(rng)-32)
	}
	return p
}

// skewedRatioOf draws independent pairs of exponential times; the ratio of their means
// is 2.
func skewedRatioOf(rng *mc.Rand, n int) mc.Estimate {
	var p mc.PairedMoments
	time := func(mean float64) int64 { return int64(-mean * math.Log(1-rng.Float64())) }
	for range n {
		p.Add(time(2e9), time(1e9))
	}
	return p.Ratio(0.95)
}

// quantileOf draws uniform numbers of 32 bits.
func quantileOf(rng *mc.Rand, n int, p float64) mc.Estimate {
	var s mc.Sample
	for range n {
		s.Add(int64(rng.Uint64() >> 32))
	}
	return s.Quantile(p, 0.95)
}
