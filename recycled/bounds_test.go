package recycled

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestPhaseOneBoundHolds: exact E[T1] below the bound, by a factor that is 1.58
// at n = 1 and settles near 1.92.
func TestPhaseOneBoundHolds(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8, 16, 64, 256, 1024} {
		p, err := NewPhaseOne(n)
		if err != nil {
			t.Fatal(err)
		}
		exact, _ := p.Mean()
		margin := PhaseOneRoundsBound(n) / exact
		t.Logf("n=%d: E[T1] = %.4f, bound / exact %.3f", n, exact, margin)
		if margin < 1.5 || margin > 2.5 {
			t.Errorf("n=%d: bound %v, exact %v", n, PhaseOneRoundsBound(n), exact)
		}
	}
}

// TestNeverBoundsHold: exact P[never] <= P[balls of phase one > n τ] <= n
// exp(1-τ); with REPSLAB_LONG=1 for 8 bins too.
func TestNeverBoundsHold(t *testing.T) {
	for _, c := range []struct{ bins, threshold int }{{1, 1}, {2, 1}, {2, 2}, {2, 6}, {3, 2}, {4, 2}, {4, 4}, {4, 8}, {6, 4}, {8, 3}, {8, 4}} {
		if c.bins == 8 && !mctest.Long() {
			continue
		}
		p, err := NewPhaseOne(c.bins)
		if err != nil {
			t.Fatal(err)
		}
		exact := mustRun(t, c.bins, c.threshold).Never
		free, bound := p.BallsTail(c.bins*c.threshold), NeverConvergesBound(c.bins, c.threshold)
		t.Logf("n=%d threshold %d: P[never] = %.4g <= %.4g <= %.4g", c.bins, c.threshold, exact, free, bound)
		if exact > free || free > bound {
			t.Errorf("n=%d threshold %d: P[never] = %v, without a threshold %v, bound %v", c.bins, c.threshold, exact, free, bound)
		}
	}
	// At the theorem's threshold, beyond the chain's reach, the sharper one is a
	// quarter to a third of the other; with REPSLAB_LONG=1 for 1,024 bins too.
	sizes := []int{16, 256}
	if mctest.Long() {
		sizes = append(sizes, 1024)
	}
	for _, n := range sizes {
		threshold := Config{Bins: n}.WithDefaults().Threshold
		p, err := NewPhaseOne(n)
		if err != nil {
			t.Fatal(err)
		}
		free, bound := p.BallsTail(n*threshold), NeverConvergesBound(n, threshold)
		t.Logf("n=%d threshold %d: P[never] <= %.4g <= %.4g", n, threshold, free, bound)
		if ratio := free / bound; ratio < 0.2 || ratio > 0.4 {
			t.Errorf("n=%d: %v without a threshold, bound %v", n, free, bound)
		}
	}
}

// partitions calls f with every vector of bins positive loads in descending order
// that holds balls balls.
func partitions(bins, balls int, f func(loads []int)) {
	loads := make([]int, bins)
	var place func(at, left, most int)
	place = func(at, left, most int) {
		if at == bins {
			if left == 0 {
				f(loads)
			}
			return
		}
		for load := 1; load <= min(most, left); load++ {
			loads[at] = load
			place(at+1, left-load, load)
		}
	}
	place(0, balls, balls)
}

// TestPhaseTwoBoundsHold runs the exact chain from every state of phase two of
// small systems: the mean below the sharp bound and that below Y/h, the tail at
// the bounding round below exp(-y/4).
func TestPhaseTwoBoundsHold(t *testing.T) {
	for _, c := range []struct{ bins, threshold int }{{1, 2}, {2, 2}, {2, 5}, {3, 2}, {3, 4}, {4, 3}, {5, 3}} {
		tightest, states := math.Inf(1), 0
		for balls := c.bins; balls <= c.bins*c.threshold; balls++ {
			partitions(c.bins, balls, func(loads []int) {
				excess := 0
				for _, load := range loads {
					excess += max(0, load-c.threshold)
				}
				chain, err := NewChain(Config{Bins: c.bins, Threshold: c.threshold}, loads)
				if err != nil {
					t.Fatal(err)
				}
				limit := chain.Run()
				sharp, err := PhaseTwoRoundsSharp(c.bins, c.threshold, balls, excess)
				if err != nil {
					t.Fatal(err)
				}
				plain, _ := PhaseTwoRoundsBound(c.bins, c.threshold, balls, excess)
				if limit.Never != 0 || limit.RoundsMean > sharp*(1+1e-12) || sharp > plain {
					t.Errorf("n=%d threshold %d from %v: never %v, E[T2] = %v, bounds %v and %v", c.bins, c.threshold, loads, limit.Never, limit.RoundsMean, sharp, plain)
				}
				if excess > 0 {
					tightest = min(tightest, sharp/limit.RoundsMean)
					states++
				}
				if balls == c.bins*c.threshold || excess == 0 {
					return
				}
				for y := excess; y <= 4*excess; y++ {
					round, probability, err := PhaseTwoTailBound(c.bins, c.threshold, balls, float64(y))
					if err != nil {
						t.Fatal(err)
					}
					var tail float64
					for r := int(round) + 1; r < len(limit.Converged); r++ {
						tail += limit.Converged[r]
					}
					if tail > probability {
						t.Errorf("n=%d threshold %d from %v: P[T2 > %v] = %v, bound %v", c.bins, c.threshold, loads, round, tail, probability)
					}
				}
			})
		}
		t.Logf("n=%d threshold %d: sharp bound / E[T2] at least %.4f over %d states", c.bins, c.threshold, tightest, states)
	}
}

