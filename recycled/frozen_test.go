package recycled

import (
	"context"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestFrozenBins: the EVs of a start, in flight and in the rings, are uniform on the bins, and drawn anew in each
// run.
func TestFrozenBins(t *testing.T) {
	p := newFrozen(Config{Bins: 10, Clocking: Frozen, Window: 30, Ring: 20}.WithDefaults())
	counts := make([]float64, 10)
	for replica := range uint64(200) {
		p.Reset(mc.NewStream(mctest.Seed(t, 2), mc.Algorithm, replica))
		for _, bin := range p.bin {
			counts[bin]++
		}
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - 10_000) * (c - 10_000) / 10_000
	}
	if chi > 33.7 { // chi-squared with 9 degrees of freedom: false alarms 1e-4
		t.Errorf("EVs by bin: %v", counts)
	}
}

// TestFrozenCollapse: with little room in the window a frozen system keeps its EVs, with more it loses nearly all of
// them, although it would recycle for ever if it began balanced; a ramp keeps them. Differences are tens of standard
// errors.
func TestFrozenCollapse(t *testing.T) {
	t.Parallel()
	run := func(cfg Config) Result {
		cfg.MaxRounds = 4000
		r, err := Simulate(context.Background(), cfg, mc.Plan{Seed: mctest.Seed(t, 3), Replicas: 3})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	tight, roomy, ramp := run(frozenConfig(75)), run(frozenConfig(95)), frozenConfig(90)
	ramp.Ramp, ramp.PMax = 100, 1
	if tight.DistinctEVs.Value < 70 || roomy.DistinctEVs.Value > 2 || roomy.TopEVShare.Value < 0.9 || run(ramp).DistinctEVs.Value < 60 {
		t.Errorf("EVs left: window 75 %v, 95 %v (top %v), 90 with a ramp %v", tight.DistinctEVs, roomy.DistinctEVs,
			roomy.TopEVShare, run(ramp).DistinctEVs)
	}
	if other := run(Config{Bins: 8, Clocking: Ack, Window: 9, Delay: 2}); !math.IsNaN(other.DistinctEVs.Value) || !math.IsNaN(other.TopEVShare.Value) {
		t.Errorf("clocking ack has EVs: %+v", other)
	}
}

// frozenConfig is 64 senders in freezing mode.
func frozenConfig(window int) Config {
	return Config{Bins: 64, Clocking: Frozen, Threshold: 28, Delay: 71, Window: window}.WithDefaults()
}
