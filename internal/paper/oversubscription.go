package paper

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// oversubscription shows what is left to a load balancer where the core is the
// bottleneck.
func oversubscription() Figure {
	return Figure{
		ID:    "oversubscription",
		Title: "Load balancers on trees with 1:1 to 8:1 oversubscription, 8 MiB permutation",
		build: buildOversubscription,
	}
}

func buildOversubscription(ctx context.Context, s Settings) (Output, error) {
	const hosts, bytes, perToR = 128, 8 * mib, 8
	replicas := s.Scale.choose(3, 20)
	factors := []int{1, 2, 4, 8}
	compared := contenders()
	var setups []fattree.Setup
	oblivious := 0
	for _, factor := range factors {
		topology := fattree.Topology{Hosts: hosts, HostsPerToR: perToR, UplinksPerToR: perToR / factor}
		network := s.permutation(fattree.Spec{Topology: topology}, bytes)
		for i, c := range compared {
			setups = append(setups, c.setup(fullEVS, network))
			if c.key == ops().key {
				oblivious = i
			}
		}
	}
	all, err := simulate(ctx, s, setups, replicas, keepRun)
	if err != nil {
		return Output{}, err
	}
	runs := func(factor, contender int) networkRuns { return all[factor*len(compared)+contender] }
	table := Table{Columns: append(append([]report.Column{text("lb")}, numbers("oversubscription", "hosts", "message_bytes", "evs", "over_ideal", "over_ideal_lo", "over_ideal_hi")...), networkColumns()...)}
	for i, c := range compared {
		for f, factor := range factors {
			r := runs(f, i)
			e := r.overIdeal()
			table.Rows = append(table.Rows, append([]any{c.key, factor, hosts, bytes, fullEVS, e.Value, e.Lo, e.Hi}, r.cells(runs(f, oblivious), s.Seed)...))
		}
	}
	return Output{
		Tables:  []Table{table},
		Formats: []report.Format{report.CSV},
		Plot:    &report.Figure{Columns: report.Double, SharedLegend: true, Panels: [][]report.Panel{oversubscriptionPanels(compared, len(factors), runs)}},
		Notes: []string{
			"The figure is ours; the paper says that it used 1:1 to 4:1, but shows 1:1. 128 hosts, 8 to a ToR with 8, 4, 2 and 1 uplinks, queue 100, ECN 25/76, trimming, DCTCP variant.",
			"Panel (b): the longest FCT over that of fluids which share links max-min fairly, replicas paired. With one uplink there is no choice of path left, so all are equal.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals, the same permutations for all.", replicas),
		},
	}, nil
}

// oversubscriptionPanels draws completion times, their ratio to the ideal, and the
// packets sent again.
func oversubscriptionPanels(compared []contender, factors int, runs func(factor, contender int) networkRuns) []report.Panel {
	again := func(r networkRuns) mc.Estimate {
		return r.count(func(r *fattree.Result) int64 { return 1e6 * r.Retransmitted / r.Sent }).Per(1e4)
	}
	axis := report.Axis{Ticks: []float64{0, 1, 2, 3}, TickLabels: []string{"1:1", "2:1", "4:1", "8:1"}}
	var panels []report.Panel
	for _, p := range []struct {
		title, label string
		of           func(networkRuns) mc.Estimate
	}{
		{"(a) Completion time", "Mean maximum FCT (us)", networkRuns.maxFCT},
		{"(b) Against the fluid ideal", "Max. FCT / ideal", networkRuns.overIdeal},
		{"(c) Packets sent again", "Share of packets (%)", again},
	} {
		panel := report.Panel{Title: p.title, XLabel: "Oversubscription", YLabel: p.label, X: axis, Y: report.Axis{Min: new(0.0)}}
		for i, c := range compared {
			bars := report.Series{Name: c.name, Color: c.look, Mark: report.Bars}
			for f := range factors {
				appendPoint(&bars, float64(f), p.of(runs(f, i)))
			}
			panel.Series = append(panel.Series, bars)
		}
		panels = append(panels, panel)
	}
	panels[1].Rules = []report.Rule{{At: 1, Label: "ideal"}}
	return panels
}
