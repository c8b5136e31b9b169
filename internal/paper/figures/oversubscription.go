package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/internal/paper"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
	"repslab/internal/report"
	"repslab/mc"
)

// oversubscription shows what is left to a load balancer where the core is the
// bottleneck.
func oversubscription() paper.Figure {
	return paper.Figure{
		ID:    "oversubscription",
		Title: "Load balancers on trees with 1:1 to 8:1 oversubscription, 8 MiB permutation",
		Build: buildOversubscription,
	}
}

func buildOversubscription(ctx context.Context, s paper.Settings) (paper.Output, error) {
	const hosts, bytes, perToR = 128, 8 * netrun.MiB, 8
	replicas := s.Scale.Choose(3, 20)
	factors := []int{1, 2, 4, 8}
	compared := lineup.Three()
	var all netrun.Batch[netrun.Run] // by factor and contender
	for _, factor := range factors {
		topology := fattree.Topology{Hosts: hosts, HostsPerToR: perToR, UplinksPerToR: perToR / factor}
		network := netrun.Permutation(s.Seed, fattree.Spec{Topology: topology}, bytes)
		for _, c := range compared {
			all.Add(c.Setup(netrun.FullEVS, network), factor, c.Key)
		}
	}
	if err := all.Run(ctx, s, replicas, netrun.KeepWithIdeal); err != nil {
		return paper.Output{}, err
	}
	runs := func(factor int, key string) netrun.Runs { return all.Of(factor, key) }
	table := paper.Table{Columns: append(append([]report.Column{paper.Text("lb")}, paper.Numbers("oversubscription", "hosts", "message_bytes", "evs", "over_ideal", "over_ideal_lo", "over_ideal_hi")...), netrun.Columns()...)}
	for _, c := range compared {
		for _, factor := range factors {
			r := runs(factor, c.Key)
			e := r.OverIdeal()
			table.Rows = append(table.Rows, append([]any{c.Key, factor, hosts, bytes, netrun.FullEVS, e.Value, e.Lo, e.Hi}, r.Cells(runs(factor, "ops"), s.Seed)...))
		}
	}
	return paper.Output{
		Tables:  []paper.Table{table},
		Formats: []report.Format{report.CSV},
		Plot:    &report.Figure{Columns: report.Double, SharedLegend: true, Panels: [][]report.Panel{oversubscriptionPanels(compared, factors, runs)}},
		Notes: []string{
			"The figure is ours; the paper says that it used 1:1 to 4:1, but shows 1:1. 128 hosts, 8 to a ToR with 8, 4, 2 and 1 uplinks, queue 100, ECN 25/76, trimming, DCTCP variant.",
			"Panel (b): the longest FCT over that of fluids which share links max-min fairly, replicas paired. With one uplink there is no choice of path left, so all are equal.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals, the same permutations for all.", replicas),
		},
	}, nil
}

// oversubscriptionPanels draws completion times, their ratio to the ideal, and the
// packets sent again.
func oversubscriptionPanels(compared []lineup.Contender, factors []int, runs func(factor int, key string) netrun.Runs) []report.Panel {
	again := func(r netrun.Runs) mc.Estimate {
		return netrun.MeanOf(r, func(r netrun.Run) float64 { return 100 * float64(r.Result.Retransmitted) / float64(r.Result.Sent) })
	}
	axis := report.Axis{Ticks: []float64{0, 1, 2, 3}, TickLabels: []string{"1:1", "2:1", "4:1", "8:1"}}
	var panels []report.Panel
	for _, p := range []struct {
		title, label string
		of           func(netrun.Runs) mc.Estimate
	}{
		{"(a) Completion time", "Mean maximum FCT (us)", netrun.Runs.MaxFCT},
		{"(b) Against the fluid ideal", "Max. FCT / ideal", netrun.Runs.OverIdeal},
		{"(c) Packets sent again", "Share of packets (%)", again},
	} {
		panel := report.Panel{Title: p.title, XLabel: "Oversubscription", YLabel: p.label, X: axis, Y: report.Axis{Min: new(0.0)}}
		for _, c := range compared {
			bars := report.Series{Name: c.Name, Color: c.Look, Mark: report.Bars}
			for f, factor := range factors {
				paper.AppendPoint(&bars, float64(f), p.of(runs(factor, c.Key)))
			}
			panel.Series = append(panel.Series, bars)
		}
		panels = append(panels, panel)
	}
	panels[1].Rules = []report.Rule{{At: 1, Label: "ideal"}}
	return panels
}
