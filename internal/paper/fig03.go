package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/internal/report"
)

// fig03 re-makes the comparison of all load balancers on a healthy network.
func fig03() Figure {
	return Figure{
		ID:    "fig03",
		Title: "Load balancers on a healthy network: synthetic patterns, WebSearch, collectives",
		Rules: []Rule{
			{"N005", "the time of ECMP over that of REPS, largest over the points of the figure, is 5.4 to 6.6, or 6 is in its 95 % interval and 1 is not; the time is the maximum FCT of patterns, the mean FCT of traces, the end of collectives"},
			{"N006", "the time of OPS over that of REPS, largest over the points of the figure, is 1.125 to 1.375, or 1.25 is in its 95 % interval and 1 is not; the time as for N005"},
			{"N033", "as N006, in percent: the largest gain of REPS over OPS is 22.5 to 27.5 %, or 25 % is in its 95 % interval and 0 is not"},
			{"N034", "in every incast the mean maximum FCT of every load balancer is within 10 % of that of REPS"},
			{"N035", "in every tornado the mean maximum FCT of adaptive RoCE is within 5 % of that of REPS"},
			{"N036", "in every permutation the mean maximum FCT of adaptive RoCE is longer than that of REPS, the 95 % interval of the ratio above 1"},
			{"N037", "at 80 or at 100 % load the mean or the p99 FCT of OPS is 4.5 to 5.5 % longer than that of REPS, or 5 % is in the 95 % interval and 0 is not"},
			{"N038", "at least five of the nine load balancers end the ring allreduce within 5 % of REPS, which is one of them"},
			{"N039", "the largest gain of REPS, over the alltoalls, over the best of the others is 18 to 22 %, or 20 % is in its 95 % interval and 0 is not; or its largest gain over OPS, MPRDMA, MPTCP-like and BitMap is"},
		},
		build: buildFig03,
	}
}

