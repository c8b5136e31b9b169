package recycled

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repslab/mc"
)

// wholeRun steps a slow process and returns the largest load up to each round, from
// round 1 on, and whether two balls of a colour were in the bins up to then.
func wholeRun(cfg Config, stream mc.Stream, rounds int) (most []int, repeated []bool) {
	slow := newOracle(cfg, stream)
	largest, met := 0, false
	for round := 1; round <= rounds; round++ {
		slow.step(round)
		for _, load := range slow.loads() {
			largest = max(largest, load)
		}
		if rr, ok := slow.(*slowRoundRobin); ok {
			met = met || rr.repeated()
		}
		most, repeated = append(most, largest), append(repeated, met)
	}
	return most, repeated
}

// TestLoadsOfWholeRuns compares the largest load until the decision and of the whole
// run, and what is known of colours, with a slow process that is stepped through the
// horizon whatever becomes of the run. Both draw the same numbers, so they must be
// equal: there is no false alarm, and one ball too few is seen. Horizons are absent,
// before the decision, between it and MaxRounds, and beyond.
func TestLoadsOfWholeRuns(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, cfg := range []Config{
		{Bins: 8, Threshold: 1},
		{Bins: 8, Threshold: 4},
		{Bins: 6, Threshold: 3, Lambda: 0.9},
		{Bins: 3, Threshold: 3, Clocking: RoundRobin, Colors: 2},
		{Bins: 4, Threshold: 9, Clocking: RoundRobin, Colors: 3},
		{Bins: 5, Threshold: 2, Clocking: RoundRobin, Colors: 4},
		{Bins: 4, Threshold: 6, Clocking: PerFlow, Delay: 3},
	} {
		for _, horizon := range []int{0, 1, 12, 300, 700} {
			cfg.Horizon, cfg.MaxRounds = horizon, 300
			p, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			full := cfg.WithDefaults()
			for replica := range uint64(40) {
				stream := mc.NewStream(21, mc.Algorithm, replica)
				o, err := Run(context.Background(), p, cfg, stream)
				if err != nil {
					t.Fatal(err)
				}
				most, repeated := wholeRun(full, stream, 700)
				checkWholeRun(t, full, o, most, repeated)
				h := full.whole()
				seen[fmt.Sprint(cfg.Clocking, o.Status)]++
				if cfg.Clocking == RoundRobin && o.Status == Converged && h > o.Rounds && !repeated[h-1] {
					seen["converged and no colours met"]++
				}
				if o.Status == Certified && !repeated[o.Rounds-1] && repeated[699] {
					seen["colours met after the certificate"]++
				}
				if o.Status == Certified && h > o.Rounds && most[h-1] > most[o.Rounds-1] {
					seen["loads grew after the certificate"]++
				}
				if h < o.Rounds && most[h-1] < most[o.Rounds-1] {
					seen["horizon before the decision"]++
				}
			}
		}
	}
	for _, what := range []string{
		fmt.Sprint("", Converged), fmt.Sprint("", Certified), fmt.Sprint(RoundRobin, Converged), fmt.Sprint(RoundRobin, Certified), fmt.Sprint(PerFlow, Running),
		"converged and no colours met", "colours met after the certificate", "loads grew after the certificate", "horizon before the decision",
	} {
		if seen[what] < 10 {
			t.Errorf("%q: %d runs: too few to test", what, seen[what])
		}
	}
}

// checkWholeRun holds an outcome against the rounds of a slow process.
func checkWholeRun(t *testing.T, cfg Config, o Outcome, most []int, repeated []bool) {
	t.Helper()
	h, ended := cfg.whole(), o.Status == Certified && cfg.Horizon == 0
	if want := most[o.Rounds-1]; o.MaxLoadAtDecision != want {
		t.Fatalf("%+v: largest load at the decision %d, want %d (%+v)", cfg, o.MaxLoadAtDecision, want, o)
	}
	if o.MaxLoadKnown == ended || o.MaxLoadKnown && o.MaxLoad != most[h-1] {
		t.Fatalf("%+v: largest load %d, known: %v; want %d, known: %v (%+v)", cfg, o.MaxLoad, o.MaxLoadKnown, most[h-1], !ended, o)
	}
	known := cfg.Clocking == RoundRobin && (!ended || repeated[o.Rounds-1])
	if o.ColorsKnown != known || known && o.ColorRepeated != repeated[h-1] {
		t.Fatalf("%+v: colour repeated: %v, known: %v; want %v, %v (%+v)", cfg, o.ColorRepeated, o.ColorsKnown, repeated[h-1], known, o)
	}
}

// TestCertifiedLoadsAreNotCutOff: set-ups that diverge, each certified in all of 12
// runs. Over MaxRounds their loads are several times those at the certificate (76.0
// and 12.0 against 10.7 and 4.5 balls), so a summary without a horizon has none.
func TestCertifiedLoadsAreNotCutOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg   Config
		least float64 // of the mean load over MaxRounds
	}{
		{Config{Bins: 32, Threshold: 4, Clocking: RoundRobin, Colors: 9}, 60},
		{Config{Bins: 64, Threshold: 1}, 10},
	} {
		plan := mc.Plan{Seed: 1, Replicas: 12}
		early, err := Simulate(context.Background(), c.cfg, plan)
		if err != nil {
			t.Fatal(err)
		}
		c.cfg.Horizon = c.cfg.WithDefaults().MaxRounds
		late, err := Simulate(context.Background(), c.cfg, plan)
		if err != nil {
			t.Fatal(err)
		}
		if early.Certified != 12 || !math.IsNaN(early.MaxLoad.Value) || !math.IsNaN(early.MaxLoadMax) || !math.IsNaN(early.ColorRepeated.Value) {
			t.Errorf("%+v: without a horizon %+v", c.cfg, early)
		}
		if late.MaxLoad.Value < c.least || late.MaxLoadMax < late.MaxLoad.Value || late.MaxLoadAtDecision.Value != early.MaxLoadAtDecision.Value ||
			late.Certified != 12 || late.RandomFraction.Value != early.RandomFraction.Value || late.Throws <= early.Throws {
			t.Errorf("%+v: %+v, without a horizon %+v", c.cfg, late, early)
		}
		if c.cfg.Clocking == RoundRobin && late.ColorRepeated.Value != 1 {
			t.Errorf("%+v: colours met in a share %v of the runs, want all", c.cfg, late.ColorRepeated.Value)
		}
	}
}

// ended is a context that is cancelled after some looks at it.
type ended struct {
	context.Context
	looks int
}

func (e *ended) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestHorizonStopsWhenCancelled: a run that is past its decision looks at its context.
func TestHorizonStopsWhenCancelled(t *testing.T) {
	cfg := Config{Bins: 64, Threshold: 1, Horizon: MaxMaxRounds}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(&ended{context.Background(), 3}, p, cfg, mc.NewStream(1, mc.Algorithm, 0))
	if err != context.Canceled || p.Status() != Certified {
		t.Errorf("error %v, status %v", err, p.Status())
	}
}
