package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// checkCell returns v with NaN and infinities replaced by nil, or an error if v
// is not one of the types a cell may hold.
func checkCell(c Column, v any) (any, error) {
	switch x := v.(type) {
	case nil, bool, string, int, int64, uint64:
		return v, nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, nil
		}
		return x, nil
	default:
		return nil, fmt.Errorf("report: column %q: cell type %T must be nil, bool, string, int, int64, uint64 or float64", c.Key, v)
	}
}

// checkRow returns a checked copy of row, which must have one cell per column.
func checkRow(columns []Column, row []any) ([]any, error) {
	if len(row) != len(columns) {
		return nil, fmt.Errorf("report: row has %d cells, must have %d, one per column", len(row), len(columns))
	}
	out := make([]any, len(row))
	for i, v := range row {
		c, err := checkCell(columns[i], v)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// exactFloat returns the shortest text that reads back as v, without an
// exponent for magnitudes in [1e-4, 1e15). v must be finite.
func exactFloat(v float64) string {
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a >= 1e-4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'e', -1, 64)
}

// humanFloat returns v with five significant digits, trailing zeros removed.
// Digits before the point are never rounded away. Magnitudes outside
// [1e-4, 1e15) get an exponent. v must be finite.
func humanFloat(v float64) string {
	if v == 0 {
		return "0"
	}
	const digits = 5
	a := math.Abs(v)
	if a < 1e-4 || a >= 1e15 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
		return trimZeros(mantissa) + "e" + exponent
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(a))))
	return trimZeros(strconv.FormatFloat(v, 'f', decimals, 64))
}

// trimZeros removes the zeros that end a decimal fraction.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// exactText returns the machine-readable text of a checked cell; nil is "".
func exactText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case int:
		return strconv.Itoa(x)
	case float64:
		return exactFloat(x)
	default:
		return fmt.Sprint(x)
	}
}

// humanText returns the text of a checked cell for people; nil is "-".
func humanText(v any) string {
	switch x := v.(type) {
	case nil:
		return "-"
	case float64:
		return humanFloat(x)
	default:
		return fmt.Sprint(x)
	}
}
