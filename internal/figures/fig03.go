package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// newFig03 returns the comparison, not yet run.
func newFig03() comparison {
	points := patternPoints(patternSpec(topology.FatTree{Hosts: fig03Hosts}), patternSizes(), fewest)
	for _, p := range points {
		p.keep = keepSlowdowns
	}
	network := onSpec(traceSpec())
	wide := slices.Concat(authorsTrace().points(network, traceLoads()...), collectivePoints(traceSpec(), fewest),
		wholeTrace().points(network, 1), poissonTrace().points(network, 0.6, 1))
	for _, p := range wide {
		p.keep = keepFlows
	}
	return comparison{schemes: allSchemes(), points: append(points, withWideBitmap(wide)...)}
}

// keepSlowdowns keeps a run with the distributions of its completion times and of its slowdowns against the ideal.
func keepSlowdowns(r experiment.Replica) (netRun, error) {
	k, err := keepFlows(r)
	if err != nil {
		return k, err
	}
	ideal, err := idealOf(r)
	k.Ideal, _ = ideal.MaxFCT()
	var slowdowns []float64
	for i := range r.Result.Flows {
		fct, _ := r.FCT(i)
		slowdowns = append(slowdowns, ideal.Slowdown(i, fct))
	}
	slices.Sort(slowdowns)
	k.Shares = newDigest(slowdowns)
	return k, err
}

// fig03Hosts are the hosts of the patterns.
const fig03Hosts = 1024

// fig03 reproduces the comparison of all load balancers on a healthy network.
func fig03(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newFig03()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   []frame.Table{c.table(), c.speedups(), fig03Slowdowns(&c), fig03CDF(&c)},
			Plot:     fig03Plot(&c),
			Notes:    notes(facts{"hosts": fig03Hosts, "replicas": fewest, "few": fewLong}, "fig03"),
			Findings: fig03Findings(&c),
		}
	}, &c)
}

// fig03Plot draws completion times, speed-ups and a distribution.
func fig03Plot(c *comparison) *plot.Plot {
	const top, patternTop = 1.35, 1.6
	rows := [][]plot.Panel{{c.patternTimes("(a) Patterns: completion time")},
		{c.patternSpeedups("(b) Patterns: speed-up of max. FCT", patternTop)}}
	figure := stacked(append(append(rows, c.traceRows("cd", top, top)...), []plot.Panel{
		wide(c.faster(speedupPanel("(e) Collectives: speed-up of their end", top), collectives))},
		[]plot.Panel{wide(fig03Flows(c))})...)
	figure.SharedLegend = false // (f) has lines, the other panels have bars
	for _, row := range figure.Panels {
		for i := range row {
			row[i].Legend = cmp.Or(row[i].Legend, plot.None)
		}
	}
	figure.Panels[0][0].Legend = plot.Above
	return figure
}

// fig03Flows draws the tail of completion times of the middle pattern, a permutation.
func fig03Flows(c *comparison) plot.Panel {
	panel := plot.Panel{XLabel: "FCT (us)", YLabel: "Share that takes longer", X: onScale(plot.Log10), Y: onScale(plot.Log10),
		Legend: plot.BottomRight}
	of := c.in(patterns)
	sample := of[len(of)/2]
	panel.Title = "(f) Flows of the " + sample.place
	panel.Series = lists.Map(c.schemes, func(s scheme) plot.Series { return s.tail(pooled(sample.of(s.key), netRun.fcts)) })
	return panel
}

// fig03Slowdowns lists slowdowns of the patterns against the fluid ideal.
func fig03Slowdowns(c *comparison) frame.Table {
	return c.rows("slowdown", patterns, func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		all := pooled(runs, netRun.shares)
		return cells{{"flows", all.N}, {"slowdown_mean", all.Mean}, {"slowdown_p50", all.rank(0.5)},
			{"slowdown_p95", all.rank(0.95)}, {"slowdown_p99", all.rank(0.99)}, {"slowdown_max", all.rank(1)}}
	})
}

