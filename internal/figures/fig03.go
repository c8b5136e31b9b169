package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// fig03 re-makes the comparison of all load balancers on a healthy network.
func fig03() Figure {
	return Figure{
		ID:    "fig03",
		Title: "Load balancers on a healthy network: synthetic patterns, WebSearch, collectives",
		Rules: []claims.Rule{
			{Claim: "N005", Text: "the time of ECMP over that of REPS, largest over the points of the figure, is 5.4 to 6.6, or 6 is in its 95 % interval and 1 is not; the time is the maximum FCT of patterns, the mean FCT of traces, the end of collectives"},
			{Claim: "N006", Text: "the time of OPS over that of REPS, largest over the points of the figure, is 1.125 to 1.375, or 1.25 is in its 95 % interval and 1 is not; the time as for N005"},
			{Claim: "N033", Text: "as N006, in percent: the largest gain of REPS over OPS is 22.5 to 27.5 %, or 25 % is in its 95 % interval and 0 is not"},
			{Claim: "N034", Text: "in every incast the mean maximum FCT of every load balancer is within 10 % of that of REPS"},
			{Claim: "N035", Text: "in every tornado the mean maximum FCT of adaptive RoCE is within 5 % of that of REPS"},
			{Claim: "N036", Text: "in every permutation the mean maximum FCT of adaptive RoCE is longer than that of REPS, the 95 % interval of the ratio above 1"},
			{Claim: "N037", Text: "at 80 or at 100 % load the mean or the p99 FCT of OPS is 4.5 to 5.5 % longer than that of REPS, or 5 % is in the 95 % interval and 0 is not"},
			{Claim: "N038", Text: "at least five of the nine load balancers end the ring allreduce within 5 % of REPS, which is one of them"},
			{Claim: "N039", Text: "the largest gain of REPS, over the alltoalls, over the best of the others is 18 to 22 %, or 20 % is in its 95 % interval and 0 is not; or its largest gain over OPS, MPRDMA, MPTCP-like and BitMap is"},
		},
		Build: buildFig03,
	}
}

// newFig03 returns the comparison, not yet run.
func newFig03(s Settings) Comparison {
	patterned := fattree.Spec{Topology: fattree.Topology{Hosts: int(s.Scale.Choose(128, 1024))}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	sizes, loads, uniform := []int{4, 8, 16}, []float64{0.4, 0.6, 0.8, 1}, []float64{0.6, 1}
	paced := Arrivals{Hosts: TraceHosts, Duration: 3500 * Microseconds}
	if s.Scale == Quick {
		sizes, loads, uniform, paced.Duration = []int{8}, []float64{0.4, 1}, []float64{1}, 500*Microseconds
	}
	poisson := paced
	poisson.Poisson = true
	replicas := s.Scale.Choose(1, 3)
	c := Comparison{Compared: AllSchemes(), Columns: WorkloadColumns()}
	c.Points = slices.Concat(SyntheticPoints(s.Seed, patterned, sizes, s.Scale.Choose(2, 5)), WebSearchPoints(s.Seed, TraceSpec(), paced, loads, replicas),
		WebSearchPoints(s.Seed, TraceSpec(), poisson, uniform, replicas), CollectivePoints(s, TraceSpec(), replicas))
	for i := range c.Points {
		c.Points[i].Ideal = c.Points[i].Group == Patterns
	}
	return c
}

func buildFig03(ctx context.Context, s Settings) (Output, error) {
	c := newFig03(s)
	if err := c.Run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   []table.Table{c.Table(s.Seed), c.Speedups(s.Seed), fig03Slowdowns(&c, s.Seed), fig03CDF(&c, s.Seed)},
		Formats:  []table.Format{table.CSV},
		Plot:     fig03Plot(&c),
		Notes:    fig03Notes(&c),
		Findings: fig03Findings(&c),
	}, nil
}

