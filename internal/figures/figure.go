package figures

import (
	"context"
	"fmt"

	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// Output is what a figure gives.
type Output struct {
	Tables   []table.Table    // the first is the main one
	Formats  []table.Format   // of the tables' files; nil means CSV
	Plot     *plot.Plot       // nil for a table of the paper
	Notes    []string         // set-up, and where it differs from the paper's
	Findings []claims.Finding // one for each rule of the figure, in order
}

// Figure is a figure, table or theorem of the paper, or one of our own.
type Figure struct {
	ID    string // as in "fig17"
	Title string
	Rules []claims.Rule // of the claims that it decides
	Build func(context.Context, Settings) (Output, error)
}

// Make runs the figure's experiment. Only a cancelled ctx is an error of the
// user's; others are faults of the program.
func (f Figure) Make(ctx context.Context, s Settings) (Output, error) {
	out, err := f.Build(ctx, s)
	if err != nil {
		return Output{}, fmt.Errorf("figures: %s: %w", f.ID, err)
	}
	if out.Formats == nil {
		out.Formats = []table.Format{table.CSV}
	}
	return out, nil
}

// Decider returns the figure's id and rules.
func (f Figure) Decider() claims.Decider { return claims.Decider{Figure: f.ID, Rules: f.Rules} }

// Deciders returns the ids and rules of figures.
func Deciders(list []Figure) []claims.Decider {
	deciders := make([]claims.Decider, len(list))
	for i, f := range list {
		deciders[i] = f.Decider()
	}
	return deciders
}
