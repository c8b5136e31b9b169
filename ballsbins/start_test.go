package ballsbins

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"repslab/mc"
)

// TestStartAgainstEnumeration compares the joint law after two rounds that begin with some balls with exhaustive
// enumeration, for every policy and both orders, as TestAgainstEnumeration does from empty bins: two bins are the
// one-hot kernel under Uniform, three the packed one, and RoundRobin and Static the scalar one.
func TestStartAgainstEnumeration(t *testing.T) {
	t.Parallel()
	for _, policy := range Policies() {
		for _, variant := range []Variant{ServeThenArrive, ArriveThenServe} {
			for _, start := range [][]int{{4, 0}, {0, 1, 2}} {
				cfg := Config{Bins: len(start), Lambda: 0.7, Variant: variant, Policy: policy, Start: start}
				t.Run(fmt.Sprintf("%s/%s/%d", policy, variant, len(start)), func(t *testing.T) { compareLaws(t, cfg, 2, 20_000) })
			}
		}
	}
}

// TestStartKernels: a run begins on the fastest kernel of which half a lane holds the start, and walks the path of the
// scalar kernel, also over later kernels and after Reset.
func TestStartKernels(t *testing.T) {
	for _, c := range []struct {
		most, kernels int // kernels that are left
	}{{5, 3}, {126, 3}, {127, 2}, {1<<15 - 2, 2}, {1<<15 - 1, 1}, {mc.MaxRounds, 1}} {
		for _, policy := range []Policy{Uniform, TwoChoice} {
			cfg := Config{Bins: 100, Policy: policy, Start: []int{3, c.most, 0, 1}}
			b, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if len(b.make) != c.kernels {
				t.Errorf("%v: %d kernels, want %d", cfg.Start, len(b.make), c.kernels)
			}
			stream := mc.NewStream(5, mc.Algorithm, 0)
			given := cfg.Start
			cfg.Start = slices.Clone(given)
			given[0] = 77 // a process keeps a copy
			for range 2 {
				b.Reset(stream)
				if b.Load(0) != 3 || b.Load(1) != float64(c.most) || b.Load(4) != 0 || b.Round() != 0 {
					t.Fatalf("%v: the run begins with %v, %v, %v", cfg.Start, b.Load(0), b.Load(1), b.Load(4))
				}
				b.Advance(300)
				oracle := newRun("scalar", newScalar(cfg.WithDefaults()), cfg.WithDefaults(), stream)
				for bin, load := range cfg.Start {
					oracle.kernel.setLoad(bin, int64(load))
				}
				oracle.kernel.advance(&oracle.rng, &oracle.offered, 300)
				sameLoads(t, fmt.Sprint(policy, cfg.Start), b.made[b.inUse], oracle.kernel, 100)
			}
		}
	}
}

// TestStartOrders: in all variants the loads before round 1 are the start, and bins that get no balls lose one in each
// round: after round r they hold max(0, load - r).
func TestStartOrders(t *testing.T) {
	for _, variant := range Variants() {
		for _, bins := range []int{8, 9} {
			b, err := New(Config{Bins: bins, Lambda: 1e-9, Variant: variant, Start: []int{0, 1, 2, 200}})
			if err != nil {
				t.Fatal(err)
			}
			b.Reset(mc.NewStream(6, mc.Algorithm, 0))
			for round := range 5 {
				for bin, load := range []int{0, 1, 2, 200} {
					// Under Weighted all balls arrive, with the weight 1e-9.
					if got, want := b.Load(bin), float64(max(0, load-round)); got < want || got > want+1e-6 {
						t.Errorf("%s, %d bins: bin %d holds %v after round %d, want %v", variant, bins, bin, got, round, want)
					}
				}
				b.Step()
			}
		}
	}
}

// TestStartIsUsedOrRefused: laws from empty bins refuse a start, also one of empty bins, and faults name it.
func TestStartIsUsedOrRefused(t *testing.T) {
	cfg := Config{Bins: 4, Lambda: 0.5, Start: []int{5}}
	if _, err := MeanFieldMaxLoad(context.Background(), cfg); !errors.Is(err, ErrNoMeanField) {
		t.Errorf("mean field: error %v", err)
	}
	const want = "ballsbins: Start ([5]) must be empty for a stationary tail, which does not depend on it"
	if _, err := ExceedsExact(cfg, 3); err == nil || err.Error() != want {
		t.Errorf("ExceedsExact: error %v", err)
	}
	if _, err := NewExceedsExperiment(cfg, 3); err == nil || err.Error() != want {
		t.Errorf("NewExceedsExperiment: error %v", err)
	}
	beyond := mc.MaxRounds
	beyond++ // negative in 32 bits
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bins: 2, Start: []int{1, 2, 3}}, "Start (3) must list at most Bins=2 loads"},
		{Config{Bins: 2, Start: []int{1, -1}}, "Start (-1) must be in [0, 2147483647]"},
		{Config{Bins: 2, Start: []int{beyond}}, fmt.Sprintf("Start (%d) must be in [0, 2147483647]", beyond)},
		{Config{Bins: 2, Variant: Weighted, Start: []int{1e6, 125_900}}, "Start (1125900) balls in all must be at most 1125899"},
	} {
		if _, err := New(c.cfg); err == nil || err.Error() != "ballsbins: "+c.want {
			t.Errorf("New(%+v): error %v, want %q", c.cfg, err, c.want)
		}
	}
	if _, err := New(Config{Bins: 2, Variant: Weighted, Start: []int{1e6, 125_899}}); err != nil {
		t.Error(err)
	}
	full := Config{Bins: 1 << 20, Start: slices.Repeat([]int{mc.MaxRounds}, 1<<19)}
	full.Start = append(full.Start, 1<<50-1<<19*mc.MaxRounds) // 2^50 balls in all
	if err := full.Validate(); err != nil {
		t.Error(err)
	}
	full.Start[1<<19]++
	if err := full.Validate(); err == nil || !strings.HasSuffix(err.Error(), "Start (1125899906842625) balls in all must be at most 1125899906842624") {
		t.Errorf("a ball more than 2^50: error %v", err)
	}
}
