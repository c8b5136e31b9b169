package allocation

import (
	"context"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestShapes compares the closed forms with numbers computed by hand, and their limits.
func TestShapes(t *testing.T) {
	gap, beta := BestBatchedGap(1000, 50_000)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"two choices", DChoiceGap(1000, 2), 2.7882},
		{"three choices", DChoiceGap(1000, 3), 1.7591},
		{"one plus beta", OnePlusBetaGap(1000, 0.5), 2 * math.Log(1000)},
		{"thinning", ThinningGap(1000), 6.9078},
		{"batch of n", BatchedGap(1000, 1000), 3.5743},
		{"batch of 50 n", BatchedGap(1000, 50_000), 50},
		{"best gap", gap, 18.5846},
		{"best beta", beta, 0.371692},
		{"noise above ln n", NoisyGap(1000, 16), 22.9078},
		{"noise below ln n", NoisyGap(1000, 4), 4 / math.Log(4) * math.Log(math.Log(1000))},
		{"half, two choices", GapRate(0.75, 0.5, 2), 0.125},
		{"half, balanced", GapRate((1+math.Sqrt2-1)/2, 0.5, 2), 0},
		{"half, three choices", GapRate(0.75, 0.5, 3), 0},
	} {
		if !(math.Abs(c.got-c.want) < 1e-4) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if !math.IsNaN(BatchedGap(1000, 2000)) || !math.IsNaN(BatchedGap(1000, 10)) {
		t.Error("the gap of other batches is known")
	}
}

// TestGapRate: between m = 200 n and 400 n the gap of d choices grows at the rate, within 4
// standard errors and 2 % for the terms of lower order; the gap of one choice is as large as the rate.
func TestGapRate(t *testing.T) {
	t.Parallel()
	half := func(a float64) Sampling { return Sampling{Law: Half, Parameter: a} }
	for _, c := range []struct {
		cfg                Config
		probability, speed float64
	}{
		{Config{Choices: 2, Sampling: half(0.5)}, 0.75, 0.5},
		{Config{Choices: 2, Sampling: half(0.8)}, 0.9, 0.5},
		{Config{Choices: 3, Sampling: half(0.7)}, 0.85, 0.5},
		{Config{Choices: 2, Speeds: []int{1, 9}}, 0.5, 0.1},
		{Config{Choices: 3, Speeds: []int{1, 2, 9}}, 2. / 3, 0.25},
	} {
		c.cfg.Bins, c.cfg.Rule, c.cfg.Balls = 120, DChoice, []int{24_000, 48_000}
		r, err := Simulate(context.Background(), c.cfg, mc.Plan{Seed: mctest.Seed(t, 2), Replicas: 60})
		if err != nil {
			t.Fatal(err)
		}
		before, after := r.Observations[0].Gap, r.Observations[1].Gap
		average := 24_000 / float64(c.cfg.capacity())
		stdErr := math.Hypot(before.StdErr, after.StdErr) / average
		rate := mc.Estimate{Value: (after.Value - before.Value) / average, StdErr: stdErr, N: 60}
		want := GapRate(c.probability, c.speed, c.cfg.Choices)
		mctest.Agree(t, "rate", rate, want, 0, 0.02*want)
	}
}
