package recycled

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestPhaseOneIsExact compares, without a threshold that matters, rounds and
// fresh balls until no bin is empty with their exact expectations. With 8,000
// replicas an error of 3 % would be seen.
func TestPhaseOneIsExact(t *testing.T) {
	t.Parallel()
	for _, row := range mctest.Reference(t, "testdata/exact_phase_one.csv") {
		n := int(row.Number(t, "n"))
		if n > 256 {
			continue
		}
		cfg := Config{Bins: n, Threshold: MaxThreshold}
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		seed := mctest.Seed(t, 1)
		var rounds, fresh mc.Moments
		for replica := range uint64(8000) {
			o, err := Run(context.Background(), p, cfg, mc.NewStream(seed, mc.Algorithm, replica))
			if err != nil || o.Status != Converged {
				t.Fatalf("n=%d: outcome %+v, error %v", n, o, err)
			}
			rounds.Add(int64(o.Rounds))
			_, random := p.Throws()
			fresh.Add(random)
		}
		mctest.Agree(t, fmt.Sprintf("n=%d: rounds of phase one", n), rounds.Mean(0.95), row.Number(t, "E_rounds"), 0, 1e-5)
		mctest.Agree(t, fmt.Sprintf("n=%d: fresh balls of phase one", n), fresh.Mean(0.95), row.Number(t, "E_fresh_balls"), 0, 1e-5)
	}
}

// TestNeverConvergesIsExact compares the share of certified runs with the exact
// probability that a run never converges, computed for tiny chains.
func TestNeverConvergesIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bins, threshold int
		never           float64
	}{{2, 2, 1.0 / 16}, {2, 3, 1.0 / 128}, {3, 2, 0.139460}, {4, 2, 0.207296}, {4, 4, 0.00511633}} {
		const replicas = 80_000
		s, err := Simulate(context.Background(), Config{Bins: c.bins, Threshold: c.threshold, MaxRounds: 100_000}, mc.Plan{Seed: mctest.Seed(t, 2), Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		if s.Converged+s.Certified != replicas {
			t.Errorf("n=%d, threshold %d: %d runs converged, %d certified, want %d together", c.bins, c.threshold, s.Converged, s.Certified, replicas)
		}
		got := mc.Estimate{Value: float64(s.Certified) / replicas, StdErr: math.Sqrt(c.never * (1 - c.never) / replicas), N: replicas}
		mctest.Agree(t, fmt.Sprintf("n=%d, threshold %d: share of runs that never converge", c.bins, c.threshold), got, c.never, 0, 1e-6)
	}
}

// TestRoundRobinIsExactForTwoBins compares mean maximum load and mean balls,
// round by round, with the exact law: 200 and more comparisons under one bound
// of 4 standard errors (5 where the law is taken with a fresh seed's bound 6.11).
func TestRoundRobinIsExactForTwoBins(t *testing.T) {
	t.Parallel()
	type key struct{ colors, threshold int }
	rows := map[key][]mctest.Row{}
	for _, row := range mctest.Reference(t, "testdata/exact_round_robin_n2.csv") {
		k := key{int(row.Number(t, "C")), int(row.Number(t, "tau"))}
		rows[k] = append(rows[k], row)
	}
	for k, exact := range rows {
		t.Run(fmt.Sprintf("colors=%d/threshold=%d", k.colors, k.threshold), func(t *testing.T) {
			const replicas = 20_000
			last := int(exact[len(exact)-1].Number(t, "round"))
			p, err := New(Config{Bins: 2, Colors: k.colors / 2, Threshold: k.threshold, Clocking: RoundRobin})
			if err != nil {
				t.Fatal(err)
			}
			maxLoad, balls := make([]mc.Moments, last+1), make([]mc.Moments, last+1)
			seed := mctest.Seed(t, 3)
			for replica := range uint64(replicas) {
				p.Reset(mc.NewStream(seed, mc.Algorithm, replica))
				for round := 1; round <= last; round++ {
					p.Step()
					maxLoad[round].Add(int64(max(p.Load(0), p.Load(1))))
					balls[round].Add(p.Balls())
				}
			}
			for _, row := range exact {
				round := int(row.Number(t, "round"))
				mctest.Agree(t, fmt.Sprintf("mean maximum at round %d", round), maxLoad[round].Mean(0.95), row.Number(t, "E_max_load"), 0, 1e-8)
				mctest.Agree(t, fmt.Sprintf("mean balls at round %d", round), balls[round].Mean(0.95), row.Number(t, "E_total_balls"), 0, 1e-8)
			}
		})
	}
}

// TestTheoremsParameters holds both processes, at the theorem's smallest
// threshold and colours, against an independent simulation, within 4 standard
// errors of both.
func TestTheoremsParameters(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, row := range mctest.Reference(t, "testdata/theorem.csv") {
		n, threshold, colors := int(row.Number(t, "n")), int(row.Number(t, "tau")), int(row.Number(t, "C"))
		ours := Config{Bins: n, MaxRounds: int(row.Number(t, "maxrounds"))}.WithDefaults()
		if row["cmp"] != "before" || row["keep"] != "1" || row["forget"] != "any" || n > 256 || colors != n*ours.Colors {
			continue
		}
		if ours.Threshold != threshold {
			t.Fatalf("n=%d: default threshold %d, want %d", n, ours.Threshold, threshold)
		}
		name := fmt.Sprintf("n=%d, %s: ", n, row["model"])
		reps := row.Number(t, "reps")
		wantMax, wantMaxErr := row.Number(t, "maxload_mean"), row.Number(t, "maxload_se")
		switch row["model"] {
		case "imm":
			s, err := Simulate(context.Background(), ours, mc.Plan{Seed: mctest.Seed(t, 4), Replicas: 2000})
			if err != nil {
				t.Fatal(err)
			}
			if s.Converged != s.Replicas {
				t.Errorf("%s%d of %d runs converged", name, s.Converged, s.Replicas)
			}
			mctest.Agree(t, name+"mean rounds", s.Rounds, row.Number(t, "T_mean"), row.Number(t, "T_se"), 0)
			mctest.Agree(t, name+"mean maximum load", s.MaxLoad, wantMax, wantMaxErr, 0)
		case "rr":
			if n > 32 {
				continue // TestRoundRobinNeverSettles covers larger ones
			}
			maxLoad, balls := runThrough(t, ours, 100)
			mctest.Agree(t, name+"mean maximum load", maxLoad.Mean(0.95), wantMax, wantMaxErr, 0)
			perBin := balls.Mean(0.95).Per(float64(n))
			mctest.Agree(t, name+"balls a bin at the end", perBin, row.Number(t, "balls_per_bin_end"), perBin.StdErr*math.Sqrt(float64(balls.N())/reps), 1e-4)
		}
		compared++
	}
	if compared < 7 {
		t.Errorf("only %d rows compared", compared)
	}
}

// runThrough runs round-robin replicas for all of MaxRounds, past certificates.
func runThrough(t *testing.T, cfg Config, replicas uint64) (maxLoad, balls mc.Moments) {
	t.Helper()
	cfg.Clocking = RoundRobin
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	seed := mctest.Seed(t, 5)
	for replica := range replicas {
		p.Reset(mc.NewStream(seed, mc.Algorithm, replica))
		for p.Round() < cfg.MaxRounds {
			p.Step()
		}
		maxLoad.Add(int64(p.MaxLoad()))
		balls.Add(p.Balls())
	}
	return maxLoad, balls
}

// TestRoundRobinNeverSettles: at the theorem's parameters no run of 20 converges
// for n = 32, and most are certified never to.
func TestRoundRobinNeverSettles(t *testing.T) {
	s, err := Simulate(context.Background(), Config{Bins: 32, Clocking: RoundRobin}, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 20})
	if err != nil {
		t.Fatal(err)
	}
	if s.Converged != 0 || s.Certified < 10 || !math.IsNaN(s.Rounds.Value) || s.ColorRepeated.Value != 1 {
		t.Errorf("result %+v", s)
	}
}

