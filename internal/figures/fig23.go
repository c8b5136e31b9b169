package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
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
		c.points = append(c.points,
			&comparedPoint{group: group, label: label, place: name + ", " + label, workload: name,
				hosts:   spec.Topology.Hosts,
				cells:   cells{{"workload", name}, {"hosts", spec.Topology.Hosts}, {"failure", failure}},
				metrics: []metric{m}, network: failing(s.Seed, spec, failure, draw), replicas: replicas})
	}
	permutations := func(hosts int, replicas uint64) {
		spec := patternSpec(fattree.Topology{Hosts: hosts})
		spec.Horizon = 1e6 * microseconds
		draw, name := drawPermutation(s.Seed, hosts, 8*mebi), fmt.Sprintf("permutation of %d", hosts)
		add(healthy, "none", name, "", byMaxFCT(), spec, replicas, draw)
		add(patterns, "1 %", name, onePercent, byMaxFCT(), spec, replicas, draw)
		add(patterns, "1 %, 50 us", name, onePercent+",at=50", byMaxFCT(), spec, replicas, draw)
	}
	permutations(128, s.Scale.replicas(3, 20))
	if s.Scale == Full {
		permutations(1024, 3)
	}
	trace := traffic.Arrivals{Hosts: 128, HostsPerToR: 8, Sizes: traffic.WebSearch(), Load: 0.6, Gbps: 400,
		Duration: fig23Arrivals(s.Scale) * microseconds}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true,
		Horizon: 1e6 * microseconds}
	add(traces, "1 %", "websearch", onePercent, byMeanFCT(), spec, s.Scale.replicas(2, 3), drawTrace(s.Seed, trace))
	return c
}

// fig23Arrivals is the time during which flows of the trace arrive, in us.
func fig23Arrivals(scale Scale) int64 { return choose[int64](scale, 300, 5000) }

// fig23 reproduces the benefit of freezing mode.
func fig23(ctx context.Context, s Settings) (Output, error) {
	c := newFig23(s)
	hole := blackhole{replicas: s.Scale.replicas(2, 20)}
	if err := s.inTurn(ctx, c.run, hole.run); err != nil {
		return Output{}, err
	}
	return Output{
		Tables: []table.Table{c.table(s.Seed), c.speedups(s.Seed), c.losses(s.Seed), hole.table(s.Seed)},
		Plot:   fig23Plot(&c, &hole),
		Notes: []string{
			"8 MiB permutations and WebSearch at 60 % load, 2 tiers, ECN 25/76, queue 101 and 100, no trimming (as the paper's text has it), DCTCP variant, freezing mode for 10 ms. 1 % of the cables, drawn at random for every replica, fail in both directions for good (one of 128): from the beginning on, and in the permutations also from 50 us on. The authors published no script and do not say which workloads are theirs.",
			fmt.Sprintf("WebSearch: arrivals of the authors' generator for %d us, 128 hosts; flows between the same hosts inherit.", fig23Arrivals(s.Scale)),
			"(c) The paper's example: one uplink of a ToR fails for 10 ms, from 100 us on, while the 8 hosts below send without end; packets lost on it. Its 120,000 packets are those of a sender that does not react; \"OPS, fixed window\" has no congestion control. Queue 100, ECN 20/80, trimming.",
			fmt.Sprintf("(a) 128 hosts; at full scale tables also have permutations of 1,024. Replicas: %d of the permutations of 128, %d of WebSearch, %d of (c). Ratios are of paired replicas, with 95 %% intervals.",
				c.points[0].replicas, c.in(traces)[0].replicas, hole.replicas),
		},
		Findings: append(hole.findings(), fig23Findings(&c)...),
	}, nil
}

// fig23Plot draws times, the gain of freezing mode, and losses, without OPS, beside which
// the others would look alike.
func fig23Plot(c *comparison, hole *blackhole) *plot.Plot {
	drawn := comparison{c.schemes[1:], c.points}
	drawn.points = slices.DeleteFunc(slices.Clone(c.points),
		func(p *comparedPoint) bool { return p.group != traces && p.hosts != 128 })
	small := comparison{drawn.schemes,
		slices.DeleteFunc(slices.Clone(drawn.points), func(p *comparedPoint) bool { return p.group == traces })}
	losses := plot.Panel{Title: "(c) An uplink dead for 10 ms", YLabel: "Packets lost",
		X: barAxis(hole.cases(), func(of holeCase) string { return of.label }),
		Y: onScale(plot.Log10, 100), References: []plot.ReferenceLine{{At: 1000}, {At: 120_000}}, Legend: plot.None,
		Series: []plot.Series{barsOf(plot.Series{Color: plot.Vermilion, Mark: plot.Bars}, hole.cases(),
			func(of holeCase) mc.Estimate { return hole.lost(of.label) })}}
	return &plot.Plot{Columns: plot.Double, Height: 2.6, SharedLegend: true, Panels: [][]plot.Panel{{
		small.times(plot.Panel{Title: "(a) Permutation", XLabel: "Dead cables, since when",
			YLabel: "Mean max. FCT (us)", Y: from(0)}, "", byMaxFCT()),
		drawn.times(plot.Panel{Title: "(b) WebSearch, 60 % load", XLabel: "Dead cables", YLabel: "Mean FCT (us)",
			Y: from(0)}, traces, byMeanFCT()),
		losses,
	}}}
}

