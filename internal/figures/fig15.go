package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig15Control is the key of the paper's own congestion control.
const fig15Control = "dctcp"

// newFig15 returns the comparison, not yet run. Points with the same congestion control form a group, and x is the
// number of EVs. There are three points with DCTCP, the last with all EVs, and then points with the other
// controls.
func newFig15() comparison {
	const hosts, bytes = 128, 8 * mebi
	network := permuted(evsSpec(topology.FatTree{Hosts: hosts}), bytes)
	c := comparison{schemes: lbs("ops", "reps", "reps-fifo")}
	add := func(label, control string, open func() transport.Control, evs int, schemes ...scheme) {
		c.points = append(c.points, &comparedPoint{group: control, x: evs, evs: evs, label: label, control: open,
			schemes: schemes,
			cells:   cells{{"cc", control}, {"hosts", hosts}, {"message_bytes", bytes}},
			metrics: []metric{byMaxFCT()},
			network: network, keep: keepWithIdeal, replicas: 40})
	}
	add("32", fig15Control, nil, 32)
	add("256", fig15Control, nil, 256)
	add("65,536", fig15Control, nil, fullEVS)
	add("EQDS", "eqds", func() transport.Control { return new(congestion.EQDS) }, fullEVS, c.schemes[:2]...)
	add("NSCC", "nscc", func() transport.Control { return new(congestion.NSCC) }, fullEVS, c.schemes[:2]...)
	return c
}

// fig15 reproduces the figure on EVS sizes and congestion controls: an 8 MiB permutation with few and with many
// entropy values, and under three congestion controls.
func fig15(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newFig15()
	slowdown := func(p *comparedPoint, of scheme, runs netRuns) cells {
		return cells{{"slowdown_over_65536", frame.WithEnds(runs.shown(c.at(p.group, fullEVS, of.key), netRun.maxFCT))}}
	}
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   []frame.Table{c.table(slowdown)},
			Plot:     fig15Plot(&c),
			Notes:    notes(facts{"replicas": c.points[0].replicas}, "fig15"),
			Findings: fig15Findings(&c),
		}
	}, &c)
}

// fig15Slowdown returns the mean maximum FCT at a point divided by the value with all EVs.
func fig15Slowdown(c *comparison, p *comparedPoint, key string) mc.Estimate {
	return p.of(key).over(c.at(p.group, fullEVS, key))
}

// fig15Plot draws a group of bars for each EVS size and each control.
func fig15Plot(c *comparison) *plot.Plot {
	const time = "Mean maximum FCT (µs)"
	sizes := comparison{schemes: c.schemes, points: c.points[:3]}
	controls := comparison{schemes: c.schemes[:2], points: c.points[2:]}
	panels := []plot.Panel{
		sizes.times(plot.Panel{Title: "(a) Completion time", XLabel: "EVS size", YLabel: time, Y: from(0)}, ""),
		sizes.bars(fromOne(plot.Panel{Title: "(b) Against 65,536 EVs", XLabel: "EVS size",
			YLabel: "Max. FCT / with 65,536 EVs"}), "", func(p *comparedPoint, key string) mc.Estimate {
			if p.evs == fullEVS {
				return mc.Estimate{Value: math.NaN()}
			}
			return fig15Slowdown(c, p, key)
		}),
		controls.times(plot.Panel{Title: "(c) Congestion controls", XLabel: "Congestion control", YLabel: time,
			Y: from(0)}, ""),
	}
	panels[2].X.TickLabels[0] = "DCTCP"
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// fig15Findings grades the cost of a small EVS, and whether REPS helps every control.
func fig15Findings(c *comparison) []claims.Finding {
	slower := func(evs, key string) mc.Estimate { return fig15Slowdown(c, c.labelled(evs), key).Percent() }
	words := func(e mc.Estimate) string { return withBounds(e, "%.1f") + " % longer" }
	equal, ring, list := slower("256", "reps"), slower("32", "reps"), slower("32", "reps-fifo")
	some, many := slower("256", "ops"), slower("32", "ops")
	var helps rule
	for _, control := range []struct{ name, label string }{{"DCTCP", "65,536"}, {"EQDS", "EQDS"}, {"NSCC", "NSCC"}} {
		p := c.labelled(control.label)
		e := p.of("ops").over(p.of("reps")).Percent()
		helps.part(control.name, claims.Met("N070", "each control", e).Condition, "%s %s %%", control.name, withBounds(e, "%.1f"))
	}
	return []claims.Finding{
		claims.Estimated("N066", "difference", equal, words(equal),
			"equal is taken as a few percent to either side"),
		claims.Sized("N067", ring, "ring of 8: "+words(ring), "with the authors' list "+words(list)).With(list),
		claims.Sized("N068", some, words(some), fmt.Sprintf("REPS %.1f %%", equal.Value)).With(equal),
		claims.Sized("N069", many, words(many), fmt.Sprintf("REPS %.1f %%", ring.Value)).With(ring),
		helps.inParts("N070", "OPS takes longer than REPS: ", "; ", "NSCC stands for the proprietary control"),
	}
}
