package recycled

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// roundTrips are small configurations of every clocking.
func roundTrips() []Config {
	return []Config{
		{Bins: 8, Threshold: 2, MaxRounds: 400}, {Bins: 8, Threshold: 3, Clocking: RoundRobin, Colors: 4, MaxRounds: 400},
		{Bins: 8, Threshold: 2, Clocking: PerFlow, Delay: 6, Window: 9, MaxRounds: 400},
		{Bins: 8, Threshold: 2, Clocking: PerFlow, Delay: 6, EVS: 8, MaxRounds: 400},
		{Bins: 8, Threshold: 2, Clocking: Ack, Delay: 6, Window: 9, MaxRounds: 400},
	}
}

// TestRampOfOneIsTheStep: loads are integers, so a ramp of one packet marks as a step does and draws nothing:
// all results are the same. A ramp of four is another process.
func TestRampOfOneIsTheStep(t *testing.T) {
	for _, cfg := range roundTrips() {
		var texts []string
		for _, width := range []int{0, 1, 4} {
			cfg.Ramp = width
			r, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 3, Replicas: 40})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, fmt.Sprintf("%+v", r))
		}
		if texts[0] != texts[1] || texts[0] == texts[2] {
			t.Errorf("%+v: a step gives\n%s\na ramp of 1\n%s\na ramp of 4\n%s", cfg, texts[0], texts[1], texts[2])
		}
	}
}

// TestRampMarksInProportion: of balls at 1, ..., w above the threshold a ramp of w that ends at p marks the share p
// i/w, others never or always. 10,000 draws for each load see an error of 0.03; one of 2,000 such tests fails by
// chance, at a z of 6.11.
func TestRampMarksInProportion(t *testing.T) {
	for _, pmax := range []float64{0, 1, 0.4} {
		checkProportion(t, pmax)
	}
}

// checkProportion checks the shares of marks of a ramp that ends at pmax.
func checkProportion(t *testing.T, pmax float64) {
	const threshold, width, draws = 3, 7, 10_000
	r := newRamp(Config{Threshold: threshold, Ramp: width, PMax: pmax})
	r.reset(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, 0), 4)
	end := width // the first load above the threshold at which all are marked
	if pmax = cmp.Or(pmax, 1); pmax < 1 {
		end = width + 1
	}
	for load := uint32(0); load < threshold+width+3; load++ {
		above := int(load) - threshold
		if inside := above > 0 && above < end; r.draws(load) != inside {
			t.Errorf("load %d: random %v, want %v", load, r.draws(load), inside)
		} else if inside {
			marked := uint64(0)
			for range draws {
				if !r.spares(load) {
					marked++
				}
			}
			got := mc.Proportion(marked, draws, 0.95)
			got.StdErr = 0.5 / 100
			mctest.Agree(t, fmt.Sprintf("share of marks at load %d", load), got, pmax*float64(above)/width, 0, 0)
		}
	}
}

// TestRampIsRefused: what is known of a step alone does not take a ramp.
func TestRampIsRefused(t *testing.T) {
	if _, err := NewChain(Config{Bins: 3, Threshold: 2, Ramp: 2}, nil); err != ErrNoChain {
		t.Errorf("NewChain: error %v, want ErrNoChain", err)
	}
	_, closed := NewClosedLaw(Config{Bins: 3, Threshold: 2, Ramp: 2, Closed: true, Start: AllInOne})
	_, field := NewMeanField(Config{Bins: 3, Threshold: 2, Ramp: 2, Clocking: PerFlow})
	for what, err := range map[string]error{"for an exact law": closed, "for a mean field": field} {
		if want := "recycled: Ramp (2) must be 0 " + what; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := NewChain(Config{Bins: 3, Threshold: 2, Ramp: 1}, nil); err != nil {
		t.Errorf("a ramp of 1 is a step: %v", err)
	}
}

// TestPMaxOfTheRamp: a Pmax of 1 is the default, another one changes every process, also on a ramp of 1; without a ramp
// it is refused, and so are numbers that are no probabilities.
func TestPMaxOfTheRamp(t *testing.T) {
	for _, cfg := range roundTrips() {
		for _, cfg.Ramp = range []int{1, 4} {
			var texts []string
			for _, cfg.PMax = range []float64{0, 1, 0.5} {
				r, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 3, Replicas: 40})
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, fmt.Sprintf("%+v", r))
			}
			if texts[0] != texts[1] || texts[0] == texts[2] {
				t.Errorf("%+v: by default\n%s\nwith 1\n%s\nwith 0.5\n%s", cfg, texts[0], texts[1], texts[2])
			}
		}
	}
	for want, cfg := range map[string]Config{
		"recycled: PMax (NaN) must be in (0, 1]":        {Ramp: 4, PMax: math.NaN()},
		"recycled: PMax (1.5) must be in (0, 1]":        {Ramp: 4, PMax: 1.5},
		"recycled: PMax (-0.5) must be in (0, 1]":       {Ramp: 4, PMax: -0.5},
		"recycled: PMax (0.5) must be 0 without a Ramp": {PMax: 0.5},
		"recycled: PMax (NaN) must be 0 without a Ramp": {PMax: math.NaN()},
	} {
		if err := cfg.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := NewChain(Config{Bins: 3, Threshold: 2, Ramp: 1, PMax: 0.5}, nil); err != ErrNoChain {
		t.Errorf("a ramp of 1 that ends at 1/2 is no step: %v", err)
	}
}

