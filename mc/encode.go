package mc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// errImpossible reports sums and sums of squares that no observations can have.
var errImpossible = errors.New("mc: the tally must have sums and sums of squares that observations can have")

// AppendTally appends a tally as a JSON object with a member for each part, in
// order, without white space:
//
//	Count          a number
//	Moments        [observations, sum, sum of squares]
//	Sample         [[value, how often], ...], values ascending
//	PairedMoments  [moments of numerators, of denominators, of their sums]
//
// Numbers are integers of up to 128 bits and exact. AppendTally panics if a part is nil, if a name is not
// a key (see [NamedPart]), or if two parts have the same name.
func AppendTally(data []byte, t Tally) []byte {
	mustNotBeNil("AppendTally", "t", isNil(t))
	parts := t.Parts()
	mustBeParts("AppendTally", parts)
	return appendParts(data, parts)
}

// appendParts appends parts as [AppendTally] does. Their names must be keys.
func appendParts(data []byte, parts []NamedPart) []byte {
	separator := byte('{')
	for _, p := range parts {
		data = append(data, separator, '"')
		data = append(data, p.Name...)
		data = p.Part.appendJSON(append(data, `":`...))
		separator = ','
	}
	return append(data, '}')
}

// ReadTally replaces the contents of t by a tally of the same experiment that [AppendTally] wrote. It
// rejects everything else: white space, another order, and sums that no observations can have. After an
// error the contents of t are undefined. ReadTally panics for the same parts as AppendTally.
// O(len(data)).
func ReadTally(data []byte, t Tally) error {
	mustNotBeNil("ReadTally", "t", isNil(t))
	parts := t.Parts()
	mustBeParts("ReadTally", parts)
	rest := data
	for _, p := range parts {
		// Values have no quotation marks, so the name is between the next two.
		_, named, _ := bytes.Cut(rest, []byte{'"'})
		name, value, _ := bytes.Cut(named, []byte{'"'})
		if string(name) != p.Name {
			return fmt.Errorf("mc: the tally has no part %q where it must be", p.Name)
		}
		end := bytes.IndexByte(value, '"')
		if end < 0 {
			end = len(value)
		}
		rest = value[end:]
		if err := p.Part.read(&numbers{value[:end]}); err != nil {
			return fmt.Errorf("%w, in part %q", err, p.Name)
		}
	}
	if written := appendParts(nil, parts); !bytes.Equal(written, data) {
		return fmt.Errorf("mc: the tally must be as AppendTally writes it, such as %.200s", written)
	}
	return nil
}

// numbers reads the integers of a JSON value one after the other and skips everything between them. If
// [AppendTally] did not write the value, the numbers are arbitrary: ReadTally notices, since it writes
// the tally again and compares.
type numbers struct{ data []byte }

// next returns the text of the next number, empty after the last.
func (n *numbers) next() []byte {
	data, first := n.data, 0
	for first < len(data) && (data[first] < '-' || data[first] > '9') {
		first++
	}
	end := first
	for end < len(data) && data[end] >= '-' && data[end] <= '9' {
		end++
	}
	n.data = data[end:]
	return data[first:end]
}

// uint reads a number of 64 bits without a sign.
func (n *numbers) uint() uint64 {
	v, _ := strconv.ParseUint(string(n.next()), 10, 64)
	return v
}

// int128 reads a number of 128 bits, in two's complement.
func (n *numbers) int128() int128 {
	text := n.next()
	if v, err := strconv.ParseInt(string(text), 10, 64); err == nil { // the usual case
		return int128{uint64(v >> 63), uint64(v)}
	}
	var v, low, high big.Int
	if len(text) <= len("-170141183460469231731687303715884105728") { // longer ones would take quadratic time
		v.SetString(string(text), 10)
	}
	word := new(big.Int).SetUint64(math.MaxUint64)
	return int128{high.And(high.Rsh(&v, 64), word).Uint64(), low.And(&v, word).Uint64()}
}

func (c *Count) appendJSON(data []byte) []byte { return strconv.AppendUint(data, uint64(*c), 10) }

func (c *Count) read(n *numbers) error {
	*c = Count(n.uint())
	return nil
}

func (m *Moments) mergePart(other Part) { m.Merge(*other.(*Moments)) }

func (m *Moments) appendJSON(data []byte) []byte {
	data = strconv.AppendUint(append(data, '['), m.n, 10)
	data = m.sum.appendTo(append(data, ','))
	data = m.sumSq.appendTo(append(data, ','))
	return append(data, ']')
}

func (m *Moments) read(n *numbers) error {
	*m = Moments{n.uint(), n.int128(), uint128(n.int128())}
	if !m.possible() {
		return errImpossible
	}
	return nil
}

// possible reports whether observations can have these moments: the sum of squares is at least sum^2/n,
// and without observations both sums are 0.
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
		data = strconv.AppendInt(append(data, '['), c.value, 10)
		data = strconv.AppendUint(append(data, ','), c.n, 10)
		data = append(data, ']')
	}
	return append(data, ']')
}

func (s *Sample) read(n *numbers) error {
	s.counted, s.pending, s.moments = s.counted[:0], s.pending[:0], Moments{}
	for text := n.next(); len(text) > 0; text = n.next() {
		value, _ := strconv.ParseInt(string(text), 10, 64)
		c := count{value, n.uint()}
		if k := len(s.counted); k > 0 && s.counted[k-1].value >= c.value || c.n < 1 || c.n > 1<<32 {
			return errors.New("mc: a sample must have ascending values, each once or more")
		}
		if !s.moments.addMany(c.value, c.n) {
			return errors.New("mc: the sum of squares of a sample must be below 2^128")
		}
		s.counted = append(s.counted, c)
	}
	return nil
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

func (p *PairedMoments) read(n *numbers) error {
	err := errors.Join(p.numerator.read(n), p.denominator.read(n), p.sum.read(n))
	if err == nil && !p.possible() {
		err = errImpossible
	}
	return err
}

// possible reports whether pairs (x, y) of numbers that are not negative can have these moments: the sums
// of x and of y add up to the sum of x + y, the sum of x y is an integer and not negative, and the
// covariance is at most the product of the standard deviations.
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
	covariance := both.scatter() // less the scatters of x and y it is twice the covariance
	covariance.Sub(covariance, scatterX)
	covariance.Sub(covariance, scatterY)
	bound := scatterX.Mul(scatterX, scatterY)
	return covariance.Mul(covariance, covariance).Cmp(bound.Lsh(bound, 2)) <= 0
}
