package mc_test

import (
	"math"
	"reflect"
	"testing"

	"repslab/mc"
)

// meanOf returns the mean of whole numbers in hundredths.
func meanOf(hundredths ...int64) mc.Estimate {
	var m mc.Moments
	for _, x := range hundredths {
		m.Add(x)
	}
	return m.Mean(mc.DefaultConfidence).Per(100)
}

// TestOfFewStaysInSupport: ends and predictions lie in the support, the value lies between the ends, and
// the ends have p-values of 0.025.
func TestOfFewStaysInSupport(t *testing.T) {
	random := mc.NewStream(1, mc.Algorithm, 0).Rand()
	for _, s := range []mc.Support{{Most: math.Inf(1)}, {Most: math.Inf(1), Step: 0.01}, {Most: 1}, {Most: 1, Step: 0.01},
		{Least: 1, Most: math.Inf(1)}, {Least: math.Inf(-1), Most: math.Inf(1)}} {
		for range 300 {
			draws := make([]int64, 3+random.Below(5))
			for i := range draws {
				draws[i] = int64(100*max(0, s.Least)) + int64(random.Below(101)*random.Below(2))
			}
			e := meanOf(draws...)
			for _, of := range []mc.Estimate{e.OfFew(s), e.OfFew(s).Per(0.01).Per(100), e.OfFew(s).Plus(1).Plus(-1)} {
				lo, hi := of.Predicted()
				switch {
				case math.IsInf(of.Hi-of.Lo, 1): // all alike
				case of.Lo < s.Least || of.Hi > s.Most || !(of.Lo <= of.Value && of.Value <= of.Hi && of.Lo < of.Hi):
					t.Errorf("%v: %v of %v", s, of, draws)
				case e.StdErr > 0 && (lo < s.Least || hi > s.Most || lo > of.Lo || hi < of.Hi):
					t.Errorf("%v: one more of %v in [%v, %v]", s, draws, lo, hi)
				case e.StdErr > 0 && math.Abs(of.PAtMost(of.Lo)-0.025)+math.Abs(of.PAtLeast(of.Hi)-0.025) > 1e-6:
					t.Errorf("%v: p-values %v and %v at the ends of %v", s, of.PAtMost(of.Lo), of.PAtLeast(of.Hi), of)
				}
			}
		}
	}
}

// quantiles are the 0.975-quantiles of Student's distribution with 2 and 4 degrees of freedom.
var quantiles = map[int]float64{3: 4.302652729911275, 5: 2.7764451051977987}

// TestOfFewByItsFormulas: the ends of intervals are those of (1) to (5) of OfFew, written out again.
func TestOfFewByItsFormulas(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		draws   []int64 // hundredths
		support mc.Support
	}{
		{[]int64{100, 150, 120}, mc.Support{Most: inf}}, {[]int64{100, 150, 120}, mc.Support{Most: inf, Step: 0.5}},
		{[]int64{200, 150, 120, 700, 300}, mc.Support{Least: 1, Most: inf}}, {[]int64{10, 30, 20, 40, 25}, mc.Support{Most: 1}},
		{[]int64{90, 70, 80, 60, 75}, mc.Support{Most: 1}}, {[]int64{60, 61, 64}, mc.Support{Most: 1, Step: 0.1}}, {[]int64{30, 45, 35}, mc.Support{Most: 1}},
		{[]int64{55, 52, 58}, mc.Support{Most: 1}}, {[]int64{250, 210, 280}, mc.Support{Least: 2, Most: 3, Step: 0.1}},
		{[]int64{100, -150, 120}, mc.Support{Least: math.Inf(-1), Most: inf, Step: 0.2}},
	} {
		n := len(c.draws)
		e := meanOf(c.draws...)
		s := math.Hypot(e.StdErr, c.support.Step/2/float64(n))
		q := quantiles[n]
		want := [2]float64{e.Value - q*s, e.Value + q*s}
		if least, most := c.support.Least, c.support.Most; !math.IsInf(least, -1) {
			p := 0.0
			if most < inf {
				p = (e.Value - least) / (most - least)
			}
			z, r := (e.Value-least)/(1-p), s/((e.Value-least)*(1-p))
			short, long := math.Exp(q*r), 1+q*r+(q*q+math.Abs(1-2*p)*(1+q*q))*r*r/2
			want = [2]float64{z / short, z * long}
			if p > 0.5 {
				want = [2]float64{z / long, z * short}
			}
			for i, z := range want {
				want[i] = least + z/(1+z/(most-least))
			}
		}
		if got := e.OfFew(c.support); math.Abs(got.Lo-want[0]) > 1e-9 || math.Abs(got.Hi-want[1]) > 1e-9 || got.StdErr != e.StdErr {
			t.Errorf("%v in %+v: [%v, %v], want %v", c.draws, c.support, got.Lo, got.Hi, want)
		}
	}
}

