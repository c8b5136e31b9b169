package values

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// kind describes one kind of value and the numbers in its ranges.
type kind[T any] struct {
	example string                       // a range to show in errors, such as "16..64"
	value   func(text string) (T, error) // reads an allowed value
	end     func(text string) error      // checks an end of a range; nil if it need only be an allowed value
	step    numbers                      // the ends of ranges and the steps to add
	factor  numbers
	round   func(v *big.Float) T // returns the value nearest to a number of a range
}

// numbers describes the numbers that are allowed in a part of a range.
type numbers struct {
	noun  string // for errors, such as "an integer"
	exact func(text string) (*big.Float, error)
}

// The integers of 64 bits, and the numbers that fit a float64.
var (
	integers  = numbers{"an integer", exactInteger}
	fractions = numbers{"a number", exactNumber}
)

// interval is the text of a range, split into its parts.
type interval struct {
	text        string // the whole item
	first, last string
	operator    string // "+", "x", or "" if no step is written
	step        string // "1" if no step is written
}

// cutRange splits the text of a range into its parts.
func cutRange(item, example string) (interval, error) {
	first, rest, _ := strings.Cut(item, "..")
	last, step, hasStep := strings.Cut(rest, ":")
	r := interval{text: item, first: strings.TrimSpace(first), last: strings.TrimSpace(last), step: "1"}
	if r.first == "" || r.last == "" || strings.Contains(last, "..") {
		return r, r.errorf("a range needs two ends, such as %s", example)
	}
	if hasStep {
		step = strings.TrimSpace(step)
		if !strings.HasPrefix(step, "+") && !strings.HasPrefix(step, "x") || len(step) == 1 {
			return r, r.errorf("a step is written :+2 to add 2 or :x2 to multiply by 2")
		}
		r.operator, r.step = step[:1], strings.TrimSpace(step[1:])
	}
	return r, nil
}

// errorf returns an error that shows the range.
func (r interval) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", quote(r.text), fmt.Sprintf(format, args...))
}

// appendRange appends the values of a range.
func (k kind[T]) appendRange(values []T, item string) ([]T, error) {
	r, err := cutRange(item, k.example)
	if err != nil {
		return nil, err
	}
	low, err := k.readEnd(r.first)
	if err != nil {
		return nil, err
	}
	high, err := k.readEnd(r.last)
	if err != nil {
		return nil, err
	}
	switch {
	case low.Cmp(high) > 0:
		return nil, r.errorf("a range must ascend, from its smaller end to its larger")
	case r.operator == "x":
		return k.appendMultiples(values, r, low, high)
	case r.operator == "" && (!low.IsInt() || !high.IsInt()):
		return nil, r.errorf("a range between fractions needs a step, such as %s", k.example)
	}
	return k.appendSums(values, r, low, high)
}

// readEnd reads an end of a range.
func (k kind[T]) readEnd(text string) (*big.Float, error) {
	check := k.end
	if check == nil {
		check = func(text string) error { _, err := k.value(text); return err }
	}
	if err := check(text); err != nil {
		return nil, err
	}
	return k.step.exact(text)
}

// appendSums appends low + i*step up to high.
func (k kind[T]) appendSums(values []T, r interval, low, high *big.Float) ([]T, error) {
	step, err := k.step.exact(r.step)
	if err != nil || step.Sign() <= 0 {
		return nil, r.errorf("the step to add must be %s above 0", k.step.noun)
	}
	quotient := newExact().Sub(high, low)
	quotient.Quo(quotient, step).Add(quotient, slack())
	if quotient.Cmp(newExact().SetInt64(int64(maxValues-len(values)))) >= 0 {
		return nil, errTooMany(r.text)
	}
	steps, _ := quotient.Int64()
	values = slices.Grow(values, int(steps)+1)
	noise := newExact().Mul(step, slack())
	v, size := newExact(), newExact()
	for i := range steps + 1 {
		v.SetInt64(i)
		v.Mul(v, step).Add(v, low)
		if i > 0 && v.Sign() != 0 && size.Abs(v).Cmp(noise) < 0 {
			v.SetInt64(0)
		}
		values = append(values, k.round(least(v, high)))
	}
	return values, nil
}

// appendMultiples appends low * factor^i up to high.
func (k kind[T]) appendMultiples(values []T, r interval, low, high *big.Float) ([]T, error) {
	factor, err := k.factor.exact(r.step)
	if err != nil || nearest(factor) <= 1 {
		return nil, r.errorf("the factor must be %s above 1", k.factor.noun)
	}
	if low.Sign() <= 0 {
		return nil, r.errorf("a range that multiplies must start above 0")
	}
	steps := (math.Log(nearest(high)) - math.Log(nearest(low))) / math.Log(nearest(factor))
	if steps > float64(maxValues-len(values)) {
		return nil, errTooMany(r.text)
	}
	values = slices.Grow(values, int(steps)+1)
	bound := newExact().Mul(high, slack())
	bound.Add(bound, high)
	for v := newExact().Set(low); v.Cmp(bound) <= 0; v.Mul(v, factor) {
		values = append(values, k.round(least(v, high)))
	}
	return values, nil
}

// least returns the smaller of two numbers.
func least(a, b *big.Float) *big.Float {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// exactBits is the precision in which ranges are computed. A float64 has 53 bits; a million operations in
// 256 bits spoil fewer than 24 of the last bits. So the first settledBits are exact, and rounding them to
// float64 gives the float64 nearest to the exact value.
const (
	exactBits   = 256
	settledBits = 200
)

// slack returns 2^-120, far above rounding errors with exactBits and far below any intended difference: a
// value computed within a fraction slack of the last end of the range, or of 0, counts as the last end,
// or as 0.
func slack() *big.Float { return newExact().SetMantExp(big.NewFloat(1), -120) }

func newExact() *big.Float { return new(big.Float).SetPrec(exactBits) }

// nearest returns v rounded to float64, to even if the settled bits are half-way between two numbers.
func nearest(v *big.Float) float64 {
	x, _ := new(big.Float).SetPrec(settledBits).Set(v).Float64()
	return x
}
