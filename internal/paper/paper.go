package paper

import (
	"context"
	"fmt"

	"repslab/internal/mc"
	"repslab/internal/report"
)

// Scale says how much is run.
type Scale string

// The scales.
const (
	Quick Scale = "quick" // seconds; verdicts are provisional
	Full  Scale = "full"  // the paper's counts or more; verdicts are final
)

// choose returns one of two counts by the scale.
func (s Scale) choose(quick, full uint64) uint64 {
	if s == Full {
		return full
	}
	return quick
}

// Settings say how figures are made.
type Settings struct {
	Seed    uint64
	Scale   Scale
	Workers int // 0 means one per core
	// Progress is told how much of the figure is done, from 0 to 1; may be nil.
	Progress func(done float64)
}

// plan returns the Monte Carlo plan for part number part of parts of a figure.
func (s Settings) plan(replicas uint64, part, parts int) mc.Plan {
	plan := mc.Plan{Seed: s.Seed, Replicas: replicas, Workers: s.Workers}
	if s.Progress != nil {
		plan.Progress = func(p mc.Progress) {
			s.Progress((float64(part) + float64(p.Done)/float64(p.Total)) / float64(parts))
		}
	}
	return plan
}

// part returns the settings of part number part of parts of a figure.
func (s Settings) part(part, parts int) Settings {
	if progress := s.Progress; progress != nil {
		s.Progress = func(done float64) { progress((float64(part) + done) / float64(parts)) }
	}
	return s
}

// Table is a table of numbers.
type Table struct {
	Name    string // of the file, after the figure's id; empty for the main table
	Columns []report.Column
	Rows    [][]any
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
	build func(context.Context, Settings) (Output, error)
}

// Figures returns all figures: the paper's in its order, then those of our own.
func Figures() []Figure {
	return []Figure{
		tab01(),
		fig02(),
		fig03(),
		fig04(),
		fig05(),
		fig06(),
		fig07(),
		fig08(),
		fig09(),
		fig10(),
		fig11(),
		fig12(),
		fig13(),
		fig14(),
		fig15(),
		fig16(),
		fig17(),
		fig18(),
		fig19(),
		fig20(),
		fig21(),
		fig22(),
		fig23(),
		fig24(),
		thm1(),
		open(),
		look(),
		crosscheck(),
		ring(),
		oversubscription(),
		settings(),
		conclusion(),
	}
}

// Make runs the figure's experiment. Only a cancelled ctx is an error of the
// user's; others are faults of the program.
func (f Figure) Make(ctx context.Context, s Settings) (Output, error) {
	out, err := f.build(ctx, s)
	if err != nil {
		return Output{}, fmt.Errorf("paper: %s: %w", f.ID, err)
	}
	return out, nil
}

// text and number head columns of a table.
func text(key string) report.Column   { return report.Column{Key: key, Kind: report.Text} }
func number(key string) report.Column { return report.Column{Key: key, Kind: report.Number} }

// numbers heads several columns of numbers.
func numbers(keys ...string) []report.Column {
	var list []report.Column
	for _, key := range keys {
		list = append(list, number(key))
	}
	return list
}
