package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// newFig23 returns the comparison, not yet run.
func newFig23() comparison {
	const onePercent = "cables=1%,place=random,dir=both"
	c := comparison{schemes: lbs("reps", "reps-unfrozen")}
	add := func(group, label, name, failure string, m metric, spec fattree.Spec, replicas uint64, draw drawWorkload) {
		spec.Horizon = 1e6 * microseconds
		p := failurePoint(group, name, label, failure, spec, draw)
		p.cells = cells{{"workload", name}, {"hosts", p.hosts}, {"failure", failure}}
		p.metrics, p.replicas = []metric{m}, replicas
		c.points = append(c.points, p)
	}
	permutations := func(hosts int, replicas uint64) {
		spec := patternSpec(topology.FatTree{Hosts: hosts})
		draw, name := drawPermutation(hosts, 8*mebi), fmt.Sprintf("permutation of %d hosts", hosts)
		add(healthy, "none", name, "", byMaxFCT(), spec, replicas, draw)
		add(patterns, "1 %", name, onePercent, byMaxFCT(), spec, replicas, draw)
		add(patterns, "1 %, 50 µs", name, onePercent+",at=50", byMaxFCT(), spec, replicas, draw)
	}
	permutations(128, fig23Runs)
	permutations(1024, fewest)
	spec := traceSpec()
	add(traces, "1 %", "WebSearch", onePercent, byMeanFCT(), spec, fewest,
		drawWebSearch(traffic.Paced, 128, treeOf(spec), 0.6, fig23Arrivals))
	return c
}

// fig23Arrivals is the time during which flows of the trace arrive, in us.
const fig23Arrivals = 5000

// The replicas of small networks.
const fig23Runs = 20

// fig23 reproduces the benefit of freezing mode.
func fig23(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c, hole := newFig23(), newBlackhole()
	gains := func(p *comparedPoint, _ scheme, runs netRuns) cells {
		return cells{{"over_reps", frame.WithEnds(runs.shown(p.of("reps"), p.metrics[0].of))}}
	}
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{c.table(gains), c.losses(), blackholeTable(&hole)},
			Plot:   fig23Plot(&c, &hole),
			Notes: notes(facts{"arrivals": fig23Arrivals, "replicas": fig23Runs, "traces": fewest, "blackhole": fig23Runs},
				"fig23"),
			Findings: append(blackholeFindings(&hole), fig23Findings(&c)...),
		}
	}, &c, &hole)
}

// unfrozen returns the time without freezing mode divided by the time with it, at points with failures.
func unfrozen(c *comparison) gains {
	return c.gains("", "reps-unfrozen", "reps").where(func(g gain) bool { return g.at.group != healthy })
}

// fig23Plot draws times, the gain from freezing mode, and losses.
func fig23Plot(c, hole *comparison) *plot.Plot {
	small := comparison{schemes: c.schemes, points: lists.Where(c.points,
		func(p *comparedPoint) bool { return p.hosts <= 128 && p.group != traces })}
	without := lb("reps-unfrozen").series(plot.Bars)
	without = barsOf(without, unfrozen(c), func(g gain) mc.Estimate { return g.ratio })
	return &plot.Plot{Columns: plot.Double, Height: 2.8, SharedLegend: true, Panels: [][]plot.Panel{{
		small.times(plot.Panel{Title: "(a) Permutation of 128 hosts", XLabel: "Failed cables, from 0 or 50 µs on",
			YLabel: "Mean maximum FCT (µs)", Y: from(0)}, ""),
		fromOne(plot.Panel{Title: "(b) Gain of freezing mode", XLabel: "Hosts, failures from 0 or 50 µs on",
			YLabel: "FCT without it / with it", X: labelled(unfrozen(c), func(g gain) string { return g.at.brief() }),
			References: level(1.25, "paper: 1.25"), Series: []plot.Series{without}}),
		blackholePanel(hole),
	}}}
}

// brief names a point of the figure on an axis, by the hosts of a permutation.
func (p *comparedPoint) brief() string {
	if p.group == traces {
		return p.workload
	}
	return strings.Replace(p.label, "1 %", fmt.Sprint(p.hosts), 1)
}

// fig23Findings grades the benefit of freezing mode.
func fig23Findings(c *comparison) []claims.Finding {
	same, all := c.gains(healthy, "reps-unfrozen", "reps").deciding("N090"), unfrozen(c)
	decides := all.deciding("N091")
	longer, gained := same.ratio.Percent(), decides.ratio.Percent()
	others := all.where(func(g gain) bool { return g.at != decides.at })
	least, most := others.least(), others.largest()
	frozen := claims.Sized("N091", gained, withBounds(gained, "%.1f")+" % longer without freezing mode, "+decides.at.place, "").
		With(least.ratio.Percent(), most.ratio.Percent())
	frozen.Why += fmt.Sprintf("; elsewhere from %.1f %% (%s) to %.1f %% (%s)", least.ratio.Percent().Value, least.at.place,
		most.ratio.Percent().Value, most.at.place)
	return []claims.Finding{
		claims.Estimated("N090", "difference", longer,
			withBounds(longer, "%.2f")+" % longer without freezing mode, "+same.at.place,
			"without a loss REPS never freezes"),
		frozen,
	}
}

