package mc

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"repslab/internal/elementary"
	"repslab/internal/must"
)

// DefaultConfidence is the confidence level of all intervals of the module, unless a
// function takes another one.
const DefaultConfidence = 0.95

// Estimate is a Monte Carlo estimate with its interval. A statistic that does not exist is NaN, and an
// end of the interval is infinite if there are too few observations; either comes with a warning.
type Estimate struct {
	Value      float64
	StdErr     float64  // standard error; NaN if the interval does not use one
	Lo, Hi     float64  // the interval's ends, Lo <= Hi
	Confidence float64  // confidence level of the interval, in (0, 1)
	N          uint64   // observations
	Warnings   []string // caveats; the estimate remains usable
	Basis      Basis    `json:"-"` // the observations, if they were kept

	Scale     Scale // scale on which the interval and p-values are computed
	Identical bool  // all observations are identical, so there is no interval
}

// Scale is the scale on which an interval is made. The zero Scale is linear. A logarithmic scale is
// ln(Value - Origin) or, if Span is positive and the quantity lies between Origin and Origin + Span, the
// logarithm of the odds of its place between the two.
type Scale struct {
	Logarithmic  bool
	Origin, Span float64
}

// Basis holds the observations behind an estimate, from which it can be computed again. [MeanOf] and [RatioOf] fill
// it in; [Estimate.Per] keeps its values in the unit of the estimate.
type Basis struct {
	Quantity, Unit string
	Values         []float64 // one for each run, in Unit
	Over           []float64 // for a ratio of means the denominators, paired with Values; otherwise nil
}

// Format writes the estimate and its interval, each number by the same verb and flags: "%.2f" writes
// "4.47 [4.31, 4.63]".
func (e Estimate) Format(s fmt.State, verb rune) {
	number := fmt.FormatString(s, verb)
	fmt.Fprintf(s, number+" ["+number+", "+number+"]", e.Value, e.Lo, e.Hi)
}

// Per returns the estimate divided by units: an observable counted in units of 1e-9 balls is
// reported in balls by Per(1e9). It panics unless units is positive and finite.
func (e Estimate) Per(units float64) Estimate {
	mustBeUnits("Estimate.Per", units)
	e.Value /= units
	e.StdErr /= units
	e.Lo /= units
	e.Hi /= units
	e.Scale.Origin /= units
	e.Scale.Span /= units
	e.Basis.Values = slices.Clone(e.Basis.Values)
	for i := range e.Basis.Values {
		e.Basis.Values[i] /= units
	}
	return e
}

// mustBeUnits panics unless units is positive and finite.
func mustBeUnits(function string, units float64) {
	if !(units > 0) || math.IsInf(units, 1) {
		panic(fmt.Sprintf("mc: %s: units (%v) must be positive and finite", function, units))
	}
}

// Percent returns the estimate of a ratio as its excess over 1, in percent.
func (e Estimate) Percent() Estimate {
	above := func(ratio float64) float64 { return 100 * (ratio - 1) }
	e.Value, e.Lo, e.Hi, e.Scale.Origin = above(e.Value), above(e.Lo), above(e.Hi), above(e.Scale.Origin)
	e.StdErr *= 100
	e.Scale.Span *= 100
	return e
}

// Mean returns the mean of the observations with Student's t interval
// [Student08]: exact for normal observations, asymptotic otherwise. Fewer than
// two observations give an infinite interval with a warning, none give NaN.
// confidence must be in (0, 1); otherwise Mean panics.
func (m Moments) Mean(confidence float64) Estimate {
	mustBeOpenUnit("Mean", "confidence", confidence)
	e := Estimate{Value: math.NaN(), StdErr: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Confidence: confidence, N: m.n}
	switch m.n {
	case 0:
		e.Warnings = []string{"no observations"}
		return e
	case 1:
		e.Value = m.mean()
		e.Warnings = []string{"one observation gives no interval"}
		return e
	}
	e.Value = m.mean()
	e.StdErr = math.Sqrt(m.Variance() / float64(m.n))
	e.Lo, e.Hi = StudentInterval(e.Value, e.StdErr, m.n, confidence)
	return e
}

