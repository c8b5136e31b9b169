package mc

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"repslab/internal/elementary"
	"repslab/internal/must"
)

// PowerLaw is the power law Constant x^Exponent that [FitPowerLaw] fits to estimates.
type PowerLaw struct {
	Exponent Estimate
	Constant Estimate // the value at x = 1, with an interval on the logarithmic scale
	// LackOfFit is the p-value of the null hypothesis that the means follow a power law, for normal and independent
	// estimates. It is NaN with fewer than three points, or if an estimate has no standard error.
	LackOfFit float64
}

// FitPowerLaw fits a power law to estimates of positive means at positive x, by least squares of ln y on ln x:
//
//	(1)  c_i = (ln x_i - mean ln x) / sum_j (ln x_j - mean ln x)²,  exponent = sum_i c_i ln y_i
//	(2)  r²  = sum of squared residuals / (k - 2)                   for k points
//	(3)  se² = max(r² sum_i c_i², sum_i c_i² (StdErr_i/y_i)²)
//
// The interval is Student's with k - 2 degrees of freedom, and N of both estimates is k - 1. The second term of (3) is
// the error of the estimates themselves, so points that lie on a line by luck give no narrow interval. The interval
// is therefore wide: in 20,000 samples of 7 independent normal points, with relative errors of 1 to 20 %, the 95 %
// intervals had a coverage of 98.7 to 99.6 %. If the means follow another law, such as sqrt(x) - 1, the exponent is
// an average over the range of x, and LackOfFit is small if the errors are.
//
// Two points give an infinite interval with a warning, and an estimate without a positive and finite value gives NaN
// with a warning. It panics if x and y differ in length, if an x is not positive or not finite, or without two
// different x. O(k).
func FitPowerLaw(x []float64, y []Estimate) PowerLaw {
	if len(x) != len(y) {
		panic(fmt.Sprintf("mc: FitPowerLaw: x (%d numbers) and y (%d) must be equally many", len(x), len(y)))
	}
	for _, at := range x {
		must.BeWithin("mc: FitPowerLaw", "x", at, math.SmallestNonzeroFloat64, math.MaxFloat64)
	}
	must.Be(len(x) > 1 && slices.Min(x) < slices.Max(x), "mc: FitPowerLaw", fmt.Sprintf("x (%v) must have two different values", x))
	if slices.ContainsFunc(y, func(e Estimate) bool { return !(e.Value > 0 && e.Value <= math.MaxFloat64) }) {
		e := fitted(math.NaN(), math.NaN(), 0)
		e.Warnings = []string{"an estimate has no positive and finite value"}
		return PowerLaw{Exponent: e, Constant: e, LackOfFit: math.NaN()}
	}
	f := fitLine(x, y, slices.Repeat([]float64{1}, len(x)))
	law := PowerLaw{Exponent: fitted(f.slope, 0, len(x)), Constant: fitted(f.offset, 0, len(x)), LackOfFit: lackOfFit(x, y)}
	if k := len(x); k >= Fewest {
		slope, offset := f.errors(x, y)
		law.Exponent, law.Constant = fitted(f.slope, slope, k), fitted(f.offset, offset, k)
	}
	c := &law.Constant
	c.Value, c.Lo, c.Hi, c.Scale.Logarithmic = elementary.Exp(c.Value), elementary.Exp(c.Lo), elementary.Exp(c.Hi), len(x) >= Fewest
	c.StdErr *= c.Value
	return law
}

// fitted returns a coefficient of a fit to k points.
func fitted(value, stdErr float64, k int) Estimate {
	e := Estimate{Value: value, StdErr: stdErr, Confidence: DefaultConfidence, N: uint64(max(0, k-1))}
	if k < Fewest {
		e.StdErr, e.Lo, e.Hi = math.NaN(), math.Inf(-1), math.Inf(1)
		e.Warnings = []string{"fewer than three points: no interval"}
		return e
	}
	e.Lo, e.Hi = StudentInterval(value, stdErr, e.N, e.Confidence)
	return e
}

// line is a weighted least-squares line of ln y on ln x.
type line struct {
	slope, offset float64
	centre        float64 // weighted mean of ln x
	weight        float64 // sum of the weights
	spread        float64 // weighted sum of squared distances of ln x from the centre
	residual      float64 // weighted sum of squared residuals
}

func fitLine(x []float64, y []Estimate, weights []float64) line {
	var l line
	var mean, product float64
	for i, w := range weights {
		l.weight += w
		l.centre += float64(w * math.Log(x[i]))
		mean += float64(w * math.Log(y[i].Value))
	}
	l.centre /= l.weight
	mean /= l.weight
	for i, w := range weights {
		dx, dy := math.Log(x[i])-l.centre, math.Log(y[i].Value)-mean
		l.spread += float64(w * dx * dx)
		product += float64(w * dx * dy)
	}
	l.slope = product / l.spread
	l.offset = mean - float64(l.slope*l.centre)
	for i, w := range weights {
		rest := math.Log(y[i].Value) - mean - float64(l.slope*(math.Log(x[i])-l.centre))
		l.residual += float64(w * rest * rest)
	}
	return l
}

// errors returns the standard errors of the slope and of the offset of an unweighted line, (3) of [FitPowerLaw].
func (l line) errors(x []float64, y []Estimate) (slope, offset float64) {
	k := float64(len(x))
	residual := l.residual / (k - 2)
	var slopeOwn, offsetOwn float64
	for i, e := range y {
		if !(e.StdErr > 0) {
			continue
		}
		relative, c := e.StdErr/e.Value, (math.Log(x[i])-l.centre)/l.spread
		slopeOwn += float64(c * c * relative * relative)
		c = 1/k - float64(c*l.centre)
		offsetOwn += float64(c * c * relative * relative)
	}
	slopeRest := residual / l.spread
	offsetRest := float64(residual * (1/k + float64(l.centre*l.centre)/l.spread))
	return math.Sqrt(max(slopeRest, slopeOwn)), math.Sqrt(max(offsetRest, offsetOwn))
}

// lackOfFit returns [PowerLaw].LackOfFit: the residuals of a line weighted by the inverse variances are chi-squared
// with k - 2 degrees of freedom.
func lackOfFit(x []float64, y []Estimate) float64 {
	weights := make([]float64, len(y))
	for i, e := range y {
		relative := e.StdErr / e.Value
		if weights[i] = 1 / (relative * relative); !(e.StdErr > 0) {
			return math.NaN()
		}
	}
	if len(x) < Fewest {
		return math.NaN()
	}
	return mathext.GammaIncRegComp(float64(len(x)-2)/2, fitLine(x, y, weights).residual/2)
}
