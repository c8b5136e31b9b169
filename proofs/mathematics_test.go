package proofs

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"repslab/mc"
	"repslab/recycled"
)

// TestEnclosures: the enclosures contain the true values, and are narrow.
func TestEnclosures(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16, 17, 1000, 1 << 20} {
		l := ln(n)
		if w := math.Log(float64(n)); w < l.Lo-1e-15 || w > l.Hi+1e-15 || l.Hi-l.Lo > 1e-14*(1+w) {
			t.Errorf("ln %d = %v, enclosed %v", n, w, l)
		}
	}
	for _, x := range []float64{-700, -20, -1.5, -0.1, 0, 0.1, 1.25, 10, 700} {
		e := exp(Interval{x, x})
		if w := math.Exp(x); w < e.Lo*(1-1e-15) || w > e.Hi*(1+1e-15) || e.Hi-e.Lo > 1e-14*w {
			t.Errorf("e^%v = %v, enclosed %v", x, w, e)
		}
	}
	// ln 2 to 30 digits, by comparison of e^(ln 2) with 2.
	two := exp(ln(2))
	if two.Lo > 2 || two.Hi < 2 {
		t.Errorf("e^(ln 2) enclosed %v", two)
	}
}

// TestBinomialAgainstRationals: enclosures of tails and excesses contain the exact
// fractions, and are narrow.
func TestBinomialAgainstRationals(t *testing.T) {
	inside := func(name string, exact *big.Rat, i Interval, n, k, x int) {
		lo, hi := new(big.Rat).SetFloat64(i.Lo), new(big.Rat).SetFloat64(i.Hi)
		if exact.Cmp(lo) < 0 || exact.Cmp(hi) > 0 || i.Hi-i.Lo > 1e-12 {
			t.Errorf("%s(%d, %d, %d) = %v outside %v", name, n, k, x, exact.FloatString(20), i)
		}
	}
	for _, n := range []int{1, 2, 3, 5, 16, 40} {
		for _, k := range []int{0, 1, 2, n / 2, n} {
			for x := 0; x <= k+1; x++ {
				inside("Tail", tailRat(n, k, x), binomialTail(n, k, x), n, k, x)
				z := new(big.Rat).SetInt64(int64(x))
				inside("Excess", excessRat(n, k, z), binomialExcess(n, k, x), n, k, x)
				if bound := new(big.Rat).SetFloat64(excessAtMost(n, k, x).Hi); excessRat(n, k, z).Cmp(bound) > 0 {
					t.Errorf("excessAtMost(%d, %d, %d) = %v is below the excess", n, k, x, bound)
				}
			}
		}
	}
}

// TestWorstDriftIsTheWorst: by exhaustive search over the loads of small systems
// no configuration has a larger drift than the one that convexity gives.
func TestWorstDriftIsTheWorst(t *testing.T) {
	configurations := 0
	for _, c := range []struct{ n, threshold, balls int }{{3, 3, 9}, {4, 3, 11}, {5, 3, 13}, {4, 5, 16}, {6, 3, 14}} {
		worst := map[int]*big.Rat{}
		loads := make([]int, c.n)
		var place func(at, left, most int)
		place = func(at, left, most int) {
			if at == c.n {
				k := 0
				for _, load := range loads {
					if load > c.threshold {
						k++
					}
				}
				if k == 0 {
					return
				}
				configurations++
				drift := DriftRat(c.threshold, loads)
				if worst[k] == nil || drift.Cmp(worst[k]) > 0 {
					worst[k] = drift
				}
				return
			}
			for load := 1; load <= min(most, left-(c.n-at-1)); load++ {
				loads[at] = load
				place(at+1, left-load, load)
			}
		}
		place(0, c.balls, c.balls)
		for k, drift := range worst {
			got := DriftRat(c.threshold, worstLoads(c.n, c.threshold, c.balls, k))
			i := WorstDrift(c.n, c.threshold, c.balls, k)
			if got.Cmp(drift) != 0 {
				t.Errorf("%+v k=%d: worst %v, convexity gives %v", c, k, drift, got)
			}
			if f, _ := drift.Float64(); f < i.Lo || f > i.Hi {
				t.Errorf("%+v k=%d: %v outside %v", c, k, f, i)
			}
		}
	}
	if configurations < 100 {
		t.Errorf("only %d configurations", configurations)
	}
}

