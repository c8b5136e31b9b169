package values

import (
	"fmt"
	"slices"
	"strconv"
)

// integerKind says how one kind of integer is written.
type integerKind[T int | int64] struct {
	// example is a range to show in errors, such as "16..64".
	example string
	// stepUnit follows "an integer" in errors about a step: "" or " of bytes".
	stepUnit string
	// value reads an allowed value.
	value func(text string) (T, error)
	// step reads a difference between two values. Where it fails, or is not
	// positive, the caller words the error.
	step func(text string) (T, error)
}

// list returns the values a text stands for, in order.
func (k integerKind[T]) list(text string) ([]T, error) {
	parts, err := items(text)
	if err != nil {
		return nil, err
	}
	values := make([]T, 0, len(parts))
	for _, item := range parts {
		values, err = k.appendItem(values, item)
		if err != nil {
			return nil, err
		}
		if len(values) > maxValues {
			return nil, errTooMany(text)
		}
	}
	return values, nil
}

// appendItem appends the value or the range of one item.
func (k integerKind[T]) appendItem(values []T, item string) ([]T, error) {
	if isSpan(item) {
		return k.appendSpan(values, item)
	}
	if err := checkLoneStep(item, k.example); err != nil {
		return nil, err
	}
	v, err := k.value(item)
	if err != nil {
		return nil, err
	}
	return append(values, v), nil
}

// appendSpan appends the values of a range.
func (k integerKind[T]) appendSpan(values []T, item string) ([]T, error) {
	s, err := cutSpan(item, k.example)
	if err != nil {
		return nil, err
	}
	first, err := k.value(s.first)
	if err != nil {
		return nil, err
	}
	last, err := k.value(s.last)
	if err != nil {
		return nil, err
	}
	if first > last {
		return nil, s.errDescending()
	}
	if s.kind == stepMultiply {
		return appendMultiples(values, s, first, last)
	}
	step, err := k.step(s.step)
	if err != nil || step < 1 {
		return nil, s.errorf("the step to add must be an integer%s above 0", k.stepUnit)
	}
	return appendSums(values, s, first, last, step)
}

// appendSums appends first + i*step up to last. The difference of the ends is
// taken in uint64, where it cannot overflow.
func appendSums[T int | int64](values []T, s span, first, last, step T) ([]T, error) {
	steps := (uint64(last) - uint64(first)) / uint64(step)
	if steps >= uint64(maxValues-len(values)) {
		return nil, errTooMany(s.text)
	}
	values = slices.Grow(values, int(steps)+1)
	for i := range int(steps) + 1 {
		values = append(values, first+T(i)*step)
	}
	return values, nil
}

// appendMultiples appends first * factor^i up to last, at most 63 values.
func appendMultiples[T int | int64](values []T, s span, first, last T) ([]T, error) {
	factor, err := parseInteger(s.step)
	if err != nil || factor < 2 {
		return nil, s.errorf("the factor must be an integer above 1")
	}
	if first < 1 {
		return nil, s.errFirstNotPositive()
	}
	v := first
	for int64(v) <= int64(last)/factor {
		values = append(values, v)
		v *= T(factor)
	}
	return append(values, v), nil
}

// parseInteger reads [ "-" ] digits. Overflow satisfies
// errors.Is(err, strconv.ErrRange).
func parseInteger(text string) (int64, error) {
	if !isInteger(text) {
		return 0, fmt.Errorf("%s must be an integer", quote(text))
	}
	return strconv.ParseInt(text, 10, 64)
}

// isInteger reports whether text is [ "-" ] digits.
func isInteger(text string) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	return text != "" && scanDigits(text) == len(text)
}
