package mc

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"repslab/internal/propertytest"

	"pgregory.net/rapid"
)

// exactMoments computes mean and variance of xs as rationals.
func exactMoments(xs []int64) (mean, variance float64) {
	n := big.NewRat(int64(len(xs)), 1)
	sum, sumSq := new(big.Rat), new(big.Rat)
	for _, x := range xs {
		r := new(big.Rat).SetInt64(x)
		sum.Add(sum, r)
		sumSq.Add(sumSq, new(big.Rat).Mul(r, r))
	}
	m := new(big.Rat).Quo(sum, n)
	mean, _ = m.Float64()
	if len(xs) < 2 {
		return mean, 0
	}
	v := sumSq.Sub(sumSq, m.Mul(m, sum))
	v.Quo(v, big.NewRat(int64(len(xs)-1), 1))
	variance, _ = v.Float64()
	return mean, variance
}

func TestMomentsAreExactAndMerge(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Int64Range(-1<<60, 1<<60), 1, 40).Draw(t, "observations")
		cut := rapid.IntRange(0, len(xs)).Draw(t, "cut")
		var all, left, right Moments
		for i, x := range xs {
			all.Add(x)
			if i < cut {
				left.Add(x)
			} else {
				right.Add(x)
			}
		}
		right.Merge(left)
		if right != all {
			t.Fatalf("merged halves %+v, whole %+v", right, all)
		}
		mean, variance := exactMoments(xs)
		if all.mean() != mean || all.Variance() != variance {
			t.Fatalf("mean %v variance %v, want %v %v", all.mean(), all.Variance(), mean, variance)
		}
	})
}

func TestMomentsOverflowPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic although the sum of squares passed 2^128")
		}
	}()
	var m Moments
	for range 5 {
		m.Add(math.MaxInt64)
	}
}

func TestMeanInterval(t *testing.T) {
	var m Moments
	for _, x := range []int64{4, 7, 13, 16} {
		m.Add(x)
	}
	e := m.Mean(0.95)
	// Mean 10, variance 30, standard error sqrt(7.5), t(3 degrees, 0.975) = 3.182446.
	for name, pair := range map[string][2]float64{
		"value":  {e.Value, 10},
		"stderr": {e.StdErr, math.Sqrt(7.5)},
		"lo":     {e.Lo, 10 - 3.182446305*math.Sqrt(7.5)},
		"hi":     {e.Hi, 10 + 3.182446305*math.Sqrt(7.5)},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-8 {
			t.Errorf("%s = %v, want %v", name, pair[0], pair[1])
		}
	}
	if s := e.Per(2); s.Value != 5 || s.Lo != e.Lo/2 || s.Hi != e.Hi/2 || s.StdErr != e.StdErr/2 {
		t.Errorf("Per(2) = %+v", s)
	}
}

func TestTooFewObservationsWarn(t *testing.T) {
	var none Moments
	if e := none.Mean(0.95); !math.IsNaN(e.Value) || len(e.Warnings) != 1 {
		t.Errorf("empty mean = %+v", e)
	}
	var one Moments
	one.Add(3)
	if e := one.Mean(0.95); e.Value != 3 || !math.IsInf(e.Hi, 1) || !math.IsInf(e.Lo, -1) || len(e.Warnings) != 1 {
		t.Errorf("mean of one = %+v", e)
	}
	if e := Proportion(0, 0, 0.95); !math.IsNaN(e.Value) || len(e.Warnings) != 1 {
		t.Errorf("empty proportion = %+v", e)
	}
	var p PairedMoments
	if e := p.Ratio(0.95); !math.IsNaN(e.Value) || len(e.Warnings) != 1 {
		t.Errorf("empty ratio = %+v", e)
	}
	p.Add(2, 1)
	if e := p.Ratio(0.95); e.Value != 2 || len(e.Warnings) != 1 {
		t.Errorf("ratio of one pair = %+v", e)
	}
}

// TestWilsonCoverage sums the exact binomial probability of the trials whose
// interval holds p. Wilson's interval is known to cover 0.95 on average over p
// and never less than 0.83 for n = 40 [Agresti98].
func TestWilsonCoverage(t *testing.T) {
	const n = 40
	var total float64
	var points int
	for p := 0.005; p < 1; p += 0.005 {
		var covered float64
		for k := range uint64(n + 1) {
			if e := Proportion(k, n, 0.95); e.Lo <= p && p <= e.Hi {
				covered += binomialPMF(n, k, p)
			}
		}
		if covered < 0.83 {
			t.Errorf("coverage at p = %.3f is %.3f, want at least 0.83", p, covered)
		}
		total += covered
		points++
	}
	if mean := total / float64(points); mean < 0.945 || mean > 0.965 {
		t.Errorf("mean coverage %.4f, want near 0.95", mean)
	}
}