// PositiveMean returns the mean of observations that are not negative, such as times, with an interval on
// the logarithmic scale: ln(mean) ± t times its standard error, by Student's t distribution and the delta
// method [Hedges99], so no end is 0 or below unless all observations are 0. It is asymptotic: at 95 %
// confidence its coverage in 20,000 samples was 95.3, 94.8, 95.0 and 95.1 % with 3, 5, 10 and 100 normal
// observations that scatter by 10 %, and 94.3, 93.5 and 93.2 % with 3, 5 and 10 exponential ones. Fewer
// than two observations and other confidences are as in [Moments.Mean]; PositiveMean panics if the mean
// is negative.
func (m Moments) PositiveMean(confidence float64) Estimate {
	e := m.Mean(confidence)
	if e.Value < 0 {
		panic(fmt.Sprintf("mc: PositiveMean: the mean (%v) must not be negative", e.Value))
	}
	return e.onLogScale()
}

// onLogScale makes the interval of a positive estimate on the logarithmic scale, unless the estimate has
// no scatter.
func (e Estimate) onLogScale() Estimate {
	if e.StdErr > 0 {
		factor := elementary.Exp(studentQuantile(e.Confidence, e.N-1) * e.StdErr / e.Value)
		e.Lo, e.Hi, e.Scale.Logarithmic = e.Value/factor, e.Value*factor, true
	}
	return e
}

// Bound returns the bound that remains if some observations are only lower bounds. With above, these are
// observations of a mean or numerators of a ratio, so the quantity is at least e.Value: Lo is e.Value and
// Hi infinite. With below, they are denominators of a ratio, so it is at most e.Value: Hi is e.Value and
// Lo infinite. With both, nothing is bounded and both ends are infinite. The ends are not a confidence
// interval, there is no value, and N is 0. With neither Bound returns e.
func (e Estimate) Bound(above, below bool) Estimate {
	if !above && !below {
		return e
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	switch {
	case above && !below:
		lo = e.Value
	case below && !above:
		hi = e.Value
	}
	return Estimate{Value: math.NaN(), StdErr: math.NaN(), Lo: lo, Hi: hi, Confidence: e.Confidence,
		Warnings: []string{"some observations are lower bounds"}}
}

// StudentInterval returns the ends of Student's t interval of a mean with the given
// standard error over n observations [Student08]; they are infinite for fewer than
// two. It panics if confidence is outside (0, 1), mean is not finite, or stdErr is negative or not finite.
func StudentInterval(mean, stdErr float64, n uint64, confidence float64) (lo, hi float64) {
	must.BeFinite("mc: StudentInterval", "mean", mean)
	must.BeWithin("mc: StudentInterval", "stdErr", stdErr, 0, math.MaxFloat64)
	mustBeOpenUnit("StudentInterval", "confidence", confidence)
	if n < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	half := float64(studentQuantile(confidence, n-1) * stdErr)
	return mean - half, mean + half
}

// Proportion returns successes/trials with Wilson's score interval [Wilson27],
// which keeps its coverage near 0 and 1. No trials give NaN with a warning.
// It panics if successes > trials or confidence is outside (0, 1).
func Proportion(successes, trials uint64, confidence float64) Estimate {
	mustBeOpenUnit("Proportion", "confidence", confidence)
	if successes > trials {
		panic(fmt.Sprintf("mc: Proportion: successes (%d) must be at most trials (%d)", successes, trials))
	}
	e := Estimate{Value: math.NaN(), StdErr: math.NaN(), Lo: 0, Hi: 1, Confidence: confidence, N: trials}
	if trials == 0 {
		e.Warnings = []string{"no observations"}
		return e
	}
	n, p := float64(trials), float64(successes)/float64(trials)
	z := mathext.NormalQuantile(0.5 + float64(confidence/2))
	centre := (p + float64(z*z/(2*n))) / (1 + z*z/n)
	half := float64(z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))
	e.Value = p
	e.StdErr = math.Sqrt(p * (1 - p) / n)
	e.Lo, e.Hi = max(0, min(p, centre-half)), min(1, max(p, centre+half))
	return e
}

// PairedMoments holds the exact moments of pairs (numerator, denominator) of numbers that are not
// negative, such as the completion times of two balancers in the same replica. The zero value is empty;
// merging is associative and commutative.
type PairedMoments struct {
	numerator, denominator, sum Moments
}

// Add records one pair. It panics if num or den is negative, if num + den is 2^63 or more, or
// if a sum of squares would pass 2^128, as [Moments.Add] does.
func (p *PairedMoments) Add(num, den int64) {
	if num|den|(num+den) < 0 { // the sum of two numbers that are not negative wraps to a negative one
		panic(fmt.Sprintf("mc: PairedMoments.Add: num (%d) and den (%d) must be at least 0, and their sum below 2^63", num, den))
	}
	p.numerator.Add(num)
	p.denominator.Add(den)
	p.sum.Add(num + den)
}

