package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// oversubscription shows what a load balancer can still achieve if the core is the bottleneck.
func oversubscription(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const hosts, bytes, perToR = 128, 8 * mebi, 8
	const replicas = 20
	c := comparison{schemes: lbs("ecmp", "ops", "reps")}
	for _, factor := range []int{1, 2, 4, 8} {
		tree := topology.FatTree{Hosts: hosts, HostsPerToR: perToR, UplinksPerToR: perToR / factor}
		c.points = append(c.points, &comparedPoint{label: fmt.Sprintf("%d:1", factor),
			cells: cells{{"oversubscription", factor}, {"hosts", hosts}, {"message_bytes", bytes}},
			keep:  keepWithIdeal, network: permuted(fattree.Spec{Topology: tree}, bytes), replicas: replicas})
	}
	overIdeal := func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		return cells{{"over_ideal", frame.WithEnds(runs.overIdeal())}}
	}
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{c.table(overIdeal)},
			Plot: &plot.Plot{Columns: plot.Double, SharedLegend: true,
				Panels: [][]plot.Panel{oversubscriptionPanels(&c)}},
			Notes: notes(facts{"replicas": replicas}, "oversubscription"),
		}
	}, &c)
}

// oversubscriptionPanels draws completion times, their ratio to the ideal, and
// retransmissions.
func oversubscriptionPanels(c *comparison) []plot.Panel {
	var panels []plot.Panel
	for i, p := range []struct {
		title, label string
		of           func(netRuns) mc.Estimate
	}{
		{"(a) Completion time", "Mean maximum FCT (µs)", netRuns.maxFCT},
		{"(b) Against the fluid ideal", "Max. FCT / ideal", netRuns.overIdeal},
		{"(c) Retransmitted packets", "Share of packets (%)", netRuns.resent},
	} {
		panel := plot.Panel{Title: p.title, XLabel: "Oversubscription", YLabel: p.label, Y: from(0)}
		if i == 1 {
			panel = fromOne(panel)
		}
		panels = append(panels, c.bars(panel, "",
			func(at *comparedPoint, key string) mc.Estimate { return p.of(at.of(key)) }))
	}
	return panels
}
