package values

import (
	"fmt"
	"slices"
	"strings"
)

// Names returns the names that text lists, in the order written, such as
// ops,reps. Case matters and repeated names stay repeated.
//
// There is an error, which lists the allowed names, for a name that is not in
// allowed, one for an empty item and one for more than 1,000,000 names. The
// result is never empty without an error. Names does not keep or modify
// allowed.
//
// Cost: O(len(text) * len(allowed)).
func Names(text string, allowed []string) ([]string, error) {
	list, err := items(text)
	if err != nil {
		return nil, err
	}
	for _, name := range list {
		if !slices.Contains(allowed, name) {
			return nil, fmt.Errorf("%s must be %s", quote(name), oneOf(allowed))
		}
	}
	return list, nil
}

// oneOf writes a choice of names: "a", "a or b", "one of a, b, c".
func oneOf(names []string) string {
	if len(names) <= 2 {
		return strings.Join(names, " or ")
	}
	return "one of " + strings.Join(names, ", ")
}
