package coalescing

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"repslab/mc"
	"repslab/recycled"
)

func TestSimulateIsTheSameForAnyWorkers(t *testing.T) {
	for _, cfg := range kinds() {
		for _, stop := range []mc.Precision{{}, {Relative: 0.05}} {
			cfg.Bins, cfg.Ratio = 6, 4
			var want string
			for workers := 1; workers <= 3; workers++ {
				r, err := Simulate(context.Background(), at(cfg, 10, 50), mc.Plan{Seed: 2, Replicas: 500, Workers: workers, Stop: stop})
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprintf("%+v", r)
				if workers == 1 {
					want = got
				}
				if got != want {
					t.Errorf("%s, %+v, %d workers: %s, want %s", cfg.Variant, stop, workers, got, want)
				}
			}
		}
	}
}

// TestObservationsDoNotDisturb: what is seen at a round does not depend on whether
// the run was observed before, nor on how long it goes on.
func TestObservationsDoNotDisturb(t *testing.T) {
	cfg := Config{Bins: 8, Ratio: 2}
	at := func(rounds ...int) []Observation {
		r, err := Simulate(context.Background(), at(cfg, rounds...), mc.Plan{Seed: 5, Replicas: 100})
		if err != nil {
			t.Fatal(err)
		}
		return r.Observations
	}
	many := at(1, 60, 200)
	for i, alone := range [][]Observation{at(1), at(60), at(200)} {
		if got, want := fmt.Sprint(many[i]), fmt.Sprint(alone[0]); got != want {
			t.Errorf("observed among others %s, alone %s", got, want)
		}
	}
}

func TestSimulateStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	plan := mc.Plan{Seed: 1, Replicas: 1 << 20, Progress: func(p mc.Progress) {
		if p.Done > 2000 {
			cancel()
		}
	}}
	r, err := Simulate(ctx, Config{Bins: 4, Rounds: []int{20}}, plan)
	if !errors.Is(err, context.Canceled) || r.Replicas <= 2000 || r.Observations[0].MaxLoad.N != r.Replicas {
		t.Errorf("error %v, result %+v", err, r)
	}
	// One long run stops as well.
	if _, err := Simulate(ctx, Config{Bins: 4, Rounds: []int{mc.MaxRounds}}, mc.Plan{Replicas: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, cfg := range kinds() {
		cfg.Bins, cfg.Ratio = 32, 4
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(1, mc.Algorithm, 0)
		run := func() {
			p.Reset(stream)
			for range 200 {
				p.Step()
			}
		}
		run() // queues grow to their size
		if n := testing.AllocsPerRun(3, run); n != 0 {
			t.Errorf("%s, %s: %v allocations in 200 rounds", cfg.Variant, cfg.Clocking, n)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bins: -1}, "recycled: Bins (-1) must be in [1, 1048576]"},
		{Config{Bins: 1 << 30, Variant: Carry}, "recycled: Bins (1073741824) must be in [1, 1048576]"},
		{Config{Bins: 4, Threshold: -1}, "recycled: Threshold (-1) must be in [1, 1073741824]"},
		{Config{Bins: 4, Ratio: -1}, "coalescing: Ratio (-1) must be in [1, 65536]"},
		{Config{Bins: 1 << 20, Ratio: 129, Variant: Carry}, "coalescing: Ratio (129) must be in [1, 128]"},
		{Config{Bins: 4, Variant: "x"}, `coalescing: Variant ("x") must be one of [standard carry reuse every-rth-round]`},
		{Config{Bins: 4, Clocking: "x"}, `coalescing: Clocking ("x") must be one of [round-robin per-flow] under standard`},
		{Config{Bins: 4, Clocking: recycled.SelfClocked}, `coalescing: Clocking ("self-clocked") must be one of [round-robin per-flow] under standard`},
		{Config{Bins: 4, Variant: EveryRthRound, Clocking: recycled.PerFlow}, `coalescing: Clocking ("per-flow") must be one of [self-clocked] under every-rth-round`},
		{Config{Bins: 1 << 20, Colors: 1000}, "recycled: Colors (1000) must be in [1, 64]"},
		{Config{Rounds: []int{0}}, "coalescing: Rounds (0) must be in [1, 2147483647]"},
		{Config{Rounds: []int{5, 5}}, "coalescing: Rounds (5) must be in [6, "},
		{Config{Bins: 4, Clocking: recycled.PerFlow, Ring: -2}, "recycled: Ring (-2) must be in [1, 65535]"},
	} {
		if _, err := New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") != 0 {
			t.Errorf("New(%+v): error %v, want %q", c.cfg, err, c.want)
		}
		if _, err := Simulate(context.Background(), c.cfg, mc.Plan{Replicas: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Simulate(%+v): error %v, want %q", c.cfg, err, c.want)
		}
	}
}

// at returns a configuration with observed rounds.
func at(cfg Config, rounds ...int) Config {
	cfg.Rounds = rounds
	return cfg
}

// TestDefaults: the zero configuration equals the command's, and it is valid.
func TestDefaults(t *testing.T) {
	want := Config{Bins: 32, Ratio: 1, Variant: Standard, Threshold: 14, Clocking: recycled.RoundRobin, Colors: 9, Ring: 8, Rounds: []int{1000}}
	if got := (Config{}).WithDefaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	if _, err := New(Config{}); err != nil {
		t.Error(err)
	}
	result, err := Simulate(context.Background(), Config{}, mc.Plan{Replicas: 2})
	if err != nil || len(result.Observations) != 1 || result.Observations[0].Round != 1000 || result.Replicas != 2 {
		t.Errorf("error %v, result %+v", err, result)
	}
	if c := (Config{Variant: EveryRthRound}).WithDefaults(); c.Clocking != recycled.SelfClocked {
		t.Errorf("defaults of the authors' script %+v", c)
	}
}
