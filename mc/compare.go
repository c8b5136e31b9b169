package mc

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// Welch is the comparison of the means of two independent samples by Welch's approximation [Welch47]. For
// normal observations it is close, whatever the two variances.
type Welch struct {
	Lo, Hi  float64 // 95 % interval of the difference
	P       float64 // two-sided probability of a difference at least as large if the means are equal
	Degrees float64 // degrees of freedom, by Welch and Satterthwaite
}

// NewWelch returns the interval and the significance of a difference of means. It takes the standard
// error and the number of observations of each mean. With fewer than two observations on a side the
// interval is infinite and P is 1. If neither side has any scatter the interval is the difference alone,
// and P is 0, or 1 if the difference is 0. A standard error of NaN gives NaN; NewWelch panics if one is
// negative.
func NewWelch(difference, seA, nA, seB, nB float64) Welch {
	if seA < 0 || seB < 0 {
		panic(fmt.Sprintf("mc: NewWelch: seA (%v) and seB (%v) must be at least 0", seA, seB))
	}
	w := Welch{Lo: math.Inf(-1), Hi: math.Inf(1), P: 1}
	if !(nA >= 2 && nB >= 2) {
		return w
	}
	varA, varB := float64(seA*seA), float64(seB*seB)
	se := math.Sqrt(varA + varB)
	if se == 0 {
		w.Lo, w.Hi, w.Degrees = difference, difference, nA+nB-2
		if difference != 0 {
			w.P = 0
		}
		return w
	}
	w.Degrees = se * se * se * se / (varA*varA/(nA-1) + varB*varB/(nB-1))
	t := studentsT(w.Degrees)
	half := float64(t.quantile(0.5+DefaultConfidence/2) * se)
	w.Lo, w.Hi = difference-half, difference+half
	w.P = min(1, 2*t.survival(math.Abs(difference)/se))
	return w
}

// WelchRatio returns the 95 % interval of a/b, the ratio of the means of two independent samples. Both
// means are positive, and each has a standard error and a number of observations. The interval is made on
// the logarithmic scale by the delta method [Hedges99], with Welch's degrees of freedom [Welch47]. It is
// asymptotic: with 5 normal observations on each side its coverage in 20,000 samples was 95.3 %. For
// positively correlated means, such as means under common random numbers, it is conservative. For a mean
// without scatter pass a standard error of 0 and any number of observations, which may be +Inf. Fewer
// than two observations on a side give [0, +Inf]. WelchRatio panics if a or b is not positive or not finite,
// or if a standard error is negative or not finite.
func WelchRatio(a, seA, nA, b, seB, nB float64) (lo, hi float64) {
	for _, mean := range []float64{a, b} {
		if !(mean > 0 && mean <= math.MaxFloat64) {
			panic(fmt.Sprintf("mc: WelchRatio: a (%v) and b (%v) must be positive and finite", a, b))
		}
	}
	must.BeWithin("mc: WelchRatio", "seA", seA, 0, math.MaxFloat64)
	must.BeWithin("mc: WelchRatio", "seB", seB, 0, math.MaxFloat64)
	must.BeWithin("mc: WelchRatio", "nA", nA, 0, math.Inf(1))
	must.BeWithin("mc: WelchRatio", "nB", nB, 0, math.Inf(1))
	factor := elementary.Exp(NewWelch(0, seA/a, nA, seB/b, nB).Hi)
	if !(factor <= math.MaxFloat64) {
		return 0, math.Inf(1)
	}
	return a / b / factor, float64(a / b * factor)
}

// Welch compares the means of two independent sets of runs by Welch's approximation [NewWelch]. Lo and Hi
// are the ends of the interval of the difference e - other. If one estimate has a logarithmic scale, and the
// other has one too or has no scatter, they are the ends of the interval of ln(e/other), by the delta method
// [Hedges99]. An excess in per cent enters the logarithm as 100 plus the excess. An excess and a ratio are
// compared on the linear scale. P is two-sided; with fewer than two observations on a side it is 1. The
// comparison is asymptotic. Identical observations have no scatter; if both sides are identical there is no
// interval, and P is 1 or, for another value, 2 / 2^N of the side with fewer observations. O(1).
func (e Estimate) Welch(other Estimate) Welch {
	if e.Identical && other.Identical {
		w := Welch{Lo: math.Inf(-1), Hi: math.Inf(1), P: 1}
		if e.Value != other.Value {
			w.P = math.Ldexp(2, -int(min(e.N, other.N)))
		}
		return w
	}
	for _, of := range []*Estimate{&e, &other} {
		if of.Identical {
			of.StdErr = 0
		}
	}
	origin := e.Scale.Origin
	if !e.Scale.Logarithmic {
		origin = other.Scale.Origin
	}
	onLogScale := func(e Estimate) bool {
		return e.StdErr == 0 || e.Scale.Logarithmic && e.Scale.Origin == origin && e.Scale.Span == 0
	}
	if a, b := e.Value-origin, other.Value-origin; (e.Scale.Logarithmic || other.Scale.Logarithmic) && onLogScale(e) && onLogScale(other) && a > 0 && b > 0 {
		return NewWelch(math.Log(a/b), e.StdErr/a, float64(e.N), other.StdErr/b, float64(other.N))
	}
	return NewWelch(e.Value-other.Value, e.StdErr, float64(e.N), other.StdErr, float64(other.N))
}

