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
)

// fig23 re-makes what freezing mode is worth.
func fig23() Figure {
	return Figure{
		ID:    "fig23",
		Title: "REPS with and without freezing mode: nothing fails, 1 % of the cables fail, an uplink is dead for 10 ms",
		Rules: []claims.Rule{
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
func newFig23(s Settings) Comparison {
	const onePercent = "cables=1%,place=random,dir=both"
	c := Comparison{Compared: []Scheme{OPS(), REPS(), REPSUnfrozen()}, Columns: []table.Column{table.Text("workload"), table.Number("hosts"), table.Text("failure")}}
	add := func(group, label, name, failure string, m Metric, spec fattree.Spec, replicas uint64, draw func(uint64) (fattree.Workload, error)) {
		c.Points = append(c.Points, ComparisonPoint{Group: group, Label: label, Place: name + ", " + label, Cells: Cells{"workload": name, "hosts": spec.Topology.Hosts, "failure": failure},
			Metrics: []Metric{m}, Network: Failing(s.Seed, spec, failure, draw), Replicas: replicas})
	}
	permutations := func(hosts int, replicas uint64) {
		spec := fattree.Spec{Topology: fattree.Topology{Hosts: hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76, Horizon: 1e6 * Microseconds}
		draw := func(replica uint64) (fattree.Workload, error) {
			return traffic.Permutation(hosts, traffic.Message{Bytes: 8 * MiB}, WorkloadSource(s.Seed, replica))
		}
		name := fmt.Sprintf("permutation of %d", hosts)
		add(Healthy, "none", name, "", Longest(), spec, replicas, draw)
		add(Patterns, "1 %", name, onePercent, Longest(), spec, replicas, draw)
		add(Patterns, "1 %, 50 us", name, onePercent+",at=50", Longest(), spec, replicas, draw)
	}
	permutations(128, s.Scale.Choose(3, 20))
	if s.Scale == Full {
		permutations(1024, 3)
	}
	trace := traffic.Arrivals{Hosts: 128, HostsPerToR: 8, Sizes: traffic.WebSearch(), Load: 0.6, Gbps: 400, Duration: fig23Arrivals(s.Scale) * Microseconds}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true, Horizon: 1e6 * Microseconds}
	add(Traces, "1 %", "websearch", onePercent, Average(), spec, s.Scale.Choose(2, 3), func(replica uint64) (fattree.Workload, error) {
		return traffic.Paced(trace, WorkloadSource(s.Seed, replica))
	})
	return c
}

// fig23Arrivals is for how long flows of the trace come, in us.
func fig23Arrivals(scale Scale) int64 { return int64(scale.Choose(300, 5000)) }

func buildFig23(ctx context.Context, s Settings) (Output, error) {
	c := newFig23(s)
	if err := c.Run(ctx, s.Part(0, 2)); err != nil {
		return Output{}, err
	}
	hole := blackhole{replicas: s.Scale.Choose(2, 20)}
	if err := hole.run(ctx, s.Part(1, 2)); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []table.Table{c.Table(s.Seed), c.Speedups(s.Seed), c.Losses(s.Seed), hole.table(s.Seed)},
		Formats: []table.Format{table.CSV},
		Plot:    fig23Plot(&c, &hole),
		Notes: []string{
			"8 MiB permutations and WebSearch at 60 % load, 2 tiers, ECN 25/76, queue 101 and 100, no trimming (as the paper's text has it), DCTCP variant, freezing mode for 10 ms. 1 % of the cables, drawn at random for every replica, are dead in both directions for good: of 128 one; from the beginning on, and in the permutations also from 50 us on. The authors published no script and do not say which workloads are theirs.",
			fmt.Sprintf("WebSearch: arrivals of the authors' generator for %d us, 128 hosts; flows between the same hosts inherit.", fig23Arrivals(s.Scale)),
			"(c) The paper's example: one uplink of a ToR is dead for 10 ms, from 100 us on, while the 8 hosts below send without end; packets lost on it. Its 120,000 packets are those of a sender that does not react; \"OPS, fixed window\" has no congestion control. Queue 100, ECN 20/80, trimming.",
			fmt.Sprintf("(a) 128 hosts; at full scale tables also have permutations of 1,024. Replicas: %d of the permutations of 128, %d of WebSearch, %d of (c). Ratios are of paired replicas, with 95 %% intervals.", c.Points[0].Replicas, c.In(Traces)[0].Replicas, hole.replicas),
		},
		Findings: append(hole.findings(), fig23Findings(&c)...),
	}, nil
}

// fig23Plot draws times, what freezing mode gains, and losses.
func fig23Plot(c *Comparison, hole *blackhole) *plot.Plot {
	// Without OPS, the first, beside which the others would look alike.
	without := func(points []ComparisonPoint) Comparison {
		drawn := Comparison{Compared: c.Compared[1:], Points: points}
		for i := range drawn.Points {
			drawn.Points[i].Runs = drawn.Points[i].Runs[1:]
		}
		return drawn
	}
	reps := without(slices.DeleteFunc(slices.Clone(c.Points), func(p ComparisonPoint) bool { return p.Group == Traces || p.Hosts() != 128 }))
	trace := without(c.In(Traces))
	losses := plot.Panel{Title: "(c) An uplink dead for 10 ms", YLabel: "Packets lost", X: plot.Axis{Min: new(-0.6), Max: new(float64(len(hole.cases())) - 0.4)},
		Y: plot.Axis{Scale: plot.Log10, Min: new(100.0)}, Rules: []plot.ReferenceLine{{At: 1000}, {At: 120_000}}, Legend: plot.None}
	bars := plot.Series{Color: 2, Mark: plot.Bars}
	for i, of := range hole.cases() {
		losses.X.Ticks, losses.X.TickLabels = append(losses.X.Ticks, float64(i)), append(losses.X.TickLabels, of.label)
		AppendPoint(&bars, float64(i), hole.lost(of.label))
	}
	losses.Series = []plot.Series{bars}
	return &plot.Plot{Columns: plot.Double, Height: 2.6, SharedLegend: true, Panels: [][]plot.Panel{{
		reps.Times(plot.Panel{Title: "(a) Permutation", XLabel: "Dead cables, since when", YLabel: "Mean max. FCT (us)", Y: plot.Axis{Min: new(0.0)}}, "", Longest()),
		trace.Times(plot.Panel{Title: "(b) WebSearch, 60 % load", XLabel: "Dead cables", YLabel: "Mean FCT (us)", Y: plot.Axis{Min: new(0.0)}}, "", Average()),
		losses,
	}}}
}

// fig23Findings judges what freezing mode is worth.
func fig23Findings(c *Comparison) []claims.Finding {
	same := Most(c.Gains(Healthy, "reps-unfrozen", "reps", Longest()))
	longer := same.Ratio.Percent()
	all := c.Gains(Patterns, "reps-unfrozen", "reps", Longest())
	all = append(all, c.Gains(Traces, "reps-unfrozen", "reps", Average())...)
	largest := Most(all)
	gained := largest.Ratio.Percent()
	each := ""
	for _, g := range all {
		each += "; " + g.At.Place + " " + Interval(g.Ratio.Percent(), "%.1f") + " %"
	}
	return []claims.Finding{
		claims.Estimated("N090", longer.Value >= -2 && longer.Value <= 2, longer, Interval(longer, "%.2f")+" % longer without freezing mode, "+same.At.Place, "").Resting(claims.Between(longer, -2, 2)),
		claims.UpTo("N091", gained, 25, 0, "largest gain "+Interval(gained, "%.1f")+" %, "+largest.At.Place, "all:"+each[1:]+". Below 0 freezing mode costs: flows inherit the ring and the mode of the last one between their hosts and go round eight EVs for 10 ms; flows that do not inherit have no such cost"),
	}
}
