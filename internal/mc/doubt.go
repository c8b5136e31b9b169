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
// normal observations, an approximation for ratios and proportions. Without an
// interval, or without an estimate, it is 1.
func (e Estimate) PBelow(x float64) float64 {
	end := e.Lo
	if e.Value < x {
		end = e.Hi
	}
	half := math.Abs(end - e.Value)
	if e.N < 2 || math.IsNaN(e.Value) || math.IsNaN(half) || math.IsInf(half, 0) {
		return 1
	}
	if half == 0 { // no scatter at all
		if e.Value > x {
			return 0
		}
		return 1
	}
	nu := float64(e.N - 1)
	t := (e.Value - x) / half * studentQuantile(e.Confidence, e.N-1)
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}.Survival(t)
}

// PAbove returns the one-sided p-value of "the number is at least x", as PBelow.
func (e Estimate) PAbove(x float64) float64 {
	e.Value, e.Lo, e.Hi = -e.Value, -e.Hi, -e.Lo
	return e.PBelow(-x)
}