// TestRatioOfFewByItsFormula: the ends of the interval of a ratio R are R over and times the long end of
// (5), with the skewness of the side that can be large, at most that of the ratio.
func TestRatioOfFewByItsFormula(t *testing.T) {
	for _, pairs := range [][][2]int64{{{100, 50}, {150, 70}, {120, 55}}, {{100, 50}, {102, 70}, {99, 90}, {101, 40}, {100, 66}}, {{10, 50}, {200, 51}, {80, 49}}} {
		var p mc.PairedMoments
		var numerator, denominator mc.Moments
		for _, pair := range pairs {
			p.Add(pair[0], pair[1])
			numerator.Add(pair[0])
			denominator.Add(pair[1])
		}
		e, q := p.Ratio(mc.DefaultConfidence), quantiles[len(pairs)]
		r := e.StdErr / e.Value
		long := func(m mc.Moments) float64 {
			of := m.Mean(mc.DefaultConfidence)
			return 1 + q*r + (q*q*r+(1+q*q)*min(r, of.StdErr/of.Value))*r/2
		}
		got := p.RatioOfFew(mc.DefaultConfidence)
		if lo, hi := e.Value/long(denominator), e.Value*long(numerator); math.Abs(got.Lo/lo-1) > 1e-6 || math.Abs(got.Hi/hi-1) > 1e-6 {
			t.Errorf("%v: [%v, %v], want [%v, %v]", pairs, got.Lo, got.Hi, lo, hi)
		}
	}
}

// TestOfFewWithoutScatter: numbers that are all alike have no interval, whatever their support, and neither have two
// numbers. If they are alike the estimate says so.
func TestOfFewWithoutScatter(t *testing.T) {
	positive := mc.Support{Most: math.Inf(1)}
	for name, c := range map[string]struct {
		e         mc.Estimate
		identical bool
		p         float64 // of "at most 0"
	}{
		"two":             {meanOf(1400, 1500).OfFew(positive), false, 1},
		"two alike":       {meanOf(1400, 1400).OfFew(positive), true, 0.25},
		"one":             {meanOf(1400).OrIdentical().OfFew(positive), false, 1},
		"three times":     {meanOf(1400, 1400, 1400).OfFew(positive), true, 0.125},
		"three counts":    {meanOf(1400, 1400, 1400).OfFew(mc.Support{Most: math.Inf(1), Step: 1}), true, 0.125},
		"no packet lost":  {meanOf(0, 0, 0).OfFew(mc.Support{Most: math.Inf(1), Step: 1}), true, 1},
		"shares of 1":     {meanOf(100, 100, 100).OfFew(mc.Support{Most: 1}), true, 0.125},
		"one event in 10": {meanOf(100, 100, 100, 100).OfFew(mc.Support{Most: 1, Step: 0.1}), true, 0.0625},
		"without Least":   {meanOf(100, 100, 100).OfFew(mc.Support{Least: math.Inf(-1), Most: math.Inf(1)}), true, 0.125},
		"again":           {meanOf(100, 100, 100).OfFew(mc.Support{Most: 1}).OfFew(positive), true, 0.125},
		"as they are":     {meanOf(100, 100, 100).OrIdentical(), true, 0.125},
		"in another unit": {meanOf(100, 100, 100).OrIdentical().Per(7), true, 0.125},
	} {
		if !math.IsInf(c.e.Lo, -1) || !math.IsInf(c.e.Hi, 1) || !math.IsNaN(c.e.StdErr) || c.e.Identical != c.identical || c.e.PAtMost(0) != c.p || len(c.e.Warnings) == 0 {
			t.Errorf("%s: %+v, p %v; want no interval, identical %t, p %v", name, c.e, c.e.PAtMost(0), c.identical, c.p)
		}
	}
	if e := meanOf(100, 200, 100); !reflect.DeepEqual(e.OrIdentical(), e) {
		t.Errorf("with scatter it is another estimate: %v", e.OrIdentical())
	}
	var same, two mc.PairedMoments
	for i := range int64(3) {
		same.Add(2+2*i, 1+i)
		if i < 2 {
			two.Add(i+2, 1)
		}
	}
	for _, e := range []mc.Estimate{same.RatioOfFew(0.95), two.RatioOfFew(0.95)} {
		if !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) || !math.IsNaN(e.StdErr) || len(e.Warnings) == 0 {
			t.Errorf("ratio %+v, want no interval", e)
		}
	}
	if same.RatioOfFew(0.95).PAtMost(1) != 0.125 {
		t.Error("three ratios of 2 say more than that half of all may be at most 1")
	}
	defer func() {
		if recover() == nil {
			t.Error("OfFew took a mean outside the support")
		}
	}()
	meanOf(200, 200, 300).OfFew(mc.Support{Most: 1})
}

