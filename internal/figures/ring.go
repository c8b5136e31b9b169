package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/reps"
)

// ringNetwork is a network of the figure.
type ringNetwork struct {
	key, title string
	evs        int
	faults     []fattree.Fault
}

// ringNetworks returns the networks of the panels: healthy with many and with few
// EVs, and with one uplink of every ToR failing from 50 us on.
func ringNetworks(topology fattree.Topology) []ringNetwork {
	return []ringNetwork{
		{"healthy", "(a) Healthy, 65,536 EVs", fullEVS, nil},
		{"few-evs", "(b) Healthy, 32 EVs", 32, nil},
		{"dead-uplink", "(c) 1 of 8 uplinks dead from 50 us", fullEVS, failedUplinks(topology, 50*microseconds)},
	}
}

// ring shows what the number of entries of REPS's ring is good for.
func ring(ctx context.Context, s Settings) (Output, error) {
	const bytes = 8 * mebi
	topology := fattree.Topology{Hosts: 128}.WithDefaults()
	sizes := []int{1, 2, 4, 8, 16, 32}
	replicas := s.Scale.replicas(3, 20)
	var g netGrid // x is the number of entries, 0 for OPS
	for _, n := range ringNetworks(topology) {
		network := permuted(s.Seed, fattree.Spec{Topology: topology, Faults: n.faults}, bytes)
		g.add(n.key, "ops", 0, lb("ops").setup(n.evs, network))
		for _, entries := range sizes {
			sized := repsAs("reps", "REPS", plot.Blue, balance.RecyclingConfig{REPS: reps.Config{BufferSize: entries}})
			g.add(n.key, "reps", entries, sized.setup(n.evs, network))
		}
	}
	if err := g.run(ctx, s, replicas, keepWithIdeal); err != nil {
		return Output{}, err
	}
	var rows table.Table
	var panels []plot.Panel
	for i, n := range ringNetworks(topology) {
		sprayed := g.of(n.key, "ops", 0)
		for _, key := range g.keys {
			if key.network == n.key {
				addRow(&rows, cells{{"network", n.key}, {"lb", key.scheme}, {"hosts", topology.Hosts},
					{"message_bytes", bytes}, {"evs", n.evs}, {"ring", orNull(key.x > 0, key.x)}},
					netRuns(g.runs.at(key)).cells(sprayed, s.Seed))
			}
		}
		longest := over(plot.Series{Name: "REPS, maximum FCT", Mark: plot.ErrorBars, Color: plot.Blue}, sizes,
			func(entries int) mc.Estimate { return g.of(n.key, "reps", entries).maxFCT() })
		mean := over(plot.Series{Name: "REPS, mean FCT", Mark: plot.ErrorBars, Color: plot.Green}, sizes,
			func(entries int) mc.Estimate { return g.of(n.key, "reps", entries).time(netRun.meanFCT) })
		top := 1.04 * slices.Max(longest.Hi)
		var lines []plot.ReferenceLine
		if oblivious := sprayed.maxFCT().Value; i < 2 { // in the last panel it is far above
			top = max(top, 1.02*oblivious)
			lines = level(oblivious, "OPS, maximum")
		}
		panels = append(panels,
			plot.Panel{Title: n.title, XLabel: "Ring (entries)", YLabel: "FCT (us)",
				X: ticked(onScale(plot.Log2), "%d", sizes...), Y: from(170, top),
				Series: []plot.Series{longest, mean}, References: lines})
	}
	return Output{
		Tables: []table.Table{rows},
		Plot:   &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}},
		Notes: []string{
			"The figure is ours: the paper shows no ring but that of 8. An unmarked ACK brings one EV and releases one packet, which uses it: entries pile up only while the window is closed, so a small ring loses little. 128 hosts, 2 tiers, queue 100, ECN 25/76, trimming, DCTCP variant, the paper's rules.",
			fmt.Sprintf("Panel (c): the uplink to the first spine has failed at every ToR, upwards, from 50 us on; senders freeze for 10 ms, that is, to the end, and use only the EVs in their rings. There OPS has a maximum FCT of %.0f us.", g.of("dead-uplink", "ops", 0).maxFCT().Value),
			fmt.Sprintf("Means over %d replicas, 95 %% intervals as error bars, the same permutations for all.",
				replicas),
		},
	}, nil
}
