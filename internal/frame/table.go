package frame

import (
	"fmt"
	"slices"

	"repslab/internal/lists"
)

// Column describes one column of a table.
type Column struct {
	// Key is printed exactly, and is the member name in JSON. It includes the unit, as in "fct_p99_us".
	// Keys of one table are distinct and not empty.
	Key string
	// Numeric columns are aligned to the right, others to the left. Their cells need not be numbers.
	Numeric bool
}

// Text returns a column of texts.
func Text(key string) Column { return Column{Key: key} }

// Number returns a column of numbers.
func Number(key string) Column { return Column{Key: key, Numeric: true} }

// Numbers returns several columns of numbers.
func Numbers(keys ...string) []Column { return lists.Map(keys, Number) }

// Keys returns the keys of columns.
func Keys(columns []Column) []string {
	return lists.Map(columns, func(c Column) string { return c.Key })
}

// Table is a table of numbers.
type Table struct {
	Name    string // part of the file name after the figure's id; empty for the main table
	Columns []Column
	Rows    [][]any
}

// Add adds a row, given in parts; the first row sets the columns. It panics if another row has other keys.
func (t *Table) Add(parts ...Row) {
	row := Row(slices.Concat(parts...)).Written()
	if t.Columns == nil {
		for _, c := range row {
			_, isText := c.Value.(string)
			t.Columns = append(t.Columns, Column{c.Key, !isText})
		}
	}
	if !slices.Equal(row.Keys(), Keys(t.Columns)) {
		panic(fmt.Sprintf("frame: table %q: a row with other keys: %v", t.Name, row))
	}
	t.Rows = append(t.Rows, row.Values())
}