// fig03Notes describes the set-up.
func fig03Notes(c *Comparison) []string {
	pattern, trace := c.In(Patterns)[0], c.In(Traces)[0]
	return []string{
		fmt.Sprintf("Patterns: %d hosts, queue 101, runs %d; I is 8 senders of one ToR to one host, P a permutation, T a tornado, with the message in MiB. Traces and collectives: 128 hosts, of which the first 32 (in collectives %d) are busy; so it is with the 32 of the flow lists that come with the authors' scripts, but the paper's text has 128, queue 100, flows between the same hosts inherit, runs %d. Everywhere 2 tiers, ECN 25/76, no trimming, DCTCP variant. The authors ran 1,024 hosts and one seed a bar.", pattern.Hosts(), pattern.Replicas, c.In(Collectives)[0].Hosts(), trace.Replicas),
		"WebSearch comes as from the authors' generator: every host begins at 0, flows follow at fixed distances, 95 % of them to one partner. Columns with a P are the paper's words instead, Poisson arrivals and uniform receivers: there the receivers' links decide, and load balancers hardly differ.",
		"Ring: half of the busy hosts, messages of 4 MB; butterfly: all, 20 MB a step; alltoall: all, 2 MB a pair, with 4, 8 or 16 flows of a host at a time. BitMap has 256 entropy values everywhere; the authors ran it with 65,535 on traces and collectives.",
		"Speed-up: the time under OPS over the own one, replicas paired; above 1 is faster than OPS. Panel (f): flows of all replicas of the 8 MiB permutation.",
		"fig03-speedups.csv has all ratios, fig03-slowdown.csv slowdowns against the fluid ideal, fig03-cdf.csv the FCTs at every percent. `repslab fattree --flows-out` writes single flows.",
		"The authors' simulator on 128 hosts, 8 MiB, 3 seeds, maximum FCT in us: permutation ECMP 787, OPS 195.7, PLB 568, Flowlet 732, MPRDMA 203.5, BitMap 197.7, adaptive RoCE 276, MPTCP-like 402, REPS 184.7; tornado 673, 193.2, 590, 759, 194.2, 194.3, 181.9, 401, 183.4. One seed, WebSearch at 60 %, mean FCT in us: ECMP 231.6, OPS 85.9, PLB 206.7, MPRDMA 87.7, BitMap 86.7, REPS 86.4; alltoall of 4, end in us: 2,160, 1,527, 1,797, 1,514, 1,567, 1,526.",
	}
}

// fig03Plot draws completion times, speed-ups and a distribution.
func fig03Plot(c *Comparison) *plot.Plot {
	const top, patternTop = 1.35, 1.6
	cdf := plot.Panel{Title: "(f) Flows of the 8 MiB permutation", XLabel: "FCT (us)", YLabel: "Share of flows",
		X: plot.Axis{Scale: plot.Log10}, Y: plot.Axis{Min: new(0.0), Max: new(1.05)}}
	for _, p := range c.In(Patterns) {
		if p.Place != "permutation of 8 MiB" {
			continue
		}
		for i, of := range c.Compared {
			share := shareCurve(pooled(p.Runs[i], microsecondsOfFlows))
			share.Name, share.Color = of.Name, of.Look
			cdf.Series = append(cdf.Series, share)
		}
	}
	gains := c.Faster(SpeedupPanel("(b) Patterns: speed-up of max. FCT", PatternLabel, patternTop), Patterns, Longest())
	gains.Wide = true
	return &plot.Plot{Columns: plot.Double, Height: 7.2, SharedLegend: true, Panels: [][]plot.Panel{
		{c.PatternTimes("(a) Patterns: completion time", Longest())},
		{gains},
		{c.Faster(SpeedupPanel("(c) WebSearch: speed-up of mean FCT", "Load (%)", top), Traces, Average()),
			c.Faster(SpeedupPanel("(d) WebSearch: speed-up of p99 FCT", "Load (%)", top), Traces, Tail())},
		{c.Faster(SpeedupPanel("(e) Collectives: speed-up of their end", "Collective", top), Collectives, Ending()), cdf},
	}}
}

// fig03Slowdowns lists slowdowns against the fluid ideal of the patterns.
func fig03Slowdowns(c *Comparison, seed uint64) table.Table {
	t := table.Table{Name: "slowdown", Columns: slices.Concat(c.Columns, []table.Column{table.Text("lb")}, table.Numbers("flows", "slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99", "slowdown_max", "seed", "replicas"))}
	for _, p := range c.In(Patterns) {
		for i, of := range c.Compared {
			all := pooled(p.Runs[i], slowdownsOf)
			sum := 0.0
			for _, x := range all {
				sum += x
			}
			t.Rows = append(t.Rows, slices.Concat(c.Row(p), []any{of.Key, len(all), sum / float64(len(all)),
				rank(all, 0.5), rank(all, 0.95), rank(all, 0.99), rank(all, 1), seed, len(p.Runs[i])}))
		}
	}
	return t
}

// fig03CDF lists the distribution of completion times, percent by percent.
func fig03CDF(c *Comparison, seed uint64) table.Table {
	t := table.Table{Name: "cdf", Columns: slices.Concat(c.Columns, []table.Column{table.Text("lb")}, table.Numbers("cdf", "fct_us", "seed", "replicas"))}
	for _, p := range c.Points {
		for i, of := range c.Compared {
			all := pooled(p.Runs[i], fctsOf)
			for percent := 1; percent <= 100; percent++ {
				share := float64(percent) / 100
				t.Rows = append(t.Rows, slices.Concat(c.Row(p), []any{of.Key, share, rank(all, share) / Microseconds, seed, len(p.Runs[i])}))
			}
		}
	}
	return t
}