// Holm adjusts the p-values of multiple tests. If all hypotheses with an adjusted p-value below α are
// rejected, the probability of any false rejection is at most α [Holm79]. A test that could not be made
// has the p-value NaN, which counts as 1. It panics if another one is not in [0, 1]. p is not changed.
// O(k log k) for k tests.
func Holm(p []float64) []float64 {
	p = slices.Clone(p)
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
		if math.IsNaN(p[i]) {
			p[i] = 1
		}
		must.BeWithin("mc: Holm", "p", p[i], 0, 1)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted, largest := make([]float64, len(p)), 0.0
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}

// LargestOf returns the estimate with the largest value, with an interval of the largest quantity; list is not
// changed. The own interval of the largest estimate is too high, since the estimate was chosen because of its value:
// of 9 equal quantities with 5 runs each it holds the truth in 84 % of samples, with 20 runs in 78 %. Here the rivals
// are the k estimates whose intervals end above its lower end. The upper end is the largest upper end of the rivals;
// the lower end is the largest of their lower ends at 1 - (1 - Confidence)/k, which is Bonferroni's correction,
// whatever the dependence. The coverage is at least 95 % (docs/quality.md), and the p-values of the result agree with
// its ends. Estimates without a value or an interval are no rivals; if the largest has none, it is returned as it is.
// It panics without estimates. O(n).
func LargestOf(list []Estimate) Estimate {
	if len(list) == 0 {
		panic(faults.New("mc", "list", len(list), "must have an estimate"))
	}
	largest := slices.MaxFunc(list, func(a, b Estimate) int { return cmp.Compare(a.Value, b.Value) })
	told := func(e Estimate) bool {
		width := e.Hi - e.Lo
		return e.N >= 2 && e.Confidence > 0 && e.Confidence < 1 && width >= 0 && !math.IsInf(width, 1) && !math.IsNaN(e.Value)
	}
	if !told(largest) {
		return largest
	}
	rivals, lo, hi := 0, math.Inf(-1), largest.Hi
	near := func(e Estimate) bool { return told(e) && e.Hi >= largest.Lo }
	for _, e := range list {
		if near(e) {
			rivals++
		}
	}
	for _, e := range list {
		if !near(e) {
			continue
		}
		wider := studentQuantile(1-(1-e.Confidence)/float64(rivals), e.N-1) / studentQuantile(e.Confidence, e.N-1)
		y := e.onScale(e.Value)
		lo, hi = max(lo, e.offScale(y-float64(wider*(y-e.onScale(e.Lo))))), max(hi, e.Hi)
	}
	largest.Lo, largest.Hi = lo, hi
	return largest
}

// PAtMost returns the one-sided p-value of the null hypothesis "the quantity is at most x": the
// probability of an estimate at least this far above x if the quantity is x. It is small if the estimate
// is well above x, above 1/2 if the estimate is below x, and (1 - Confidence)/2 if x is the lower end of
// the interval. The standard error is derived from the end of the interval on the side of x, by Student's
// t distribution, so the p-value and the interval agree. It is exact for the mean of normal observations,
// and an approximation for proportions and, on the logarithmic scale, for ratios. Without an interval or
// an estimate it is 1. If N observations are all alike and above x, and there is no interval, it is 2^-N. It
// panics if x is NaN.
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
	must.BeWithin("mc: Estimate.PAtMost", "x", x, math.Inf(-1), math.Inf(1))
	value, lo, hi := e.onScale(e.Value), e.onScale(e.Lo), e.onScale(e.Hi)
	x = e.onScale(x)
	end := lo
	if value < x {
		end = hi
	}
	half := math.Abs(end - value)
	switch {
	case e.Identical && value != x:
		if value > x {
			return math.Ldexp(1, -int(e.N)), 1
		}
		return 1, math.Ldexp(1, -int(e.N))
	case e.N < 2 || math.IsNaN(value) || math.IsNaN(half) || math.IsInf(half, 0):
		return 1, 1
	case half == 0 && value > x: // no scatter at all
		return 0, 1
	case half == 0 && value < x:
		return 1, 0
	case half == 0:
		return 1, 1
	}
	law := studentsT(e.N - 1)
	t := (value - x) / half * studentQuantile(e.Confidence, e.N-1)
	return law.survival(t), law.survival(-t)
}
