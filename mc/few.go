package mc

import (
	"fmt"
	"math"

	"repslab/internal/elementary"
	"repslab/internal/must"
)

// Fewest is the least number of observations for which [Estimate.OfFew] and [PairedMoments.RatioOfFew]
// give an interval.
const Fewest = 3

// Support describes the values that a quantity can take.
type Support struct {
	Least, Most float64 // infinite where the support has no end
	// Step is the resolution of an observation: 1 for a count, 0 if the resolution is fine or unknown.
	Step float64
}

// OfFew takes a mean of [Moments.Mean] and replaces its interval by one for few observations, which may
// be skewed or discrete. The interval stays inside the support of the quantity. It is asymptotic:
//
//	(1)  s² = StdErr² + (Step/2N)²                 a mean of N whole numbers moves in steps of Step/N
//	(2)  p = (mean - Least)/(Most - Least)         0 without Most
//	(3)  z = (mean - Least)/(1 - p)                the distance from Least; with Most, a multiple of the odds
//	     r = s/((mean - Least)(1 - p))             its relative standard error
//	(4)  z/exp(t r)                                the short end
//	(5)  z (1 + t r + (t² + |1 - 2p|(1 + t²)) r²/2)    the long end, where the long tail is
//
// Both ends are values of z, and t is the quantile of Student's distribution. (4) is the end of the t
// interval of ln z, by the delta method [Hedges99]. (5) corrects Student's t for skewness [Johnson78],
// with the skewness of a lognormal law: three times the coefficient of variation. If the mean is nearer
// to Most than to Least, the long end is the lower one, computed in 1/z. Without Least the ends are mean
// ± t s.
//
// If all observations are alike there is no interval, see [Estimate.OrIdentical]: other values may be rare, but
// nothing says how far away they are. The packets of a run are no observations of their own either, because they
// meet the same queues and failures.
//
// docs/quality.md lists the coverage. No interval from few observations covers the mean of every law
// without an upper end [Bahadur56], since rare large values stay unseen. Fewer than three observations
// give an infinite interval with a warning. OfFew panics if the mean is outside the support, or if Step is
// negative or not finite.
func (e Estimate) OfFew(s Support) Estimate {
	must.BeWithin("mc: OfFew", "Step", s.Step, 0, math.MaxFloat64)
	if !(e.Value >= s.Least && e.Value <= s.Most || math.IsNaN(e.Value) && s.Least <= s.Most) {
		panic(fmt.Sprintf("mc: OfFew: the mean (%v) must be in [%v, %v]", e.Value, s.Least, s.Most))
	}
	e = e.OrIdentical()
	stdErr := e.StdErr
	if e = e.withoutInterval(); e.N < Fewest || math.IsNaN(e.Value) || math.IsNaN(stdErr) {
		return e
	}
	e.StdErr, e.Warnings = stdErr, nil
	t, half := studentQuantile(e.Confidence, e.N-1), s.Step/2/float64(e.N)
	relative := math.Sqrt(float64(stdErr*stdErr) + float64(half*half))
	if math.IsInf(s.Least, -1) {
		e.Lo, e.Hi = e.Value-float64(t*relative), e.Value+float64(t*relative)
		return e
	}
	e.Scale.Logarithmic, e.Scale.Origin, e.Scale.Span = true, s.Least, 0
	above, share := e.Value-s.Least, 0.0
	if !math.IsInf(s.Most, 1) {
		e.Scale.Span = s.Most - s.Least
		share = above / e.Scale.Span
	}
	relative /= float64(above * (1 - share))
	down, up := elementary.Exp(t*relative), longEnd(t, relative, relative*math.Abs(1-2*share))
	if share > 0.5 {
		down, up = up, down
	}
	y := e.onScale(e.Value)
	e.Lo, e.Hi = e.offScale(y-math.Log(down)), e.offScale(y+math.Log(up))
	return e
}

// longEnd returns the factor in (5) of [Estimate.OfFew]; skewed is |1 - 2p| r.
func longEnd(t, r, skewed float64) float64 {
	square := float64(t * t)
	return 1 + float64(t*r) + float64((float64(square*r)+float64((1+square)*skewed))*r/2)
}

// withoutInterval returns the estimate with an infinite interval and without a standard error.
func (e Estimate) withoutInterval() Estimate {
	e.Lo, e.Hi, e.StdErr = math.Inf(-1), math.Inf(1), math.NaN()
	e.Scale.Logarithmic, e.Scale.Origin, e.Scale.Span = false, 0, 0
	e.Warnings = []string{"fewer than three observations, or all alike: no interval"}
	return e
}

// OrIdentical returns a mean of observations with scatter as it is. A mean of observations that are all alike becomes
// Identical, without an interval and a standard error, and p-values are 2^-N: the probability that N observations all
// lie on one side of the median.
func (e Estimate) OrIdentical() Estimate {
	if e.StdErr != 0 {
		return e
	}
	e = e.withoutInterval()
	e.Identical = true
	return e
}

// RatioOfFew returns mean(numerator)/mean(denominator) as [PairedMoments.Ratio] does, with an interval
// for few pairs, which may be skewed. Both ends use (5) of [Estimate.OfFew]: the upper end with the
// skewness of the numerator, the lower end with the skewness of the denominator. Fewer than three pairs,
// or pairs that all have the same ratio, give an infinite interval with a warning.
func (p PairedMoments) RatioOfFew(confidence float64) Estimate {
	e := p.Ratio(confidence).OrIdentical()
	if e.N < Fewest || !(e.StdErr > 0) {
		return e.withoutInterval()
	}
	t, r := studentQuantile(confidence, e.N-1), e.StdErr/e.Value
	relative := func(m Moments) float64 { return min(r, math.Sqrt(m.Variance()/float64(e.N))/m.mean()) }
	e.Lo, e.Hi = e.Value/longEnd(t, r, relative(p.denominator)), e.Value*longEnd(t, r, relative(p.numerator))
	return e
}

// Plus returns the estimate of the quantity plus a constant: Plus(1) turns an excess over an ideal into a
// multiple of the ideal. It panics if the constant is not finite.
func (e Estimate) Plus(constant float64) Estimate {
	must.BeFinite("mc: Estimate.Plus", "constant", constant)
	e.Value, e.Lo, e.Hi, e.Scale.Origin = e.Value+constant, e.Lo+constant, e.Hi+constant, e.Scale.Origin+constant
	return e
}

// onScale returns a value on the scale of the estimate's interval: ln z of [Estimate.OfFew].
func (e Estimate) onScale(x float64) float64 {
	if !e.Scale.Logarithmic {
		return x
	}
	above := max(0, x-e.Scale.Origin)
	if e.Scale.Span > 0 {
		above /= max(0, 1-above/e.Scale.Span)
	}
	return math.Log(above)
}

// offScale is the inverse of onScale.
func (e Estimate) offScale(y float64) float64 {
	if !e.Scale.Logarithmic {
		return y
	}
	above := elementary.Exp(y)
	if e.Scale.Span > 0 {
		above = 1 / (1/above + 1/e.Scale.Span)
	}
	return e.Scale.Origin + above
}