// TestRatioUsesThePairing checks the interval against its definition and that a common
// factor of both members of a pair narrows it.
func TestRatioUsesThePairing(t *testing.T) {
	r := NewStream(5, Algorithm, 0).Rand()
	var paired, unpaired PairedMoments
	const n = 400
	var xs, ys []int64
	for range n {
		common := int64(1_000_000 + r.Below(1_000_000))
		xs, ys = append(xs, 2*common+int64(r.Below(1000))), append(ys, common+int64(r.Below(1000)))
	}
	for i := range n {
		paired.Add(xs[i], ys[i])
		unpaired.Add(xs[i], ys[(i+1)%n])
	}
	p, u := paired.Ratio(0.95), unpaired.Ratio(0.95)
	if p.Value != u.Value || p.Lo > 2 || p.Hi < 1.998 {
		t.Errorf("paired %+v, unpaired %+v", p, u)
	}
	if (p.Hi-p.Lo)*50 > u.Hi-u.Lo {
		t.Errorf("pairing narrows the interval from %v to %v only", u.Hi-u.Lo, p.Hi-p.Lo)
	}
	// The standard error is the standard error of the mean of x - R y, divided by the mean of y.
	var residual, meanY float64
	for i := range n {
		d := float64(xs[i]) - p.Value*float64(ys[i])
		residual += d * d
		meanY += float64(ys[i]) / n
	}
	if want := math.Sqrt(residual/(n-1)/n) / meanY; math.Abs(p.StdErr-want) > 1e-6*want {
		t.Errorf("standard error %v, want %v", p.StdErr, want)
	}
	// On the logarithmic scale both ends are t standard errors away.
	for _, away := range []float64{math.Log(p.Value / p.Lo), math.Log(p.Hi / p.Value)} {
		if want := studentQuantile(0.95, n-1) * p.StdErr / p.Value; math.Abs(away-want) > 1e-9*want {
			t.Errorf("an end is %v from the ratio on the logarithmic scale, want %v", away, want)
		}
	}
	var half PairedMoments
	half.merge(paired)
	if half.Ratio(0.9).Value != p.Value {
		t.Error("merging into an empty PairedMoments changed the ratio")
	}
}

// TestPairsMustBeInRange: pairs with negative numbers, or with a sum that does not fit, are refused.
func TestPairsMustBeInRange(t *testing.T) {
	var p PairedMoments
	const rule = "must be at least 0, and their sum below 2^63"
	mustPanic(t, "mc: PairedMoments.Add: num (-1) and den (5) "+rule, func() { p.Add(-1, 5) })
	mustPanic(t, "mc: PairedMoments.Add: num (5) and den (-1) "+rule, func() { p.Add(5, -1) })
	mustPanic(t, "mc: PairedMoments.Add: num (9223372036854775807) and den (1) "+rule, func() { p.Add(math.MaxInt64, 1) })
	mustPanic(t, "mc: PairedMoments.Add: num (9223372036854775807) and den (9223372036854775807) "+rule, func() { p.Add(math.MaxInt64, math.MaxInt64) })
	if p != (PairedMoments{}) {
		t.Errorf("recorded %+v", p)
	}
	p.Add(0, math.MaxInt64)
	p.Add(1<<62, 1<<62-1)
	if want := int64(math.MaxInt64); p.sum.sum != (int128{0, 2 * uint64(want)}) {
		t.Errorf("sums %+v", p.sum)
	}
}

// TestPerNeedsUnits: units are positive and finite.
func TestPerNeedsUnits(t *testing.T) {
	for _, units := range []float64{-1, 0, math.NaN(), math.Inf(1), math.Inf(-1)} {
		mustPanic(t, fmt.Sprintf("mc: Estimate.Per: units (%v) must be positive and finite", units), func() { Estimate{}.Per(units) })
	}
}

// TestPerScalesTheBasis: observations are scaled with their estimate, and the observations of the
// original do not change.
func TestPerScalesTheBasis(t *testing.T) {
	e := Estimate{Value: 15, Basis: Basis{Values: []float64{10, 20}}}
	if got := e.Per(10).Basis.Values; got[0] != 1 || got[1] != 2 || e.Basis.Values[0] != 10 {
		t.Errorf("%v of %v", got, e.Basis.Values)
	}
}

