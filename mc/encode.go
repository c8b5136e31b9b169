package mc

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// expect returns what follows the given byte at the beginning of data.
func expect(data []byte, b byte) ([]byte, error) {
	if len(data) == 0 || data[0] != b {
		return nil, fmt.Errorf("mc: the tally must have %q %d bytes before its end", b, len(data))
	}
	return data[1:], nil
}

// errNumber reports a number that [AppendTally] does not write.
var errNumber = errors.New("mc: the tally must have a decimal integer of its range")

// errImpossible reports sums that no observations have.
var errImpossible = errors.New("mc: the tally must have sums and sums of squares that observations can have")

// readUint reads a decimal number of 64 bits, written as strconv does.
func readUint(data []byte) (v uint64, rest []byte, err error) {
	i := 0
	for ; i < len(data) && data[i]-'0' <= 9; i++ {
		hi, lo := bits.Mul64(v, 10)
		sum, carry := bits.Add64(lo, uint64(data[i]-'0'), 0)
		if hi != 0 || carry != 0 {
			return 0, nil, errNumber
		}
		v = sum
	}
	if i == 0 || i > 1 && data[0] == '0' {
		return 0, nil, errNumber
	}
	return v, data[i:], nil
}

// readInt reads a decimal number of 64 bits with a sign.
func readInt(data []byte) (int64, []byte, error) {
	if len(data) == 0 || data[0] != '-' {
		v, rest, err := readUint(data)
		if v > 1<<63-1 {
			err = errNumber
		}
		return int64(v), rest, err
	}
	v, rest, err := readUint(data[1:])
	if err == nil && (v == 0 || v > 1<<63) {
		err = errNumber
	}
	return -int64(v), rest, err
}

// readWide reads a decimal number of up to 128 bits, with a sign or without.
func readWide(data []byte) (*big.Int, []byte, error) {
	i := 0
	if len(data) > 0 && data[0] == '-' {
		i++
	}
	for i < len(data) && i <= 40 && data[i]-'0' <= 9 {
		i++
	}
	v, ok := new(big.Int).SetString(string(data[:i]), 10)
	if !ok || v.String() != string(data[:i]) {
		return nil, nil, errNumber
	}
	return v, data[i:], nil
}

// fromBig returns the low 128 bits of a magnitude.
func fromBig(v *big.Int) uint128 {
	lo := new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1))
	return uint128{new(big.Int).Rsh(v, 64).Uint64(), lo.Uint64()}
}

func (c *Count) appendJSON(data []byte) []byte { return strconv.AppendUint(data, uint64(*c), 10) }

func (c *Count) readJSON(data []byte) ([]byte, error) {
	v, rest, err := readUint(data)
	*c = Count(v)
	return rest, err
}

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

func (m *Moments) readJSON(data []byte) (rest []byte, err error) {
	*m = Moments{}
	if rest, err = expect(data, '['); err != nil {
		return nil, err
	}
	if m.n, rest, err = readUint(rest); err != nil {
		return nil, err
	}
	if rest, err = expect(rest, ','); err != nil {
		return nil, err
	}
	if m.sum, rest, err = readInt128(rest); err != nil {
		return nil, err
	}
	if rest, err = expect(rest, ','); err != nil {
		return nil, err
	}
	if m.sumSq, rest, err = readUint128(rest); err != nil {
		return nil, err
	}
	if !m.possible() {
		return nil, errImpossible
	}
	return expect(rest, ']')
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

// readInt128 reads a number with a sign.
func readInt128(data []byte) (int128, []byte, error) {
	if v, rest, err := readInt(data); err == nil {
		return int128{uint64(v >> 63), uint64(v)}, rest, nil
	}
	v, rest, err := readWide(data)
	if err != nil || v.BitLen() > 127 {
		return int128{}, nil, errNumber
	}
	magnitude := int128(fromBig(new(big.Int).Abs(v)))
	if v.Sign() < 0 {
		return magnitude.negated(), rest, nil
	}
	return magnitude, rest, nil
}

// readUint128 reads a number without a sign.
func readUint128(data []byte) (uint128, []byte, error) {
	if v, rest, err := readUint(data); err == nil {
		return uint128{0, v}, rest, nil
	}
	v, rest, err := readWide(data)
	if err != nil || v.Sign() < 0 || v.BitLen() > 128 {
		return uint128{}, nil, errNumber
	}
	return fromBig(v), rest, nil
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

func (s *Sample) readJSON(data []byte) (rest []byte, err error) {
	s.counted, s.pending, s.moments = s.counted[:0], s.pending[:0], Moments{}
	if rest, err = expect(data, '['); err != nil {
		return nil, err
	}
	for len(rest) > 0 && rest[0] != ']' {
		if len(s.counted) > 0 {
			if rest, err = expect(rest, ','); err != nil {
				return nil, err
			}
		}
		var c count
		if c, rest, err = readCount(rest); err != nil {
			return nil, err
		}
		if k := len(s.counted); k > 0 && s.counted[k-1].value >= c.value || c.n < 1 || c.n > 1<<32 {
			return nil, errors.New("mc: a sample must have ascending values, each once or more")
		}
		if !s.moments.addMany(c.value, c.n) {
			return nil, errNumber
		}
		s.counted = append(s.counted, c)
	}
	return expect(rest, ']')
}

// readCount reads a value and how often it was observed.
func readCount(data []byte) (c count, rest []byte, err error) {
	if rest, err = expect(data, '['); err != nil {
		return c, nil, err
	}
	if c.value, rest, err = readInt(rest); err != nil {
		return c, nil, err
	}
	if rest, err = expect(rest, ','); err != nil {
		return c, nil, err
	}
	if c.n, rest, err = readUint(rest); err != nil {
		return c, nil, err
	}
	rest, err = expect(rest, ']')
	return c, rest, err
}

// addMany records n observations of x, n below 2^33, and says whether the sum of
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

func (p *PairedMoments) readJSON(data []byte) (rest []byte, err error) {
	rest = data
	for i, m := range []*Moments{&p.numerator, &p.denominator, &p.sum} {
		if rest, err = expect(rest, "[,,"[i]); err != nil {
			return nil, err
		}
		if rest, err = m.readJSON(rest); err != nil {
			return nil, err
		}
	}
	if !p.possible() {
		return nil, errImpossible
	}
	return expect(rest, ']')
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