// TestRoundsBoundHolds: simulated rounds at the theorem's threshold stay far
// below the bound; the failure probability of 2/n would let some exceed it.
func TestRoundsBoundHolds(t *testing.T) {
	for _, n := range []int{16, 64, 256} {
		cfg := Config{Bins: n}.WithDefaults()
		bound, failure, err := RoundsBound(n, cfg.Threshold)
		if err != nil || failure != 2/float64(n) {
			t.Fatalf("failure %v, error %v", failure, err)
		}
		got, err := Simulate(context.Background(), cfg, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 500})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("n=%d: mean %.3f and maximum %.3f of the bound %.1f", n, got.Rounds.Value/bound, got.RoundsMax/bound, bound)
		if got.Converged != got.Replicas || got.RoundsMax > bound {
			t.Errorf("n=%d: %d of %d converged, %v rounds at most, bound %v", n, got.Converged, got.Replicas, got.RoundsMax, bound)
		}
	}
}

// TestRoundsBoundSteps checks the inequalities of the proof numerically over n:
// the coupon collector's 1/n, the absorption of 0.45, and the tail below 1/n.
func TestRoundsBoundSteps(t *testing.T) {
	least := 1.0
	for n := 16; n <= 1<<20; n += 1 + n/64 {
		bins, logBins := float64(n), math.Log(float64(n))
		if p := bins * math.Exp(math.Floor(2*bins*logBins)*math.Log1p(-1/bins)); p > 1/bins {
			t.Errorf("n=%d: coupon collector fails with %v > 1/n", n, p)
		}
		threshold := int(math.Ceil(4 * logBins))
		most := 2*bins*logBins + bins
		h, err := AbsorptionBound(n, threshold, int(most))
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, h)
		if real := (2*logBins - 1) / (4*logBins - 1); h < 0.45 || real < 0.45 || math.Exp(-most/4) > 1/bins {
			t.Errorf("n=%d: h = %v, %v at threshold 4 ln n", n, h, real)
		}
	}
	t.Logf("least h %.4f", least)
}

// TestBoundsAreTheFormulas works two cases out by hand.
func TestBoundsAreTheFormulas(t *testing.T) {
	// n = 4, τ = 3, M = 8: four holes, at most two in each of four bins.
	h, err := AbsorptionBound(4, 3, 8)
	if err != nil || h != 0.5 {
		t.Errorf("h = %v, error %v, want 1/2", h, err)
	}
	if rounds, probability, err := PhaseTwoTailBound(4, 3, 8, 6); err != nil || rounds != 24 || math.Abs(probability-math.Exp(-1.5)) > 1e-15 {
		t.Errorf("P[T2 > %v] <= %v, error %v, want 24, exp(-1.5)", rounds, probability, err)
	}
	if plain, err := PhaseTwoRoundsBound(4, 3, 8, 2); err != nil || plain != 4 {
		t.Errorf("E[T2] <= %v, error %v, want 4", plain, err)
	}
	if sharp, err := PhaseTwoRoundsSharp(4, 3, 8, 2); err != nil || math.Abs(sharp-(8.0/5+8.0/6)) > 1e-14 {
		t.Errorf("E[T2] <= %v, error %v, want 8/5 + 8/6", sharp, err)
	}
	// 32 ln 16 = 88.7228.
	if rounds, _, err := RoundsBound(16, 12); err != nil || math.Abs(rounds-(88.7228+2*104.7228/0.45)) > 1e-3 {
		t.Errorf("T <= %v, error %v", rounds, err)
	}
}