func TestRatioOverZeroWarns(t *testing.T) {
	var none, rare PairedMoments
	for i := range int64(10) {
		none.Add(1, 0)
		rare.Add(1, i/9)
	}
	if e := none.Ratio(0.95); len(e.Warnings) != 1 || !math.IsInf(e.Hi, 1) {
		t.Errorf("ratio over zeros = %+v", e)
	}
	if e := rare.Ratio(0.95); len(e.Warnings) != 1 || e.Value != 10 || !(e.Lo > 0 && e.Lo < 1.1 && e.Hi > 90 && e.Hi < 100) {
		t.Errorf("ratio over a mean that may be 0 = %+v", e)
	}
}

// TestRatioIntervalsArePositive: the ratio of two runs of ECMP that differ twofold to two equal runs of
// REPS has an interval above 0. Its ends have the p-values of a 95 % interval, also for the excess in per
// cent. Numerators of 0 have no scatter.
func TestRatioIntervalsArePositive(t *testing.T) {
	var p, zero PairedMoments
	for _, x := range []int64{400, 800} {
		p.Add(x, 100)
		zero.Add(0, x)
	}
	e := p.Ratio(0.95) // 6 with a standard error of 2
	if want := 6 * math.Exp(-12.7062047/3); math.Abs(e.Lo-want) > 1e-6 || math.Abs(e.Lo*e.Hi-36) > 1e-9 {
		t.Errorf("interval [%v, %v], want from %v to %v", e.Lo, e.Hi, want, 36/want)
	}
	percent := e.Percent()
	for name, got := range map[string]float64{
		"below the lower end":            e.PAtMost(e.Lo),
		"above the upper end":            e.PAtLeast(e.Hi),
		"below the lower end in percent": percent.PAtMost(percent.Lo),
		"above the upper end in percent": percent.PAtLeast(percent.Hi),
		"below the lower end in halves":  e.Per(0.5).PAtMost(2 * e.Lo),
	} {
		if math.Abs(got-0.025) > 1e-9 {
			t.Errorf("%s: p-value %v, want 0.025", name, got)
		}
	}
	if e.PAtMost(0) != 0 || e.PAtMost(-1) != 0 || e.PAtLeast(-1) != 1 {
		t.Errorf("at 0: %v, below: %v and %v, want 0, 0 and 1", e.PAtMost(0), e.PAtMost(-1), e.PAtLeast(-1))
	}
	if e := zero.Ratio(0.95); e.Value != 0 || e.Lo != 0 || e.Hi != 0 {
		t.Errorf("ratio of nothing = %+v", e)
	}
}

// TestPositiveMeanCovers: the interval on the logarithmic scale has the stated coverage, the mean and standard
// error of [Moments.Mean], and its ends have the p-values of a 95 % interval. 5,000 samples with a fixed
// seed each; of a coverage of 95 % the 1.4 % allowed here are 4.5 standard errors. REPSLAB_LONG=1 has 20,000 and 0.7 %.
func TestPositiveMeanCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	normal := func() float64 { return 1 + 0.1*random.NormFloat64() }
	for _, c := range []struct {
		n    int
		draw func() float64 // draws from a law with mean 1
		want float64
	}{
		{3, normal, 0.951}, {5, normal, 0.95}, {10, normal, 0.95}, {100, normal, 0.95},
		{3, random.ExpFloat64, 0.945}, {5, random.ExpFloat64, 0.933}, {10, random.ExpFloat64, 0.932},
	} {
		samples, allowed := 5000, 0.014
		if os.Getenv("REPSLAB_LONG") != "" {
			samples, allowed = 20_000, 0.007
		}
		inside := 0
		for range samples {
			var m Moments
			for range c.n {
				m.Add(int64(1e9 * c.draw()))
			}
			e := m.PositiveMean(0.95)
			if e.Lo <= 0 {
				t.Fatalf("%d observations: interval %v", c.n, e)
			}
			if e.Lo <= 1e9 && 1e9 <= e.Hi {
				inside++
			}
		}
		if share := float64(inside) / float64(samples); math.Abs(share-c.want) > allowed {
			t.Errorf("%d observations: %.4f of the intervals have the mean, want %v", c.n, share, c.want)
		}
	}
	var m Moments
	m.Add(92)
	m.Add(8000)
	student, e := m.Mean(0.95), m.PositiveMean(0.95)
	if e.Value != student.Value || e.StdErr != student.StdErr || !(student.Lo < 0 && e.Lo > 0) || math.Abs(e.PAtMost(e.Lo)-0.025) > 1e-9 {
		t.Errorf("%+v, want the mean of %+v and a positive interval", e, student)
	}
	if e := (Moments{}).PositiveMean(0.95); !math.IsNaN(e.Value) {
		t.Errorf("without observations %+v", e)
	}
}