// newFig03 returns the comparison, not yet run.
func newFig03(s Settings) comparison {
	patterned := fattree.Spec{Topology: fattree.Topology{Hosts: int(s.Scale.choose(128, 1024))}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	sizes, loads, uniform := []int{4, 8, 16}, []float64{0.4, 0.6, 0.8, 1}, []float64{0.6, 1}
	paced := arrivals{hosts: traceHosts, duration: 3500 * microseconds}
	if s.Scale == Quick {
		sizes, loads, uniform, paced.duration = []int{8}, []float64{0.4, 1}, []float64{1}, 500*microseconds
	}
	poisson := paced
	poisson.poisson = true
	replicas := s.Scale.choose(1, 3)
	c := comparison{compared: allContenders(), columns: workloadColumns()}
	c.points = slices.Concat(s.synthetic(patterned, sizes, s.Scale.choose(2, 5)), s.websearch(traceSpec(), paced, loads, replicas),
		s.websearch(traceSpec(), poisson, uniform, replicas), s.collectives(traceSpec(), replicas))
	for i := range c.points {
		c.points[i].ideal = c.points[i].group == patterns
	}
	return c
}

func buildFig03(ctx context.Context, s Settings) (Output, error) {
	c := newFig03(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   []Table{c.table(s.Seed), c.speedups(s.Seed), fig03Slowdowns(&c, s.Seed), fig03CDF(&c, s.Seed)},
		Formats:  []report.Format{report.CSV},
		Plot:     fig03Plot(&c),
		Notes:    fig03Notes(&c),
		Findings: fig03Findings(&c),
	}, nil
}

// fig03Notes describes the set-up.
func fig03Notes(c *comparison) []string {
	pattern, trace := c.in(patterns)[0], c.in(traces)[0]
	return []string{
		fmt.Sprintf("Patterns: %v hosts, queue 101, runs %d; I is 8 senders of one ToR to one host, P a permutation, T a tornado, with the message in MiB. Traces and collectives: 128 hosts, of which the first 32 (in collectives %v) are busy; so it is with the 32 of the flow lists that come with the authors' scripts, but the paper's text has 128, queue 100, flows between the same hosts inherit, runs %d. Everywhere 2 tiers, ECN 25/76, no trimming, DCTCP variant. The authors ran 1,024 hosts and one seed a bar.", pattern.cells[1], pattern.replicas, c.in(collectives)[0].cells[1], trace.replicas),
		"WebSearch comes as from the authors' generator: every host begins at 0, flows follow at fixed distances, 95 % of them to one partner. Columns with a P are the paper's words instead, Poisson arrivals and uniform receivers: there the receivers' links decide, and load balancers hardly differ.",
		"Ring: half of the busy hosts, messages of 4 MB; butterfly: all, 20 MB a step; alltoall: all, 2 MB a pair, with 4, 8 or 16 flows of a host at a time. BitMap has 256 entropy values everywhere; the authors ran it with 65,535 on traces and collectives.",
		"Speed-up: the time under OPS over the own one, replicas paired; above 1 is faster than OPS. Panel (f): flows of all replicas of the 8 MiB permutation.",
		"fig03-speedups.csv has all ratios, fig03-slowdown.csv slowdowns against the fluid ideal, fig03-cdf.csv the FCTs at every percent. `repslab fattree --flows-out` writes single flows.",
		"The authors' simulator on 128 hosts, 8 MiB, 3 seeds, maximum FCT in us: permutation ECMP 787, OPS 195.7, PLB 568, Flowlet 732, MPRDMA 203.5, BitMap 197.7, adaptive RoCE 276, MPTCP-like 402, REPS 184.7; tornado 673, 193.2, 590, 759, 194.2, 194.3, 181.9, 401, 183.4. One seed, WebSearch at 60 %, mean FCT in us: ECMP 231.6, OPS 85.9, PLB 206.7, MPRDMA 87.7, BitMap 86.7, REPS 86.4; alltoall of 4, end in us: 2,160, 1,527, 1,797, 1,514, 1,567, 1,526.",
	}
}

// fig03Plot draws completion times, speed-ups and a distribution.
func fig03Plot(c *comparison) *report.Figure {
	const top, patternTop = 1.35, 1.6
	cdf := report.Panel{Title: "(f) Flows of the 8 MiB permutation", XLabel: "FCT (us)", YLabel: "Share of flows",
		X: report.Axis{Scale: report.Log10}, Y: report.Axis{Min: new(0.0), Max: new(1.05)}}
	for _, p := range c.in(patterns) {
		if p.place != "permutation of 8 MiB" {
			continue
		}
		for i, of := range c.compared {
			share := shareCurve(pooled(p.runs[i], microsecondsOfFlows))
			share.Name, share.Color = of.name, of.look
			cdf.Series = append(cdf.Series, share)
		}
	}
	gains := c.faster(speedupPanel("(b) Patterns: speed-up of max. FCT", patternLabel, patternTop), patterns, longest())
	gains.Wide = true
	return &report.Figure{Columns: report.Double, Height: 7.2, SharedLegend: true, Panels: [][]report.Panel{
		{c.patternTimes("(a) Patterns: completion time", longest())},
		{gains},
		{c.faster(speedupPanel("(c) WebSearch: speed-up of mean FCT", "Load (%)", top), traces, average()),
			c.faster(speedupPanel("(d) WebSearch: speed-up of p99 FCT", "Load (%)", top), traces, tail())},
		{c.faster(speedupPanel("(e) Collectives: speed-up of their end", "Collective", top), collectives, ending()), cdf},
	}}
}

// pooled returns a number of every flow of all complete runs, ascending.
func pooled[R any, T int64 | float64](runs []R, of func(R) []T) []T {
	var all []T
	for _, r := range runs {
		all = append(all, of(r)...)
	}
	slices.Sort(all)
	return all
}

func fctsOf(r networkRun) []int64 { return r.fcts }

// microsecondsOfFlows returns the FCTs in microseconds.
func microsecondsOfFlows(r networkRun) []float64 {
	var list []float64
	for _, fct := range r.fcts {
		list = append(list, float64(fct)/microseconds)
	}
	return list
}

func slowdownsOf(r networkRun) []float64 { return r.slowdowns }

// rank returns the p-quantile of ascending values by nearest rank, NaN if there
// are none.
func rank[T int64 | float64](sorted []T, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return float64(sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)])
}

// fig03Slowdowns lists slowdowns against the fluid ideal of the patterns.
func fig03Slowdowns(c *comparison, seed uint64) Table {
	t := Table{Name: "slowdown", Columns: slices.Concat(c.columns, []report.Column{text("lb")}, numbers("flows", "slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99", "slowdown_max", "seed", "replicas"))}
	for _, p := range c.in(patterns) {
		for i, of := range c.compared {
			all := pooled(p.runs[i], slowdownsOf)
			sum := 0.0
			for _, x := range all {
				sum += x
			}
			t.Rows = append(t.Rows, slices.Concat(p.cells, []any{of.key, len(all), sum / float64(len(all)),
				rank(all, 0.5), rank(all, 0.95), rank(all, 0.99), rank(all, 1), seed, len(p.runs[i])}))
		}
	}
	return t
}

// fig03CDF lists the distribution of completion times, percent by percent.
func fig03CDF(c *comparison, seed uint64) Table {
	t := Table{Name: "cdf", Columns: slices.Concat(c.columns, []report.Column{text("lb")}, numbers("cdf", "fct_us", "seed", "replicas"))}
	for _, p := range c.points {
		for i, of := range c.compared {
			all := pooled(p.runs[i], fctsOf)
			for percent := 1; percent <= 100; percent++ {
				share := float64(percent) / 100
				t.Rows = append(t.Rows, slices.Concat(p.cells, []any{of.key, share, rank(all, share) / microseconds, seed, len(p.runs[i])}))
			}
		}
	}
	return t
}
