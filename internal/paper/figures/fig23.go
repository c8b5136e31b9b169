package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/paper"
	"repslab/internal/paper/compare"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
	"repslab/internal/report"
)

// fig23 re-makes what freezing mode is worth.
func fig23() paper.Figure {
	return paper.Figure{
		ID:    "fig23",
		Title: "REPS with and without freezing mode: nothing fails, 1 % of the cables fail, an uplink is dead for 10 ms",
		Rules: []paper.Rule{
			{Claim: "N012", Text: "not modelled: how long routing takes is cited from others; switches of the model never change their routes"},
			{Claim: "N013", Text: "what a link of 400 Gb/s carries in 10 ms is more than 120,000 packets of 4 KiB"},
			{Claim: "N014", Text: "with an uplink dead for 10 ms REPS loses 900 to 1,100 packets, or 1,000 is in the 95 % interval, with the authors' RTO of 41.5 us or the 70 us of the paper's text"},
			{Claim: "N090", Text: "where nothing fails the mean maximum FCT of the permutation without freezing mode is within 2 % of that with it, replicas paired"},
			{Claim: "N091", Text: "with 1 % of the cables dead the time without freezing mode is 22.5 to 27.5 % longer than with it, largest over the points of the figure, or 25 % is in its 95 % interval and 0 is not; the time is the maximum FCT of permutations and the mean FCT of WebSearch"},
		},
		Build: buildFig23,
	}
}

// newFig23 returns the comparison, not yet run.
func newFig23(s paper.Settings) compare.Comparison {
	const onePercent = "cables=1%,place=random,dir=both"
	c := compare.Comparison{Compared: []lineup.Contender{lineup.OPS(), lineup.REPS(), lineup.REPSUnfrozen()}, Columns: []report.Column{paper.Text("workload"), paper.Number("hosts"), paper.Text("failure")}}
	add := func(group, label, name, failure string, m compare.Metric, spec fattree.Spec, replicas uint64, draw func(uint64) (fattree.Workload, error)) {
		c.Points = append(c.Points, compare.Point{Group: group, Label: label, Place: name + ", " + label, Cells: compare.Cells{"workload": name, "hosts": spec.Topology.Hosts, "failure": failure},
			Metrics: []compare.Metric{m}, Network: netrun.Failing(s.Seed, spec, failure, draw), Replicas: replicas})
	}
	permutations := func(hosts int, replicas uint64) {
		spec := fattree.Spec{Topology: fattree.Topology{Hosts: hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76, Horizon: 1e6 * netrun.Microseconds}
		draw := func(replica uint64) (fattree.Workload, error) {
			return traffic.Permutation(hosts, traffic.Message{Bytes: 8 * netrun.MiB}, netrun.Workload(s.Seed, replica))
		}
		name := fmt.Sprintf("permutation of %d", hosts)
		add(compare.Healthy, "none", name, "", compare.Longest(), spec, replicas, draw)
		add(compare.Patterns, "1 %", name, onePercent, compare.Longest(), spec, replicas, draw)
		add(compare.Patterns, "1 %, 50 us", name, onePercent+",at=50", compare.Longest(), spec, replicas, draw)
	}
	permutations(128, s.Scale.Choose(3, 20))
	if s.Scale == paper.Full {
		permutations(1024, 3)
	}
	trace := traffic.Arrivals{Hosts: 128, HostsPerToR: 8, Sizes: traffic.WebSearch(), Load: 0.6, Gbps: 400, Duration: fig23Arrivals(s.Scale) * netrun.Microseconds}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true, Horizon: 1e6 * netrun.Microseconds}
	add(compare.Traces, "1 %", "websearch", onePercent, compare.Average(), spec, s.Scale.Choose(2, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.Paced(trace, netrun.Workload(s.Seed, replica))
	})
	return c
}

// fig23Arrivals is for how long flows of the trace come, in us.
func fig23Arrivals(scale paper.Scale) int64 { return int64(scale.Choose(300, 5000)) }

