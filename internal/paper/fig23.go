package paper

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/report"
)

// fig23 re-makes what freezing mode is worth.
func fig23() Figure {
	return Figure{
		ID:    "fig23",
		Title: "REPS with and without freezing mode: nothing fails, 1 % of the cables fail, an uplink is dead for 10 ms",
		Rules: []Rule{
			{"N012", "not modelled: how long routing takes is cited from others; switches of the model never change their routes"},
			{"N013", "what a link of 400 Gb/s carries in 10 ms is more than 120,000 packets of 4 KiB"},
			{"N014", "with an uplink dead for 10 ms REPS loses 900 to 1,100 packets, or 1,000 is in the 95 % interval, with the authors' RTO of 41.5 us or the 70 us of the paper's text"},
			{"N090", "where nothing fails the mean maximum FCT of the permutation without freezing mode is within 2 % of that with it, replicas paired"},
			{"N091", "with 1 % of the cables dead the time without freezing mode is 22.5 to 27.5 % longer than with it, largest over the points of the figure, or 25 % is in its 95 % interval and 0 is not; the time is the maximum FCT of permutations and the mean FCT of WebSearch"},
		},
		build: buildFig23,
	}
}

// newFig23 returns the comparison, not yet run.
func newFig23(s Settings) comparison {
	const onePercent = "cables=1%,place=random,dir=both"
	c := comparison{compared: []contender{ops(), repsPaper(), repsUnfrozen()}, columns: []report.Column{text("workload"), number("hosts"), text("failure")}}
	add := func(group, label, name, failure string, m metric, spec fattree.Spec, replicas uint64, draw func(uint64) (fattree.Workload, error)) {
		c.points = append(c.points, point{group: group, label: label, place: name + ", " + label, cells: []any{name, spec.Topology.Hosts, failure},
			metrics: []metric{m}, network: s.failing(spec, failure, draw), replicas: replicas})
	}
	permutations := func(hosts int, replicas uint64) {
		spec := fattree.Spec{Topology: fattree.Topology{Hosts: hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76, Horizon: 1e6 * microseconds}
		draw := func(replica uint64) (fattree.Workload, error) {
			return traffic.Permutation(hosts, traffic.Message{Bytes: 8 * mib}, s.Seed, replica)
		}
		name := fmt.Sprintf("permutation of %d", hosts)
		add(healthy, "none", name, "", longest(), spec, replicas, draw)
		add(patterns, "1 %", name, onePercent, longest(), spec, replicas, draw)
		add(patterns, "1 %, 50 us", name, onePercent+",at=50", longest(), spec, replicas, draw)
	}
	permutations(128, s.Scale.choose(3, 20))
	if s.Scale == Full {
		permutations(1024, 3)
	}
	trace := traffic.Arrivals{Hosts: 128, HostsPerToR: 8, Sizes: traffic.WebSearch(), Load: 0.6, Gbps: 400, Duration: fig23Arrivals(s.Scale) * microseconds}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true, Horizon: 1e6 * microseconds}
	add(traces, "1 %", "websearch", onePercent, average(), spec, s.Scale.choose(2, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.Paced(trace, s.Seed, replica)
	})
	return c
}

// fig23Arrivals is for how long flows of the trace come, in us.
func fig23Arrivals(scale Scale) int64 { return int64(scale.choose(300, 5000)) }

