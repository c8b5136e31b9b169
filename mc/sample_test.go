package mc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"repslab/internal/propertytest"
)

// TestSampleAgainstSorting compares counts, ranks, moments and merging with a
// sorted slice.
func TestSampleAgainstSorting(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Int64Range(-20, 20), 1, 300).Draw(t, "observations")
		cut := rapid.IntRange(0, len(xs)).Draw(t, "cut")
		var left, right Sample
		var m Moments
		for i, x := range xs {
			m.Add(x)
			if i < cut {
				left.Add(x)
			} else {
				right.Add(x)
			}
		}
		left.merge(&right)
		left.Add(xs[0])
		m.Add(xs[0])
		sorted := append(slices.Clone(xs), xs[0])
		slices.Sort(sorted)
		if left.N() != uint64(len(sorted)) || left.settled() != m {
			t.Fatalf("N = %d, moments %+v; want %d, %+v", left.N(), left.settled(), len(sorted), m)
		}
		for i, want := range sorted {
			if got := left.rank(uint64(i + 1)); got != want {
				t.Fatalf("rank(%d) = %d, want %d", i+1, got, want)
			}
		}
		if got, _ := left.Max(); got != sorted[len(sorted)-1] {
			t.Fatalf("Max() = %d, want %d", got, sorted[len(sorted)-1])
		}
	})
}

func TestNearestRank(t *testing.T) {
	for _, c := range []struct {
		p       float64
		n, want uint64
	}{{0.5, 1, 1}, {0.5, 2, 1}, {0.5, 3, 2}, {0.95, 20, 19}, {0.95, 21, 20}, {0.99, 100, 99}, {0.99, 1000, 990}, {0.01, 3, 1}, {0.025, 1000, 25}, {0.07, 100, 7}} {
		if got := nearestRank(c.p, c.n); got != c.want {
			t.Errorf("nearestRank(%v, %d) = %d, want %d", c.p, c.n, got, c.want)
		}
	}
}

// TestQuantileRanks checks, with gonum's binomial law, that the ranks are the tightest ones with small
// enough tails. So the coverage of the interval is at least 1 - 2 tail for every law of the observations.
func TestQuantileRanks(t *testing.T) {
	const tail = 0.025
	for _, n := range []uint64{1, 5, 20, 100, 1000, 100_000} {
		for _, p := range []float64{0.025, 0.5, 0.95, 0.99} {
			b := distuv.Binomial{N: float64(n), P: p}
			lower, upper := quantileRanks(p, n, tail)
			if got := b.CDF(float64(lower) - 1); lower > 0 && got > tail*(1+1e-9) {
				t.Errorf("n=%d p=%v: P[B < %d] = %v, want at most %v", n, p, lower, got, tail)
			}
			if got := b.CDF(float64(lower)); got <= tail*(1-1e-9) {
				t.Errorf("n=%d p=%v: rank %d could be larger", n, p, lower)
			}
			if got := 1 - b.CDF(float64(upper)-1); upper <= n && got > tail*(1+1e-9) {
				t.Errorf("n=%d p=%v: P[B >= %d] = %v, want at most %v", n, p, upper, got, tail)
			}
			if got := 1 - b.CDF(float64(upper)-2); got <= tail*(1-1e-9) {
				t.Errorf("n=%d p=%v: rank %d could be smaller", n, p, upper)
			}
		}
	}
}

func TestQuantileOfFewObservations(t *testing.T) {
	var s Sample
	if e := s.Quantile(0.95, 0.95); !math.IsNaN(e.Value) || len(e.Warnings) != 1 {
		t.Errorf("quantile of nothing = %+v", e)
	}
	if _, ok := s.Max(); ok {
		t.Error("an empty sample has a maximum")
	}
	for x := range int64(10) {
		s.Add(x)
	}
	e := s.Quantile(0.95, 0.95)
	if e.Value != 9 || !math.IsInf(e.Hi, 1) || e.Lo != 7 || len(e.Warnings) != 1 {
		t.Errorf("95 %% quantile of 0..9 = %+v", e)
	}
	if e := s.Quantile(0.5, 0.95); e.Value != 4 || e.Lo != 1 || e.Hi != 8 || e.Warnings != nil {
		t.Errorf("median of 0..9 = %+v", e)
	}
}