// TestSystemIsTheSimulator: the explicit model and package recycled, with the same
// draws, have the same loads in every round.
func TestSystemIsTheSimulator(t *testing.T) {
	for _, s := range []setup{{SelfClocked, 8, 3, 0}, {SelfClocked, 16, 12, 0}, {RoundRobin, 5, 4, 3}, {RoundRobin, 16, 12, 7}} {
		cfg := recycled.Config{Bins: s.bins, Threshold: s.threshold, Colors: s.colors, Clocking: recycled.Clocking(s.process)}
		p, err := recycled.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(7, mc.Algorithm, 1)
		p.Reset(stream)
		rng := stream.Rand()
		y := newSystem(s)
		for r := 1; r <= 300; r++ {
			p.Step()
			record, draws := y.remove()
			choices := make([]int, draws)
			for i := range choices {
				choices[i] = int(rng.Below(uint64(s.bins)))
			}
			y.throw(record, choices)
			for bin, load := range record.after {
				if p.Load(bin) != load {
					t.Fatalf("%v: round %d: loads %v, the simulator has %d in bin %d", s, r, record.after, p.Load(bin), bin)
				}
			}
			if met, known := p.ColorRepeated(); known && met != y.repeated {
				t.Fatalf("%v: round %d: two of a colour %v, the simulator says %v", s, r, y.repeated, met)
			}
		}
	}
}

// TestDriftIsTheMean: the enclosed drift of a state contains the mean over all its
// throws, along some runs of both processes.
func TestDriftIsTheMean(t *testing.T) {
	for _, s := range []setup{{SelfClocked, 4, 2, 0}, {RoundRobin, 3, 2, 2}, {RoundRobin, 4, 3, 2}} {
		rng := mc.NewStream(3, mc.Algorithm, 0).Rand()
		y := newSystem(s)
		for range 40 {
			start := y.clone()
			r, draws := start.remove()
			rise, runs := 0, 0
			for _, record := range y.successors() {
				rise += excess(record.after, s.threshold) - excess(record.before, s.threshold)
				runs++
			}
			mean := float64(rise) / float64(runs)
			if d := y.drift(); mean < d.Lo-1e-12 || mean > d.Hi+1e-12 || d.Hi-d.Lo > 1e-9 {
				t.Fatalf("%v, loads %v: mean change %v, enclosed %v", s, y.loads(), mean, d)
			}
			choice := make([]int, draws)
			for i := range choice {
				choice[i] = int(rng.Below(uint64(s.bins)))
			}
			start.throw(r, choice)
			y = start
		}
	}
}

// TestEnumerationEndsAtItsLimits: a search ends after its rounds or states, and is then not
// closed.
func TestEnumerationEndsAtItsLimits(t *testing.T) {
	never := fact{violated: func(*system, *round) bool { return false }}
	for _, c := range []struct {
		rounds, most int
		closed       bool
	}{{60, searchStates, true}, {1, searchStates, false}, {60, 2, false}} {
		r := enumerate(tinySystems[0], never, c.rounds, c.most)
		if r.closed != c.closed || r.run != nil || r.rounds > c.rounds || r.states == 0 {
			t.Errorf("at most %d rounds, %d states: %+v", c.rounds, c.most, r)
		}
	}
}

// TestSettledConditionWithoutConvergence: the throws of S22's counterexample meet its condition, computed in
// fractions, and the run is never doomed, but it does not converge: with all later throws into bin 0 its loads
// repeat.
func TestSettledConditionWithoutConvergence(t *testing.T) {
	const threshold, first = 20, 22
	rest := rat(0, 1) // the sum of z(i) e(i)/g(i) over i > k
	for k := first; k >= 0; k-- {
		holes, empty := threshold+max(0, threshold-k), 1
		if k == 0 {
			empty = 2
		}
		if need := plus(rat(4*empty, 1), times(rat(4, 1), rest)); rat(holes, 1).Cmp(need) < 0 {
			t.Errorf("after %d throws there are %d holes, fewer than %v", k, holes, need)
		}
		rest = plus(rest, rat(max(1, k-threshold)*empty, holes))
	}
	y := newSystem(setup{SelfClocked, 2, threshold, 0})
	thrown := 0
	for round := 1; round <= 100; round++ {
		r, draws := y.remove()
		bins := make([]int, draws)
		if thrown <= first && first < thrown+draws {
			bins[first-thrown] = 1
		}
		y.throw(r, bins)
		thrown += draws
		if r.after[0]+max(1, r.after[1]) > 2*threshold || draws == 0 {
			t.Fatalf("round %d: loads %v are doomed, or %v have converged", round, r.after, r.before)
		}
		if thrown > first+1 && !slices.Equal(r.after, []int{threshold + 1, 1}) {
			t.Errorf("round %d: loads %v, want [21 1] from now on", round, r.after)
		}
	}
}