func buildFig23(ctx context.Context, s Settings) (Output, error) {
	c := newFig23(s)
	if err := c.run(ctx, s.part(0, 2)); err != nil {
		return Output{}, err
	}
	hole := blackhole{replicas: s.Scale.choose(2, 20)}
	if err := hole.run(ctx, s.part(1, 2)); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []Table{c.table(s.Seed), c.speedups(s.Seed), c.losses(s.Seed), hole.table(s.Seed)},
		Formats: []report.Format{report.CSV},
		Plot:    fig23Plot(&c, hole),
		Notes: []string{
			"8 MiB permutations and WebSearch at 60 % load, 2 tiers, ECN 25/76, queue 101 and 100, no trimming (as the paper's text has it), DCTCP variant, freezing mode for 10 ms. 1 % of the cables, drawn at random for every replica, are dead in both directions for good: of 128 one; from the beginning on, and in the permutations also from 50 us on. The authors published no script and do not say which workloads are theirs.",
			fmt.Sprintf("WebSearch: arrivals of the authors' generator for %d us, 128 hosts; flows between the same hosts inherit.", fig23Arrivals(s.Scale)),
			"(c) The paper's example: one uplink of a ToR is dead for 10 ms, from 100 us on, while the 8 hosts below send without end; packets lost on it. Its 120,000 packets are those of a sender that does not react; \"OPS, fixed window\" has no congestion control. Queue 100, ECN 20/80, trimming.",
			fmt.Sprintf("(a) 128 hosts; at full scale tables also have permutations of 1,024. Replicas: %d of the permutations of 128, %d of WebSearch, %d of (c). Ratios are of paired replicas, with 95 %% intervals.", c.points[0].replicas, c.in(traces)[0].replicas, hole.replicas),
		},
		Findings: append(hole.findings(), fig23Findings(&c)...),
	}, nil
}

// fig23Plot draws times, what freezing mode gains, and losses.
func fig23Plot(c *comparison, hole blackhole) *report.Figure {
	// Without OPS, the first, beside which the others would look alike.
	without := func(points []point) comparison {
		drawn := comparison{compared: c.compared[1:], points: points}
		for i := range drawn.points {
			drawn.points[i].runs = drawn.points[i].runs[1:]
		}
		return drawn
	}
	reps := without(slices.DeleteFunc(slices.Clone(c.points), func(p point) bool { return p.group == traces || p.cells[1] != 128 }))
	trace := without(c.in(traces))
	losses := report.Panel{Title: "(c) An uplink dead for 10 ms", YLabel: "Packets lost", X: report.Axis{Min: new(-0.6), Max: new(float64(len(hole.cases())) - 0.4)},
		Y: report.Axis{Scale: report.Log10, Min: new(100.0)}, Rules: []report.Rule{{At: 1000}, {At: 120_000}}, Legend: report.None}
	bars := report.Series{Color: 2, Mark: report.Bars}
	for i, of := range hole.cases() {
		losses.X.Ticks, losses.X.TickLabels = append(losses.X.Ticks, float64(i)), append(losses.X.TickLabels, of.label)
		appendPoint(&bars, float64(i), hole.lost(i))
	}
	losses.Series = []report.Series{bars}
	return &report.Figure{Columns: report.Double, Height: 2.6, SharedLegend: true, Panels: [][]report.Panel{{
		reps.times(report.Panel{Title: "(a) Permutation", XLabel: "Dead cables, since when", YLabel: "Mean max. FCT (us)", Y: report.Axis{Min: new(0.0)}}, "", longest()),
		trace.times(report.Panel{Title: "(b) WebSearch, 60 % load", XLabel: "Dead cables", YLabel: "Mean FCT (us)", Y: report.Axis{Min: new(0.0)}}, "", average()),
		losses,
	}}}
}

// fig23Findings judges what freezing mode is worth.
func fig23Findings(c *comparison) []Finding {
	same := most(c.gains(healthy, "reps-unfrozen", "reps", longest()))
	longer := percent(same.ratio)
	all := c.gains(patterns, "reps-unfrozen", "reps", longest())
	all = append(all, c.gains(traces, "reps-unfrozen", "reps", average())...)
	largest := most(all)
	gained := percent(largest.ratio)
	each := ""
	for _, g := range all {
		each += "; " + g.at.place + " " + interval(percent(g.ratio), "%.1f") + " %"
	}
	return []Finding{
		{"N090", judge(longer.Value >= -2 && longer.Value <= 2), interval(longer, "%.2f") + " % longer without freezing mode, " + same.at.place, longer.Lo, longer.Hi, ""},
		upTo("N091", gained, 25, 0, "largest gain "+interval(gained, "%.1f")+" %, "+largest.at.place, "all:"+each[1:]+". Below 0 freezing mode costs: flows inherit the ring and the mode of the last one between their hosts and go round eight EVs for 10 ms; flows that do not inherit have no such cost"),
	}
}
