package values

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// FloatRange is the set of real numbers from Min to Max. An end belongs to it
// unless it is open; an end at infinity is always open. The zero value holds 0
// alone, and FloatRange{Max: 1, MinOpen: true} is (0, 1].
type FloatRange struct {
	Min, Max         float64
	MinOpen, MaxOpen bool
}

// contains reports whether v is a finite number in the range.
func (r FloatRange) contains(v float64) bool {
	if math.IsInf(v, 0) {
		return false
	}
	above := v > r.Min || v == r.Min && !r.MinOpen
	below := v < r.Max || v == r.Max && !r.MaxOpen
	return above && below
}

// String returns the range as an interval, such as "(0, 1]" or "[0, inf)".
func (r FloatRange) String() string {
	left, right := "[", "]"
	if r.MinOpen || math.IsInf(r.Min, 0) {
		left = "("
	}
	if r.MaxOpen || math.IsInf(r.Max, 0) {
		right = ")"
	}
	return left + formatEnd(r.Min) + ", " + formatEnd(r.Max) + right
}

// formatEnd writes one end of an interval.
func formatEnd(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return formatFloat(v)
}

// formatFloat writes v in the fewest digits that read back as v, without an
// exponent where that stays short.
func formatFloat(v float64) string {
	if v == 0 || 1e-6 <= math.Abs(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Floats returns the real numbers that text stands for, in the order written:
// decimal numbers, ranges of them, and lists of both, such as 0.9, 0.9,0.95,
// 0.9..0.99:+0.01 and 0.5..8:x2. The grammar and the rules of ranges are in
// the package documentation; in addition a range whose ends are not both
// integers must have a step.
//
// A value of a range is the float64 nearest to the exact decimal value, so
// errors do not accumulate and the third value of 0.89..0.99:+0.01 is the one
// that is written 0.91. Negative zero becomes 0.
//
// Every value and both ends of every range must be in allowed. There is an
// error otherwise, for text that is not well formed, for a number that is not
// 0 but too large or too small for a float64, for a number of more than 60
// characters, and for more than 1,000,000 values. The result is never empty
// without an error.
//
// Cost: O(len(text) + values) time and memory; O(len(text)) for a range that
// has too many values.
func Floats(text string, allowed FloatRange) ([]float64, error) {
	parts, err := items(text)
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, len(parts))
	for _, item := range parts {
		values, err = allowed.appendItem(values, item)
		if err != nil {
			return nil, err
		}
		if len(values) > maxValues {
			return nil, errTooMany(text)
		}
	}
	return values, nil
}

// floatExample is a range to show in errors.
const floatExample = "0.1..0.9:+0.1"

// appendItem appends the value or the range of one item.
func (r FloatRange) appendItem(values []float64, item string) ([]float64, error) {
	if isSpan(item) {
		return r.appendSpan(values, item)
	}
	if err := checkLoneStep(item, floatExample); err != nil {
		return nil, err
	}
	v, err := r.parse(item)
	if err != nil {
		return nil, err
	}
	return append(values, v), nil
}

// appendSpan appends the values of a range.
func (r FloatRange) appendSpan(values []float64, item string) ([]float64, error) {
	s, err := cutSpan(item, floatExample)
	if err != nil {
		return nil, err
	}
	first, err := r.parse(s.first)
	if err != nil {
		return nil, err
	}
	if _, err := r.parse(s.last); err != nil {
		return nil, err
	}
	low, high := exact(s.first), exact(s.last)
	switch {
	case low.Cmp(high) > 0:
		return nil, s.errDescending()
	case s.kind == stepMultiply && first <= 0:
		return nil, s.errFirstNotPositive()
	case s.kind == stepMultiply:
		return appendFloatMultiples(values, s, low, high)
	case s.kind == stepDefault && (!low.IsInt() || !high.IsInt()):
		return nil, s.errorf("a range between fractions needs a step, such as %s", floatExample)
	}
	return appendFloatSums(values, s, low, high)
}

// appendFloatSums appends low + i*step up to high.
func appendFloatSums(values []float64, s span, low, high *big.Float) ([]float64, error) {
	if step, err := parseFloat(s.step); err != nil || step <= 0 {
		return nil, s.errorf("the step to add must be a number above 0")
	}
	step := exact(s.step)
	quotient := newExact().Sub(high, low)
	quotient.Quo(quotient, step)
	quotient.Add(quotient, slack())
	if quotient.Cmp(newExact().SetInt64(int64(maxValues-len(values)))) >= 0 {
		return nil, errTooMany(s.text)
	}
	steps, _ := quotient.Int64()
	values = slices.Grow(values, int(steps)+1)
	last, noise := nearest(high), newExact().Mul(step, slack())
	for i := range steps + 1 {
		v := newExact().SetInt64(i)
		v.Add(low, v.Mul(v, step))
		if i > 0 && v.Sign() != 0 && newExact().Abs(v).Cmp(noise) < 0 {
			v.SetInt64(0)
		}
		values = append(values, min(nearest(v), last))
	}
	return values, nil
}

// appendFloatMultiples appends low * factor^i up to high, for low > 0.
func appendFloatMultiples(values []float64, s span, low, high *big.Float) ([]float64, error) {
	factor, err := parseFloat(s.step)
	if err != nil || factor <= 1 {
		return nil, s.errorf("the factor must be a number above 1")
	}
	last := nearest(high)
	steps := (math.Log(last) - math.Log(nearest(low))) / math.Log(factor)
	if steps > float64(maxValues-len(values)) {
		return nil, errTooMany(s.text)
	}
	values = slices.Grow(values, int(steps)+1)
	v, by := newExact().Set(low), exact(s.step)
	bound := newExact().Add(high, newExact().Mul(high, slack()))
	for v.Cmp(bound) <= 0 {
		values = append(values, min(nearest(v), last))
		v.Mul(v, by)
	}
	return values, nil
}

// exactBits is the precision in which ranges are computed. A float64 has 53
// bits; a million operations in 256 bits spoil fewer than 24 of the last bits,
// so that the first settledBits are those of the exact value, and rounding
// these to float64 gives the nearest to the exact value.
const (
	exactBits   = 256
	settledBits = 200
)

// slack returns 2^-120, far above the errors of exactBits and far below any
// difference that somebody means: what a range computes within a fraction
// slack of its last end, or of 0, is its last end, or 0.
func slack() *big.Float { return newExact().SetMantExp(big.NewFloat(1), -120) }

func newExact() *big.Float { return new(big.Float).SetPrec(exactBits) }

// exact returns the number that text stands for. The text is one that
// parseFloat accepts.
func exact(text string) *big.Float {
	v, _, err := newExact().Parse(text, 10)
	if err != nil {
		panic("values: parseFloat accepted " + quote(text))
	}
	return v
}

// nearest returns v rounded to float64, and to the even one of two where the
// settled bits lie in the middle between them.
func nearest(v *big.Float) float64 {
	x, _ := new(big.Float).SetPrec(settledBits).Set(v).Float64()
	return x
}

// parse reads one number of the range.
func (r FloatRange) parse(text string) (float64, error) {
	if !isNumber(text) {
		return 0, fmt.Errorf("%s must be a number in %s", quote(text), r)
	}
	v, err := parseFloat(text)
	if err != nil {
		return 0, err
	}
	if !r.contains(v) {
		return 0, fmt.Errorf("%s must be in %s", show(text), r)
	}
	return v, nil
}

// isNumber reports whether text is a number with an optional minus sign.
func isNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && scanNumber(text) == len(text)
}

// maxNumberLength is the most characters of a number that may be a fraction.
const maxNumberLength = 60

// errNumberLength says that a number is written in too many characters.
func errNumberLength(text string) error {
	return fmt.Errorf("%s: a number has at most %d characters", quote(text), maxNumberLength)
}

// parseFloat reads a number as the nearest finite float64.
func parseFloat(text string) (float64, error) {
	if !isNumber(text) {
		return 0, fmt.Errorf("%s must be a number", quote(text))
	}
	if len(text) > maxNumberLength {
		return 0, errNumberLength(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v == 0 && !isZero(text) {
		return 0, fmt.Errorf("%s is outside what a 64-bit float holds", show(text))
	}
	return v + 0, nil // -0 + 0 is 0
}

// isZero reports whether the mantissa of a number has no digit but 0.
func isZero(text string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return !strings.ContainsAny(mantissa, "123456789")
}
