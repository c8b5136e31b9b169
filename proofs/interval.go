package proofs

import "math"

// Interval is a rigorous enclosure of a number: a closed interval of reals that contains it. Every
// operation rounds both ends outward, so a bound derived from the ends holds for the number. Ends are
// binary64; ln and exp come from arbitrary precision with directed rounding.
type Interval struct {
	Lo, Hi float64
}

// outward widens the interval by one unit in the last place at both ends. IEEE operations are correctly
// rounded, so a result is off by at most half a unit.
func outward(lo, hi float64) Interval {
	return Interval{math.Nextafter(lo, math.Inf(-1)), math.Nextafter(hi, math.Inf(1))}
}

// integer returns the enclosure of an integer of at most 53 bits. Exact.
func integer(n int) Interval { return Interval{float64(n), float64(n)} }

// ratio returns an enclosure of p/q, q > 0.
func ratio(p, q int) Interval { return integer(p).div(integer(q)) }

// add returns an enclosure of a + b.
func (a Interval) add(b Interval) Interval { return outward(a.Lo+b.Lo, a.Hi+b.Hi) }

// sub returns an enclosure of a - b.
func (a Interval) sub(b Interval) Interval { return outward(a.Lo-b.Hi, a.Hi-b.Lo) }

// neg returns an enclosure of -a. Exact.
func (a Interval) neg() Interval { return Interval{-a.Hi, -a.Lo} }

// mul returns an enclosure of a b.
func (a Interval) mul(b Interval) Interval {
	// The conversions keep the compiler from fusing a product with a later sum.
	p, q := float64(a.Lo*b.Lo), float64(a.Lo*b.Hi)
	r, s := float64(a.Hi*b.Lo), float64(a.Hi*b.Hi)
	return outward(min(p, q, r, s), max(p, q, r, s))
}

// div returns an enclosure of a/b. b must not contain 0; otherwise div panics.
func (a Interval) div(b Interval) Interval {
	if b.Lo <= 0 && b.Hi >= 0 {
		panic("proofs: div: the divisor's enclosure contains 0")
	}
	p, q, r, s := a.Lo/b.Lo, a.Lo/b.Hi, a.Hi/b.Lo, a.Hi/b.Hi
	return outward(min(p, q, r, s), max(p, q, r, s))
}

// pow returns an enclosure of a^k for k >= 0. O(log k).
func (a Interval) pow(k int) Interval {
	power := integer(1)
	for square := a; k > 0; k >>= 1 {
		if k&1 == 1 {
			power = power.mul(square)
		}
		square = square.mul(square)
	}
	return power
}

// floor returns the integer part of the number. It panics if the enclosure does not determine it, which
// happens only for n beyond every limit.
func (a Interval) floor() int { return a.round(math.Floor) }

// ceil returns the number rounded up. It panics if the enclosure does not determine it.
func (a Interval) ceil() int { return a.round(math.Ceil) }

// round returns the number rounded by a monotone function.
func (a Interval) round(to func(float64) float64) int {
	lo, hi := to(a.Lo), to(a.Hi)
	if lo != hi {
		panic("proofs: an enclosure is too wide to round")
	}
	return int(lo)
}

// order is the order of two enclosed numbers, as far as it is certain.
type order int8

// The answers of compare.
const (
	undecided order = iota
	atMost          // a <= b, for certain
	greater         // a > b, for certain
)

// compare returns the order of a and b, as far as it is certain.
func compare(a, b Interval) order {
	switch {
	case a.Hi <= b.Lo:
		return atMost
	case a.Lo > b.Hi:
		return greater
	default:
		return undecided
	}
}
