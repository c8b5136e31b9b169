package values

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
)

// SizeRange is the set of sizes from Min to Max bytes, both included.
type SizeRange struct {
	Min, Max int64 // bytes
}

// contains reports whether Min <= bytes <= Max.
func (r SizeRange) contains(bytes int64) bool { return r.Min <= bytes && bytes <= r.Max }

// String returns the range for an error, such as "a size in [1B, 8MiB]".
func (r SizeRange) String() string {
	return fmt.Sprintf("a size in [%s, %s]", formatSize(r.Min), formatSize(r.Max))
}

// Sizes returns the sizes, in bytes, that text stands for, in the order written. A size is a decimal
// number, possibly with a fraction, and a unit:
//
//	B, or no unit         1
//	kB or KB, MB, GB, TB  1000, 1000^2, 1000^3, 1000^4
//	KiB, MiB, GiB, TiB    1024, 1024^2, 1024^3, 1024^4
//
// such as 4096, 8MiB, 8MB and 1.5KiB. Case matters (Mb would be megabits),
// spaces before the unit do not. Each size must be a whole number of bytes.
// Lists and ranges are as in the package documentation: 64KiB..8MiB:x2,
// 1MiB..4MiB:+512KiB. A range without a step counts single bytes.
//
// Every size and both ends of every range must be in allowed. There is an
// error otherwise, for text that is not well formed, and for more than
// 1,000,000 values. The result is never empty without an error.
//
// Cost: O(len(text) + values) time and memory; O(len(text)) for a range that
// has too many values.
func Sizes(text string, allowed SizeRange) ([]int64, error) {
	exact := func(text string) (*big.Float, error) {
		bytes, err := parseSize(text)
		if err != nil {
			return nil, err
		}
		return newExact().SetInt(bytes), nil
	}
	return kind[int64]{
		example: "64KiB..8MiB:x2", value: allowed.parse, step: numbers{"an integer of bytes", exact}, factor: integers,
		round: integer,
	}.list(text)
}

// parse reads one size of the range.
func (r SizeRange) parse(text string) (int64, error) {
	bytes, err := parseSize(text)
	if err != nil {
		return 0, err
	}
	if !bytes.IsInt64() || !r.contains(bytes.Int64()) {
		return 0, fmt.Errorf("%s must be %s", show(text), r)
	}
	return bytes.Int64(), nil
}

// sizeText matches a size: a number, spaces and a unit.
var sizeText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([A-Za-z]*)$`)

// unitBytes holds the bytes in one unit.
var unitBytes = map[string]int64{
	"": 1, "B": 1,
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// parseSize reads one size, exactly.
func parseSize(text string) (*big.Int, error) {
	parts := sizeText.FindStringSubmatch(text)
	if parts == nil || unitBytes[parts[2]] == 0 {
		return nil, fmt.Errorf("%s must be a size: a number of bytes, or a number and a unit "+
			"(B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)", quote(text))
	}
	if err := checkLength(text, len(parts[1])); err != nil {
		return nil, err
	}
	size, _ := new(big.Rat).SetString(parts[1])
	size.Mul(size, new(big.Rat).SetInt64(unitBytes[parts[2]]))
	if !size.IsInt() {
		return nil, fmt.Errorf("%s must be a whole number of bytes", show(text))
	}
	return size.Num(), nil
}

// formatSize writes a size as an integer with the unit that gives the shortest text (the first in the
// order below if there are several): 8MiB, 8MB, 1500B.
func formatSize(bytes int64) string {
	best := strconv.FormatInt(bytes, 10) + "B"
	if bytes == 0 {
		return best
	}
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB"} {
		each := unitBytes[unit]
		text := strconv.FormatInt(bytes/each, 10) + unit
		if bytes%each == 0 && len(text) < len(best) {
			best = text
		}
	}
	return best
}
