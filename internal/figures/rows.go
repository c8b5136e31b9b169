package figures

import (
	"fmt"
	"math"
	"slices"

	"repslab/internal/cell"
	"repslab/internal/table"
	"repslab/mc"
)

// cells are a part of a row.
type cells = cell.Row

// addRow adds a row to a table; the first row sets the columns. It panics if another row
// has other keys.
func addRow(t *table.Table, parts ...cells) {
	all := cells(slices.Concat(parts...)).Written()
	if t.Columns == nil {
		for _, c := range all {
			column := table.Number(c.Key)
			if _, text := c.Value.(string); text {
				column = table.Text(c.Key)
			}
			t.Columns = append(t.Columns, column)
		}
	}
	row := make([]any, len(all))
	for i, c := range all {
		if len(all) != len(t.Columns) || c.Key != t.Columns[i].Key {
			panic(fmt.Sprintf("figures: table %q: a row with other keys: %v", t.Name, all))
		}
		row[i] = c.Value
	}
	t.Rows = append(t.Rows, row)
}

// madeFrom returns the last cells of most rows: seed and number of replicas.
func madeFrom[N int | uint64](seed uint64, replicas N) cells {
	return cells{{"seed", seed}, {"replicas", replicas}}
}

// orNull returns a cell's value, or nil if it is not known.
func orNull(known bool, value any) any {
	if !known {
		return nil
	}
	return value
}

// knownIf returns an estimate, or one without a value if it is not known.
func knownIf(known bool, e mc.Estimate) mc.Estimate {
	if none := math.NaN(); !known {
		return mc.Estimate{Value: none, StdErr: none, Lo: none, Hi: none, N: e.N}
	}
	return e
}
