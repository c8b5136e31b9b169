package elementary

import (
	"math"
	"testing"
)

// apart returns by how many units in the last place of want two numbers differ.
func apart(got, want float64) float64 {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

// TestAgainstMath: the functions are those of the standard library up to a few units in
// the last place of both, over their ranges, and equal at special values.
func TestAgainstMath(t *testing.T) {
	for _, c := range []struct {
		name       string
		got, want  func(float64) float64
		from, to   float64
		units      float64
		exactly    []float64
		everywhere bool // also on the negative side
	}{
		{"Exp", Exp, math.Exp, 1e-18, 709, 2, []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), 800, -800}, true},
		{"Expm1", Expm1, math.Expm1, 1e-300, 700, 4, []float64{0, math.Inf(1), math.Inf(-1), math.NaN()}, true},
		{"Log1p", Log1p, math.Log1p, 1e-300, 1e300, 4, []float64{0, -1, math.Inf(1), math.NaN(), -2}, false},
		{"Log1p below 0", func(x float64) float64 { return Log1p(-x) }, func(x float64) float64 { return math.Log1p(-x) }, 1e-300, 0.99999, 4, nil, false},
		{"Log2", Log2, math.Log2, 1e-300, 1e300, 1, []float64{1, 2, 1024, 0.25, 0, math.Inf(1), -1}, false},
		{"Pow 1/3", func(x float64) float64 { return Pow(x, 1.0/3) }, func(x float64) float64 { return math.Pow(x, 1.0/3) }, 1e-9, 1e9, 4, []float64{1, 8, 27, 64}, false},
		{"Pow 2.7", func(x float64) float64 { return Pow(x, 2.7) }, func(x float64) float64 { return math.Pow(x, 2.7) }, 1e-9, 1e9, 8, []float64{0, 1, math.Inf(1)}, false},
		{"Pow -3", func(x float64) float64 { return Pow(x, -3) }, func(x float64) float64 { return math.Pow(x, -3) }, 1e-9, 1e9, 4, []float64{0, 1, 2, -2, math.Inf(1)}, true},
	} {
		check := func(x, units float64) {
			if got, want := c.got(x), c.want(x); !(apart(got, want) <= units) {
				t.Errorf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
		}
		for x := c.from; x < c.to; x *= 1.0173 {
			check(x, c.units)
			if c.everywhere {
				check(-x, c.units)
			}
		}
		for _, x := range c.exactly {
			check(x, 0)
		}
	}
}

// TestLogGamma: the logarithms of factorials and of the gamma function between them.
func TestLogGamma(t *testing.T) {
	for x := 0.25; x < 1e9; x = x*1.01 + 0.25 {
		want, _ := math.Lgamma(x)
		if got := LogGamma(x); math.Abs(got-want) > 0x1p-45+0x1p-50*math.Abs(want) {
			t.Errorf("ln Γ(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestRootOfUnity: cosines and sines, exactly at quarter turns.
func TestRootOfUnity(t *testing.T) {
	for _, whole := range []int64{1, 2, 3, 7, 64, 1001, 1 << 40} {
		for part := int64(0); part < whole; part += 1 + whole/997 {
			cosine, sine := RootOfUnity(part, whole)
			wantSine, wantCosine := math.Sincos(2 * math.Pi * (float64(part) / float64(whole)))
			// The angle of the comparison is rounded twice, up to 2^-50.
			if math.Abs(cosine-wantCosine) > 0x1p-49 || math.Abs(sine-wantSine) > 0x1p-49 {
				t.Errorf("%d/%d turns: (%v, %v), want (%v, %v)", part, whole, cosine, sine, wantCosine, wantSine)
			}
		}
	}
	for part, want := range [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		if cosine, sine := RootOfUnity(int64(part), 4); cosine != want[0] || sine != want[1] {
			t.Errorf("%d quarter turns: (%v, %v), want %v", part, cosine, sine, want)
		}
	}
}
