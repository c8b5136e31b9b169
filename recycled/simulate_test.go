package recycled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

func TestSimulateIsTheSameForAnyWorkers(t *testing.T) {
	for _, clocking := range Clockings() {
		for _, stop := range []mc.Precision{{}, {Relative: 0.05}} {
			mctest.SameForAnyWorkers(t, fmt.Sprintf("%s, %+v", clocking, stop), func(workers int) (any, error) {
				return Simulate(context.Background(), windowed(Config{Bins: 6, Clocking: clocking, Ramp: 3, MaxRounds: 300}),
					mc.Plan{Seed: 2, Replicas: 2000, Workers: workers, Stop: stop})
			})
		}
	}
}

// windowed returns a configuration with a window if its clocking needs one.
func windowed(cfg Config) Config {
	if cfg.ackClocked() {
		cfg.Window = 10
	}
	return cfg
}

func TestSimulateStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	plan := mc.Plan{Seed: 1, Replicas: 1 << 20, Progress: func(p mc.Progress) {
		if p.Done > 5000 {
			cancel()
		}
	}}
	s, err := Simulate(ctx, Config{Bins: 16}, plan)
	if !errors.Is(err, context.Canceled) || s.Replicas <= 5000 || s.Converged+s.Certified != s.Replicas {
		t.Errorf("error %v, result %+v", err, s)
	}
	// One long run without an absorbing state stops as well.
	if _, err := Simulate(ctx, Config{Bins: 16, Lambda: 0.5, MaxRounds: MaxMaxRounds}, mc.Plan{Replicas: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestLostBalls: with λ < 1 nothing is absorbing and fewer balls are in the bins
// than without losses.
func TestLostBalls(t *testing.T) {
	for _, clocking := range []Clocking{SelfClocked, RoundRobin, PerFlow} {
		s, err := Simulate(context.Background(), Config{Bins: 16, Clocking: clocking, Lambda: 0.9, MaxRounds: 2000}, mc.Plan{Seed: 1, Replicas: 20})
		if err != nil {
			t.Fatal(err)
		}
		if s.Absorbing || s.Converged+s.Certified != 0 || s.MaxLoad.Value < 3 || s.MaxLoadMax > 20 || s.RandomFraction.Value < 0.001 {
			t.Errorf("%s: %+v", clocking, s)
		}
	}
}

// TestSharesOfASecondHalf: where no absorbing state is known the share of random throws is that of the
// rounds after half of MaxRounds, rounded down, and otherwise that of all rounds until the decision.
func TestSharesOfASecondHalf(t *testing.T) {
	for _, c := range []struct {
		cfg   Config
		after int
	}{
		{Config{Bins: 8, Threshold: 3, Lambda: 0.8, MaxRounds: 60}, 30}, {Config{Bins: 8, Threshold: 3, Lambda: 0.8, MaxRounds: 61, Horizon: 90}, 30},
		{Config{Bins: 8, Threshold: 3, Clocking: PerFlow, Delay: 2, MaxRounds: 45}, 22}, {Config{Bins: 8, Threshold: 3, Clocking: Ack, Window: 9, MaxRounds: 40}, 20},
		{Config{Bins: 8, Threshold: 1, MaxRounds: 5}, 0}, {Config{Bins: 8, Threshold: 6, Clocking: RoundRobin, Colors: 3, MaxRounds: 30}, 0},
	} {
		p, err := New(c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(5, mc.Algorithm, 0)
		o, err := Run(context.Background(), p, c.cfg, stream)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(stream)
		p.Advance(c.after)
		before, randomBefore := p.Throws()
		p.Advance(o.Rounds - c.after)
		all, random := p.Throws()
		if want := float64(random-randomBefore) / float64(all-before); o.RandomFraction != want || c.after > 0 && o.Rounds != c.cfg.MaxRounds {
			t.Errorf("%+v: %v of the throws are random in %d rounds, want %v from round %d on", c.cfg, o.RandomFraction, o.Rounds, want, c.after)
		}
	}
}

// TestDefaultsOfClosedRuns: a closed run may take 100 n ln n rounds, at least 100, or 10 m (1 + m/n) if
// that is more. At threshold 0 it ends at a level of 2 max(1, m/n) ln n.
func TestDefaultsOfClosedRuns(t *testing.T) {
	for _, c := range []struct{ bins, balls, rounds, level int }{
		{4, 100, 26_000, 70}, {4, 4, 555, 3}, {32, 32, 11_091, 7}, {32, 3200, 3_232_000, 694}, {1, 1, 100, 1}, {1, 50, 25_500, 50},
	} {
		got := Config{Bins: c.bins, Balls: c.balls, Start: AllInOne, Closed: true, Oblivious: true}.WithDefaults()
		if got.MaxRounds != c.rounds || got.Level != c.level {
			t.Errorf("%d balls in %d bins: %d rounds and level %d, want %d and %d", c.balls, c.bins, got.MaxRounds, got.Level, c.rounds, c.level)
		}
	}
}

// TestThrowsAreCounted: every flow or colour throws once a round, under ack and frozen also the balls that come back;
// from empty bins the first round is random.
func TestThrowsAreCounted(t *testing.T) {
	for _, clocking := range Clockings() {
		p, err := New(windowed(Config{Bins: 10, Clocking: clocking, Colors: 4}.Used()))
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		p.Step()
		if all, random := p.Throws(); all != 10 || random != 10 {
			t.Errorf("%s: %d throws, %d random after round 1, want 10, 10", clocking, all, random)
		}
		empty := 0
		for bin := range 10 {
			if p.Load(bin) == 0 {
				empty++
			}
		}
		p.Step()
		all, random := p.Throws()
		if clocking == Ack || clocking == Frozen {
			all -= 10 - int64(empty) // the balls of round 1 come back at once
		}
		if all != 20 || random <= 10 && clocking == SelfClocked || random > 20 {
			t.Errorf("%s: %d throws, %d random after round 2", clocking, all, random)
		}
	}
	// The colours of the second batch are new: round-robin throws it at random too.
	p, _ := New(Config{Bins: 10, Clocking: RoundRobin, Colors: 4})
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	p.Step()
	p.Step()
	if all, random := p.Throws(); all != 20 || random != 20 {
		t.Errorf("round-robin: %d throws, %d random after round 2, want 20, 20", all, random)
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, clocking := range Clockings() {
		p, err := New(windowed(Config{Bins: 32, Clocking: clocking, Delay: 3, Threshold: 4, Ramp: 5}.Used()))
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
			t.Errorf("%s: %v allocations in 200 rounds", clocking, n)
		}
	}
}

func TestDefaultsAreTheTheorems(t *testing.T) {
	got := Config{Bins: 16}.WithDefaults()
	want := Config{Bins: 16, Threshold: 12, Clocking: SelfClocked, Lambda: 1, MaxRounds: 4437, Start: Empty, Choices: 1, Colors: 7, Ring: 8, Rule: REPS, Ratio: 1}
	if got != want {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	one := Config{Bins: 1}.WithDefaults()
	if one.Threshold != 1 || one.Colors != 1 || one.MaxRounds != 100 {
		t.Errorf("defaults for one bin %+v", one)
	}
	if err := (Config{Bins: 1}).Validate(); err != nil {
		t.Error(err)
	}
}

// TestValidate: a configuration with one fault has one message, which names the field, the value and
// what is allowed.
func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Bins: -1}, "Bins (-1) must be in [1, 1048576]"},
		{Config{Bins: 1 << 30}, "Bins (1073741824) must be in [1, 1048576]"},
		{Config{Bins: 1 << 30, Clocking: PerFlow, EVS: 4}, "Bins (1073741824) must be in [1, 1048576]"},
		{Config{Bins: 1 << 30, Clocking: RoundRobin, Start: AllInOne, Balls: 9}, "Bins (1073741824) must be in [1, 1048576]"},
		{Config{Bins: 4, Threshold: -1}, "Threshold (-1) must be in [1, 1073741824]"},
		{Config{Bins: 4, Lambda: 1.5}, "Lambda (1.5) must be in (0, 1]"},
		{Config{Bins: 4, Lambda: math.NaN()}, "Lambda (NaN) must be in (0, 1]"},
		{Config{Bins: 4, Clocking: "x"}, `Clocking ("x") must be one of [self-clocked round-robin per-flow ack frozen]`},
		{Config{Bins: 1 << 20, Clocking: RoundRobin, Colors: 1000}, "Colors (1000) must be in [1, 64]"},
		{Config{Bins: 4, Clocking: PerFlow, Ring: -2}, "Ring (-2) must be in [1, 65535]"},
		{Config{Bins: 1 << 20, Clocking: PerFlow, Delay: 1000}, "Delay (1000) must be in [0, 63]"},
		{Config{Bins: 4, Clocking: PerFlow, Window: -1}, "Window (-1) must be in [0, 1073741824]"},
		{Config{Delay: 5}, "Delay (5) must be 0 under the clocking self-clocked: it applies to per-flow, ack and frozen alone"},
		{Config{Ring: 3}, "Ring (3) must be 0 under the clocking self-clocked: it applies to per-flow and frozen alone"},
		{Config{Colors: 2}, "Colors (2) must be 0 under the clocking self-clocked: it applies to round-robin alone"},
		{Config{Clocking: RoundRobin, Window: 2}, "Window (2) must be 0 under the clocking round-robin: it applies to per-flow, ack and frozen alone"},
		{Config{Clocking: Ack, Window: 2, Ring: 2}, "Ring (2) must be 0 under the clocking ack: it applies to per-flow and frozen alone"},
		{Config{Clocking: Frozen}, "Window (0) must be at least 1 under the clocking frozen"},
		{Config{Clocking: Frozen, Window: 2, Lambda: 0.5}, "Lambda (0.5) must be 1 under the clocking frozen: lost balls do not come back"},
		{Config{Clocking: Frozen, Bins: 1 << 20, Window: 60}, "Window (60) must be in [1, 56]"},
		{Config{Clocking: Ack}, "Window (0) must be at least 1 under the clocking ack"},
		{Config{Clocking: Ack, Window: 2, Lambda: 0.5}, "Lambda (0.5) must be 1 under the clocking ack: lost balls do not come back"},
		{Config{Clocking: Ack, Window: 2, Start: AllInOne}, `Start ("all-in-one") must be empty under the clocking ack`},
		{Config{Ramp: -1}, "Ramp (-1) must be in [0, 1073741824]"},
		{Config{Ramp: 1, Oblivious: true}, "Ramp (1) must be 0 with Oblivious: no ball is good"},
		{Config{Clocking: RoundRobin, EVS: 2}, "EVS (2) must be 0 under the clocking round-robin: it applies to per-flow alone"},
		{Config{Bins: 4, MaxRounds: -1}, "MaxRounds (-1) must be in [1, 2147483647]"},
	} {
		if _, err := New(c.cfg); err == nil || err.Error() != "recycled: "+c.want {
			t.Errorf("New(%+v): error %v, want %q alone", c.cfg, err, c.want)
		}
		if _, err := Simulate(context.Background(), c.cfg, mc.Plan{Replicas: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Simulate(%+v): error %v, want %q", c.cfg, err, c.want)
		}
	}
}

func BenchmarkRecycled(b *testing.B) {
	for _, clocking := range Clockings() {
		for _, bins := range []int{32, 128, 1024} {
			b.Run(fmt.Sprintf("clocking=%s/bins=%d", clocking, bins), func(b *testing.B) {
				cfg := windowed(Config{Bins: bins, Clocking: clocking, MaxRounds: 20 * bins})
				p, err := New(cfg)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				var replica uint64
				var rounds int
				for b.Loop() {
					o, err := Run(context.Background(), p, cfg, mc.NewStream(1, mc.Algorithm, replica))
					if err != nil {
						b.Fatal(err)
					}
					replica++
					rounds += o.Rounds
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds)/float64(bins), "ns/ball")
			})
		}
	}
}

