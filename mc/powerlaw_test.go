package mc

import (
	"math"
	"testing"
)

// doublings are the message lengths 2^4 to 2^10.
var doublings = []float64{16, 32, 64, 128, 256, 512, 1024}

// pointsOn returns estimates constant x^exponent (1 + error z), with z standard normal and this relative standard
// error.
func pointsOn(x []float64, exponent, constant, relative float64, random *Rand) []Estimate {
	y := make([]Estimate, len(x))
	for i, at := range x {
		value := constant * math.Pow(at, exponent)
		normal := math.Sqrt(-2*math.Log(1-random.Float64())) * math.Cos(2*math.Pi*random.Float64())
		y[i] = Estimate{Value: value * (1 + relative*normal), StdErr: value * relative, N: 10}
	}
	return y
}

// near reports a relative difference above 1e-6 of the i-th number of a test.
func near(t *testing.T, i int, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6*math.Abs(want)) {
		t.Errorf("number %d: %v, want %v", i, got, want)
	}
}

// TestFitPowerLawByHand: a fit with whole numbers as sums. With ln x = 0, 1, 2, 3 and ln y = 0, 2, 1, 3 the slope is
// 4/5 and the offset 3/10; the residuals -3/10, 9/10, -9/10, 3/10 have the sum of squares 9/5, so with 2 degrees of
// freedom the variances are 9/10 / 5 and 9/10 (1/4 + 9/4 / 5).
func TestFitPowerLawByHand(t *testing.T) {
	e := func(ln float64) Estimate { return Estimate{Value: math.Exp(ln), StdErr: math.NaN()} }
	x, y := []float64{1, math.E, math.Exp(2), math.Exp(3)}, []Estimate{e(0), e(2), e(1), e(3)}
	law := FitPowerLaw(x, y)
	const student = 4.302652729911275 // 0.975-quantile with 2 degrees of freedom
	slope, offset := math.Sqrt(0.18), math.Sqrt(0.9*0.7)
	for i, c := range []struct{ got, want float64 }{
		{law.Exponent.Value, 0.8}, {law.Exponent.StdErr, slope}, {law.Exponent.Lo, 0.8 - student*slope}, {law.Exponent.Hi, 0.8 + student*slope},
		{law.Constant.Value, math.Exp(0.3)}, {law.Constant.StdErr, math.Exp(0.3) * offset},
		{law.Constant.Lo, math.Exp(0.3 - student*offset)}, {law.Constant.Hi, math.Exp(0.3 + student*offset)},
		{law.Exponent.PAtMost(law.Exponent.Lo), 0.025}, {law.Constant.PAtLeast(law.Constant.Hi), 0.025},
	} {
		near(t, i, c.got, c.want)
	}
	if !math.IsNaN(law.LackOfFit) || !law.Constant.Scale.Logarithmic {
		t.Errorf("lack of fit %v without standard errors", law.LackOfFit)
	}
	// Relative errors of 1 swamp the residuals: the variances are 1/5 and 1/4 + 9/4 / 5, and the residuals are
	// chi-squared with 2 degrees of freedom; its tail is exp(-x/2).
	for i := range y {
		y[i].StdErr = y[i].Value
	}
	law = FitPowerLaw(x, y)
	near(t, -1, law.Exponent.StdErr, math.Sqrt(0.2))
	near(t, -2, law.Constant.StdErr/law.Constant.Value, math.Sqrt(0.7))
	near(t, -3, law.LackOfFit, math.Exp(-0.9))
	// A point with 100 times the error has next to no weight in the lack of fit: of the other three, ln y = 2, 1, 3 has
	// the residuals 1/2, -1, 1/2 from its line.
	y[0].StdErr *= 1e4
	near(t, -4, FitPowerLaw(x, y).LackOfFit, math.Exp(-0.75))
	near(t, -5, FitPowerLaw(x, y).Constant.StdErr/law.Constant.Value, 0.7e4) // c of the first point is -3/10, so 1/4 + 3/10 * 3/2
}

// TestFitPowerLawScales: a power law is recovered to rounding, other units of x and y change the constant alone.
func TestFitPowerLawScales(t *testing.T) {
	random := NewStream(1, Algorithm, 0).Rand()
	for _, exponent := range []float64{-1, 0, 0.5, 1, 2} {
		exact := FitPowerLaw(doublings, pointsOn(doublings, exponent, 3, 0, &random))
		if math.Abs(exact.Exponent.Value-exponent) > 1e-12 || math.Abs(exact.Constant.Value-3) > 1e-11 || exact.Exponent.Hi-exact.Exponent.Lo > 1e-12 {
			t.Errorf("exponent %v: got %v and %v", exponent, exact.Exponent, exact.Constant)
		}
		y := pointsOn(doublings, exponent, 3, 0.1, &random)
		a := FitPowerLaw(doublings, y)
		x := make([]float64, len(doublings))
		for i := range x {
			x[i] = doublings[i] / 7
			y[i] = y[i].Per(11)
		}
		b := FitPowerLaw(x, y)
		if math.Abs(a.Exponent.Value-b.Exponent.Value)+math.Abs(a.Exponent.Lo-b.Exponent.Lo)+math.Abs(a.LackOfFit-b.LackOfFit) > 1e-9 {
			t.Errorf("other units: %v, was %v", b, a)
		}
		near(t, int(10*exponent), b.Constant.Value, a.Constant.Value*math.Pow(7, a.Exponent.Value)/11)
	}
}

