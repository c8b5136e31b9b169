package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// newFig03 returns the comparison, not yet run.
func newFig03(s Settings) comparison {
	patterned := patternSpec(topology.FatTree{Hosts: choose(s.Scale, 128, 1024)})
	points := patternPoints(patterned, choose(s.Scale, []int{4}, []int{4, 8, 16}), fewest)
	for _, p := range points {
		p.keep = keepWithIdeal
	}
	network := onSpec(traceSpec())
	wide := slices.Concat(authorsTrace(s.Scale).points(network, traceLoads(s.Scale), fewest),
		collectivePoints(s, traceSpec(), fewest))
	if s.Scale == Full {
		wide = slices.Concat(wide, wholeTrace().points(network, []float64{1}, fewest),
			poissonTrace().points(network, []float64{0.6, 1}, fewest))
	}
	return comparison{schemes: allSchemes(), points: append(points, withWideBitmap(wide)...)}
}

// fig03 reproduces the comparison of all load balancers on a healthy network.
func fig03(ctx context.Context, s Settings) (Output, error) {
	c := newFig03(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   []table.Table{c.table(), c.speedups(), fig03Slowdowns(&c), fig03CDF(&c)},
		Plot:     fig03Plot(&c),
		Notes:    notes(facts{"hosts": c.in(patterns)[0].hosts, "replicas": fewest, "full": s.Scale == Full}, "fig03"),
		Findings: fig03Findings(&c),
	}, nil
}

// fig03Plot draws completion times, speed-ups and a distribution.
func fig03Plot(c *comparison) *plot.Plot {
	const top, patternTop = 1.35, 1.6
	sample := c.in(patterns)[len(c.in(patterns))/2] // a permutation
	cdf := plot.Panel{Title: "(f) Flows of the " + sample.place, XLabel: "FCT (us)", YLabel: "Share of flows",
		X: onScale(plot.Log10), Y: from(0, 1.05), Legend: plot.BottomRight}
	for _, of := range c.schemes {
		cdf.Series = append(cdf.Series, of.distribution(pooled(sample.of(of.key), netRun.fctsUs)))
	}
	figure := &plot.Plot{Columns: plot.Double, Height: 9, Panels: [][]plot.Panel{
		{c.patternTimes("(a) Patterns: completion time")},
		{c.patternSpeedups("(b) Patterns: speed-up of max. FCT", patternTop)},
		{wide(c.faster(speedupPanel("(c) WebSearch: speed-up of mean FCT", "", top), traces, byMeanFCT()))},
		{wide(c.faster(speedupPanel("(d) WebSearch: speed-up of p99 FCT", "", top), traces, byP99FCT()))},
		{c.faster(speedupPanel("(e) Collectives: speed-up of their end", "", top), collectives), cdf},
	}}
	figure.Panels[0][0].Legend = plot.Above
	for i := 1; i < len(figure.Panels); i++ {
		figure.Panels[i][0].Legend = plot.None // as (a); that of (f) has lines
	}
	return figure
}

// fig03Slowdowns lists slowdowns against the fluid ideal of the patterns.
func fig03Slowdowns(c *comparison) table.Table {
	return c.rows("slowdown", patterns, func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		all := pooled(runs, func(r netRun) []float64 { return r.slowdowns })
		return cells{{"flows", len(all)}, {"slowdown_mean", mean(all)}, {"slowdown_p50", rank(all, 0.5)},
			{"slowdown_p95", rank(all, 0.95)}, {"slowdown_p99", rank(all, 0.99)}, {"slowdown_max", rank(all, 1)}}
	})
}

// fig03CDF lists the distribution of completion times, percent by percent.
func fig03CDF(c *comparison) table.Table {
	return c.rowsOf("cdf", "", func(_ *comparedPoint, _ scheme, runs netRuns) (rows []cells) {
		all := pooled(runs, netRun.fctsUs)
		for percent := 1; percent <= 100; percent++ {
			share := float64(percent) / 100
			rows = append(rows, cells{{"cdf", share}, {"fct_us", rank(all, share)}})
		}
		return rows
	})
}

