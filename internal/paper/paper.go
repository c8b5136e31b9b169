package paper

import (
	"context"
	"fmt"

	"repslab/internal/report"
)

// Table is a table of numbers.
type Table struct {
	Name    string // of the file, after the figure's id; empty for the main table
	Columns []report.Column
	Rows    [][]any
}

// Cell returns the cell under a column in a row of the table. It panics if there is
// no such column.
func (t Table) Cell(row []any, key string) any {
	for i, c := range t.Columns {
		if c.Key == key {
			return row[i]
		}
	}
	panic(fmt.Sprintf("paper: table %q has no column %s", t.Name, key))
}

// Output is what a figure gives.
type Output struct {
	Tables   []Table         // the first is the main one
	Formats  []report.Format // of the tables' files
	Plot     *report.Figure  // nil for a table of the paper
	Notes    []string        // set-up, and where it differs from the paper's
	Findings []Finding       // one for each rule of the figure, in order
}

// Figure is a figure, table or theorem of the paper, or one of our own.
type Figure struct {
	ID    string // as in "fig17"
	Title string
	Rules []Rule // of the claims that it decides
	Build func(context.Context, Settings) (Output, error)
}

// Make runs the figure's experiment. Only a cancelled ctx is an error of the
// user's; others are faults of the program.
func (f Figure) Make(ctx context.Context, s Settings) (Output, error) {
	out, err := f.Build(ctx, s)
	if err != nil {
		return Output{}, fmt.Errorf("paper: %s: %w", f.ID, err)
	}
	return out, nil
}