// TestFitPowerLawCovers measures the coverage of both intervals, with 2,000 samples of a fixed seed each, and the false
// alarms of LackOfFit at 5 %. 98.6 % less 1.2 % is 4.5 standard errors, and so is 5 % ± 2.2 %.
func TestFitPowerLawCovers(t *testing.T) {
	random := NewStream(2, Algorithm, 0).Rand()
	for _, relative := range []float64{0.01, 0.05, 0.2} {
		const samples = 2000
		var exponents, constants, alarms int
		for range samples {
			law := FitPowerLaw(doublings, pointsOn(doublings, 0.5, 2, relative, &random))
			if law.Exponent.Lo <= 0.5 && 0.5 <= law.Exponent.Hi {
				exponents++
			}
			if law.Constant.Lo <= 2 && 2 <= law.Constant.Hi {
				constants++
			}
			if law.LackOfFit < 0.05 {
				alarms++
			}
		}
		t.Logf("errors of %v: exponents %d, constants %d, alarms %d of %d", relative, exponents, constants, alarms, samples)
		if exponents < 0.974*samples || constants < 0.974*samples || relative < 0.2 && math.Abs(float64(alarms)-0.05*samples) > 0.022*samples {
			t.Errorf("errors of %v: coverage %d and %d, alarms %d of %d", relative, exponents, constants, alarms, samples)
		}
	}
}

// TestFitPowerLawLackOfFit: a law that is no power law is found if the errors are small, and not if they are large.
func TestFitPowerLawLackOfFit(t *testing.T) {
	for relative, found := range map[float64]bool{0.001: true, 0.3: false} {
		y := make([]Estimate, len(doublings))
		for i, x := range doublings {
			y[i].Value = math.Sqrt(x) - 1
			y[i].StdErr = relative * y[i].Value
		}
		law := FitPowerLaw(doublings, y)
		if law.LackOfFit < 1e-6 != found || !found && law.LackOfFit < 0.5 || law.Exponent.Value < 0.5 || law.Exponent.Value > 0.7 {
			t.Errorf("errors of %v: lack of fit %v, exponent %v", relative, law.LackOfFit, law.Exponent)
		}
	}
}

// TestFitPowerLawWithoutAnswer: too few points, and values without a logarithm.
func TestFitPowerLawWithoutAnswer(t *testing.T) {
	e := func(v float64) Estimate { return Estimate{Value: v, StdErr: 0.1} }
	two := FitPowerLaw([]float64{1, 4}, []Estimate{e(3), e(6)})
	if math.Abs(two.Exponent.Value-0.5) > 1e-12 || two.Exponent.Lo != math.Inf(-1) || two.Constant.Hi != math.Inf(1) || two.Constant.Lo != 0 ||
		!math.IsNaN(two.LackOfFit) || len(two.Exponent.Warnings) != 1 {
		t.Errorf("two points: %+v", two)
	}
	for name, law := range map[string]PowerLaw{
		"zero": FitPowerLaw([]float64{1, 2, 3}, []Estimate{e(1), e(0), e(3)}),
		"NaN":  FitPowerLaw([]float64{1, 2, 3}, []Estimate{e(1), e(math.NaN()), e(3)}),
		"inf":  FitPowerLaw([]float64{1, 2, 3}, []Estimate{e(1), e(math.Inf(1)), e(3)}),
	} {
		if !math.IsNaN(law.Exponent.Value+law.Constant.Value+law.LackOfFit) || law.Exponent.Hi != math.Inf(1) || len(law.Constant.Warnings) != 1 {
			t.Errorf("%s: %+v", name, law)
		}
	}
	for want, x := range map[string][]float64{
		"mc: FitPowerLaw: x (2 numbers) and y (3) must be equally many":          {1, 2},
		"mc: FitPowerLaw: x (0) must be in [5e-324, 1.7976931348623157e+308]":    {1, 2, 0},
		"mc: FitPowerLaw: x (+Inf) must be in [5e-324, 1.7976931348623157e+308]": {1, 2, math.Inf(1)},
		"mc: FitPowerLaw: x (NaN) must be in [5e-324, 1.7976931348623157e+308]":  {1, 2, math.NaN()},
		"mc: FitPowerLaw: x (-1) must be in [5e-324, 1.7976931348623157e+308]":   {-1, 2, 3},
	} {
		mustPanic(t, want, func() { FitPowerLaw(x, []Estimate{e(1), e(0), e(3)}) })
	}
	mustPanic(t, "mc: FitPowerLaw: x ([]) must have two different values", func() { FitPowerLaw(nil, nil) })
	mustPanic(t, "mc: FitPowerLaw: x ([2 2]) must have two different values", func() { FitPowerLaw([]float64{2, 2}, []Estimate{e(1), e(3)}) })
}
