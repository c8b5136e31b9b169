package recycled

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestExceedsAgainstPlainRuns compares the tail of a queue by splitting with its share of plain
// long runs of the process, within 4 standard errors of both (6.11 under fresh seeds): near
// 1e-4, where plain runs see it too. An error of 30 % would be seen.
func TestExceedsAgainstPlainRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg     Config
		exceeds int
	}{
		{Config{Bins: 8, Threshold: 4, Lambda: 0.8, Clocking: PerFlow}, 6},
		{Config{Bins: 8, Threshold: 4, Lambda: 0.8, Clocking: PerFlow, Delay: 4, Window: 6, Ring: 2}, 7},
		{Config{Bins: 8, Oblivious: true, Lambda: 0.6, Clocking: PerFlow}, 9},
	} {
		got, err := Exceeds(context.Background(), c.cfg, c.exceeds, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 32})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		const rounds = 20_000
		var plain mc.Moments
		for replica := range uint64(12) {
			p.Reset(mc.NewStream(mctest.Seed(t, 2), mc.Algorithm, replica))
			p.Advance(500)
			count := int64(0)
			for range rounds {
				p.Step()
				for bin := range c.cfg.Bins {
					if p.Load(bin) > c.exceeds {
						count++
					}
				}
			}
			plain.Add(count)
		}
		want := plain.Mean(0.95).Per(float64(rounds * c.cfg.Bins))
		what := fmt.Sprintf("τ=%d d=%d λ=%v: P[load > %d]", c.cfg.Threshold, c.cfg.Delay, c.cfg.Lambda, c.exceeds)
		t.Logf("%s = %.4g [%.4g, %.4g], plain %.4g (%.2g)", what, got.Value, got.Lo, got.Hi, want.Value, want.StdErr)
		mctest.Agree(t, what, got, want.Value, want.StdErr, 0)
	}
}

// TestCopiesContinueAlike: a copied path and its original, brought to one round and given the
// same random numbers, have the same loads in every later round, also after queues have grown.
func TestCopiesContinueAlike(t *testing.T) {
	cfg := Config{Bins: 6, Threshold: 2, Lambda: 0.97, Clocking: PerFlow, Delay: 5, Window: 9, Ramp: 4}.WithDefaults()
	f := &family{root: newPerFlow(cfg), top: 3}
	root := f.Begin(mc.NewStream(1, mc.Algorithm, 0)).(path)
	copied := f.NewPath().(path)
	for range 300 {
		root.Step()
		copied.CopyFrom(root)
		draws, losses, marks := append([]mc.Rand(nil), root.draws...), *root.losses, *root.ramp.marks
		for range 20 {
			root.Step()
		}
		copy(root.draws, draws)
		*root.losses, *root.ramp.marks = losses, marks
		for range 20 {
			copied.Step()
		}
		for bin := range cfg.Bins {
			if root.Load(bin) != copied.Load(bin) {
				t.Fatalf("round %d, bin %d: %d balls, in the copy %d", root.Round(), bin, root.Load(bin), copied.Load(bin))
			}
		}
	}
}

func TestExceedsFaults(t *testing.T) {
	ok := Config{Bins: 4, Threshold: 2, Lambda: 0.5, Clocking: PerFlow}
	for _, c := range []struct {
		change  func(*Config)
		exceeds int
		want    string
	}{
		{func(c *Config) { c.Lambda = 1 }, 5, ErrNotRare.Error()},
		{func(c *Config) { c.Clocking = SelfClocked }, 5, ErrNotRare.Error()},
		{func(c *Config) { c.Bins = -1 }, 5, "Bins (-1) must be in"},
		{func(c *Config) { c.EVS = 4 }, 5, "EVS (4) must be 0"},
		{func(*Config) {}, 0, "exceeds (0) must be in [1, 1048576]"},
	} {
		cfg := ok
		c.change(&cfg)
		_, err := Exceeds(context.Background(), cfg, c.exceeds, mc.Plan{Replicas: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %d: error %v, want %q", cfg, c.exceeds, err, c.want)
		}
	}
	// Ten balls in a bin of a switch on which a window allows four.
	ok.Window = 1
	if _, err := Exceeds(context.Background(), ok, 10, mc.Plan{Replicas: 2}); !errors.Is(err, mc.ErrNoSplitting) {
		t.Errorf("more balls than the windows allow: error %v", err)
	}
}