// fig03Findings judges the claims about the healthy network.
func fig03Findings(c *comparison) []claims.Finding {
	overOPS := c.gains("", "ops", "reps").largest()
	inPercent := overOPS.ratio.Percent()
	lost := fig03Lost(overOPS.at)
	var equal, behind rule
	roce := c.gains(patterns, "adaptive-roce", "reps")
	for _, g := range roce.on("tornado") {
		equal.add(claims.Between(g.ratio, 0.95, 1.05), "%s (%s)", withBounds(g.ratio, "%.3f"), g.at.place)
	}
	for _, g := range roce.on("permutation") {
		behind.add(claims.ClearlyAbove(g.ratio, 1), "%s (%s)", withBounds(g.ratio, "%.3f"), g.at.place)
	}
	return []claims.Finding{
		c.gains("", "ecmp", "reps").largest().judged("N005", 6, ""),
		overOPS.judged("N006", 1.25, lost),
		claims.Estimated("N033", inPercent, claims.Gain(inPercent, 25, 0),
			"largest gain of REPS over OPS "+withBounds(inPercent, "%.1f")+" %, "+overOPS.at.place, lost),
		fig03Incast(c),
		equal.all("N035", "adaptive RoCE over REPS: ", ", ", ""),
		behind.all("N036", "adaptive RoCE over REPS: ", ", ", ""),
		fig03Traces(c),
		fig03Ring(c),
		fig03AllToAll(c),
	}
}

// fig03Lost counts the packets that OPS and REPS lose at a point, which without
// trimming costs time-outs.
func fig03Lost(at *comparedPoint) string {
	dropped := func(key string) float64 { return at.of(key).count(netRun.dropped).Value }
	return fmt.Sprintf("there full queues drop %.1f packets in a run of OPS and %.1f of REPS; "+
		"without trimming each waits for a time-out of 42 us", dropped("ops"), dropped("reps"))
}

// fig03Incast judges that load balancers hardly differ in an incast.
func fig03Incast(c *comparison) claims.Finding {
	var all gains
	var near rule
	for _, of := range c.schemes {
		for _, g := range c.gains(patterns, of.key, "reps").on("incast") {
			all = append(all, g)
			near.add(claims.CloseTo(g.ratio, 1), "")
		}
	}
	farthest := slices.MaxFunc(all, func(a, b gain) int {
		return cmp.Compare(math.Abs(a.ratio.Value-1), math.Abs(b.ratio.Value-1))
	})
	return near.all("N034",
		"farthest from REPS in an incast: "+farthest.String()+", as a multiple of REPS's time", "", "")
}

// fig03Traces judges REPS's gain over OPS at high load.
func fig03Traces(c *comparison) claims.Finding {
	var longer rule
	var full mc.Estimate // of the mean, at full load
	for _, m := range []metric{byP99FCT(), byMeanFCT()} {
		for _, g := range c.gains(traces, "ops", "reps", m) {
			if g.at.workload == "websearch" && g.at.load >= 0.8 {
				full = g.ratio.Percent()
				longer.add(claims.Gain(full, 5, 0), "%s %s %% (%s)", m.name, withBounds(full, "%.1f"), g.at.place)
			}
		}
	}
	return longer.any("N037", full, "OPS longer than REPS: ", ", ", "the interval is that of the mean FCT at full load")
}

// fig03Ring judges that most load balancers are equal in a ring allreduce.
func fig03Ring(c *comparison) claims.Finding {
	var equal, others []string
	var near []claims.Condition
	for _, of := range c.schemes {
		for _, g := range c.gains(collectives, of.key, "reps").on("allreduce-ring") {
			near = append(near, claims.Between(g.ratio, 0.95, 1.05))
			if math.Abs(g.ratio.Value-1) <= 0.05 {
				equal = append(equal, of.name)
			} else {
				others = append(others, fmt.Sprintf("%s %.2f", of.name, g.ratio.Value))
			}
		}
	}
	return claims.Judged("N038", claims.AtLeastOf(5, near...),
		fmt.Sprintf("%d end within 5 %% of REPS (%s), the others take, in REPS's time, %s", len(equal),
			strings.Join(equal, ", "), strings.Join(others, ", ")),
		"the authors' simulator, a ring of 16 hosts with four slow uplinks, one seed: "+
			"OPS, MPRDMA and BitMap within 0.6 % of REPS, PLB 2.03, ECMP 3.27")
}

// fig03AllToAll judges REPS's gain over the others in an exchange of all pairs.
func fig03AllToAll(c *comparison) claims.Finding {
	second := c.runnersUp(collectives, "reps").on("alltoall").largest()
	var sprayers gains
	for _, key := range []string{"ops", "mprdma", "mptcp", "bitmap"} {
		sprayers = append(sprayers, c.gains(collectives, key, "reps").on("alltoall")...)
	}
	slowest := sprayers.largest()
	inPercent := slowest.ratio.Percent()
	return claims.Estimated("N039", inPercent,
		claims.Any(claims.Gain(second.ratio.Percent(), 20, 0), claims.Gain(inPercent, 20, 0)),
		fmt.Sprintf("over REPS at the most, of the best of the others: %s; of OPS, MPRDMA, MPTCP-like and BitMap: %s",
			second, slowest),
		"the interval is that of the latter, in percent; the paper does not say who the alternatives are")
}
