package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// newFig23 returns the comparison, not yet run.
func newFig23(s Settings) comparison {
	const onePercent = "cables=1%,place=random,dir=both"
	c := comparison{schemes: lbs("ops", "reps", "reps-unfrozen")}
	add := func(group, label, name, failure string, m metric, spec fattree.Spec, replicas uint64, draw drawWorkload) {
		p := failurePoint(group, name, label, failure, spec, draw)
		p.cells = cells{{"workload", name}, {"hosts", p.hosts}, {"failure", failure}}
		p.metrics, p.replicas = []metric{m}, replicas
		c.points = append(c.points, p)
	}
	permutations := func(hosts int, replicas uint64) {
		spec := patternSpec(topology.FatTree{Hosts: hosts})
		spec.Horizon = 1e6 * microseconds
		draw, name := drawPermutation(hosts, 8*mebi), fmt.Sprintf("permutation of %d", hosts)
		add(healthy, "none", name, "", byMaxFCT(), spec, replicas, draw)
		add(patterns, "1 %", name, onePercent, byMaxFCT(), spec, replicas, draw)
		add(patterns, "1 %, 50 us", name, onePercent+",at=50", byMaxFCT(), spec, replicas, draw)
	}
	permutations(128, s.Scale.replicas(3, 20))
	if s.Scale == Full {
		permutations(1024, 3)
	}
	spec := traceSpec()
	spec.Horizon = 1e6 * microseconds
	add(traces, "1 %", "websearch", onePercent, byMeanFCT(), spec, s.Scale.replicas(2, 3),
		drawWebSearch(traffic.Paced, 128, treeOf(spec), 0.6, fig23Arrivals(s.Scale)))
	return c
}

// fig23Arrivals is the time during which flows of the trace arrive, in us.
func fig23Arrivals(scale Scale) int64 { return choose[int64](scale, 300, 5000) }

// fig23 reproduces the benefit of freezing mode.
func fig23(ctx context.Context, s Settings) (Output, error) {
	c := newFig23(s)
	hole := newBlackhole(s.Scale.replicas(2, 20))
	if err := s.inTurn(ctx, c.run, hole.run); err != nil {
		return Output{}, err
	}
	return Output{
		Tables: []table.Table{c.table(), c.speedups(), c.losses(), blackholeTable(&hole)},
		Plot:   fig23Plot(&c, &hole),
		Notes: notes(facts{"arrivals": fig23Arrivals(s.Scale), "replicas": c.points[0].replicas,
			"traces": c.in(traces)[0].replicas, "blackhole": hole.points[0].replicas}, "fig23"),
		Findings: append(blackholeFindings(&hole), fig23Findings(&c)...),
	}, nil
}

// fig23Plot draws times, the gain of freezing mode, and losses, without OPS, beside which
// the others would look alike.
func fig23Plot(c, hole *comparison) *plot.Plot {
	drawn := comparison{schemes: c.schemes[1:], points: c.in(traces)}
	small := comparison{schemes: drawn.schemes, points: slices.DeleteFunc(slices.Clone(c.points),
		func(p *comparedPoint) bool { return p.group == traces || p.hosts != 128 })}
	losses := plot.Panel{Title: "(c) An uplink failed for 10 ms", YLabel: "Packets lost",
		X: barAxis(hole.points, func(p *comparedPoint) string { return p.group }),
		Y: onScale(plot.Log10, 100), References: []plot.ReferenceLine{{At: 1000}, {At: 120_000}}, Legend: plot.None,
		Series: fig23Losses(hole)}
	return &plot.Plot{Columns: plot.Double, Height: 2.6, SharedLegend: true, Panels: [][]plot.Panel{{
		small.times(plot.Panel{Title: "(a) Permutation", XLabel: "Failed cables, since when",
			YLabel: "Mean max. FCT (us)", Y: from(0)}, ""),
		drawn.times(plot.Panel{Title: "(b) WebSearch, 60 % load", XLabel: "Failed cables", YLabel: "Mean FCT (us)",
			Y: from(0)}, traces),
		losses,
	}}}
}

// fig23Losses returns a bar for each case of the blackhole, in the colour of its scheme.
func fig23Losses(hole *comparison) []plot.Series {
	var list []plot.Series
	for i, p := range hole.points {
		bar := plot.Series{Color: p.schemes[0].color, Mark: plot.Bars}
		appendPoint(&bar, float64(i), swallowed(p))
		list = append(list, bar)
	}
	return list
}

