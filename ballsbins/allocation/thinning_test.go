package allocation

import (
	"fmt"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// loadsOf returns the loads after the balls of a configuration, on one stream for all.
func loadsOf(t *testing.T, c Config) string {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(9, mc.Algorithm, 0))
	p.Advance(c.Balls[0])
	return fmt.Sprint(p.loads)
}

// TestThinningFamily: on the same samples RelativeThreshold with offset 0 is MeanThinning, and with an offset that no
// load reaches it keeps all first samples, as TwoThinning with such a threshold does. With an offset below all loads it
// keeps none.
func TestThinningFamily(t *testing.T) {
	for _, c := range []Config{
		{}, {Information: Batched, Batch: 7}, {Weights: Weights{Law: OneOrTwo}, Speeds: []int{1, 3}}, {Weights: Weights{Law: ExponentialWeights}},
		{Start: []int{9, 0, 4}},
	} {
		c.Bins, c.Balls = 10, []int{500}
		with := func(rule Rule, offset float64, threshold int) string {
			d := c
			d.Rule, d.Offset, d.Threshold = rule, offset, threshold
			return loadsOf(t, d)
		}
		if with(RelativeThreshold, 0, 0) != with(MeanThinning, 0, 0) {
			t.Errorf("%s: offset 0 is not mean-thinning", nameOf(c))
		}
		all := with(RelativeThreshold, 1e4, 0)
		if all != with(TwoThinning, 0, mc.MaxRounds) || all == with(RelativeThreshold, -1e4, 0) || all == with(MeanThinning, 0, 0) {
			t.Errorf("%s: first samples are not kept", nameOf(c))
		}
	}
}

// TestOffsetsAreStrict: with 4 bins of loads 2, 0, 0, 0 the average is 1/2. A sample of bin 0 is kept if the offset
// exceeds 3/2, and if the threshold exceeds 2. So the ball is in bin 0 with probability 1/16, else with 1/4; from
// 20,000 runs, binomial errors, z = 6.11 (1e-9).
func TestOffsetsAreStrict(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want float64
	}{
		{Config{Rule: RelativeThreshold, Offset: 1.5}, 1. / 16}, {Config{Rule: RelativeThreshold, Offset: 1.51}, 1. / 4},
		{Config{Rule: RelativeThreshold, Offset: 1.49}, 1. / 16}, {Config{Rule: RelativeThreshold, Offset: -0.5}, 1. / 4},
		{Config{Rule: TwoThinning, Threshold: 2}, 1. / 16}, {Config{Rule: TwoThinning, Threshold: 3}, 1. / 4},
	} {
		c.cfg.Bins, c.cfg.Start, c.cfg.Balls = 4, []int{2}, []int{1}
		p, err := New(c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		const runs = 20_000
		hits := 0
		for run := range runs {
			p.Reset(mc.NewStream(mctest.Seed(t, 11), mc.Algorithm, uint64(run)))
			p.Advance(1)
			hits += int(p.loads[0] - 2)
		}
		if share := float64(hits) / runs; math.Abs(share-c.want) > mctest.Z(t)*math.Sqrt(c.want*(1-c.want)/runs) {
			t.Errorf("%s offset %v threshold %d: bin 0 gets a share of %v, want %v", c.cfg.Rule, c.cfg.Offset, c.cfg.Threshold, share, c.want)
		}
	}
}

// TestGroups: with as many groups as bins every ball sees all bins and goes to the left-most of the least loaded, so
// the bins fill in turn from the left. With fewer groups, samples are in the bins of their group and cover them.
func TestGroups(t *testing.T) {
	for _, bins := range []int{1, 2, 3, 7, 40} {
		p, err := New(Config{Bins: bins, Rule: AlwaysGoLeft, Choices: bins})
		if err != nil {
			t.Fatal(err)
		}
		for m := range 5 * bins {
			for i, load := range p.loads {
				if want := int64((m + bins - 1 - i) / bins); load != want {
					t.Fatalf("%d bins, %d balls: bin %d holds %d, want %d", bins, m, i, load, want)
				}
			}
			p.Advance(1)
		}
		for groups := 1; groups <= bins; groups++ {
			rng, into, seen := mc.NewStream(1, mc.Algorithm, 0).Rand(), make([]uint32, 60*bins*groups), map[[2]int]bool{}
			groupsFiller(bins, groups)(&rng, into)
			for i, bin := range into {
				seen[[2]int{i % groups, int(bin)}] = true
			}
			if len(seen) != bins {
				t.Errorf("%d groups of %d bins: %d pairs of group and bin, want each bin in one group", groups, bins, len(seen))
			}
		}
	}
}

// TestGroupsAreUniform: a sample is uniform in its group; 5 bins in 2 groups, bin 1 has half of the first and bin 4 a
// third of the second, from 60,000 samples each, z = 6.11 (1e-9). It sees a share that is 3 % off.
func TestGroupsAreUniform(t *testing.T) {
	const count = 60_000
	rng, into := mc.NewStream(mctest.Seed(t, 12), mc.Algorithm, 0).Rand(), make([]uint32, 2*count)
	groupsFiller(5, 2)(&rng, into)
	for bin, want := range map[uint32]float64{1: 1. / 2, 4: 1. / 3} {
		hits := 0
		for _, sample := range into {
			if sample == bin {
				hits++
			}
		}
		if share := float64(hits) / count; math.Abs(share-want) > mctest.Z(t)*math.Sqrt(want*(1-want)/count) {
			t.Errorf("bin %d has a share of %v, want %v", bin, share, want)
		}
	}
}
