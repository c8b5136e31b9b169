package proofs

import "math"

// Interval is a rigorous enclosure: a closed interval of reals that contains the
// number it stands for. Every operation rounds both ends outward, so whatever
// follows from the ends follows of the number. Ends are binary64; [Log] and [Exp]
// come from arbitrary precision with directed rounding.
type Interval struct {
	Lo, Hi float64
}

// outward returns the interval one unit in the last place wider at both ends:
// IEEE operations are correctly rounded, so a result is off by half of one.
func outward(lo, hi float64) Interval {
	return Interval{math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))}
}

// Int returns the enclosure of an integer of at most 53 bits. Exact.
func Int(n int) Interval { return Interval{float64(n), float64(n)} }

// Ratio returns an enclosure of p/q, q > 0.
func Ratio(p, q int) Interval { return Int(p).Div(Int(q)) }

// Add returns an enclosure of a + b.
func (a Interval) Add(b Interval) Interval { return outward(a.Lo+b.Lo, a.Hi+b.Hi) }

// Sub returns an enclosure of a - b.
func (a Interval) Sub(b Interval) Interval { return outward(a.Lo-b.Hi, a.Hi-b.Lo) }

// Neg returns an enclosure of -a. Exact.
func (a Interval) Neg() Interval { return Interval{-a.Hi, -a.Lo} }

// Mul returns an enclosure of a b.
func (a Interval) Mul(b Interval) Interval {
	// The conversions keep the compiler from fusing a product with a later sum.
	p, q := float64(a.Lo*b.Lo), float64(a.Lo*b.Hi)
	r, s := float64(a.Hi*b.Lo), float64(a.Hi*b.Hi)
	return outward(min(p, q, r, s), max(p, q, r, s))
}

// Div returns an enclosure of a/b. b must not contain 0; otherwise Div panics.
func (a Interval) Div(b Interval) Interval {
	if b.Lo <= 0 && b.Hi >= 0 {
		panic("proofs: Div: the divisor's enclosure contains 0")
	}
	p, q, r, s := a.Lo/b.Lo, a.Lo/b.Hi, a.Hi/b.Lo, a.Hi/b.Hi
	return outward(min(p, q, r, s), max(p, q, r, s))
}

// Pow returns an enclosure of a^k for k >= 0. O(log k).
func (a Interval) Pow(k int) Interval {
	power := Int(1)
	for square := a; k > 0; k >>= 1 {
		if k&1 == 1 {
			power = power.Mul(square)
		}
		square = square.Mul(square)
	}
	return power
}

// Max returns an enclosure of the larger of a and b.
func (a Interval) Max(b Interval) Interval {
	return Interval{max(a.Lo, b.Lo), max(a.Hi, b.Hi)}
}

// Floor returns the integer part of the number and whether the enclosure decides
// it.
func (a Interval) Floor() (n int, decided bool) {
	lo, hi := math.Floor(a.Lo), math.Floor(a.Hi)
	return int(lo), lo == hi
}

// Ceil returns the number rounded up and whether the enclosure decides it.
func (a Interval) Ceil() (n int, decided bool) {
	lo, hi := math.Ceil(a.Lo), math.Ceil(a.Hi)
	return int(lo), lo == hi
}

// Order is what enclosures say of two numbers.
type Order int8

// The answers of [Compare].
const (
	Undecided Order = iota
	AtMost          // a <= b, for certain
	Greater         // a > b, for certain
)

// Compare returns what is certain of a and b.
func Compare(a, b Interval) Order {
	switch {
	case a.Hi <= b.Lo:
		return AtMost
	case a.Lo > b.Hi:
		return Greater
	default:
		return Undecided
	}
}
