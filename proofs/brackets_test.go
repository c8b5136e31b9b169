package proofs

import (
	"math"
	"math/big"
	"testing"
)

// fine returns a number of 600 bits, so that rounding does not matter.
func fine(x float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(x) }

// series sums terms, each from the one before, until they are below 2^-500.
func series(first *big.Float, next func(term *big.Float, i int) *big.Float, weight func(i int) float64) *big.Float {
	sum, term := fine(0), first
	for i := 0; term.Sign() != 0 && term.MantExp(nil) > -500; i++ {
		sum.Add(sum, new(big.Float).Quo(term, fine(weight(i))))
		term = next(term, i)
	}
	return sum
}

// holds fails unless a bracket contains a number and is narrow, relative to it.
func holds(t *testing.T, name string, b bracket, want *big.Float, bits int) {
	t.Helper()
	if b.lo.Cmp(want) > 0 || b.hi.Cmp(want) < 0 {
		t.Errorf("%s is outside of its bracket by %v or %v", name, new(big.Float).Sub(b.lo, want), new(big.Float).Sub(want, b.hi))
	}
	width := new(big.Float).Sub(b.hi, b.lo)
	if most := new(big.Float).SetMantExp(want, -bits); width.Cmp(most) > 0 {
		t.Errorf("%s: the bracket is wider than 2^-%d of the number", name, bits)
	}
}

// TestBrackets: the series of logarithms and exponentials enclose what 600 bits
// give, and to 110 bits or more.
func TestBrackets(t *testing.T) {
	for _, d := range []float64{3, 4, 5, 17, 1 << 30} {
		y := new(big.Float).Quo(fine(1), fine(d))
		square := new(big.Float).Mul(y, y)
		sum := series(y, func(term *big.Float, _ int) *big.Float { return new(big.Float).Mul(term, square) }, func(i int) float64 { return float64(2*i + 1) })
		holds(t, "2 artanh 1/d", arctanh2(exactly(1).div(exactly(d))), sum.Mul(sum, fine(2)), 118)
	}
	if zero := arctanh2(exactly(0)); zero.lo.Sign() != 0 || zero.hi.Sign() != 0 {
		t.Errorf("2 artanh 0 in [%v, %v]", zero.lo, zero.hi)
	}
	for _, x := range []float64{0, 1e-300, 1e-20, 0.1, 0.5, math.Nextafter(0.5, 1), 1, 1.25, 50, 700} {
		s := 0
		for y := x; y > 0.01; y /= 2 {
			s++
		}
		y := new(big.Float).SetMantExp(fine(x), -s)
		want := series(fine(1), func(term *big.Float, i int) *big.Float {
			return new(big.Float).Quo(new(big.Float).Mul(term, y), fine(float64(i+1)))
		}, func(int) float64 { return 1 })
		for range s {
			want.Mul(want, want)
		}
		holds(t, "e^x", expBracket(x), want, 110)
	}
}

// TestOutward: every operation of enclosures contains the exact results at all
// corners, and is at most a few units in the last place wide.
func TestOutward(t *testing.T) {
	numbers := []float64{-3, -1. / 3, -1e-9, 1e-9, 0.1, 1, 7}
	for _, x := range numbers {
		for _, y := range numbers {
			a, b := Interval{x, x + math.Abs(x)/8}, Interval{y, y + math.Abs(y)/8}
			for name, c := range map[string]struct {
				got   Interval
				exact func(p, q *big.Float) *big.Float
			}{
				"add": {a.add(b), func(p, q *big.Float) *big.Float { return new(big.Float).SetPrec(600).Add(p, q) }},
				"sub": {a.sub(b), func(p, q *big.Float) *big.Float { return new(big.Float).SetPrec(600).Sub(p, q) }},
				"mul": {a.mul(b), func(p, q *big.Float) *big.Float { return new(big.Float).SetPrec(600).Mul(p, q) }},
				"div": {a.div(b), func(p, q *big.Float) *big.Float { return new(big.Float).SetPrec(600).Quo(p, q) }},
			} {
				low, high := fine(math.Inf(1)), fine(math.Inf(-1))
				for _, p := range []float64{a.Lo, a.Hi} {
					for _, q := range []float64{b.Lo, b.Hi} {
						corner := c.exact(fine(p), fine(q))
						if corner.Cmp(low) < 0 {
							low = corner
						}
						if corner.Cmp(high) > 0 {
							high = corner
						}
					}
				}
				l, _ := low.Float64()
				h, _ := high.Float64()
				if fine(c.got.Lo).Cmp(low) > 0 || fine(c.got.Hi).Cmp(high) < 0 ||
					l-c.got.Lo > 1e-15*math.Abs(l)+5e-324 || c.got.Hi-h > 1e-15*math.Abs(h)+5e-324 {
					t.Errorf("%v %s %v = %v, want [%v, %v] and hardly more", a, name, b, c.got, l, h)
				}
			}
		}
	}
}

