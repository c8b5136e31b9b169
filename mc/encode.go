package mc

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// errNumber reports a number that [AppendTally] does not write.
var errNumber = errors.New("mc: the tally must have a decimal integer of its range")

// errImpossible reports sums that no observations have.
var errImpossible = errors.New("mc: the tally must have sums and sums of squares that observations can have")

// reader reads what [AppendTally] wrote. After an error what it returns is undefined.
type reader struct {
	rest []byte
	err  error // the first
}

// require records an error, if it is the first, unless a condition holds.
func (r *reader) require(holds bool, err error) {
	if !holds && r.err == nil {
		r.err = err
	}
}

// expect reads the given byte.
func (r *reader) expect(b byte) {
	if len(r.rest) > 0 && r.rest[0] == b {
		r.rest = r.rest[1:]
	} else if r.err == nil {
		r.err = fmt.Errorf("mc: the tally must have %q %d bytes before its end", b, len(r.rest))
	}
}

// number reads a decimal number, with a minus sign or without, as strconv writes it. Of a
// short one, with at most 18 digits and no sign, it returns the value, else the text.
func (r *reader) number() (v uint64, text []byte) {
	first := 0
	if len(r.rest) > 0 && r.rest[0] == '-' {
		first = 1
	}
	end := first
	for end < len(r.rest) && end <= 40 && r.rest[end]-'0' <= 9 {
		v = 10*v + uint64(r.rest[end]-'0')
		end++
	}
	text = r.rest[:end]
	padded := end > 1 && text[first] == '0' // 00, 01, -0
	r.require(end > first && !padded, errNumber)
	r.rest = r.rest[end:]
	if first == 0 && end <= 18 {
		return v, nil
	}
	return 0, text
}

// uint reads a number of 64 bits without a sign.
func (r *reader) uint() uint64 {
	v, text := r.number()
	if text == nil {
		return v
	}
	v, err := strconv.ParseUint(string(text), 10, 64)
	r.require(err == nil, errNumber)
	return v
}

// int reads a number of 64 bits.
func (r *reader) int() int64 {
	small, text := r.number()
	if text == nil {
		return int64(small)
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	r.require(err == nil, errNumber)
	return v
}

// int128 reads a number of 128 bits.
func (r *reader) int128() int128 {
	small, text := r.number()
	if text == nil {
		return int128{0, small}
	}
	v, ok := new(big.Int).SetString(string(text), 10)
	if !ok || v.BitLen() > 127 {
		r.require(false, errNumber)
		return int128{}
	}
	magnitude := int128(fromBig(new(big.Int).Abs(v)))
	if v.Sign() < 0 {
		return magnitude.negated()
	}
	return magnitude
}

// uint128 reads a number of 128 bits without a sign.
func (r *reader) uint128() uint128 {
	small, text := r.number()
	if text == nil {
		return uint128{0, small}
	}
	v, ok := new(big.Int).SetString(string(text), 10)
	if !ok || v.Sign() < 0 || v.BitLen() > 128 {
		r.require(false, errNumber)
		return uint128{}
	}
	return fromBig(v)
}

// fromBig returns the low 128 bits of a magnitude.
func fromBig(v *big.Int) uint128 {
	lo := new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1))
	return uint128{new(big.Int).Rsh(v, 64).Uint64(), lo.Uint64()}
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
	for r.err == nil && len(r.rest) > 0 && r.rest[0] != ']' {
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
	magnitude := uint64(x)
	if x < 0 {
		magnitude = -magnitude
	}
	hi, lo := bits.Mul64(magnitude, n)
	sum := int128{hi, lo}
	if x < 0 {
		sum = sum.negated()
	}
	squareHi, squareLo := bits.Mul64(magnitude, magnitude)
	over, middle := bits.Mul64(squareHi, n)
	carried, low := bits.Mul64(squareLo, n)
	high, carry := bits.Add64(middle, carried, 0)
	lower, carryLow := bits.Add64(m.sumSq.lo, low, 0)
	upper, carryHigh := bits.Add64(m.sumSq.hi, high, carryLow)
	if over != 0 || carry != 0 || carryHigh != 0 {
		return false
	}
	m.n += n
	m.sum = m.sum.plus(sum)
	m.sumSq = uint128{upper, lower}
	return true
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
