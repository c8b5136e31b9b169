package values

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// FloatRange is the set of real numbers from Min to Max. An end belongs to it
// unless it is open. The zero value holds 0 alone, and
// FloatRange{Max: 1, MinOpen: true} is (0, 1].
type FloatRange struct {
	Min, Max         float64
	MinOpen, MaxOpen bool
}

// contains reports whether v is in the range.
func (r FloatRange) contains(v float64) bool {
	above := v > r.Min || v == r.Min && !r.MinOpen
	below := v < r.Max || v == r.Max && !r.MaxOpen
	return above && below
}

// String returns the range as an interval, such as "(0, 1]".
func (r FloatRange) String() string {
	left, right := "[", "]"
	if r.MinOpen {
		left = "("
	}
	if r.MaxOpen {
		right = ")"
	}
	return left + formatFloat(r.Min) + ", " + formatFloat(r.Max) + right
}

// formatFloat writes v with the fewest digits that parse to v, without an exponent if that stays short.
func formatFloat(v float64) string {
	if v == 0 || 1e-6 <= math.Abs(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Floats returns the real numbers that text stands for, in the order written: decimal numbers, ranges of
// them, and lists of both, such as 0.9, 0.9,0.95, 0.9..0.99:+0.01 and 0.5..8:x2. The grammar and the
// rules of ranges are in the package documentation; in addition a range must have a step unless both ends
// are integers.
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
	return kind[float64]{
		example: "0.1..0.9:+0.1", value: allowed.parse, step: fractions, factor: fractions, round: nearest,
	}.list(text)
}

// parse reads one number of the range.
func (r FloatRange) parse(text string) (float64, error) {
	if !isNumber.MatchString(text) {
		return 0, fmt.Errorf("%s must be a number in %s%s", quote(text), r, hint(text))
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

// parseFloat reads a number as the nearest finite float64.
func parseFloat(text string) (float64, error) {
	if !isNumber.MatchString(text) {
		return 0, fmt.Errorf("%s must be a number", quote(text))
	}
	if err := checkLength(text, len(text)); err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v == 0 && !isZero.MatchString(text) {
		return 0, fmt.Errorf("%s is outside what a 64-bit float holds", show(text))
	}
	return v + 0, nil // -0 + 0 is 0
}

// exactNumber reads a number that [parseFloat] accepts.
func exactNumber(text string) (*big.Float, error) {
	if _, err := parseFloat(text); err != nil {
		return nil, err
	}
	v, _, err := newExact().Parse(text, 10)
	return v, err
}