// TestPerFlowRoundTrip repeats what is known of the feedback delay (three runs
// each, so only wide bounds): without a delay queues stay near the threshold and
// random throws die out; with a round trip of 100 rounds nearly all throws are
// random; a window of one round trip restores order.
func TestPerFlowRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		cfg          Config
		random       [2]float64 // bounds of the mean fraction
		lowest, most float64    // bounds of the largest load
	}{
		{"no delay", Config{Bins: 32, Clocking: PerFlow}, [2]float64{1e-6, 5e-3}, 14, 18},
		{"round trip", Config{Bins: 32, Clocking: PerFlow, Delay: 100}, [2]float64{0.8, 1}, 94, 270},
		{"window of the round trip", Config{Bins: 32, Clocking: PerFlow, Delay: 100, Threshold: 25, Window: 101}, [2]float64{0, 0.01}, 15, 40},
		{"window 10 % larger", Config{Bins: 32, Clocking: PerFlow, Delay: 100, Threshold: 25, Window: 111}, [2]float64{0.25, 0.5}, 50, 100},
	} {
		s, err := Simulate(context.Background(), c.cfg, mc.Plan{Seed: mctest.Seed(t, 6), Replicas: 6})
		if err != nil {
			t.Fatal(err)
		}
		if f := s.RandomFraction.Value; f < c.random[0] || f > c.random[1] {
			t.Errorf("%s: random throw fraction %v, want in %v", c.name, f, c.random)
		}
		if s.MaxLoad.Value < c.lowest || s.MaxLoadMax > c.most {
			t.Errorf("%s: maximum load %v on average, %v at most; want in [%v, %v]", c.name, s.MaxLoad.Value, s.MaxLoadMax, c.lowest, c.most)
		}
		if s.Absorbing || s.Converged != 0 || !math.IsNaN(s.ColorRepeated.Value) {
			t.Errorf("%s: result %+v", c.name, s)
		}
	}
}