// fig03CDF lists the distribution of completion times, percent by percent.
func fig03CDF(c *comparison) frame.Table {
	return c.rowsOf("cdf", "", func(_ *comparedPoint, _ scheme, runs netRuns) (rows []cells) {
		all := pooled(runs, netRun.fcts)
		for percent := 1; percent <= 100; percent++ {
			share := float64(percent) / 100
			rows = append(rows, cells{{"cdf", share}, {"fct_us", all.rank(share)}})
		}
		return rows
	})
}

// fig03Findings grades the claims about the healthy network.
func fig03Findings(c *comparison) []claims.Finding {
	overOPS := c.paperGains("ops")
	why, dropped := fig03Lost(overOPS.largest().at)
	return []claims.Finding{
		c.paperGains("ecmp").upTo("N005", itself, ""),
		overOPS.upTo("N006", itself, why).With(dropped...),
		fig03Incast(c),
		c.adaptiveRoCE("N035", "tornado", func(e mc.Estimate) claims.Part { return claims.Met("N035", "each tornado", e) }),
		c.adaptiveRoCE("N036", "permutation", func(e mc.Estimate) claims.Part { return claims.Met("N036", "each permutation", e) }),
		fig03Traces(c),
		fig03Ring(c),
		fig03AllToAll(c),
		fig03Gap(c),
		c.packetLevel("N101", patterns, func(e mc.Estimate) claims.Part { return claims.Met("N101", "each pair", e) }),
		c.packetLevel("N102", traces, func(e mc.Estimate) claims.Part { return claims.Met("N102", "each pair", e) }),
	}
}

// fig03Gap grades that REPS's lead over OPS grows with the message, as a ratio and as a time.
func fig03Gap(c *comparison) claims.Finding {
	ahead := func(p *comparedPoint) mc.Estimate {
		ops, reps := p.of("ops"), p.of("reps")
		var longer []float64
		for i := range min(len(ops), len(reps)) {
			longer = append(longer, float64(ops[i].maxFCT()-reps[i].maxFCT())/microseconds)
		}
		return listedAs(meanOf(longer, func(us float64) float64 { return us }), "us", "maximum FCT of "+ops.by()+" less that of "+reps.by())
	}
	var parts []claims.Part
	var words []string
	for _, pattern := range []string{"permutation", "tornado"} {
		list := c.gains(patterns, "ops", "reps").on(pattern)
		few, many := list[0], list.last()
		parts = append(parts, claims.Part{Name: pattern + " as a ratio", Condition: claims.Below(few.ratio, many.ratio)},
			claims.Part{Name: pattern + " as a time", Condition: claims.Below(ahead(few.at), ahead(many.at))})
		for _, g := range []gain{few, many} {
			words = append(words, fmt.Sprintf("%s times, %s us (%s)", withBounds(g.ratio, "%.3f"), withBounds(ahead(g.at), "%.1f"), g.at.place))
		}
	}
	return claims.InParts("N100", parts, "OPS over REPS, and longer by: "+strings.Join(words, "; "), "from 4 to 16 MiB")
}

// packetLevel grades that balancers with a path for every packet are faster than coarser ones, by the main metric
// of a group's points.
func (c *comparison) packetLevel(claim, group string, is func(mc.Estimate) claims.Part) claims.Finding {
	finer, coarser := []string{"reps", "ops", "bitmap", "mprdma"}, []string{"flowlet", "plb"}
	var slower gains
	for _, p := range c.having(group, slices.Concat(finer, coarser)...) {
		if p.workload == "incast" || group == traces && p.workload != authorsTrace().key {
			continue
		}
		for _, slow := range coarser {
			for _, fast := range finer {
				slower = append(slower, gain{p.ratio(slow, fast, p.metric(nil)), lb(slow), p})
			}
		}
	}
	least := slower.least()
	return claims.Judged(claim, claims.All(slower.conditions(is)...), fmt.Sprintf("least time of Flowlet or PLB over that of another: %s (%s, %s)",
		withBounds(least.ratio, "%.3f"), least.slow.name, least.at.place),
		"REPS, OPS, BitMap and MPRDMA choose a path for every packet").With(least.ratio)
}

