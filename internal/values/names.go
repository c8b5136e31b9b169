package values

import (
	"fmt"
	"slices"
)

// Names returns the values whose names text lists, in the order written, such as
// ops,reps; the name of a value is its text by package fmt. Upper and lower case
// are equal, and so are "_" and "-"; repeated names stay repeated.
//
// There is an error for a name that is not in allowed, in the words of
// [MustBeOneOf], one for an empty item and one for more than 1,000,000 names.
// The result is never empty without an error. Names does not keep or modify
// allowed.
//
// Cost: O(len(text) * len(allowed)).
func Names[T any](text string, allowed []T) ([]T, error) {
	list, err := items(text)
	if err != nil {
		return nil, err
	}
	known := Texts(allowed)
	found := make([]T, len(list))
	for i, name := range list {
		at := slices.IndexFunc(known, func(other string) bool { return fold(name) == fold(other) })
		if at < 0 {
			return nil, fmt.Errorf("%s %s", quote(name), MustBeOneOf(name, known))
		}
		found[i] = allowed[at]
	}
	return found, nil
}

// Texts returns the names of values, by package fmt.
func Texts[T any](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return texts
}
