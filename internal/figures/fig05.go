package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// Groups of points with slow uplinks at other places than in the paper's text.
const (
	fixedPlaces  = "authors' places"
	slowBothWays = "slow both ways"
)

// newFig05 returns the comparison, not yet run. The slow uplinks are random ones, as in the text, and those of the
// authors' scripts.
func newFig05() comparison {
	const hosts, slow = 128, "degrade=3%:0.5,place=random,dir="
	spec := patternSpec(topology.FatTree{Hosts: hosts})
	random := func(spec fattree.Spec, direction string) func(drawWorkload) experiment.Networks {
		return func(draw drawWorkload) experiment.Networks { return failing(spec, slow+direction, draw) }
	}
	// The authors slow down one uplink at each of four ToRs; in traces and collectives they slow down four uplinks
	// of ToR 0.
	patterned, traced := spec, traceSpec()
	for i := range 4 {
		patterned.Faults = append(patterned.Faults, slowUplink(treeOf(spec), 4*i, 0))
		traced.Faults = append(traced.Faults, slowUplink(treeOf(spec), 0, i))
	}
	c := comparison{schemes: allSchemes()}
	add := func(uplinks string, points []*comparedPoint) {
		for _, p := range points {
			p.cells = append(p.cells, cells{{"slow_uplinks", uplinks}}...)
		}
		c.points = append(c.points, points...)
	}
	add("random: 3 %, up", patternsOn(random(spec, "up"), hosts, patternSizes(), fig05Runs))
	add("tor 0: 4", withWideBitmap(slices.Concat(authorsTrace().points(onSpec(traced), traceLoads()...),
		collectivePoints(traced, fig05Runs))))
	butterfly := butterflyPoint(random(traceSpec(), "up"), hosts, 20_000_000)
	butterfly.label, butterfly.replicas = "Butterfly, 128 hosts", fewest
	add("random: 3 %, up", withWideBitmap(append(wholeTrace().points(random(traceSpec(), "up"), 1),
		butterfly)))
	add("tors 0, 4, 8, 12: 1", inGroup(fixedPlaces, patternPoints(patterned, []int{8}, fig05Runs)))
	add("random: 3 %, both", inGroup(slowBothWays, patternsOn(random(spec, "both"), hosts, []int{8}, fig05Runs)))
	return c
}

// fig05Runs is the number of replicas of patterns and collectives.
const fig05Runs = 10

// inGroup moves the permutations and tornados among points to a group and returns them.
func inGroup(group string, points []*comparedPoint) []*comparedPoint {
	points = slices.DeleteFunc(points, func(p *comparedPoint) bool { return p.workload == "incast" })
	for _, p := range points {
		p.group, p.place = group, p.place+", "+group
	}
	return points
}

// fig05 reproduces the comparison of all load balancers on a network with some uplinks at half their rate.
func fig05(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newFig05()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables:   []frame.Table{c.table(), c.speedups()},
			Plot:     fig05Plot(&c),
			Notes:    notes(facts{"replicas": fig05Runs, "few": fewLong}, "fig05"),
			Findings: fig05Findings(&c),
		}
	}, &c)
}

// fig05Plot draws completion times and speed-ups.
func fig05Plot(c *comparison) *plot.Plot {
	const top, tailTop, placesTop = 2, 3.2, 2.6
	rows := [][]plot.Panel{{c.patternTimes("(a) Patterns: completion time")},
		{c.patternSpeedups("(b) Patterns: speed-up of max. FCT", top)}}
	return stacked(append(append(rows, c.traceRows("cd", top, tailTop)...),
		[]plot.Panel{wide(c.faster(speedupPanel("(e) Collectives: speed-up of their end", top), collectives))},
		[]plot.Panel{c.faster(speedupPanel("(f) Authors' places: speed-up of max. FCT", placesTop), fixedPlaces),
			c.faster(speedupPanel("(g) Slow both ways: speed-up of max. FCT", placesTop), slowBothWays)})...)
}

