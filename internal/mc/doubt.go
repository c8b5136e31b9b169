package mc

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PBelow returns the one-sided p-value of "the number is at most x": how likely an
// estimate so far above x is if the number is x. It is small where the estimate is
// well above x, above 1/2 where it is below, and (1 - Confidence)/2 where the lower
// end of the interval is x: the scatter is taken from the interval's end on the side
// of x, by Student's law, so that p-value and interval agree. Exact for the mean of
// normal observations, an approximation for ratios, on the scale of their logarithms,
// and for proportions. Without an interval, or without an estimate, it is 1.
func (e Estimate) PBelow(x float64) float64 {
	below, _ := e.pValues(x)
	return below
}

// PAbove returns the one-sided p-value of "the number is at least x", as PBelow.
func (e Estimate) PAbove(x float64) float64 {
	_, above := e.pValues(x)
	return above
}

// pValues returns the p-values of "the number is at most x" and "at least x".
func (e Estimate) pValues(x float64) (below, above float64) {
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
