package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// oversubscription shows what is left to a load balancer where the core is the
// bottleneck.
func oversubscription(ctx context.Context, s Settings) (Output, error) {
	const hosts, bytes, perToR = 128, 8 * mebi, 8
	replicas := s.Scale.replicas(3, 20)
	factors := []int{1, 2, 4, 8}
	compared := lbs("ecmp", "ops", "reps")
	var g netGrid // x is the factor
	for _, c := range compared {
		for _, factor := range factors {
			topology := fattree.Topology{Hosts: hosts, HostsPerToR: perToR, UplinksPerToR: perToR / factor}
			network := permuted(s.Seed, fattree.Spec{Topology: topology}, bytes)
			g.add("", c.key, factor, c.setup(fullEVS, network))
		}
	}
	if err := g.run(ctx, s, replicas, keepWithIdeal); err != nil {
		return Output{}, err
	}
	var rows table.Table
	g.rows(&rows, s.Seed, func(key netKey) cells {
		return append(cells{{"lb", key.scheme}, {"oversubscription", key.x}, {"hosts", hosts},
			{"message_bytes", bytes}, {"evs", fullEVS}},
			withEnds("over_ideal", "over_ideal", netRuns(g.runs.at(key)).overIdeal())...)
	})
	return Output{
		Tables: []table.Table{rows},
		Plot: &plot.Plot{Columns: plot.Double, SharedLegend: true,
			Panels: [][]plot.Panel{oversubscriptionPanels(compared, factors, &g)}},
		Notes: []string{
			"The figure is ours; the paper says that it used 1:1 to 4:1, but shows 1:1. 128 hosts, 8 to a ToR with 8, 4, 2 and 1 uplinks, queue 100, ECN 25/76, trimming, DCTCP variant.",
			"Panel (b): the longest FCT over that of an ideal with max-min fair rates, replicas paired. With one uplink there is no choice of path left, so all are equal.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals, the same permutations for all.", replicas),
		},
	}, nil
}

// oversubscriptionPanels draws completion times, their ratio to the ideal, and
// retransmissions.
func oversubscriptionPanels(compared []scheme, factors []int, g *netGrid) []plot.Panel {
	again := func(runs netRuns) mc.Estimate {
		return meanOf(runs, func(r netRun) float64 { return 100 * float64(r.Retransmitted) / float64(r.Sent) })
	}
	axis := labelled(factors, func(factor int) string { return fmt.Sprintf("%d:1", factor) })
	var panels []plot.Panel
	for _, p := range []struct {
		title, label string
		of           func(netRuns) mc.Estimate
	}{
		{"(a) Completion time", "Mean maximum FCT (us)", netRuns.maxFCT},
		{"(b) Against the fluid ideal", "Max. FCT / ideal", netRuns.overIdeal},
		{"(c) Packets sent again", "Share of packets (%)", again},
	} {
		panel := plot.Panel{Title: p.title, XLabel: "Oversubscription", YLabel: p.label, X: axis, Y: from(0)}
		for _, c := range compared {
			panel.Series = append(panel.Series,
				barsOf(c.series(plot.Bars), factors,
					func(factor int) mc.Estimate { return p.of(g.of("", c.key, factor)) }))
		}
		panels = append(panels, panel)
	}
	panels[1].References = level(1, "ideal")
	return panels
}
