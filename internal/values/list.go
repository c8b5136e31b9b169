package values

import (
	"fmt"
	"strings"
)

// maxValues is the largest number of values that one text may stand for.
const maxValues = 1_000_000

// list returns the values of all items of a text, in order.
func (k kind[T]) list(text string) ([]T, error) {
	parts, err := items(text)
	if err != nil {
		return nil, err
	}
	values := make([]T, 0, len(parts))
	for _, item := range parts {
		if values, err = k.appendItem(values, item); err != nil {
			return nil, err
		}
		if len(values) > maxValues {
			return nil, errTooMany(text)
		}
	}
	return values, nil
}

// appendItem appends the value or the range of one item.
func (k kind[T]) appendItem(values []T, item string) ([]T, error) {
	if strings.Contains(item, "..") {
		return k.appendRange(values, item)
	}
	if strings.Contains(item, ":") {
		return nil, fmt.Errorf("%s: a step needs a range, such as %s", quote(item), k.example)
	}
	v, err := k.value(item)
	return append(values, v), err
}

// items returns the trimmed items of a list, none of them empty.
func items(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s: a value is missing", quote(text))
	}
	if strings.Count(text, ",") >= maxValues {
		return nil, errTooMany(text)
	}
	list := strings.Split(text, ",")
	for i, item := range list {
		list[i] = strings.TrimSpace(item)
		if list[i] == "" {
			return nil, fmt.Errorf("%s: item %d of the list is empty", quote(text), i+1)
		}
	}
	return list, nil
}

// errTooMany reports that text stands for more than maxValues values.
func errTooMany(text string) error {
	return fmt.Errorf("%s: a list or range has at most %d values", quote(text), maxValues)
}

// Each splits a text at separators and returns the value of each part, as read returns it, or the first
// error.
func Each[T any](text, separator string, read func(part string) (T, error)) (list []T, err error) {
	for part := range strings.SplitSeq(text, separator) {
		value, err := read(part)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}