// fig23Findings judges the benefit of freezing mode.
func fig23Findings(c *comparison) []claims.Finding {
	same := largest(c.gains(healthy, "reps-unfrozen", "reps", byMaxFCT()))
	all := slices.Concat(c.gains(patterns, "reps-unfrozen", "reps", byMaxFCT()),
		c.gains(traces, "reps-unfrozen", "reps", byMeanFCT()))
	most := largest(all)
	longer, gained := same.ratio.Percent(), most.ratio.Percent()
	each := ""
	for _, g := range all {
		each += "; " + g.at.place + " " + withBounds(g.ratio.Percent(), "%.1f") + " %"
	}
	return []claims.Finding{
		claims.Estimated("N090", longer, claims.Between(longer, -2, 2),
			withBounds(longer, "%.2f")+" % longer without freezing mode, "+same.at.place, ""),
		claims.Estimated("N091", gained, claims.Gain(gained, 25, 0),
			"largest gain "+withBounds(gained, "%.1f")+" %, "+most.at.place, "all:"+each[1:]+". Below 0 freezing mode costs: flows inherit the ring and the mode of the last one between their hosts and go round eight EVs for 10 ms; flows that do not inherit have no such cost"),
	}
}

// blackhole is the paper's example of a link that fails and stays in the routing
// tables for a while: packets sent into it meanwhile are lost.
type blackhole struct {
	replicas uint64
	netGrid  // the network's name is the case's label
}

// The blackhole.
const (
	holeFrom, holeTo = 100, 10_100 // us
	holeBytes        = 1 << 30     // of a message: more than a host sends in that time
	lostAtLineRate   = 120_000     // packets, in the paper's words
)

// holeCase is a scheme in it.
type holeCase struct {
	scheme
	label string
	rto   fattree.Picoseconds // 0 is the authors' formula
	fixed bool                // without congestion control
}

// cases lists the schemes. REPS is judged, with either RTO.
func (*blackhole) cases() []holeCase {
	const words = 70 * microseconds
	return []holeCase{
		{lb("ops"), "OPS, fixed window", 0, true},
		{lb("ops"), "OPS", 0, false},
		{lb("reps"), "REPS", 0, false},
		{lb("reps"), "REPS, RTO 70 us", words, false},
		{lb("reps-unfrozen"), "not freezing", 0, false},
		{lb("reps-unfrozen"), "not freezing, 70 us", words, false},
	}
}

// run runs all cases up to the end of the blackhole.
func (h *blackhole) run(ctx context.Context, s Settings) error {
	topology := fattree.Topology{Hosts: 128}
	for _, of := range h.cases() {
		spec := microSpec(topology)
		spec.RTO, spec.Horizon, spec.Faults = of.rto, holeTo*microseconds, outageFaults([]outage{{0, holeFrom, holeTo}})
		setup := of.setup(fullEVS, fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: holeBytes})))
		if of.fixed {
			setup.Control = fixedWindow
		}
		h.add(of.label, "", 0, setup)
	}
	return h.netGrid.run(ctx, s, h.replicas, keepTimes)
}

// lost returns the mean number of packets lost in a case.
func (h *blackhole) lost(label string) mc.Estimate { return h.of(label, "", 0).count(netRun.lost) }

// table lists the cases.
func (h *blackhole) table(seed uint64) table.Table {
	t := table.Table{Name: "blackhole"}
	for _, of := range h.cases() {
		runs := h.of(of.label, "", 0)
		addRow(&t, cells{{"case", of.label}, {"lb", of.key}, {"from_us", holeFrom}, {"to_us", holeTo},
			{"sent", runs.count(netRun.sent).Value}},
			withEnds("lost", "lost", h.lost(of.label)), cells{{"reroute_us", runs.reroute().Value}},
			madeFrom(seed, len(runs)))
	}
	return t
}

// findings judges the paper's example.
func (h *blackhole) findings() []claims.Finding {
	const gbps, packet = 400, 4096
	atLineRate := (holeTo - holeFrom) * gbps * 1000.0 / 8 / packet
	reactionless, oblivious, frozen, late := h.lost("OPS, fixed window"), h.lost("OPS"), h.lost("REPS"), h.lost("REPS, RTO 70 us")
	return []claims.Finding{
		claims.LeftOut("N012", "routes of the model's switches do not change",
			"a statement about routing protocols, with sources, not about REPS"),
		claims.Exactly("N013", atLineRate > lostAtLineRate, atLineRate, fmt.Sprintf("%.0f packets", atLineRate),
			"simulated, OPS with a fixed window: "+
				withBounds(reactionless, "%.0f")+"; with its congestion control "+withBounds(oblivious, "%.0f")),
		claims.Estimated("N014", late, claims.Any(claims.Near(frozen, 1000), claims.Near(late, 1000)),
			withBounds(frozen, "%.0f")+" packets with an RTO of 41.5 us, "+withBounds(late, "%.0f")+" with 70 us",
			"a thousand are what the link carries in about 80 us; REPS loses fewer, as EVs whose packets are lost do not come back to be used again, and the window shrinks. Without freezing mode "+withBounds(h.lost("not freezing"), "%.0f")+" and "+withBounds(h.lost("not freezing, 70 us"), "%.0f")),
	}
}
