package mc

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"repslab/internal/elementary"
)

// Sample holds the empirical distribution of integer observations exactly, as counted values: memory
// grows with the number of distinct values, not with the number of observations. The zero value is empty.
// Merging is associative and commutative. A Sample is not safe for concurrent use.
type Sample struct {
	counted []count // ascending values
	pending []int64 // observations not yet counted
	moments Moments // of the counted observations
}

// count is a value and its number of observations.
type count struct {
	value int64
	n     uint64
}

// Add records one observation, O(1) amortised up to the sorting of distinct
// values.
func (s *Sample) Add(x int64) {
	s.pending = append(s.pending, x)
	if len(s.pending) >= max(64, len(s.counted)) {
		s.settle()
	}
}

// AddMany records n observations of x. It panics if n is 2^33 or more, or if the sum of squares would pass
// 2^128; the sample is then unchanged. O(distinct values).
func (s *Sample) AddMany(x int64, n uint64) {
	s.settle()
	moments := s.moments
	if n >= 1<<33 || !moments.addMany(x, n) {
		panic(fmt.Sprintf("mc: Sample.AddMany: n (%d) must be below 2^33, and the sum of squares with n times %d below 2^128", n, x))
	}
	if n > 0 {
		s.counted, s.moments = mergeCounts(s.counted, []count{{x, n}}), moments
	}
}

// merge adds all observations of other to s; other keeps its observations.
func (s *Sample) merge(other *Sample) {
	s.settle()
	other.settle()
	s.counted = mergeCounts(s.counted, other.counted)
	s.moments.Merge(other.moments)
}

// settle counts the pending observations.
func (s *Sample) settle() {
	if len(s.pending) == 0 {
		return
	}
	for _, x := range s.pending {
		s.moments.Add(x)
	}
	slices.Sort(s.pending)
	fresh := make([]count, 0, len(s.pending))
	for _, x := range s.pending {
		if k := len(fresh); k > 0 && fresh[k-1].value == x {
			fresh[k-1].n++
			continue
		}
		fresh = append(fresh, count{x, 1})
	}
	s.pending = s.pending[:0]
	s.counted = mergeCounts(s.counted, fresh)
}

// mergeCounts returns the union of two ascending lists, counts added.
func mergeCounts(a, b []count) []count {
	if len(a) == 0 {
		return slices.Clone(b)
	}
	merged := make([]count, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].value < b[0].value:
			merged, a = append(merged, a[0]), a[1:]
		case a[0].value > b[0].value:
			merged, b = append(merged, b[0]), b[1:]
		default:
			merged = append(merged, count{a[0].value, a[0].n + b[0].n})
			a, b = a[1:], b[1:]
		}
	}
	merged = append(merged, a...)
	return append(merged, b...)
}

// N returns the number of observations.
func (s *Sample) N() uint64 {
	return s.moments.N() + uint64(len(s.pending))
}

// settled counts the pending observations and returns the exact moments of all. O(1) if none is pending.
func (s *Sample) settled() Moments {
	s.settle()
	return s.moments
}

// Mean returns the mean of the observations with Student's t interval at the
// given confidence; see [Moments.Mean].
func (s *Sample) Mean(confidence float64) Estimate {
	return s.settled().Mean(confidence)
}

// Max returns the largest observation and false if there is none.
func (s *Sample) Max() (int64, bool) {
	s.settle()
	if len(s.counted) == 0 {
		return 0, false
	}
	return s.counted[len(s.counted)-1].value, true
}

// rank returns the r-th smallest observation, 1 <= r <= N.
func (s *Sample) rank(r uint64) int64 {
	s.settle()
	for _, c := range s.counted {
		if r <= c.n {
			return c.value
		}
		r -= c.n
	}
	panic("mc: rank is beyond the number of observations")
}

// Quantile returns the p-quantile of the observations by nearest rank (the ceil(pN)-th smallest) with a
// distribution-free interval of at least the given confidence [David03, section 7.1]. The ends of the
// interval are order statistics: their ranks are quantiles of Binomial(N, p), so each end is on the wrong
// side of the p-quantile with probability at most (1-confidence)/2. If there are too few observations for
// an end, it is infinite, with a warning. An empty sample gives NaN with a warning. p and confidence must
// be in (0, 1); otherwise Quantile panics.
func (s *Sample) Quantile(p, confidence float64) Estimate {
	mustBeOpenUnit("Quantile", "p", p)
	mustBeOpenUnit("Quantile", "confidence", confidence)
	n := s.N()
	e := Estimate{Value: math.NaN(), StdErr: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Confidence: confidence, N: n}
	if n == 0 {
		e.Warnings = []string{"no observations"}
		return e
	}
	e.Value = float64(s.rank(nearestRank(p, n)))
	lower, upper := quantileRanks(p, n, (1-confidence)/2)
	if lower >= 1 {
		e.Lo = float64(s.rank(lower))
	}
	if upper <= n {
		e.Hi = float64(s.rank(upper))
	}
	if lower < 1 || upper > n {
		e.Warnings = []string{"too few observations for the interval of this quantile"}
	}
	return e
}

// nearestRank returns ceil(p n), at least 1. A relative allowance of 2^-50 makes ceil(0.95 * 20) 19
// although the float64 nearest to 0.95 is not 0.95.
func nearestRank(p float64, n uint64) uint64 {
	r := uint64(math.Ceil(p * float64(n) * (1 - 0x1p-50)))
	return min(max(r, 1), n)
}

// quantileRanks returns the largest rank l with P[B < l] <= tail and the
// smallest rank u with P[B >= u] <= tail for B binomial(n, p); l may be 0 and u
// may be n+1, which no observation holds.
func quantileRanks(p float64, n uint64, tail float64) (lower, upper uint64) {
	// The walk starts 12 standard deviations out, where less than 1e-30 of the
	// mass is left, and sums from the outside in, so nothing cancels.
	width := float64(12*math.Sqrt(float64(n)*p*(1-p))) + 40
	first := uint64(max(0, math.Floor(float64(float64(n)*p)-width)))
	last := uint64(min(float64(n), math.Ceil(float64(float64(n)*p)+width)))

	walk := func(k, step uint64) uint64 { // ends since tail is below 1/2
		for mass := binomialPMF(n, k, p); mass <= tail; mass += binomialPMF(n, k, p) {
			k += step
		}
		return k
	}
	return walk(first, 1), walk(last, math.MaxUint64) + 1 // adding MaxUint64 subtracts 1
}

// binomialPMF returns P[B = k] for B binomial(n, p), 0 < p < 1, with relative
// error near 1e-15 times n.
func binomialPMF(n, k uint64, p float64) float64 {
	logFactorial := func(x uint64) float64 { return elementary.LogGamma(float64(x) + 1) }
	return elementary.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) +
		float64(float64(k)*math.Log(p)) + float64(float64(n-k)*elementary.Log1p(-p)))
}

// Counts yields the distinct values in ascending order, each with its number of observations. The sample
// must not change during the iteration.
func (s *Sample) Counts() iter.Seq2[int64, uint64] {
	s.settle()
	return func(yield func(int64, uint64) bool) {
		for _, c := range s.counted {
			if !yield(c.value, c.n) {
				return
			}
		}
	}
}