// fig03Lost counts the packets that OPS and REPS lose at a point; without trimming, losses cost time-outs.
func fig03Lost(at *comparedPoint) (words string, dropped []mc.Estimate) {
	for _, key := range []string{"ops", "reps"} {
		runs := at.of(key)
		dropped = append(dropped, listedAs(runs.count(netRun.dropped), "packets", "dropped, "+runs.by()))
	}
	return fmt.Sprintf("full queues drop %.1f packets in a run of OPS there and %.1f of REPS; each waits for a "+
		"time-out", dropped[0].Value, dropped[1].Value), dropped
}

// fig03Incast grades that load balancers hardly differ in an incast.
func fig03Incast(c *comparison) claims.Finding {
	var all gains
	var near []claims.Condition
	for _, of := range c.without("reps").schemes {
		for _, g := range c.gains(patterns, of.key, "reps").on("incast") {
			all, near = append(all, g), append(near, claims.Met("N034", "every balancer", g.ratio).Condition)
		}
	}
	farthest := slices.MaxFunc(all, func(a, b gain) int {
		return cmp.Compare(math.Abs(a.ratio.Value-1), math.Abs(b.ratio.Value-1))
	})
	return claims.Judged("N034", claims.All(near...), "farthest from REPS, as a multiple of its time: "+
		farthest.String(), fmt.Sprintf("ECMP takes up to %.3f of REPS's time",
		c.gains(patterns, "ecmp", "reps").on("incast").largest().ratio.Value))
}

// adaptiveRoCE grades adaptive RoCE's time divided by REPS's time, for every message size of a pattern.
func (c *comparison) adaptiveRoCE(claim, pattern string, is func(mc.Estimate) claims.Part) claims.Finding {
	list := c.gains(patterns, "adaptive-roce", "reps").on(pattern)
	return claims.InParts(claim, list.parts(is), "over REPS: "+list.words(),
		"adaptive RoCE takes "+list.span())
}

// fig03Traces grades REPS's gain over OPS at full load, with all hosts busy as in the text.
func fig03Traces(c *comparison) claims.Finding {
	means := c.gains(traces, "ops", "reps", byMeanFCT()).atFullLoad()
	tails := c.gains(traces, "ops", "reps", byP99FCT()).atFullLoad()
	return claims.Sized("N037", means.deciding("N037").ratio.Percent(), "mean FCT over REPS: "+means.words(),
		"p99 FCT: "+tails.words()).With(slices.Concat(means.ratios(), tails.ratios())...)
}

// fig03Ring grades that most load balancers, including REPS, are equal in a ring allreduce.
func fig03Ring(c *comparison) claims.Finding {
	var near []claims.Condition
	var words []string
	equal, most := 0, int(claims.Find("N038").Bound("balancers").Lo)-1 // REPS is one of them
	others := c.without("reps").schemes
	for _, of := range others {
		g := c.gains(collectives, of.key, "reps").deciding("N038")
		words = append(words, fmt.Sprintf("%s %.2f", of.name, g.ratio.Value))
		is := claims.Met("N038", "a balancer", g.ratio).Condition
		if near = append(near, is); is.Holds {
			equal++
		}
	}
	return claims.Judged("N038", claims.AtLeastOf(most, near...), "over REPS: "+strings.Join(words, ", "),
		fmt.Sprintf("%d of the other %d end about when REPS does, %d would be most of all", equal, len(others), most))
}

// fig03AllToAll grades REPS's largest gain in an exchange between all pairs.
func fig03AllToAll(c *comparison) claims.Finding {
	var all, sprayers gains
	for _, of := range c.without("reps").schemes {
		list := c.gains(collectives, of.key, "reps").on("alltoall")
		all = append(all, list...)
		if slices.Contains([]string{"ops", "mprdma", "mptcp", "bitmap"}, of.key) {
			sprayers = append(sprayers, list...)
		}
	}
	why := fmt.Sprintf("of the best of the others: %s; of those that spray: %s",
		c.runnersUp(collectives).on("alltoall").largest(), sprayers.largest())
	return all.upTo("N039", mc.Estimate.Percent, why)
}
