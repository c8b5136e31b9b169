package recycled

import (
	"slices"
	"testing"

	"repslab/mc"
)

// TestConvergedIsForever runs on after convergence: loads and memories repeat
// with the cycle's period, and the reported round is the end of the first cycle
// of the final periodic motion, not later. After a certificate no periodic
// motion of that kind is ever seen.
func TestConvergedIsForever(t *testing.T) {
	converged, certified := 0, 0
	for replica := range uint64(300) {
		cfg := Config{Bins: 2 + int(replica%4), Threshold: 2 + int(replica%7), Clocking: Clockings()[replica%2], Colors: 1 + int(replica%3), MaxRounds: 400}.Used()
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(5, mc.Algorithm, replica))
		period := 1
		if cfg.Clocking == RoundRobin {
			period = cfg.Colors
		}
		first, certificate := 0, 0
		history := []string{snapshot(p)}
		for p.Round() < cfg.MaxRounds {
			p.Step()
			history = append(history, snapshot(p))
			switch p.Status() {
			case Converged:
				if first == 0 {
					first = p.Round()
				}
			case Certified:
				if certificate == 0 {
					certificate = p.Round()
				}
			case Running:
				if first != 0 {
					t.Fatalf("%+v, replica %d: converged at %d, but running at %d", cfg, replica, first, p.Round())
				}
			}
		}
		if first == 0 {
			if certificate != 0 {
				certified++
			}
			continue
		}
		converged++
		if certificate != 0 {
			t.Fatalf("%+v, replica %d: converged at %d and certified at %d", cfg, replica, first, certificate)
		}
		for round := first; round+period <= cfg.MaxRounds; round++ {
			if history[round] != history[round+period] {
				t.Fatalf("%+v, replica %d: converged at %d, but rounds %d and %d differ", cfg, replica, first, round, round+period)
			}
		}
		checkFirst(t, cfg, replica, history, first, period)
	}
	if converged < 50 || certified < 20 {
		t.Errorf("%d runs converged and %d were certified: too few to test", converged, certified)
	}
}

// checkFirst checks that the run was not absorbed a round earlier: one round
// before the reported one, self-clocked loads still changed, and the states of a
// round-robin run did not yet repeat with the period of the cycle.
func checkFirst(t *testing.T, cfg Config, replica uint64, history []string, first, period int) {
	t.Helper()
	repeats := history[first-1] == history[first]
	if cfg.Clocking == RoundRobin {
		repeats = first > period && history[first-period] == history[first] && history[first-period-1] == history[first-1]
	}
	if repeats {
		t.Fatalf("%+v, replica %d: converged at %d, but the state already repeated before", cfg, replica, first)
	}
}

// TestIdleBinsAreNotAbsorbed begins with memories that are complete and even, and
// empty bins. Bin 0 gets two balls in the first and two in the last round of a
// cycle of four: the first cycle never sees it above the threshold of 2, but it
// idles once, and in the second cycle the bursts meet and a colour forgets.
func TestIdleBinsAreNotAbsorbed(t *testing.T) {
	batches := [][]uint32{{0, 0, 1, 3}, {1, 1, 2, 3}, {2, 2, 3, 3}, {0, 0, 1, 2}}
	p := newRoundRobin(Config{Bins: 4, Threshold: 2, Colors: 4, Lambda: 1})
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for i, batch := range batches {
		for j, bin := range batch {
			p.memory[4*i+j] = bin
		}
	}
	for p.Round() < 5 {
		p.Step()
		if p.Status() != Running {
			t.Fatalf("round %d: status %v, but a forget is to come", p.Round(), p.Status())
		}
	}
	p.Step()
	if !slices.Contains(p.memory, nothing) {
		t.Error("nothing was forgotten in round 6: the example is wrong")
	}
}

// TestFirstPeriodicRound begins one learning step before the periodic motion:
// colour 2 learns its bin in round 1, whose throws are the first of a full cycle
// of two rounds, so round 2 is the first absorbed one.
func TestFirstPeriodicRound(t *testing.T) {
	p := newRoundRobin(Config{Bins: 2, Threshold: 3, Colors: 2, Lambda: 1})
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for color, bin := range map[uint32]uint32{0: 0, 1: 1, 3: 1} {
		p.memory[color] = bin
	}
	p.queues.Push([]uint32{0, 1}, 2)
	for _, color := range []uint32{2, 3} {
		p.inBins[color]++
		p.Moved(0, 1)
	}
	for round, want := range []Status{Running, Converged, Converged} {
		p.Step()
		if got := p.Status(); got != want {
			t.Errorf("round %d: status %v, want %v", round+1, got, want)
		}
	}
}
