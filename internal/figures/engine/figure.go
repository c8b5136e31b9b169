package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/claims"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/rows"
)

// Output holds the contents of a figure.
type Output struct {
	Tables   []frame.Table    // the first is the main one
	Formats  []rows.Format    // formats of all tables, in addition to CSV
	Plot     *plot.Plot       // nil for a table of the paper
	Notes    []string         // the set-up, and how it differs from the paper's
	Findings []claims.Finding // one for each claim that the figure decides
	Runs     Outcome          // where the runs come from
}

// Figure is a figure, table or theorem of the paper, or a figure of our own.
type Figure struct {
	ID    string // as in "fig17"
	Title string
	Build func(context.Context, Settings) (Output, error)
}

// Make runs the figure's experiment. It fails if ctx is cancelled. Any other error is a fault of the program; if a
// finding is about an unknown claim, the error is a *[faults.FieldError].
func (f Figure) Make(ctx context.Context, s Settings) (out Output, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			unknown, ok := fault.(*faults.FieldError)
			if !ok {
				panic(fault)
			}
			out, err = Output{}, fmt.Errorf("figures: %s: %w", f.ID, unknown)
		}
	}()
	out, err = f.Build(ctx, s)
	if err != nil {
		return Output{}, fmt.Errorf("figures: %s: %w", f.ID, err)
	}
	for _, finding := range out.Findings {
		claims.Find(finding.Claim)
	}
	if s.Recorder != nil {
		out.Runs = s.Recorder.Outcome()
	}
	if runs := claimRuns(out.Findings); runs.Rows != nil {
		out.Tables = append(out.Tables, runs)
	}
	if lacksIntervals(out.Plot) {
		out.Notes = append(out.Notes, fmt.Sprintf("Drawn without an interval: values of fewer than %d runs, or of runs that are all alike.", plot.LeastRuns))
	}
	return out, nil
}

// lacksIntervals reports whether a value is drawn without an interval in a series with intervals.
func lacksIntervals(drawn *plot.Plot) bool {
	if drawn == nil {
		return false
	}
	for _, panel := range slices.Concat(drawn.Panels...) {
		for _, s := range panel.Series {
			for i, lo := range s.Lo {
				if math.IsNaN(lo) && !math.IsNaN(s.Y[i]) {
					return true
				}
			}
		}
	}
	return false
}
