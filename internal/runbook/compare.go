package runbook

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Compare returns the name of the first number in which two values of [Encode] differ, with both numbers,
// or "" if they are equal. Numbers may differ by a fraction of the larger one; 0 is for runs on the same
// kind of processor.
func Compare(recorded, computed []byte, fraction float64) string {
	return compare("", parsed(recorded), parsed(computed), fraction)
}

// parsed returns the tree of a value.
func parsed(text []byte) (tree any) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return string(text) // a file that was changed by hand
	}
	return tree
}

func compare(at string, a, b any, fraction float64) string {
	switch x := a.(type) {
	case map[string]any:
		if y, same := b.(map[string]any); same {
			both := maps.Clone(x)
			maps.Copy(both, y)
			for _, key := range slices.Sorted(maps.Keys(both)) {
				if d := compare(strings.TrimPrefix(at+"."+key, "."), x[key], y[key], fraction); d != "" {
					return d
				}
			}
			return ""
		}
	case []any:
		if y, same := b.([]any); same && len(x) == len(y) {
			for i := range x {
				if d := compare(fmt.Sprintf("%s[%d]", at, i), x[i], y[i], fraction); d != "" {
					return d
				}
			}
			return ""
		}
	case json.Number:
		if y, same := b.(json.Number); same && (x == y || close(string(x), string(y), fraction)) {
			return ""
		}
	default:
		if a == b {
			return ""
		}
	}
	return fmt.Sprintf("%s: recorded %.60s, computed %.60s", at, fmt.Sprint(or(a)), fmt.Sprint(or(b)))
}

// or returns a value, or 0 for an omitted field.
func or(value any) any {
	if value == nil {
		return 0
	}
	return value
}

// close reports whether two numbers differ by at most a fraction of the larger one.
func close(a, b string, fraction float64) bool {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && math.Abs(x-y) <= fraction*max(math.Abs(x), math.Abs(y))
}
