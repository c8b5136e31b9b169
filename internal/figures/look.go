package figures

import (
	"cmp"
	"context"

	"repslab/ballsbins"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/recycled"
)

// look shows the paper's idea: every queue of a fully loaded switch under oblivious spraying, and under REPS.
func look(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const bins, threshold, rounds = 16, 12, 800 // 12 is 4 ln 16, rounded up
	var rows frame.Table
	var panels []plot.Panel
	for _, setup := range []switchSetup{
		{"ops", "OPS: a random port for every packet", "", threshold, 0, sprayed(ballsbins.Config{Bins: bins})},
		{"reps", "REPS: the ports of unmarked packets again", "", threshold, threshold,
			recycling(recycled.Config{Bins: bins, Clocking: recycled.PerFlow, Threshold: threshold})},
	} {
		panel, err := setup.trace(rounds, s.Seed, &rows)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return engine.Output{}, err
		}
		panels = append(panels, panel)
	}
	shareOneScale(panels)
	return engine.Output{
		Tables: []frame.Table{rows},
		Plot:   &plot.Plot{Columns: plot.Double, Height: 2.6, Panels: [][]plot.Panel{panels}},
		Notes:  notes(nil, "look"),
	}, nil
}
