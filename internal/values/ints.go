package values

import (
	"fmt"
	"math/big"
	"strconv"
)

// IntRange is the set of integers v with Min <= v <= Max. The zero value
// holds 0 alone.
type IntRange struct {
	Min, Max int
}

// contains reports whether Min <= v <= Max.
func (r IntRange) contains(v int) bool { return r.Min <= v && v <= r.Max }

// String returns the range for an error, such as "an integer in [1, 64]".
func (r IntRange) String() string { return fmt.Sprintf("an integer in [%d, %d]", r.Min, r.Max) }

// Ints returns the integers that text stands for, in the order written:
// decimal integers, ranges of them, and lists of both, such as 16, 16,32,
// 1..4, 1..9:+2 and 16..4096:x2. The grammar and the rules of ranges are in
// the package documentation.
//
// Every value and both ends of every range must be in allowed. There is an
// error otherwise, for text that is not well formed, and for more than
// 1,000,000 values. The result is never empty without an error.
//
// Cost: O(len(text) + values) time and memory; O(len(text)) for a range that
// has too many values.
func Ints(text string, allowed IntRange) ([]int, error) {
	round := func(v *big.Float) int { return int(integer(v)) }
	return kind[int]{example: "16..64", value: allowed.parse, step: integers, factor: integers, round: round}.list(text)
}

// parse reads one integer of the range.
func (r IntRange) parse(text string) (int, error) {
	if !isInteger.MatchString(text) {
		return 0, fmt.Errorf("%s must be %s%s", quote(text), r, hint(text))
	}
	v, err := strconv.Atoi(text)
	if err != nil || !r.contains(v) {
		return 0, fmt.Errorf("%s must be %s%s", show(text), r, hint(text))
	}
	return v, nil
}

// exactInteger reads a 64-bit integer.
func exactInteger(text string) (*big.Float, error) {
	if !isInteger.MatchString(text) {
		return nil, fmt.Errorf("%s must be an integer", quote(text))
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return newExact().SetInt64(v), err
}

// integer returns an integral number as an int64.
func integer(v *big.Float) int64 {
	i, _ := v.Int64()
	return i
}