// merge adds all pairs of other to p.
func (p *PairedMoments) merge(other PairedMoments) {
	p.numerator.Merge(other.numerator)
	p.denominator.Merge(other.denominator)
	p.sum.Merge(other.sum)
}

// covariance returns the unbiased covariance, from 2 cov(x, y) = var(x + y) -
// var(x) - var(y) in exact integers.
func (p PairedMoments) covariance() float64 {
	scatter := p.sum.scatter()
	scatter.Sub(scatter, p.numerator.scatter())
	scatter.Sub(scatter, p.denominator.scatter())
	scatter.Quo(scatter, big.NewInt(2)) // even: it is twice n*sum(xy) - sum(x)sum(y)
	return ratio(scatter, p.sum.n)
}

// Ratio returns mean(numerator)/mean(denominator) with an interval on the logarithmic scale: ln(ratio) ±
// t times its standard error, by Student's t distribution with one degree of freedom fewer than pairs and
// the delta method [Hedges99]. It uses the pairing, so a common workload cancels, and no end is ever
// below 0. The interval is asymptotic. At 95 % confidence its coverage in 20,000 samples was 95.1, 95.1,
// 94.9 and 95.0 % with 3, 5, 10 and 100 pairs of nearly normal, correlated numbers, and 93.2, 92.5 and
// 92.7 % with 2, 3 and 5 pairs of independent exponential numbers. With few pairs of wide scatter the
// interval of the denominator alone may contain 0. Fieller's interval would then be unbounded
// [Fieller54]; this one stays finite, is wide, and has a warning. Without any scatter the interval is the
// ratio alone. Fewer than two pairs, or denominators that are all 0, give an infinite interval with a
// warning. confidence must be in (0, 1); otherwise Ratio panics.
func (p PairedMoments) Ratio(confidence float64) Estimate {
	mustBeOpenUnit("Ratio", "confidence", confidence)
	n := p.sum.n
	e := Estimate{Value: math.NaN(), StdErr: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Confidence: confidence, N: n}
	if n == 0 {
		e.Warnings = []string{"no observations"}
		return e
	}
	x, y := p.numerator.mean(), p.denominator.mean()
	e.Value = x / y
	switch {
	case n == 1:
		e.Warnings = []string{"one observation gives no interval"}
		return e
	case y == 0:
		e.Warnings = []string{"the denominator is 0 in all observations"}
		return e
	}
	vxx, vyy, vxy := p.numerator.Variance()/float64(n), p.denominator.Variance()/float64(n), p.covariance()/float64(n)
	residual := vxx - float64(2*e.Value*vxy) + float64(e.Value*e.Value*vyy) // variance of x - ratio * y
	e.StdErr = math.Sqrt(max(0, residual)) / y
	if e.StdErr == 0 {
		e.Lo, e.Hi = e.Value, e.Value
		return e
	}
	e = e.onLogScale()
	if lo, _ := StudentInterval(y, math.Sqrt(vyy), n, confidence); lo <= 0 {
		e.Warnings = []string{"the denominator's mean is not clearly away from zero: the interval is a rough one"}
	}
	return e
}

// studentQuantile returns the two-sided quantile of Student's t law with the
// given degrees of freedom.
func studentQuantile(confidence float64, degrees uint64) float64 {
	mustBeOpenUnit("Student's interval", "confidence", confidence)
	return studentsT(degrees).quantile(0.5 + float64(confidence/2))
}

// mustBeOpenUnit panics unless 0 < v < 1.
func mustBeOpenUnit(function, name string, v float64) {
	if !(v > 0 && v < 1) {
		panic(fmt.Sprintf("mc: %s: %s (%v) must be in (0, 1)", function, name, v))
	}
}

// Predicted returns the ends of a prediction interval: it contains one more observation, independent of
// the others, with probability e.Confidence. For a mean it is exact for normal observations, by Student's
// t distribution; for a ratio of paired means it is an approximation on the logarithmic scale. It is
// meaningless for other estimates. The ends are infinite for fewer than two observations.
func (e Estimate) Predicted() (lo, hi float64) {
	if e.N < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	wider := math.Sqrt(float64(e.N) + 1)
	y := e.onScale(e.Value)
	return e.offScale(y - float64(wider*(y-e.onScale(e.Lo)))), e.offScale(y + float64(wider*(e.onScale(e.Hi)-y)))
}
