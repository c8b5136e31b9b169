package mc

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PAtMost returns the one-sided p-value of the null hypothesis "the quantity is at most
// x": the probability of an estimate at least this far above x if the quantity is x. It
// is small for an estimate well above x, above 1/2 for one below, and (1 -
// Confidence)/2 if x is the lower end of the interval. The standard error is derived
// from the end of the interval on the side of x, by Student's t distribution, so the
// p-value and the interval agree. Exact for the mean of normal observations; an
// approximation for ratios, on the scale of their logarithms, and for proportions.
// Without an interval or an estimate it is 1.
func (e Estimate) PAtMost(x float64) float64 {
	atMost, _ := e.pValues(x)
	return atMost
}

// PAtLeast returns the one-sided p-value of the null hypothesis "the quantity is at
// least x"; see [Estimate.PAtMost].
func (e Estimate) PAtLeast(x float64) float64 {
	_, atLeast := e.pValues(x)
	return atLeast
}

// pValues returns the p-values of "the quantity is at most x" and "at least x".
func (e Estimate) pValues(x float64) (atMost, atLeast float64) {
	value, lo, hi := e.Value, e.Lo, e.Hi
	if e.logarithmic {
		scale := func(v float64) float64 { return math.Log(max(0, v-e.origin)) }
		value, lo, hi, x = scale(value), scale(lo), scale(hi), scale(x)
	}
	end := lo
	if value < x {
		end = hi
	}
	half := math.Abs(end - value)
	switch {
	case e.N < 2 || math.IsNaN(value) || math.IsNaN(half) || math.IsInf(half, 0):
		return 1, 1
	case half == 0 && value > x: // no scatter at all
		return 0, 1
	case half == 0 && value < x:
		return 1, 0
	case half == 0:
		return 1, 1
	}
	law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(e.N - 1)}
	t := (value - x) / half * studentQuantile(e.Confidence, e.N-1)
	return law.Survival(t), law.Survival(-t)
}