// fig05Findings grades the claims about slow uplinks.
func fig05Findings(c *comparison) []claims.Finding {
	seconds, collective := c.runnersUp(patterns), c.runnersUp(collectives)
	rings, butterflies := collective.on("allreduce-ring"), collective.on("allreduce-butterfly")
	return []claims.Finding{
		c.fig05Largest("N007", "ecmp"),
		c.fig05Largest("N008", "ops"),
		seconds.upTo("N043", mc.Estimate.Percent, fig05Seconds(c, seconds)),
		fig05AtFullLoad("N044", func(m metric) gains { return c.runnersUp(traces, m) }, mc.Estimate.Percent),
		fig05AtFullLoad("N045", func(m metric) gains { return c.gains(traces, "ecmp", "reps", m) },
			itself),
		fig05AllToAll(collective.on("alltoall")),
		fig05Traces(seconds, c.runnersUp(traces, byMeanFCT()).atFullLoad()),
		claims.Sized("N047", butterflies.deciding("N047").ratio.Percent(), "best of the others over REPS: "+butterflies.words(),
			"ring: "+rings.words()).With(append(butterflies.ratios(), rings.ratios()...)...),
	}
}

// fig05Largest grades a scheme's largest ratio over REPS. The finding adds the ratios with slow uplinks at other
// places.
func (c *comparison) fig05Largest(claim, slow string) claims.Finding {
	elsewhere := lists.Map([]string{fixedPlaces, slowBothWays}, func(group string) gain { return c.gains(group, slow, "reps").largest() })
	words := lists.Map(elsewhere, gain.String)
	return c.paperGains(slow).upTo(claim, itself, strings.Join(words, "; ")).With(gains(elsewhere).ratios()...)
}

// fig05Seconds counts how often each scheme is the best after REPS in permutations and tornados.
func fig05Seconds(c *comparison, seconds gains) string {
	seconds = seconds.where(func(g gain) bool { return g.at.workload != "incast" })
	var list []string
	for _, of := range c.schemes {
		if n := len(seconds.where(func(g gain) bool { return g.slow.key == of.key })); n > 0 {
			list = append(list, fmt.Sprintf("%s in %d of %d", of.name, n, len(seconds)))
		}
	}
	return "best of the others in permutations and tornados: " + strings.Join(list, ", ")
}

// fig05AtFullLoad grades a gain of REPS in mean FCT on the trace at full load, with all hosts busy and random slow
// uplinks as in the text.
func fig05AtFullLoad(claim string, of func(metric) gains, number func(mc.Estimate) mc.Estimate) claims.Finding {
	means, tails := of(byMeanFCT()).atFullLoad(), of(byP99FCT()).atFullLoad()
	return claims.Sized(claim, number(means.deciding(claim).ratio), "mean FCT over REPS: "+means.words(),
		"p99 FCT: "+tails.words()).With(append(means.ratios(), tails.ratios()...)...)
}

// fig05Traces grades that REPS leads by more in traces at full load than in patterns.
func fig05Traces(patterns, traces gains) claims.Finding {
	most, full := patterns.largest(), traces.deciding("N044")
	return claims.Judged("N117", claims.ClearlyBelow(most.ratio, full.ratio), "best of the others over REPS, in the trace: "+full.String(),
		"mean FCT at full load of 128 hosts; largest of the maximum FCT in patterns: "+most.String()).With(full.ratio, most.ratio)
}

// fig05AllToAll grades in each exchange between all pairs that REPS is ahead significantly, and not by much. That an
// interval lies above 1 is seen, so the grade has no p-value.
func fig05AllToAll(list gains) claims.Finding {
	small := func(e mc.Estimate) claims.Part {
		return claims.Part{Condition: claims.All(claims.Certain(claims.Within("N046", "significant", e.Lo)),
			claims.Met("N046", "small", e).Condition)}
	}
	f := claims.InParts("N046", list.parts(small), "over REPS: "+list.words(), "the best of the others take "+list.span())
	f.PValue = nil
	return f
}