// The blackhole, the paper's example of a link that fails and stays in the routing tables for a while. Packets
// sent into it during this time are lost.
const (
	holeFrom, holeTo = 100, 10_100 // us
	holeBytes        = 1 << 30     // bytes of a message: more than a host sends in this time
	lostAtLineRate   = 120_000     // packets, as stated in the paper
)

// The cases of the blackhole: the paper's example, without congestion control and with an RTO of 70 us, and the
// authors' simulator.
const (
	holeInText   = "text"
	holeArtifact = "artifact"
)

// newBlackhole returns the schemes in the blackhole, not yet run.
func newBlackhole() comparison {
	tree := topology.FatTree{Hosts: 128}
	spec := microSpec(tree)
	spec.Horizon, spec.Faults = holeTo*microseconds, outageFaults(tree, []outage{{0, holeFrom, holeTo}})
	c := comparison{schemes: lbs("ops", "reps-unfrozen", "reps")}
	add := func(name, label string, rto fattree.Picoseconds, control func() transport.Control) {
		transport.Change(&spec, func(o *transport.Options) { o.RTO = rto })
		c.points = append(c.points, &comparedPoint{group: name, label: label,
			place: "uplink failed for 10 ms, " + label, cells: cells{{"case", name}},
			network: fixed(spec)(traffic.OneToR(tree, traffic.Message{Bytes: holeBytes})), control: control,
			replicas: fig23Runs})
	}
	add(holeInText, "fixed window", 70*microseconds, fixedWindow)
	add(holeArtifact, "DCTCP", 0, dctcp)
	return c
}

// blackholePanel draws the losses, and the paper's two numbers.
func blackholePanel(c *comparison) plot.Panel {
	panel := plot.Panel{Title: "(c) An uplink failed for 10 ms", XLabel: "Congestion control", YLabel: "Packets lost",
		Y:          onScale(plot.Log10, 100, 300_000),
		References: []plot.ReferenceLine{{At: 1000, Label: "paper: 1,000"}, {At: lostAtLineRate, Label: "paper: 120,000"}}}
	return c.bars(panel, "", func(p *comparedPoint, key string) mc.Estimate { return p.of(key).count(netRun.lost) })
}

// blackholeTable lists the cases.
func blackholeTable(c *comparison) frame.Table {
	return c.rows("blackhole", "", func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		return cells{{"from_us", holeFrom}, {"to_us", holeTo}, {"sent", runs.count(netRun.sent).Value},
			{"lost", frame.WithEnds(runs.count(netRun.lost))}, {"reroute_us", runs.reroute().Value}}
	})
}

// blackholeFindings grades the paper's example.
func blackholeFindings(c *comparison) []claims.Finding {
	const gbps, packet = 400, 4096
	atLineRate := (holeTo - holeFrom) * gbps * 1000.0 / 8 / packet
	lost := func(key string) (mc.Estimate, string) {
		runs := c.at(holeInText, 0, key)
		e := listedAs(runs.count(netRun.lost), "packets", "lost, "+runs.by())
		return e, withBounds(e, "%.0f")
	}
	sprayed, some := lost("ops")
	frozen, few := lost("reps")
	unfrozen, many := lost("reps-unfrozen")
	return []claims.Finding{
		claims.LeftOut("N012", "not modelled", "routing times are cited from others; the model's routes never change"),
		claims.Exactly("N013", "packets", atLineRate, fmt.Sprintf("%.0f packets", atLineRate),
			"arithmetic; packets that OPS loses in the simulation with a fixed window: "+some).With(sprayed),
		claims.Sized("N014", frozen, fmt.Sprintf("%s packets with a fixed window and an RTO of 70 µs, %s without freezing mode",
			few, many), "EVs of lost packets are not used again").With(unfrozen),
		blackholeAgain(c.at(holeInText, 0, "reps")),
	}
}

// blackholeAgain grades that frozen senders do not use the failed uplink again.
func blackholeAgain(frozen netRuns) claims.Finding {
	last := frozen.reroute()
	return claims.Estimated("N114", "last packet", last, "the last data packet into the uplink is sent "+withBounds(last, "%.0f")+
		" µs after the failure, which lasts 10 ms", "freezing mode lasts as long as the failure")
}
