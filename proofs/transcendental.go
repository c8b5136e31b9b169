package proofs

import (
	"fmt"
	"math"
	"math/big"
	"sync"
)

// precision is the number of mantissa bits in the series for logarithms and exponentials. Their
// enclosures are then rounded outward to binary64.
const precision = 128

// bracket is an enclosure with ends of arbitrary precision, both not negative.
type bracket struct {
	lo, hi *big.Float
}

// down and up return zeros with rounding towards that side.
func down() *big.Float { return new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf) }
func up() *big.Float   { return new(big.Float).SetPrec(precision).SetMode(big.ToPositiveInf) }

// exactly returns the bracket of a binary64 number.
func exactly(x float64) bracket { return bracket{down().SetFloat64(x), up().SetFloat64(x)} }

func (a bracket) add(b bracket) bracket { return bracket{down().Add(a.lo, b.lo), up().Add(a.hi, b.hi)} }
func (a bracket) mul(b bracket) bracket { return bracket{down().Mul(a.lo, b.lo), up().Mul(a.hi, b.hi)} }
func (a bracket) div(b bracket) bracket { return bracket{down().Quo(a.lo, b.hi), up().Quo(a.hi, b.lo)} }

// interval rounds the bracket outward.
func (a bracket) interval() Interval {
	lo, _ := a.lo.Float64()
	hi, _ := a.hi.Float64()
	return outward(lo, hi) // Float64 rounds to nearest
}

// arctanh2 returns 2 artanh(y) = ln((1+y)/(1-y)) for 0 <= y <= 1/3, by
//
//	2 sum over odd i of y^i / i,
//
// whose terms after the i-th add less than 2 y^(i+2) / (1 - y²) <= (9/4) y^(i+2).
func arctanh2(y bracket) bracket {
	square, power := y.mul(y), y
	sum := exactly(0)
	for i := 1; ; i += 2 {
		sum = sum.add(power.div(exactly(float64(i))))
		power = power.mul(square)
		if power.hi.Sign() == 0 || power.hi.MantExp(nil) < -precision {
			break
		}
	}
	sum = sum.mul(exactly(2))
	rest := power.mul(exactly(2.25))
	return bracket{sum.lo, up().Add(sum.hi, rest.hi)}
}

// ln2 returns an enclosure of ln 2.
var ln2 = sync.OnceValue(func() bracket { return arctanh2(exactly(1).div(exactly(3))) })

// ln returns an enclosure of ln n for an integer n >= 1. It panics for others.
func ln(n int) Interval {
	if n < 1 {
		panic(fmt.Sprintf("proofs: Log: n (%d) must be at least 1", n))
	}
	// n = m 2^e with 1/2 <= m < 1, so ln n = (e-1) ln 2 + ln(2m).
	m, e := math.Frexp(float64(n))
	x := exactly(2 * m)
	one := exactly(1)
	top := bracket{down().Sub(x.lo, one.lo), up().Sub(x.hi, one.hi)}
	return ln2().mul(exactly(float64(e - 1))).add(arctanh2(top.div(x.add(one)))).interval()
}

// expBracket returns an enclosure of e^x for a binary64 x >= 0, by the series of
// e^(x/2^s), x/2^s <= 1/2, squared s times.
func expBracket(x float64) bracket {
	s := 0
	for y := x; y > 0.5; y /= 2 {
		s++
	}
	y := exactly(math.Ldexp(x, -s))
	sum, term := exactly(1), exactly(1)
	for i := 1; term.hi.Sign() != 0 && term.hi.MantExp(nil) > -precision; i++ {
		term = term.mul(y).div(exactly(float64(i)))
		sum = sum.add(term)
	}
	sum.hi.Add(sum.hi, term.hi) // the remainder is below the last term
	for range s {
		sum = sum.mul(sum)
	}
	return sum
}

// mostExp bounds the magnitude of an argument of exp, so that no end overflows.
const mostExp = 700

// exp returns an enclosure of e^a. It panics unless |a| <= 700.
func exp(a Interval) Interval {
	if !(a.Lo >= -mostExp && a.Hi <= mostExp) {
		panic(fmt.Sprintf("proofs: Exp: argument (%v) must be in [-%d, %d]", a, mostExp, mostExp))
	}
	if a.Lo == a.Hi {
		return expOf(a.Lo)
	}
	return Interval{expOf(a.Lo).Lo, expOf(a.Hi).Hi}
}

// expOf returns an enclosure of e^x.
func expOf(x float64) Interval {
	if x >= 0 {
		return expBracket(x).interval()
	}
	return exactly(1).div(expBracket(-x)).interval()
}
