package mc

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
)

// errNumber reports a number that [AppendTally] does not write.
var errNumber = errors.New("mc: the tally must have a decimal integer of its range")

// errImpossible reports sums that no observations have.
var errImpossible = errors.New("mc: the tally must have sums and sums of squares that observations can have")

// reader reads what [AppendTally] wrote. After an error what it returns is undefined.
type reader struct {
	data []byte
	at   int   // the next byte; an index, because slicing data would cost a write barrier for each byte
	err  error // the first
}

// next returns the next byte, or 0 at the end.
func (r *reader) next() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

// require records an error, if it is the first, unless a condition holds.
func (r *reader) require(holds bool, err error) {
	if !holds && r.err == nil {
		r.err = err
	}
}

// expect reads the given byte.
func (r *reader) expect(b byte) {
	if r.next() == b {
		r.at++
		return
	}
	r.require(false, fmt.Errorf("mc: the tally must have %q %d bytes before its end", b, len(r.data)-r.at))
}

// number reads a decimal number of up to 128 bits as strconv writes it, with a minus sign or
// without, and returns its magnitude and whether it has the sign.
func (r *reader) number() (v uint128, negative bool) {
	if negative = r.next() == '-'; negative {
		r.at++
	}
	digits, n, fits := r.data[r.at:], 0, true
	for ; fits && n < len(digits) && digits[n]-'0' <= 9; n++ {
		digit := uint64(digits[n] - '0')
		if n < 19 { // 64 bits hold it
			v.lo = 10*v.lo + digit
		} else if v, fits = v.times(10); fits {
			v, fits = v.add(uint128{0, digit})
		}
	}
	padded := n > 0 && digits[0] == '0' && (n > 1 || negative) // 00, 01, -0
	r.require(n > 0 && fits && !padded, errNumber)
	r.at += n
	return v, negative
}

// uint reads a number of 64 bits without a sign.
func (r *reader) uint() uint64 {
	v, negative := r.number()
	r.require(!negative && v.hi == 0, errNumber)
	return v.lo
}

// int reads a number of 64 bits.
func (r *reader) int() int64 {
	v, negative := r.number()
	x := int64(v.lo)
	if negative {
		x = -x
	}
	r.require(v.hi == 0 && x < 0 == negative, errNumber)
	return x
}

// int128 reads a number of 128 bits.
func (r *reader) int128() int128 {
	v, negative := r.number()
	r.require(v.hi>>63 == 0, errNumber)
	if negative {
		return int128(v).negated()
	}
	return int128(v)
}

// uint128 reads a number of 128 bits without a sign.
func (r *reader) uint128() uint128 {
	v, negative := r.number()
	r.require(!negative, errNumber)
	return v
}

func (c *Count) appendJSON(data []byte) []byte { return strconv.AppendUint(data, uint64(*c), 10) }

func (c *Count) readJSON(r *reader) { *c = Count(r.uint()) }

func (m *Moments) mergePart(other Part) { m.Merge(*other.(*Moments)) }

func (m *Moments) appendJSON(data []byte) []byte {
	data = append(data, '[')
	data = strconv.AppendUint(data, m.n, 10)
	data = append(data, ',')
	if m.sum.hi == uint64(int64(m.sum.lo)>>63) { // the usual case: 64 bits hold it
		data = strconv.AppendInt(data, int64(m.sum.lo), 10)
	} else {
		data = m.sum.bigInt().Append(data, 10)
	}
	data = append(data, ',')
	if m.sumSq.hi == 0 {
		data = strconv.AppendUint(data, m.sumSq.lo, 10)
	} else {
		data = m.sumSq.bigInt().Append(data, 10)
	}
	return append(data, ']')
}

func (m *Moments) readJSON(r *reader) {
	*m = Moments{}
	r.expect('[')
	m.n = r.uint()
	r.expect(',')
	m.sum = r.int128()
	r.expect(',')
	m.sumSq = r.uint128()
	r.require(r.err != nil || m.possible(), errImpossible)
	r.expect(']')
}

