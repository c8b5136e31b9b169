package proofs

import (
	"fmt"
	"math/big"
)

// Everything here is about B, binomial with parameters k and 1/n: the fresh balls
// that a bin receives in a round with k of them.

// rat returns p/q.
func rat(p, q int) *big.Rat { return big.NewRat(int64(p), int64(q)) }

// plus, minus, times and over return a new sum, difference, product and quotient.
func plus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }

// pointRat returns P[B = j] exactly, 1 <= n, 0 <= k. O(1) operations on numbers of
// k log n bits.
func pointRat(n, k, j int) *big.Rat {
	if j < 0 || j > k {
		return new(big.Rat)
	}
	top := new(big.Int).Binomial(int64(k), int64(j))
	top.Mul(top, power(n-1, k-j))
	return new(big.Rat).SetFrac(top, power(n, k))
}

// power returns base^exponent.
func power(base, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(exponent)), nil)
}

// tailRat returns P[B >= x] exactly, for an integer x. O(x) operations on numbers
// of k log n bits.
func tailRat(n, k, x int) *big.Rat {
	tail := rat(1, 1)
	for j := 0; j < x && j <= k; j++ {
		tail.Sub(tail, pointRat(n, k, j))
	}
	return tail
}

// excessRat returns E[max(0, B - z)] exactly, for a rational z >= 0:
//
//	sum over j > z of (j - z) P[B = j].
//
// O(k - z) operations on numbers of k log n bits.
func excessRat(n, k int, z *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := k; j >= 0; j-- {
		above := minus(rat(j, 1), z)
		if above.Sign() <= 0 {
			break
		}
		sum.Add(sum, above.Mul(above, pointRat(n, k, j)))
	}
	return sum
}

// conditionalRat returns E[B | B >= x] exactly for an integer x <= k. It panics
// for x > k, where the condition has probability 0.
func conditionalRat(n, k, x int) *big.Rat {
	if x > k {
		panic(fmt.Sprintf("proofs: ConditionalRat: x (%d) must be at most k (%d)", x, k))
	}
	at := rat(x, 1)
	return plus(over(excessRat(n, k, at), tailRat(n, k, x)), at)
}

// tails encloses the tail of B from a point z on.
type tails struct {
	probability Interval // P[B >= z]
	excess      Interval // E[max(0, B - z)]
}

// newTails encloses the tail of B from the integer z in [0, k] on. The terms
//
//	P[B = j+1] = P[B = j] (k-j) / ((j+1)(n-1))
//
// are summed until each is at most half of the one before and below 1e-40. The rest of P is then below
// the last term, and the rest of the mean excess below 2 (j - z + 2) times the last term. n >= 2. O(k/n +
// z + 40).
func newTails(n, k, z int) tails {
	// (1-1/n)^k = ((n-1)/n)^k.
	p := ratio(n-1, n).pow(k)
	for j := 0; j < z; j++ {
		p = p.mul(ratio(k-j, 1)).div(integer(j + 1).mul(integer(n - 1)))
	}
	var t tails
	for j := z; j <= k; j++ {
		t.probability = t.probability.add(p)
		t.excess = t.excess.add(p.mul(integer(j - z)))
		ratio := integer(k - j).div(integer(j + 1).mul(integer(n - 1)))
		if ratio.Hi <= 0.5 && p.Hi < 1e-40 {
			t.probability = t.probability.add(Interval{0, p.Hi})
			t.excess = t.excess.add(Interval{0, p.Hi}.mul(integer(2 * (j - z + 2))))
			break
		}
		p = p.mul(ratio)
	}
	return t
}

// binomialTail returns an enclosure of P[B >= x] for integers n >= 1, k >= 0, x >= 0.
// O(k/n + x + 40).
func binomialTail(n, k, x int) Interval {
	switch {
	case x == 0:
		return integer(1)
	case x > k:
		return integer(0)
	case n == 1:
		return integer(1)
	}
	return newTails(n, k, x).probability
}

// binomialExcess returns an enclosure of E[max(0, B - z)] for integers n >= 1, k >= 0,
// z >= 0. O(k/n + z + 40).
func binomialExcess(n, k, z int) Interval {
	switch {
	case z >= k:
		return integer(0)
	case n == 1:
		return integer(k - z)
	}
	return newTails(n, k, z).excess
}

// excessAtMost returns an upper bound on E[max(0, B - z)], for any k in [0, n] and an integer z >= 0. It
// uses max(0, B - z) <= C(B, z+1):
//
//	E[C(B, z+1)] = C(k, z+1) / n^(z+1) <= (k/n)^(z+1) / (z+1)!.
//
// O(z), and it decreases fast in z.
func excessAtMost(n, k, z int) Interval {
	bound := integer(1)
	for i := range z + 1 {
		if k <= i {
			return integer(0)
		}
		bound = bound.mul(ratio(k-i, n)).div(integer(i + 1))
		if bound.Hi < 1e-24 {
			break
		}
	}
	return Interval{0, bound.Hi}
}