// TestWelchOfIdentical: runs that are identical have no scatter beside runs that differ. If both sides are identical,
// the signs of their differences give the p-value, and there is no interval.
func TestWelchOfIdentical(t *testing.T) {
	counts := mc.Support{Most: math.Inf(1), Step: 1}
	none, some, more := meanOf(0, 0, 0).OfFew(counts), meanOf(52800, 52900, 52700).OfFew(counts), meanOf(300, 300, 300, 300).OfFew(counts)
	if w, want := some.Welch(none), mc.NewWelch(528, some.StdErr, 3, 0, 3); w != want || w.Lo <= 0 {
		t.Errorf("528 against 0 in all runs: %+v, want %+v", w, want)
	}
	for _, c := range []struct {
		a, b mc.Estimate
		p    float64
	}{{more, none, 0.25}, {none, more, 0.25}, {more, more, 1}} {
		if w := c.a.Welch(c.b); w.P != c.p || !math.IsInf(w.Lo, -1) || !math.IsInf(w.Hi, 1) {
			t.Errorf("%v against %v in all runs: %+v, want P %v", c.a.Value, c.b.Value, w, c.p)
		}
	}
}

// TestOfFewInTheMiddle: at the middle of a support both tails are alike, and the upper end is the long one: the odds of
// the ends are exp(-t r) and 1 + t r + (t r)²/2.
func TestOfFewInTheMiddle(t *testing.T) {
	e := meanOf(25, 50, 75).OfFew(mc.Support{Most: 1})
	tr := quantiles[3] * 0.25 / math.Sqrt(3) / 0.25
	if lo, hi := e.Lo/(1-e.Lo), e.Hi/(1-e.Hi); math.Abs(lo*math.Exp(tr)-1) > 1e-9 || math.Abs(hi/(1+tr+tr*tr/2)-1) > 1e-9 {
		t.Errorf("odds of the ends %v and %v, want %v and %v", lo, hi, math.Exp(-tr), 1+tr+tr*tr/2)
	}
}

// TestPlus: a constant moves an estimate with its ends, predictions and p-values.
func TestPlus(t *testing.T) {
	e := meanOf(20, 25, 90, 40, 70).OfFew(mc.Support{Most: math.Inf(1)})
	moved := e.Plus(3)
	lo, hi := e.Predicted()
	movedLo, movedHi := moved.Predicted()
	for name, pair := range map[string][2]float64{
		"value": {moved.Value, e.Value + 3}, "Lo": {moved.Lo, e.Lo + 3}, "Hi": {moved.Hi, e.Hi + 3},
		"predicted Lo": {movedLo, lo + 3}, "predicted Hi": {movedHi, hi + 3},
		"p-value below": {moved.PAtLeast(3.7), e.PAtLeast(0.7)}, "p-value above": {moved.PAtMost(3.3), e.PAtMost(0.3)},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s %v, want %v", name, pair[0], pair[1])
		}
	}
}
