package figures

import (
	"cmp"
	"context"

	"repslab/ballsbins"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/recycled"
)

// look shows the paper's idea: every queue of a full switch under
// oblivious spraying, and under REPS.
func look(ctx context.Context, s Settings) (Output, error) {
	const bins, threshold, rounds = 16, 12, 800 // 12 is 4 ln 16, rounded up
	var rows table.Table
	var panels []plot.Panel
	for _, setup := range []switchSetup{
		{"ops", "OPS: a random port for every packet", "", threshold, sprayed(ballsbins.Config{Bins: bins})},
		{"reps", "REPS: the ports of unmarked packets again", "", threshold,
			recycling(recycled.Config{Bins: bins, Clocking: recycled.PerFlow, Threshold: threshold})},
	} {
		panel, err := setup.trace(rounds, s.Seed, &rows)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return Output{}, err
		}
		panels = append(panels, panel)
	}
	shareOneScale(panels)
	return Output{
		Tables: []table.Table{rows},
		Plot:   &plot.Plot{Columns: plot.Double, Height: 2.6, Panels: [][]plot.Panel{panels}},
		Notes: []string{
			"One run, no mean: 16 senders at full rate on a switch of 16 ports; every line is a port's queue. τ = 4 ln 16 = 12, rounded up, is the queue from which packets are marked.",
			"REPS is the per-flow process of package recycled: a ring of 8 ports for each sender, no round trip. The network model with package reps in its hosts gives the same load of every port in every round (crosscheck).",
		},
	}, nil
}