// TestAckKeepsItsBalls: after W rounds n W balls are in the bins and on their way, and a round throws those
// that come back; without marks none of them is random.
func TestAckKeepsItsBalls(t *testing.T) {
	for _, threshold := range []int{2, 1000} {
		cfg := Config{Bins: 6, Threshold: threshold, Clocking: Ack, Delay: 5, Window: 8}
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		a, rethrown := p.(*ackClocked), false
		for range 300 {
			p.Step()
			away := int64(0)
			for _, due := range a.returning {
				away += int64(len(due))
			}
			want := int64(cfg.Bins * min(p.Round(), cfg.Window))
			if p.Balls()+away != want {
				t.Fatalf("τ=%d, round %d: %d balls in bins and %d away, want %d", threshold, p.Round(), p.Balls(), away, want)
			}
			_, random := p.Throws()
			if random < want {
				t.Fatalf("τ=%d, round %d: %d random throws of %d balls", threshold, p.Round(), random, want)
			}
			rethrown = rethrown || random > want
		}
		if rethrown != (threshold == 2) {
			t.Errorf("τ=%d: rethrown %v", threshold, rethrown)
		}
	}
}

// randomShare returns the share of random throws in the second half of 20 circuits of d + τ rounds.
func randomShare(t *testing.T, cfg Config) float64 {
	t.Helper()
	cfg.MaxRounds = 20 * (cfg.Delay + cfg.Threshold)
	r, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.RandomFraction.Value
}

// TestRampStopsTheBreakdown has the boundaries of another program for n ports, τ = 28, d = 100 and rings of
// 8: the largest W - d of a bracket has less than 5 % random throws, the next one more. A ramp of 25 holds
// per-flow at W - d = 55.
func TestRampStopsTheBreakdown(t *testing.T) {
	for _, c := range []struct {
		clocking           Clocking
		ramp, holds, fails int
	}{
		{PerFlow, 0, 10, 13}, {PerFlow, 5, 12, 16}, {PerFlow, 10, 18, 22}, {PerFlow, 25, 55, 0},
		{Ack, 0, 6, 9}, {Ack, 5, 9, 12}, {Ack, 10, 12, 17}, {Ack, 25, 18, 25},
	} {
		cfg := Config{Bins: 512, Threshold: 28, Delay: 100, Clocking: c.clocking, Ramp: c.ramp}
		if c.clocking == Ack {
			cfg.Bins = 1024
		}
		for _, room := range []int{c.holds, c.fails} {
			if cfg.Window = 100 + room; room == 0 || cfg.Bins > 512 && c.ramp > 0 && !mctest.Long() {
				continue
			}
			if share := randomShare(t, cfg); share < 0.05 != (room == c.holds) {
				t.Errorf("%s, W - d = %d, ramp %d: %.4f of the throws are random", c.clocking, room, c.ramp, share)
			}
		}
	}
}

// TestRoundTripsBreakDown: per-flow with rings that do not overflow holds 2.5 balls below the law and fails
// 2.5 above it, ack 2 below and 4 above the critical window. All points with REPSLAB_LONG=1 alone.
func TestRoundTripsBreakDown(t *testing.T) {
	for _, c := range []struct {
		clocking         Clocking
		threshold, delay int
		long             bool
	}{
		{PerFlow, 28, 60, false}, {Ack, 14, 25, false}, {PerFlow, 14, 25, true}, {PerFlow, 28, 100, true}, {PerFlow, 20, 45, true},
		{PerFlow, 40, 150, true}, {PerFlow, 40, 250, true}, {Ack, 28, 60, true}, {Ack, 40, 100, true}, {Ack, 40, 200, true}, {Ack, 56, 200, true},
	} {
		if c.long && !mctest.Long() {
			continue
		}
		cfg := Config{Bins: 512, Threshold: c.threshold, Delay: c.delay, Clocking: c.clocking, Ring: 24}
		room, err := BoundaryLaw(float64(c.threshold), float64(c.delay))
		below, above := 2.5, 2.5
		if c.clocking == Ack {
			cfg.Ring, cfg.Bins = 0, 2048
			room, err = CriticalWindow(c.threshold, c.delay)
			below, above = 2, 4
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, holds := range []bool{true, false} {
			if cfg.Window = c.delay + int(room-below); !holds {
				cfg.Window = c.delay + int(room+above+1)
			}
			if share := randomShare(t, cfg); share < 0.05 != holds {
				t.Errorf("%s, τ=%d, d=%d: %.4f of the throws are random for W - d = %d, the law is %.2f",
					c.clocking, c.threshold, c.delay, share, cfg.Window-c.delay, room)
			}
		}
	}
}