// TestCompare: what enclosures decide, at the ends too.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b Interval
		want order
	}{
		{Interval{1, 2}, Interval{2, 3}, atMost}, {Interval{1, 2}, Interval{1.5, 3}, undecided}, {Interval{2, 3}, Interval{1, 2}, undecided},
		{Interval{2.1, 3}, Interval{1, 2}, greater}, {Interval{2, 2}, Interval{2, 2}, atMost},
	} {
		if got := compare(c.a, c.b); got != c.want {
			t.Errorf("compare(%v, %v) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct {
		a           Interval
		floor, ceil int
		down, up    bool // whether the enclosure decides it; it panics if not
	}{
		{Interval{1.2, 1.9}, 1, 2, true, true}, {Interval{0.9, 1.1}, 0, 0, false, false}, {Interval{2, 2.5}, 2, 0, true, false}, {Interval{1.5, 2}, 0, 2, false, true},
	} {
		for _, r := range []struct {
			name    string
			round   func() int
			want    int
			decided bool
		}{{"floor", c.a.floor, c.floor, c.down}, {"ceil", c.a.ceil, c.ceil, c.up}} {
			func() {
				defer func() {
					if panicked := recover() != nil; panicked == r.decided {
						t.Errorf("%v.%s() panics: %v", c.a, r.name, panicked)
					}
				}()
				if n := r.round(); n != r.want {
					t.Errorf("%v.%s() = %d, want %d", c.a, r.name, n, r.want)
				}
			}()
		}
	}
	if got, want := (Interval{2, 3}).pow(5), (Interval{32, 243}); got.Lo > want.Lo || got.Hi < want.Hi || got.Hi-want.Hi > 1e-12 || (Interval{5, 5}).pow(0) != integer(1) {
		t.Errorf("[2, 3]^5 = %v", got)
	}
	for _, bad := range []func(){func() { integer(1).div(Interval{-1, 0}) }, func() { integer(1).div(Interval{0, 1}) }, func() { ln(0) }, func() { exp(Interval{0, 700.1}) }, func() { exp(Interval{-700.1, 0}) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			bad()
		}()
	}
}

// TestRefuted: a claimed probability is refuted where its own binomial law gives
// what was seen with probability below 1e-9, by Chernoff's bound.
func TestRefuted(t *testing.T) {
	for _, c := range []struct {
		violated, runs uint64
		bound          float64
		want           bool
	}{
		{0, 100, 0, false}, {1, 100, 0, true}, {10, 100, 0.1, false}, {5, 100, 0.1, false}, {100, 100, 1, false},
		{20, 40, 0.1, false}, {21, 42, 0.1, true}, // 0.511 a run, and ln 1e9 = 20.72
		{29, 29, 0.5, false}, {30, 30, 0.5, true}, // ln 2 a run
	} {
		if got := refuted(wilson(c.violated, c.runs), c.bound); got != c.want {
			t.Errorf("%d of %d, claimed %v: refuted is %v", c.violated, c.runs, c.bound, got)
		}
	}
}