// TestDefaults: the zero configuration equals the command's defaults, and it is valid.
func TestDefaults(t *testing.T) {
	want := Config{Bins: 32, Threshold: 14, Clocking: SelfClocked, Lambda: 1, MaxRounds: 11_091, Start: Empty, Choices: 1, Colors: 9, Ring: 8, Rule: REPS, Ratio: 1}
	if got := (Config{}).WithDefaults(); got != want {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	if _, err := New(Config{}); err != nil {
		t.Error(err)
	}
	if result, err := Simulate(context.Background(), Config{}, mc.Plan{Replicas: 2}); err != nil || result.Replicas != 2 {
		t.Errorf("error %v, result %+v", err, result)
	}
}

// TestStoppingStatistic: a stopping rule looks at the rounds of the runs that converged and, while none did, at the
// largest loads at the decision.
func TestStoppingStatistic(t *testing.T) {
	var tally Tally
	tally.atDecision.Add(5)
	tally.atDecision.Add(7)
	if got := tally.StoppingStatistic().Value; got != 6 {
		t.Errorf("no run converged: %v, want 6", got)
	}
	tally.converged = 1
	tally.rounds.Add(20)
	tally.rounds.Add(30)
	if got := tally.StoppingStatistic().Value; got != 25 {
		t.Errorf("a run converged: %v, want 25", got)
	}
}

// TestConvergedShare: the share of converged runs has Wilson's interval, at 3 of 7 runs by hand [0.15822, 0.74954],
// and the others count as not converged, certified or not. There is no share where runs are not decided.
func TestConvergedShare(t *testing.T) {
	tally := Tally{decidable: true, replicas: 7, converged: 3, certified: 2}
	share := tally.Result().ConvergedShare
	if math.Abs(share.Value-3.0/7) > 1e-12 || math.Abs(share.Lo-0.15822) > 1e-5 || math.Abs(share.Hi-0.74954) > 1e-5 {
		t.Errorf("3 of 7 runs: %v [%v, %v]", share.Value, share.Lo, share.Hi)
	}
	if share := (&Tally{replicas: 7}).Result().ConvergedShare; !math.IsNaN(share.Value) {
		t.Errorf("runs that are not decided: %v", share.Value)
	}
}