// possible reports whether the sum of squares is at least sum^2/n, and 0 of no observations.
func (m *Moments) possible() bool {
	if m.n == 0 {
		return *m == Moments{}
	}
	if m.sum.hi == 0 && m.sumSq.hi == 0 { // the usual case, without big integers
		hi, lo := bits.Mul64(m.n, m.sumSq.lo)
		squareHi, squareLo := bits.Mul64(m.sum.lo, m.sum.lo)
		return hi > squareHi || hi == squareHi && lo >= squareLo
	}
	return m.scatter().Sign() >= 0
}

func (s *Sample) mergePart(other Part) { s.merge(other.(*Sample)) }

func (s *Sample) appendJSON(data []byte) []byte {
	s.settle()
	data = append(data, '[')
	for i, c := range s.counted {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, '[')
		data = strconv.AppendInt(data, c.value, 10)
		data = append(data, ',')
		data = strconv.AppendUint(data, c.n, 10)
		data = append(data, ']')
	}
	return append(data, ']')
}

func (s *Sample) readJSON(r *reader) {
	s.counted, s.pending, s.moments = s.counted[:0], s.pending[:0], Moments{}
	r.expect('[')
	for r.err == nil && r.next() != ']' {
		if len(s.counted) > 0 {
			r.expect(',')
		}
		c := r.count()
		k := len(s.counted)
		switch {
		case r.err != nil:
		case k > 0 && s.counted[k-1].value >= c.value || c.n < 1 || c.n > 1<<32:
			r.err = errors.New("mc: a sample must have ascending values, each once or more")
		case !s.moments.addMany(c.value, c.n):
			r.err = errNumber
		default:
			s.counted = append(s.counted, c)
		}
	}
	r.expect(']')
}

// count reads a value and how often it was observed.
func (r *reader) count() (c count) {
	r.expect('[')
	c.value = r.int()
	r.expect(',')
	c.n = r.uint()
	r.expect(']')
	return c
}

// addMany records n observations of x, n below 2^33, and reports whether the sum of
// squares stays within 128 bits.
func (m *Moments) addMany(x int64, n uint64) bool {
	hi, lo := bits.Mul64(magnitude(x), n)
	sum := int128{hi, lo}
	if x < 0 {
		sum = sum.negated()
	}
	squares, fits := square(x).times(n)
	sumSq, ok := m.sumSq.add(squares)
	m.n += n
	m.sum = m.sum.plus(sum)
	m.sumSq = sumSq
	return fits && ok
}

func (p *PairedMoments) mergePart(other Part) { p.merge(*other.(*PairedMoments)) }

func (p *PairedMoments) appendJSON(data []byte) []byte {
	data = p.numerator.appendJSON(append(data, '['))
	data = p.denominator.appendJSON(append(data, ','))
	data = p.sum.appendJSON(append(data, ','))
	return append(data, ']')
}

func (p *PairedMoments) readJSON(r *reader) {
	r.expect('[')
	p.numerator.readJSON(r)
	r.expect(',')
	p.denominator.readJSON(r)
	r.expect(',')
	p.sum.readJSON(r)
	r.require(r.err != nil || p.possible(), errImpossible)
	r.expect(']')
}

// possible reports whether the three moments are those of pairs (x, y) of numbers that are
// not negative: the sums of x and y add up to that of x + y, the sum of x y is an integer and
// not negative, and the covariance is at most the product of the standard deviations.
func (p *PairedMoments) possible() bool {
	x, y, both := p.numerator, p.denominator, p.sum
	if x.n != both.n || y.n != both.n || (x.sum.hi|y.sum.hi|both.sum.hi)>>63 == 1 || both.sum != x.sum.plus(y.sum) {
		return false
	}
	products := both.sumSq.bigInt() // twice the sum of x y
	products.Sub(products, x.sumSq.bigInt())
	products.Sub(products, y.sumSq.bigInt())
	if products.Sign() < 0 || products.Bit(0) == 1 {
		return false
	}
	scatterX, scatterY := x.scatter(), y.scatter()
	covariance := both.scatter() // less those of x and y it is twice the covariance
	covariance.Sub(covariance, scatterX)
	covariance.Sub(covariance, scatterY)
	bound := scatterX.Mul(scatterX, scatterY)
	return covariance.Mul(covariance, covariance).Cmp(bound.Lsh(bound, 2)) <= 0
}