// TestBound: if some observations are lower bounds, there is no value and only one end. Per divides this
// end as well.
func TestBound(t *testing.T) {
	e := p5().Ratio(0.95)
	for _, c := range []struct {
		above, below bool
		lo, hi       float64
	}{{true, false, e.Value, math.Inf(1)}, {false, true, math.Inf(-1), e.Value}, {true, true, math.Inf(-1), math.Inf(1)}} {
		got := e.Bound(c.above, c.below).Per(2)
		if !math.IsNaN(got.Value) || !math.IsNaN(got.StdErr) || got.Lo != c.lo/2 || got.Hi != c.hi/2 || got.N != 0 || len(got.Warnings) == 0 {
			t.Errorf("%+v: %+v", c, got)
		}
		if got.PAtMost(0) != 1 || got.PAtLeast(0) != 1 {
			t.Errorf("%+v: a bound has p-values %v and %v, want 1", c, got.PAtMost(0), got.PAtLeast(0))
		}
	}
	if got := e.Bound(false, false); got.Value != e.Value {
		t.Errorf("with all observations known: %+v", got)
	}
}

// TestPredicted: one more observation lies in the interval with the stated frequency. 20,000 samples with
// a fixed seed; a right interval of means fails with probability 1e-5 (4.4 standard errors of 0.15 %).
// For ratios the interval is an approximation: its coverage must be 93 to 97 %.
func TestPredicted(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const samples, n = 20_000, 5
	inMean, inRatio := 0, 0
	for range samples {
		var m Moments
		var p PairedMoments
		draw := func() (x, y int64) {
			common := 100_000 + 5000*random.NormFloat64()
			return int64(common * (2 + 0.1*random.NormFloat64())), int64(common)
		}
		for range n {
			x, y := draw()
			m.Add(x)
			p.Add(x, y)
		}
		x, y := draw()
		if lo, hi := m.Mean(0.95).Predicted(); lo <= float64(x) && float64(x) <= hi {
			inMean++
		}
		if lo, hi := p.Ratio(0.95).Predicted(); lo <= float64(x)/float64(y) && float64(x)/float64(y) <= hi {
			inRatio++
		}
	}
	if share := float64(inMean) / samples; math.Abs(share-0.95) > 0.0067 {
		t.Errorf("means: %.4f of the observations are inside, want 0.95", share)
	}
	if share := float64(inRatio) / samples; share < 0.93 || share > 0.97 {
		t.Errorf("ratios: %.4f of the observations are inside, want about 0.95", share)
	}
	percent := p5().Ratio(0.95)
	lo, hi := percent.Predicted()
	if a, b := percent.Percent().Predicted(); math.Abs(a-100*(lo-1)) > 1e-9 || math.Abs(b-100*(hi-1)) > 1e-9 {
		t.Errorf("in percent [%v, %v], want that of [%v, %v]", a, b, lo, hi)
	}
	if lo, hi := (Moments{}).Mean(0.95).Predicted(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("without observations [%v, %v]", lo, hi)
	}
}

// p5 returns five pairs.
func p5() PairedMoments {
	var p PairedMoments
	for _, x := range []int64{210, 190, 205, 199, 202} {
		p.Add(x, 100)
	}
	return p
}

// TestEstimateFormat: an estimate is written with its interval, by the verb and flags of each number.
func TestEstimateFormat(t *testing.T) {
	e := Estimate{Value: 4.471, Lo: -4.3, Hi: math.Inf(1)}
	for format, want := range map[string]string{
		"%v": "4.471 [-4.3, +Inf]", "%.2f": "4.47 [-4.30, +Inf]", "%6.1f": "   4.5 [  -4.3,   +Inf]", "%+.0e": "+4e+00 [-4e+00, +Inf]",
	} {
		if got := fmt.Sprintf(format, e); got != want {
			t.Errorf("%s writes %q, want %q", format, got, want)
		}
	}
}
