package figures

import (
	"context"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/reps"
)

// ringSizes lists the numbers of entries.
func ringSizes() []int { return []int{1, 2, 4, 8, 16, 32} }

// newRing returns the comparison, not yet run. Its groups are networks: healthy with many EVs, healthy with few
// EVs, and with one uplink of every ToR failing from 50 us on. x is the number of entries, 0 for OPS.
func newRing(replicas uint64) comparison {
	const bytes = 8 * mebi
	tree := topology.FatTree{Hosts: 128}.WithDefaults()
	var c comparison
	for _, n := range []struct {
		key    string
		evs    int
		faults []fattree.Fault
	}{
		{"healthy", fullEVS, nil}, {"few-evs", 32, nil},
		{"failed-uplink", fullEVS, failedUplinks(tree, 50*microseconds)},
	} {
		spec := evsSpec(tree)
		spec.Faults = n.faults
		network := permuted(spec, bytes)
		for _, entries := range append([]int{0}, ringSizes()...) {
			of := lb("ops")
			if entries > 0 {
				of = variant("reps", "REPS", balance.RecyclingConfig{REPS: reps.Config{BufferSize: entries}})
			}
			c.points = append(c.points, &comparedPoint{group: n.key, x: entries, evs: n.evs, schemes: []scheme{of},
				cells: cells{{"network", n.key}, {"hosts", tree.Hosts}, {"message_bytes", bytes},
					{"ring", orNull(entries > 0, entries)}},
				network: network, keep: keepWithIdeal, replicas: replicas})
		}
	}
	return c
}

// ring shows the benefit of more entries in REPS's ring.
func ring(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const replicas = 20
	c := newRing(replicas)
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{c.table()},
			Plot: &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{
				ringPanel(&c, "healthy", "(a) Healthy, 65,536 EVs"),
				ringPanel(&c, "few-evs", "(b) Healthy, 32 EVs"),
				ringPanel(&c, "failed-uplink", "(c) 1 of 8 uplinks of each ToR fails"),
			}}},
			Notes: notes(facts{"oblivious": c.at("failed-uplink", 0, "ops").maxFCT().Value, "replicas": replicas}, "ring"),
		}
	}, &c)
}

// ringPanel draws the times of REPS on a network and the time of OPS, on a logarithmic axis if it is far above.
func ringPanel(c *comparison, network, title string) plot.Panel {
	longest := over(plot.Series{Name: "REPS, maximum FCT", Mark: plot.ErrorBars, Color: plot.Blue}, ringSizes(),
		func(entries int) mc.Estimate { return c.at(network, entries, "reps").maxFCT() })
	mean := over(plot.Series{Name: "REPS, mean FCT", Mark: plot.ErrorBars, Color: plot.Blue.Hollow()}, ringSizes(),
		func(entries int) mc.Estimate { return c.at(network, entries, "reps").time(netRun.meanFCT) })
	panel := plot.Panel{Title: title, XLabel: "Ring (entries)", YLabel: "FCT (µs)",
		X: ticked(onScale(plot.Log2), "%d", ringSizes()...), Series: []plot.Series{longest, mean}}
	ends := slices.DeleteFunc(slices.Concat(longest.Y, longest.Hi), math.IsNaN) // ends of intervals, if there are any
	top, oblivious := 1.04*slices.Max(ends), c.at(network, 0, "ops").maxFCT().Value
	panel.References = level(oblivious, "OPS, maximum")
	if panel.Y = from(0, 1.25*max(top, 1.02*oblivious)); oblivious > 4*top { // with space for the label
		panel.Y = onScale(plot.Log10, 100, 2*oblivious)
	}
	return panel
}
