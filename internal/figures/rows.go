package figures

import (
	"fmt"
	"slices"

	"repslab/internal/table"
	"repslab/mc"
)

// cell is a cell of a table with the key of its column.
type cell struct {
	key   string
	value any
}

// cells are a part of a row.
type cells []cell

// addRow adds a row to a table; the first row sets the columns. It panics if another row
// has other keys.
func addRow(t *table.Table, parts ...cells) {
	all := slices.Concat(parts...)
	if t.Columns == nil {
		for _, c := range all {
			column := table.Number(c.key)
			if _, text := c.value.(string); text {
				column = table.Text(c.key)
			}
			t.Columns = append(t.Columns, column)
		}
	}
	row := make([]any, len(all))
	for i, c := range all {
		if len(all) != len(t.Columns) || c.key != t.Columns[i].Key {
			panic(fmt.Sprintf("figures: table %q: a row with other keys: %v", t.Name, all))
		}
		row[i] = c.value
	}
	t.Rows = append(t.Rows, row)
}

// withEnds returns the cells of an estimate and of its interval, prefix_lo and prefix_hi.
func withEnds(key, prefix string, e mc.Estimate) cells {
	return cells{{key, e.Value}, {prefix + "_lo", e.Lo}, {prefix + "_hi", e.Hi}}
}

// withErrorAndEnds returns the cells of an estimate, its standard error prefix_se and its
// interval.
func withErrorAndEnds(key, prefix string, e mc.Estimate) cells {
	return cells{{key, e.Value}, {prefix + "_se", e.StdErr}, {prefix + "_lo", e.Lo}, {prefix + "_hi", e.Hi}}
}

// madeFrom returns the last cells of most rows.
func madeFrom[N int | uint64](seed uint64, replicas N) cells {
	return cells{{"seed", seed}, {"replicas", replicas}}
}

// orNull returns the value of a cell that may be unknown.
func orNull(known bool, value any) any {
	if !known {
		return nil
	}
	return value
}
