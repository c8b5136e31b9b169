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
func oversubscription() Figure {
	return Figure{
		ID:    "oversubscription",
		Title: "Load balancers on trees with 1:1 to 8:1 oversubscription, 8 MiB permutation",
		Build: buildOversubscription,
	}
}

func buildOversubscription(ctx context.Context, s Settings) (Output, error) {
	const hosts, bytes, perToR = 128, 8 * MiB, 8
	replicas := s.Scale.Choose(3, 20)
	factors := []int{1, 2, 4, 8}
	compared := ThreeSchemes()
	var all Batch[Run] // by factor and contender
	for _, factor := range factors {
		topology := fattree.Topology{Hosts: hosts, HostsPerToR: perToR, UplinksPerToR: perToR / factor}
		network := Permutation(s.Seed, fattree.Spec{Topology: topology}, bytes)
		for _, c := range compared {
			all.Add(c.Setup(FullEVS, network), factor, c.Key)
		}
	}
	if err := all.Run(ctx, s, replicas, KeepWithIdeal); err != nil {
		return Output{}, err
	}
	runs := func(factor int, key string) Runs { return all.Of(factor, key) }
	rows := table.Table{Columns: append(append([]table.Column{table.Text("lb")}, table.Numbers("oversubscription", "hosts", "message_bytes", "evs", "over_ideal", "over_ideal_lo", "over_ideal_hi")...), RunColumns()...)}
	for _, c := range compared {
		for _, factor := range factors {
			r := runs(factor, c.Key)
			e := r.OverIdeal()
			rows.Rows = append(rows.Rows, append([]any{c.Key, factor, hosts, bytes, FullEVS, e.Value, e.Lo, e.Hi}, r.Cells(runs(factor, "ops"), s.Seed)...))
		}
	}
	return Output{
		Tables:  []table.Table{rows},
		Formats: []table.Format{table.CSV},
		Plot:    &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{oversubscriptionPanels(compared, factors, runs)}},
		Notes: []string{
			"The figure is ours; the paper says that it used 1:1 to 4:1, but shows 1:1. 128 hosts, 8 to a ToR with 8, 4, 2 and 1 uplinks, queue 100, ECN 25/76, trimming, DCTCP variant.",
			"Panel (b): the longest FCT over that of fluids which share links max-min fairly, replicas paired. With one uplink there is no choice of path left, so all are equal.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals, the same permutations for all.", replicas),
		},
	}, nil
}

// oversubscriptionPanels draws completion times, their ratio to the ideal, and the
// packets sent again.
func oversubscriptionPanels(compared []Scheme, factors []int, runs func(factor int, key string) Runs) []plot.Panel {
	again := func(r Runs) mc.Estimate {
		return MeanOf(r, func(r Run) float64 { return 100 * float64(r.Result.Retransmitted) / float64(r.Result.Sent) })
	}
	axis := plot.Axis{Ticks: []float64{0, 1, 2, 3}, TickLabels: []string{"1:1", "2:1", "4:1", "8:1"}}
	var panels []plot.Panel
	for _, p := range []struct {
		title, label string
		of           func(Runs) mc.Estimate
	}{
		{"(a) Completion time", "Mean maximum FCT (us)", Runs.MaxFCT},
		{"(b) Against the fluid ideal", "Max. FCT / ideal", Runs.OverIdeal},
		{"(c) Packets sent again", "Share of packets (%)", again},
	} {
		panel := plot.Panel{Title: p.title, XLabel: "Oversubscription", YLabel: p.label, X: axis, Y: plot.Axis{Min: new(0.0)}}
		for _, c := range compared {
			bars := plot.Series{Name: c.Name, Color: c.Look, Mark: plot.Bars}
			for f, factor := range factors {
				AppendPoint(&bars, float64(f), p.of(runs(factor, c.Key)))
			}
			panel.Series = append(panel.Series, bars)
		}
		panels = append(panels, panel)
	}
	panels[1].Rules = []plot.ReferenceLine{{At: 1, Label: "ideal"}}
	return panels
}
