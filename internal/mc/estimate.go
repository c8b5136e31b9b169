package mc

import (
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultConfidence is the confidence of the project's intervals.
const DefaultConfidence = 0.95

// Estimate is a Monte Carlo estimate with its interval. A statistic that does
// not exist is NaN, an end that the observations cannot give is infinite; both
// come with a warning.
type Estimate struct {
	Value      float64
	StdErr     float64  // standard error; NaN where the interval does not rest on one
	Lo, Hi     float64  // the interval's ends, Lo <= Hi
	Confidence float64  // of the interval, in (0, 1)
	N          uint64   // observations
	Warnings   []string // doubts that do not make the estimate useless
}

// Per returns the estimate in a unit of which one holds the given number of the
// observable's units, > 0: an observable kept in 1e-9 of a ball is reported in
// balls by Per(1e9).
func (e Estimate) Per(units float64) Estimate {
	e.Value /= units
	e.StdErr /= units
	e.Lo /= units
	e.Hi /= units
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
	e.StdErr = math.Sqrt(m.variance() / float64(m.n))
	half := studentQuantile(confidence, m.n-1) * e.StdErr
	e.Lo, e.Hi = e.Value-half, e.Value+half
	return e
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
	z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	e.Value = p
	e.StdErr = math.Sqrt(p * (1 - p) / n)
	e.Lo, e.Hi = max(0, min(p, centre-half)), min(1, max(p, centre+half))
	return e
}

// PairedMoments holds exact moments of pairs (numerator, denominator), such as
// the completion times of two balancers in the same replica. The zero value is
// empty; merging is associative and commutative.
type PairedMoments struct {
	numerator, denominator, sum Moments
}

// Add records one pair. The magnitude of num + den must stay below 2^63.
func (p *PairedMoments) Add(num, den int64) {
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

// Ratio returns mean(numerator)/mean(denominator) with Fieller's interval
// [Fieller54], exact for jointly normal pairs, which uses the pairing: a common
// workload cancels. If the denominator's mean is not clearly away from zero the
// interval is infinite, with a warning. confidence must be in (0, 1); otherwise
// Ratio panics.
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
	if n == 1 {
		e.Warnings = []string{"one observation gives no interval"}
		return e
	}
	t := studentQuantile(confidence, n-1)
	vxx, vyy, vxy := p.numerator.variance()/float64(n), p.denominator.variance()/float64(n), p.covariance()/float64(n)
	e.StdErr = math.Sqrt(max(0, vxx-2*e.Value*vxy+e.Value*e.Value*vyy)) / math.Abs(y)
	// The ends r solve (x - r y)^2 = t^2 (vxx - 2 r vxy + r^2 vyy).
	a, b, c := y*y-t*t*vyy, x*y-t*t*vxy, x*x-t*t*vxx
	if a <= 0 {
		e.Warnings = []string{"the denominator's mean is not clearly away from zero"}
		return e
	}
	root := math.Sqrt(max(0, b*b-a*c))
	e.Lo, e.Hi = (b-root)/a, (b+root)/a
	return e
}

// studentQuantile returns the two-sided quantile of Student's t law with the
// given degrees of freedom.
func studentQuantile(confidence float64, degrees uint64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(0.5 + confidence/2)
}

// mustBeOpenUnit panics unless 0 < v < 1.
func mustBeOpenUnit(function, name string, v float64) {
	if !(v > 0 && v < 1) {
		panic(fmt.Sprintf("mc: %s: %s (%v) must be in (0, 1)", function, name, v))
	}
}
