package frame

import (
	"slices"
	"testing"
)

// TestTable: the first row sets the columns, columns of text are no numbers, and a row with other keys panics.
func TestTable(t *testing.T) {
	var table Table
	table.Add(Row{{"scheme", "reps"}}, Row{{"fct_us", 12.5}})
	table.Add(Row{{"scheme", nil}, {"fct_us", 7}})
	if want := []Column{{"scheme", false}, {"fct_us", true}}; !slices.Equal(table.Columns, want) {
		t.Errorf("columns %v, want %v", table.Columns, want)
	}
	if got := table.Rows[1]; len(table.Rows) != 2 || !slices.Equal(got, []any{nil, 7}) {
		t.Errorf("rows %v", table.Rows)
	}
	defer func() {
		if recover() == nil {
			t.Error("a row with other keys does not panic")
		}
	}()
	table.Add(Row{{"fct_us", 1}, {"scheme", "reps"}})
}