// fig23Findings judges the benefit of freezing mode.
func fig23Findings(c *comparison) []claims.Finding {
	same := c.gains(healthy, "reps-unfrozen", "reps").largest()
	all := append(c.gains(patterns, "reps-unfrozen", "reps"), c.gains(traces, "reps-unfrozen", "reps")...)
	most := all.largest()
	longer, gained := same.ratio.Percent(), most.ratio.Percent()
	var each []string
	for _, g := range all {
		each = append(each, g.at.place+" "+withBounds(g.ratio.Percent(), "%.1f")+" %")
	}
	return []claims.Finding{
		claims.Estimated("N090", longer, claims.Between(longer, -2, 2),
			withBounds(longer, "%.2f")+" % longer without freezing mode, "+same.at.place, ""),
		claims.Estimated("N091", gained, claims.Gain(gained, 25, 0),
			"largest gain "+withBounds(gained, "%.1f")+" %, "+most.at.place, "all: "+strings.Join(each, "; ")+
				". Below 0 freezing mode costs: flows inherit the ring and the mode of the last one between their "+
				"hosts and go round eight EVs for 10 ms; flows that do not inherit have no such cost"),
	}
}

// The blackhole, the paper's example of a link that fails and stays in the routing tables
// for a while: packets sent into it meanwhile are lost.
const (
	holeFrom, holeTo = 100, 10_100 // us
	holeBytes        = 1 << 30     // of a message: more than a host sends in that time
	lostAtLineRate   = 120_000     // packets, in the paper's words
)

// newBlackhole returns the schemes in the blackhole, not yet run: REPS with the authors' RTO
// and with that of the paper's text, and others beside it. Each is a group of its own.
func newBlackhole(replicas uint64) comparison {
	const words = 70 * microseconds
	tree := topology.FatTree{Hosts: 128}
	spec := microSpec(tree)
	spec.Horizon, spec.Faults = holeTo*microseconds, outageFaults(tree, []outage{{0, holeFrom, holeTo}})
	var c comparison
	add := func(name, key string, rto fattree.Picoseconds, control func() fattree.Control) {
		spec.RTO = rto
		c.points = append(c.points, &comparedPoint{group: name, schemes: lbs(key), cells: cells{{"case", name}},
			network: fixed(spec)(traffic.OneToR(tree, traffic.Message{Bytes: holeBytes})), control: control,
			replicas: replicas})
	}
	add("OPS, fixed window", "ops", 0, fixedWindow)
	add("OPS", "ops", 0, dctcp)
	add("REPS", "reps", 0, dctcp)
	add("REPS, RTO 70 us", "reps", words, dctcp)
	add("not freezing", "reps-unfrozen", 0, dctcp)
	add("not freezing, 70 us", "reps-unfrozen", words, dctcp)
	return c
}

// swallowed returns the mean number of packets lost in a blackhole.
func swallowed(p *comparedPoint) mc.Estimate { return p.of(p.schemes[0].key).count(netRun.lost) }

// blackholeTable lists the cases.
func blackholeTable(c *comparison) table.Table {
	return c.rows("blackhole", "", func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		return slices.Concat(cells{{"from_us", holeFrom}, {"to_us", holeTo}, {"sent", runs.count(netRun.sent).Value}},
			withEnds("lost", "lost", runs.count(netRun.lost)), cells{{"reroute_us", runs.reroute().Value}})
	})
}

// blackholeFindings judges the paper's example.
func blackholeFindings(c *comparison) []claims.Finding {
	const gbps, packet = 400, 4096
	atLineRate := (holeTo - holeFrom) * gbps * 1000.0 / 8 / packet
	lost := func(name string) mc.Estimate { return swallowed(c.in(name)[0]) }
	words := func(name string) string { return withBounds(lost(name), "%.0f") }
	frozen, late := lost("REPS"), lost("REPS, RTO 70 us")
	return []claims.Finding{
		claims.LeftOut("N012", "routes of the model's switches do not change",
			"a statement about routing protocols, with sources, not about REPS"),
		claims.Exactly("N013", atLineRate > lostAtLineRate, atLineRate, fmt.Sprintf("%.0f packets", atLineRate),
			"simulated, OPS with a fixed window: "+words("OPS, fixed window")+
				"; with its congestion control "+words("OPS")),
		claims.Estimated("N014", late, claims.Any(claims.Near(frozen, 1000), claims.Near(late, 1000)),
			words("REPS")+" packets with an RTO of 41.5 us, "+words("REPS, RTO 70 us")+" with 70 us",
			"a thousand are what the link carries in about 80 us; REPS loses fewer, as EVs whose packets are lost do "+
				"not come back to be used again, and the window shrinks. Without freezing mode "+
				words("not freezing")+" and "+words("not freezing, 70 us")),
	}
}