// TestThresholdShortensPhaseOne: overfull bins throw too, so phase one is
// shorter, and leaves fewer balls, than the law without a threshold has it.
func TestThresholdShortensPhaseOne(t *testing.T) {
	for _, threshold := range []int{1, 2, 4} {
		s := newSelfClocked(Config{Bins: 16, Threshold: threshold, Lambda: 1})
		var rounds, balls mc.Moments
		for replica := range uint64(5000) {
			s.Reset(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, replica))
			for s.empty > 0 {
				s.Step()
			}
			rounds.Add(int64(s.Round()))
			balls.Add(s.Balls())
		}
		p, err := NewPhaseOne(16)
		if err != nil {
			t.Fatal(err)
		}
		mostRounds, mostBalls := p.Mean()
		t.Logf("threshold %d: %.2f of %.2f rounds, %.2f of %.2f balls", threshold, rounds.Mean(0.95).Value, mostRounds, balls.Mean(0.95).Value, mostBalls)
		if e := rounds.Mean(0.95); e.Value > mostRounds+mctest.Z(t)*e.StdErr {
			t.Errorf("threshold %d: %v rounds, without %v", threshold, e.Value, mostRounds)
		}
		if e := balls.Mean(0.95); e.Value > mostBalls+mctest.Z(t)*e.StdErr {
			t.Errorf("threshold %d: %v balls, without %v", threshold, e.Value, mostBalls)
		}
	}
}

func TestBoundsDomain(t *testing.T) {
	for _, c := range []struct {
		bins, threshold, balls int
		want                   string
	}{
		{0, 2, 0, "bins (0) must be at least 1"}, {2, 1, 2, "threshold (1) must be at least 2"},
		{2, 2, 1, "balls (1) must be in [bins, bins·threshold] = [2, 4]"}, {2, 2, 5, "balls (5) must be in"},
		{3, math.MaxInt, 3, "threshold (9223372036854775807) must be at most 3074457345618258602 for 3 bins"},
	} {
		_, err := AbsorptionBound(c.bins, c.threshold, c.balls)
		_, errPlain := PhaseTwoRoundsBound(c.bins, c.threshold, c.balls, 1)
		_, errSharp := PhaseTwoRoundsSharp(c.bins, c.threshold, c.balls, 1)
		_, _, errTail := PhaseTwoTailBound(c.bins, c.threshold, c.balls, 1)
		for _, err := range []error{err, errPlain, errSharp, errTail} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v", c, err)
			}
		}
	}
	if _, _, err := PhaseTwoTailBound(2, 2, 4, 1); err == nil || !strings.Contains(err.Error(), "balls (4) must be below bins·threshold (4)") {
		t.Errorf("error %v", err)
	}
	if plain, err := PhaseTwoRoundsBound(2, 2, 4, 1); err != nil || !math.IsInf(plain, 1) {
		t.Errorf("bound %v, error %v, want +Inf", plain, err)
	}
	for _, c := range []struct {
		bins, threshold int
		want            string
	}{{15, 100, "bins (15) must be at least 16"}, {16, 11, "threshold (11) must be at least 4 ln(bins) (11.09)"}} {
		if _, _, err := RoundsBound(c.bins, c.threshold); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if NeverConvergesBound(100, 1) != 1 {
		t.Error("a probability above 1")
	}
}

func TestBoundsPanic(t *testing.T) {
	for _, c := range []struct {
		want string
		call func() float64
	}{
		{"PhaseOneRoundsBound: bins (-3) must be at least 1", func() float64 { return PhaseOneRoundsBound(-3) }},
		{"PhaseOneRoundsBound: bins (0) must be at least 1", func() float64 { return PhaseOneRoundsBound(0) }},
		{"ConvergenceExponent: ratio must be positive", func() float64 { return ConvergenceExponent(0) }},
		{"ConvergenceExponent: ratio must be positive", func() float64 { return ConvergenceExponent(math.NaN()) }},
		{"ClosedEmptyShare: ballsPerBin (-1) must be in [0, +Inf]", func() float64 { return ClosedEmptyShare(-1) }},
		{"bins (-1) and threshold (0) must be at least 1", func() float64 { return NeverConvergesBound(-1, 0) }},
		{"bins (1) and threshold (0) must be at least 1", func() float64 { return NeverConvergesBound(1, 0) }},
		{"bins (0) and threshold (1) must be at least 1", func() float64 { return NeverConvergesBound(0, 1) }},
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, c.want) {
					t.Errorf("panic %q, want %q", text, c.want)
				}
			}()
			t.Errorf("returned %v, want a panic with %q", c.call(), c.want)
		}()
	}
}
