package recycled

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"repslab/internal/propertytest"
	"repslab/mc"

	"pgregory.net/rapid"
)

// The oracles below are slow transcriptions of the definitions in the package
// comment, with plain slices and no bookkeeping. They draw from the same streams
// in the order that the definitions give, so every load of every round must be
// equal.

// anyConfig draws a small valid configuration of any kind.
func anyConfig(t *rapid.T) Config {
	cfg := Config{
		Bins:      rapid.IntRange(1, 12).Draw(t, "bins"),
		Threshold: rapid.IntRange(0, 6).Draw(t, "threshold"),
		Clocking:  rapid.SampledFrom(Clockings()).Draw(t, "clocking"),
		Lambda:    rapid.SampledFrom([]float64{1, 1, 0.9, 0.5}).Draw(t, "lambda"),
		Colors:    rapid.IntRange(1, 5).Draw(t, "colors"),
		Ring:      rapid.IntRange(1, 9).Draw(t, "ring"),
		Delay:     rapid.IntRange(0, 12).Draw(t, "delay"),
		Window:    rapid.IntRange(0, 9).Draw(t, "window"),
		Start:     rapid.SampledFrom([]Start{Empty, AllInOne, Random, "given"}).Draw(t, "start"),
		Ramp:      rapid.IntRange(0, 6).Draw(t, "ramp"),
		MaxRounds: 300,
	}
	if cfg.Oblivious = cfg.Threshold == 0; cfg.Oblivious {
		cfg.Ramp = 0
	}
	if cfg.ackClocked() {
		cfg.Lambda, cfg.Start = 1, Empty
		cfg.Window = max(1, cfg.Window)
	}
	if cfg.Clocking == SelfClocked {
		cfg.Choices = rapid.IntRange(1, 3).Draw(t, "choices")
		cfg.Closed = cfg.Lambda == 1 && rapid.IntRange(0, 1).Draw(t, "closed") == 1
	}
	switch cfg.Start {
	case AllInOne, Random:
		cfg.Balls = rapid.IntRange(1, min(40, cfg.Bins*cfg.Colors)).Draw(t, "balls")
	case "given":
		loads := make([]int, cfg.Bins)
		copy(loads, []int{2, 1})
		cfg.Start = Given(loads)
		if cfg.Bins*cfg.Colors < 3 {
			cfg.Start = Empty
		}
	}
	return cfg.Used()
}

// TestAgainstOracle compares every load of every round, the number of balls and
// the maximum, three times with
// one process to see that Reset forgets everything, slow ports too.
func TestAgainstOracle(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		cfg := anyConfig(t)
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for replica := range uint64(3) {
			stream := mc.NewStream(11, mc.Algorithm, replica)
			p.Reset(stream)
			slow := newOracle(cfg, stream)
			most, repeated := slices.Max(slow.loads()), false
			for round := 1; round <= cfg.MaxRounds; round++ {
				// In the second run ports become slow, broken and whole now and then.
				if changes := uint64(round) * 2654435761 % 97; replica == 1 && changes < 4 {
					p.SetPort(round%cfg.Bins, int(changes))
					slow.slow(round%cfg.Bins, int(changes))
				}
				p.Step()
				slow.step(round)
				var balls int64
				for bin, want := range slow.loads() {
					if got := p.Load(bin); got != want {
						t.Fatalf("%+v: round %d, bin %d: load %d, want %d", cfg, round, bin, got, want)
					}
					balls += int64(want)
					most = max(most, want)
				}
				if rr, ok := slow.(*slowRoundRobin); ok {
					repeated = repeated || rr.repeated()
					if got, known := p.ColorRepeated(); got != repeated || !known {
						t.Fatalf("%+v: round %d: colour repeated: %v, known: %v; want %v", cfg, round, got, known, repeated)
					}
				}
				if s, ok := slow.(*slowFrozen); ok {
					distinct, top := p.(*frozen).variety()
					if want, wantTop := s.variety(); math.Abs(distinct-want)+math.Abs(top-wantTop) > 1e-9 {
						t.Fatalf("%+v: round %d: %v EVs, top share %v; want %v, %v", cfg, round, distinct, top, want, wantTop)
					}
				}
				if cfg.Closed && balls != int64(cfg.WithDefaults().Balls) {
					t.Fatalf("%+v: round %d: %d balls in a closed process", cfg, round, balls)
				}
				if p.Balls() != balls || p.MaxLoad() != most || p.Round() != round {
					t.Fatalf("%+v: round %d: %d balls, maximum %d; want %d, %d", cfg, p.Round(), p.Balls(), p.MaxLoad(), balls, most)
				}
			}
		}
	})
}

// TestQueuesOutgrowTheirRoom follows runs with and without losses whose queues,
// made for two balls, double their room several times in mid-run and still give
// every load of every round; the second run begins with the grown queues.
func TestQueuesOutgrowTheirRoom(t *testing.T) {
	for _, cfg := range []Config{
		{Bins: 5, Threshold: 1, Colors: 7, Clocking: RoundRobin, Lambda: 1},
		{Bins: 5, Threshold: 1, Colors: 7, Clocking: RoundRobin, Lambda: 0.99},
	} {
		p := newRoundRobin(cfg)
		for replica := range uint64(2) {
			stream := mc.NewStream(12, mc.Algorithm, replica)
			p.Reset(stream)
			slow := newOracle(cfg, stream)
			for round := 1; round <= 20_000; round++ {
				p.Step()
				slow.step(round)
				for bin, want := range slow.loads() {
					if got := p.Load(bin); got != want {
						t.Fatalf("%+v, replica %d: round %d, bin %d: load %d, want %d", cfg, replica, round, bin, got, want)
					}
				}
			}
			if p.MaxLoad() <= 2<<3 {
				t.Errorf("%+v, replica %d: maximum load %d: the room doubled fewer than four times", cfg, replica, p.MaxLoad())
			}
		}
	}
}

// snapshot returns the state that must repeat in a converged run, as a text.
func snapshot(p Process) string {
	s := ""
	for bin := range loadsOf(p) {
		s += fmt.Sprint(p.Load(bin), ",")
	}
	if r, ok := p.(*roundRobin); ok {
		s += fmt.Sprint(r.memory)
	}
	return s
}

func loadsOf(p Process) []int {
	switch q := p.(type) {
	case *roundRobin:
		return make([]int, q.cfg.Bins)
	case *selfClocked:
		return make([]int, len(q.loads))
	case *perFlow:
		return make([]int, len(q.draws))
	}
	return nil
}