func buildFig23(ctx context.Context, s paper.Settings) (paper.Output, error) {
	c := newFig23(s)
	if err := c.Run(ctx, s.Part(0, 2)); err != nil {
		return paper.Output{}, err
	}
	hole := blackhole{replicas: s.Scale.Choose(2, 20)}
	if err := hole.run(ctx, s.Part(1, 2)); err != nil {
		return paper.Output{}, err
	}
	return paper.Output{
		Tables:  []paper.Table{c.Table(s.Seed), c.Speedups(s.Seed), c.Losses(s.Seed), hole.table(s.Seed)},
		Formats: []report.Format{report.CSV},
		Plot:    fig23Plot(&c, &hole),
		Notes: []string{
			"8 MiB permutations and WebSearch at 60 % load, 2 tiers, ECN 25/76, queue 101 and 100, no trimming (as the paper's text has it), DCTCP variant, freezing mode for 10 ms. 1 % of the cables, drawn at random for every replica, are dead in both directions for good: of 128 one; from the beginning on, and in the permutations also from 50 us on. The authors published no script and do not say which workloads are theirs.",
			fmt.Sprintf("WebSearch: arrivals of the authors' generator for %d us, 128 hosts; flows between the same hosts inherit.", fig23Arrivals(s.Scale)),
			"(c) The paper's example: one uplink of a ToR is dead for 10 ms, from 100 us on, while the 8 hosts below send without end; packets lost on it. Its 120,000 packets are those of a sender that does not react; \"OPS, fixed window\" has no congestion control. Queue 100, ECN 20/80, trimming.",
			fmt.Sprintf("(a) 128 hosts; at full scale tables also have permutations of 1,024. Replicas: %d of the permutations of 128, %d of WebSearch, %d of (c). Ratios are of paired replicas, with 95 %% intervals.", c.Points[0].Replicas, c.In(compare.Traces)[0].Replicas, hole.replicas),
		},
		Findings: append(hole.findings(), fig23Findings(&c)...),
	}, nil
}

// fig23Plot draws times, what freezing mode gains, and losses.
func fig23Plot(c *compare.Comparison, hole *blackhole) *report.Figure {
	// Without OPS, the first, beside which the others would look alike.
	without := func(points []compare.Point) compare.Comparison {
		drawn := compare.Comparison{Compared: c.Compared[1:], Points: points}
		for i := range drawn.Points {
			drawn.Points[i].Runs = drawn.Points[i].Runs[1:]
		}
		return drawn
	}
	reps := without(slices.DeleteFunc(slices.Clone(c.Points), func(p compare.Point) bool { return p.Group == compare.Traces || p.Hosts() != 128 }))
	trace := without(c.In(compare.Traces))
	losses := report.Panel{Title: "(c) An uplink dead for 10 ms", YLabel: "Packets lost", X: report.Axis{Min: new(-0.6), Max: new(float64(len(hole.cases())) - 0.4)},
		Y: report.Axis{Scale: report.Log10, Min: new(100.0)}, Rules: []report.Rule{{At: 1000}, {At: 120_000}}, Legend: report.None}
	bars := report.Series{Color: 2, Mark: report.Bars}
	for i, of := range hole.cases() {
		losses.X.Ticks, losses.X.TickLabels = append(losses.X.Ticks, float64(i)), append(losses.X.TickLabels, of.label)
		paper.AppendPoint(&bars, float64(i), hole.lost(of.label))
	}
	losses.Series = []report.Series{bars}
	return &report.Figure{Columns: report.Double, Height: 2.6, SharedLegend: true, Panels: [][]report.Panel{{
		reps.Times(report.Panel{Title: "(a) Permutation", XLabel: "Dead cables, since when", YLabel: "Mean max. FCT (us)", Y: report.Axis{Min: new(0.0)}}, "", compare.Longest()),
		trace.Times(report.Panel{Title: "(b) WebSearch, 60 % load", XLabel: "Dead cables", YLabel: "Mean FCT (us)", Y: report.Axis{Min: new(0.0)}}, "", compare.Average()),
		losses,
	}}}
}

// fig23Findings judges what freezing mode is worth.
func fig23Findings(c *compare.Comparison) []paper.Finding {
	same := compare.Most(c.Gains(compare.Healthy, "reps-unfrozen", "reps", compare.Longest()))
	longer := same.Ratio.Percent()
	all := c.Gains(compare.Patterns, "reps-unfrozen", "reps", compare.Longest())
	all = append(all, c.Gains(compare.Traces, "reps-unfrozen", "reps", compare.Average())...)
	largest := compare.Most(all)
	gained := largest.Ratio.Percent()
	each := ""
	for _, g := range all {
		each += "; " + g.At.Place + " " + paper.Interval(g.Ratio.Percent(), "%.1f") + " %"
	}
	return []paper.Finding{
		paper.Estimated("N090", longer.Value >= -2 && longer.Value <= 2, longer, paper.Interval(longer, "%.2f")+" % longer without freezing mode, "+same.At.Place, "").Resting(paper.Between(longer, -2, 2)),
		paper.UpTo("N091", gained, 25, 0, "largest gain "+paper.Interval(gained, "%.1f")+" %, "+largest.At.Place, "all:"+each[1:]+". Below 0 freezing mode costs: flows inherit the ring and the mode of the last one between their hosts and go round eight EVs for 10 ms; flows that do not inherit have no such cost"),
	}
}
