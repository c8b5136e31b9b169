package mc

import (
	"math/big"
	"math/bits"
	"strconv"
)

// Moments holds the count, the sum and the sum of squares of integer
// observations exactly, in 128 bits. The zero value is empty. Merging is
// associative and commutative, so any split of the observations gives the same
// Moments.
type Moments struct {
	n     uint64
	sum   int128
	sumSq uint128
}

// uint128 is an unsigned 128-bit integer; int128 is signed, the same bits in two's complement.
type (
	uint128 struct{ hi, lo uint64 }
	int128  uint128
)

// Add records one observation. It panics if the sum of squares would pass
// 2^128: observations below 2^50 (18 minutes in picoseconds) leave room for
// 2^28 of them.
func (m *Moments) Add(x int64) {
	m.n++
	m.sum = m.sum.plus(int128{uint64(x >> 63), uint64(x)})
	m.sumSq = m.sumSq.plus(square(x))
}

// magnitude returns |x|.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// square returns x^2.
func square(x int64) uint128 {
	hi, lo := bits.Mul64(magnitude(x), magnitude(x))
	return uint128{hi, lo}
}

// Merge adds all observations of other to m.
func (m *Moments) Merge(other Moments) {
	m.n += other.n
	m.sum = m.sum.plus(other.sum)
	m.sumSq = m.sumSq.plus(other.sumSq)
}

// N returns the number of observations.
func (m Moments) N() uint64 { return m.n }

// add returns a + b modulo 2^128, and false on overflow.
func (a uint128) add(b uint128) (sum uint128, ok bool) {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, carry := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}, carry == 0
}

// times returns a * n modulo 2^128, and false on overflow.
func (a uint128) times(n uint64) (product uint128, ok bool) {
	over, middle := bits.Mul64(a.hi, n)
	carried, lo := bits.Mul64(a.lo, n)
	hi, carry := bits.Add64(middle, carried, 0)
	return uint128{hi, lo}, over == 0 && carry == 0
}

// plus returns a + b and panics on overflow.
func (a uint128) plus(b uint128) uint128 {
	sum, ok := a.add(b)
	if !ok {
		panic("mc: the sum of squares passes 2^128: observations are too large to be summed exactly")
	}
	return sum
}

// plus returns a + b modulo 2^128. The sum of fewer than 2^64 values of 64 bits
// cannot overflow.
func (a int128) plus(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return int128{hi, lo}
}

// negated returns -a modulo 2^128.
func (a int128) negated() int128 {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	hi, _ := bits.Sub64(0, a.hi, borrow)
	return int128{hi, lo}
}

// appendTo appends a in decimal.
func (a int128) appendTo(data []byte) []byte {
	if a.hi == uint64(int64(a.lo)>>63) { // the usual case: 64 bits hold it
		return strconv.AppendInt(data, int64(a.lo), 10)
	}
	return a.bigInt().Append(data, 10)
}

// appendTo appends a in decimal.
func (a uint128) appendTo(data []byte) []byte {
	if a.hi == 0 {
		return strconv.AppendUint(data, a.lo, 10)
	}
	return a.bigInt().Append(data, 10)
}

// bigInt returns a as a big integer.
func (a int128) bigInt() *big.Int {
	if a.hi>>63 == 1 {
		positive := uint128(a.negated()).bigInt()
		return positive.Neg(positive)
	}
	return uint128(a).bigInt()
}

// bigInt returns a as a big integer.
func (a uint128) bigInt() *big.Int {
	v := new(big.Int).SetUint64(a.hi)
	v.Lsh(v, 64)
	return v.Or(v, new(big.Int).SetUint64(a.lo))
}

// mean returns the mean, the nearest float64 to the exact rational; 0 when
// empty.
func (m Moments) mean() float64 {
	if m.n == 0 {
		return 0
	}
	v, _ := new(big.Rat).SetFrac(m.sum.bigInt(), new(big.Int).SetUint64(m.n)).Float64()
	return v
}

// Variance returns the unbiased sample variance, the nearest float64 to the
// exact rational (no cancellation), in the unit of the observations squared; 0 for fewer than two observations.
func (m Moments) Variance() float64 {
	if m.n < 2 {
		return 0
	}
	return ratio(m.scatter(), m.n)
}

// scatter returns n * sum(x^2) - sum(x)^2.
func (m Moments) scatter() *big.Int {
	n := new(big.Int).SetUint64(m.n)
	sum := m.sum.bigInt()
	scatter := n.Mul(n, m.sumSq.bigInt())
	return scatter.Sub(scatter, sum.Mul(sum, sum))
}

// ratio returns scatter / (n (n-1)) as the nearest float64.
func ratio(scatter *big.Int, n uint64) float64 {
	d := new(big.Int).SetUint64(n)
	d.Mul(d, new(big.Int).SetUint64(n-1))
	v, _ := new(big.Rat).SetFrac(scatter, d).Float64()
	return v
}
