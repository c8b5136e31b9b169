package figures

import (
	"context"
	"fmt"

	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// Output holds the contents of a figure.
type Output struct {
	Tables   []table.Table    // the first is the main one
	Formats  []table.Format   // in which all tables are written, beside CSV
	Plot     *plot.Plot       // nil for a table of the paper
	Notes    []string         // set-up, and where it differs from the paper's
	Findings []claims.Finding // one for each rule of the figure, in order
}

// Figure is a figure, table or theorem of the paper, or one of our own.
type Figure struct {
	ID    string // as in "fig17"
	Title string
	Rules []claims.Rule // for the claims that it decides
	Build func(context.Context, Settings) (Output, error)
}

// Make runs the figure's experiment. It fails if ctx is cancelled; any other error is a
// fault of the program.
func (f Figure) Make(ctx context.Context, s Settings) (Output, error) {
	out, err := f.Build(ctx, s)
	if err != nil {
		return Output{}, fmt.Errorf("figures: %s: %w", f.ID, err)
	}
	return out, nil
}
