package table

import (
	"fmt"
	"math"
	"strconv"

	"repslab/internal/cell"
)

// checkRow returns a checked copy of row, which must have one cell per column.
func checkRow(columns []Column, row []any) ([]any, error) {
	if len(row) != len(columns) {
		return nil, fmt.Errorf("table: row has %d cells, must have %d, one per column", len(row), len(columns))
	}
	out := make([]any, len(row))
	for i, v := range row {
		c, err := cell.Check(v)
		if err != nil {
			return nil, fmt.Errorf("table: column %q: %w", columns[i].Key, err)
		}
		out[i] = c
	}
	return out, nil
}

// Human returns the text of a number for people: v with five significant digits, trailing zeros removed.
// Digits before the point are never rounded away. Magnitudes outside
// [1e-4, 1e15) get an exponent. v must be finite.
func Human(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v+0, 'g', 5, 64) // -0 + 0 is 0
}

// humanText returns the text of a checked cell for people; nil is "-".
func humanText(v any) string {
	switch x := v.(type) {
	case nil:
		return "-"
	case float64:
		return Human(x)
	default:
		return fmt.Sprint(x)
	}
}
