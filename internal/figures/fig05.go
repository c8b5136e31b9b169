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
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// Groups of points with slow uplinks at other places than those of the paper's text.
const (
	fixedPlaces  = "authors' places"
	slowBothWays = "slow both ways"
)

// newFig05 returns the comparison, not yet run: the slow uplinks are random ones, as the text
// says, and at full scale also those of the authors' scripts.
func newFig05(s Settings) comparison {
	const hosts, slow = 128, "degrade=3%:0.5,place=random,dir="
	spec, sizes := patternSpec(topology.FatTree{Hosts: hosts}), patternSizes(s.Scale)
	random := func(spec fattree.Spec, direction string) func(drawWorkload) experiment.Networks {
		return func(draw drawWorkload) experiment.Networks { return failing(spec, slow+direction, draw) }
	}
	// The authors slow down one uplink of four ToRs, in traces and collectives four of ToR 0.
	patterned, traced := spec, traceSpec()
	for i := range 4 {
		patterned.Faults = append(patterned.Faults, slowUplink(treeOf(spec), 4*i, 0))
		traced.Faults = append(traced.Faults, slowUplink(treeOf(spec), 0, i))
	}
	c := comparison{schemes: allSchemes()}
	add := func(uplinks string, points []*comparedPoint) {
		for _, p := range points {
			p.cells = append(p.cells, cell{"slow_uplinks", uplinks})
		}
		c.points = append(c.points, points...)
	}
	placed := patternsOn(random(spec, "up"), hosts, sizes, s.Scale.replicas(fewest, 10))
	if s.Scale == Quick {
		placed = placed[:2] // no tornado
	}
	add("random: 3 %, up", placed)
	add("tor 0: 4", withWideBitmap(slices.Concat(authorsTrace(s.Scale).points(onSpec(traced), traceLoads(s.Scale),
		fewest), collectivePoints(s, traced, fewest))))
	if s.Scale == Full {
		butterfly := butterflyPoint(random(traceSpec(), "up"), hosts, 20_000_000)
		butterfly.label, butterfly.replicas = "Butterfly, 128 hosts", fewest
		add("random: 3 %, up", withWideBitmap(append(wholeTrace().points(random(traceSpec(), "up"), []float64{1},
			fewest), butterfly)))
		add("tors 0, 4, 8, 12: 1", inGroup(fixedPlaces, patternPoints(patterned, sizes, 10)))
		add("random: 3 %, both", inGroup(slowBothWays, patternsOn(random(spec, "both"), hosts, []int{8}, 10)))
	}
	return c
}

// inGroup puts permutations and tornados into a group, by which their labels begin.
func inGroup(group string, points []*comparedPoint) []*comparedPoint {
	points = slices.DeleteFunc(points, func(p *comparedPoint) bool { return p.workload == "incast" })
	for _, p := range points {
		p.group, p.place = group, p.place+", "+group
	}
	return points
}

// fig05 reproduces the comparison of all load balancers on a network some of whose
// uplinks run at half their rate.
func fig05(ctx context.Context, s Settings) (Output, error) {
	c := newFig05(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables:   []table.Table{c.table(), c.speedups()},
		Plot:     fig05Plot(&c),
		Notes:    notes(facts{"replicas": c.in(patterns)[0].replicas, "few": fewest, "full": s.Scale == Full}, "fig05"),
		Findings: fig05Findings(&c),
	}, nil
}

// fig05Plot draws completion times and speed-ups.
func fig05Plot(c *comparison) *plot.Plot {
	const top, tailTop = 2.6, 3.6
	figure := &plot.Plot{Columns: plot.Double, Height: 9, SharedLegend: true, Panels: [][]plot.Panel{
		{c.patternTimes("(a) Patterns: completion time")},
		{c.patternSpeedups("(b) Patterns: speed-up of max. FCT", top)},
		{wide(c.faster(speedupPanel("(c) WebSearch: speed-up of mean FCT", "", top), traces, byMeanFCT()))},
		{wide(c.faster(speedupPanel("(d) WebSearch: speed-up of p99 FCT", "", tailTop), traces, byP99FCT()))},
		{wide(c.faster(speedupPanel("(e) Collectives: speed-up of their end", "", top), collectives))},
	}}
	if len(c.in(slowBothWays)) > 0 {
		figure.Panels = append(figure.Panels, []plot.Panel{
			c.faster(speedupPanel("(f) Authors' places: speed-up of max. FCT", "", top), fixedPlaces),
			c.faster(speedupPanel("(g) Slow both ways: speed-up of max. FCT", "", top), slowBothWays)})
		figure.Height = 10
	}
	return figure
}

// fig05Findings judges the claims about slow uplinks.
func fig05Findings(c *comparison) []claims.Finding {
	const theirs = "the authors' simulator, 8 MiB permutation, 3 seeds: 4.45"
	overECMP, seconds := c.gains(patterns, "ecmp", "reps").largest(), c.runnersUp(patterns, "reps")
	return []claims.Finding{
		overECMP.judged("N007", 5, theirs),
		c.gains("", "ops", "reps").largest().judged("N008", 2, "the uplinks of one ToR, fig04, have 1.75 in the paper"),
		overECMP.judged("N042", 5, theirs),
		seconds.largest().judgedInPercent("N043", 10, fig05Seconds(c, seconds)),
		fig05AtFullLoad("N044", func(m metric) gains { return c.runnersUp(traces, "reps", m) }, 25),
		fig05AtFullLoad("N045", func(m metric) gains { return c.gains(traces, "ecmp", "reps", m) }, 900),
		fig05AllToAll(c),
		c.runnersUp(collectives, "reps").on("allreduce").largest().judgedInPercent("N047", 30,
			"the authors' simulator, ring of 16 hosts, one seed: OPS 1.001"),
	}
}

// fig05Seconds counts how often each scheme is second to REPS.
func fig05Seconds(c *comparison, seconds gains) string {
	var list []string
	for _, of := range c.schemes {
		second := func(g gain) bool { return g.slow.key == of.key && g.at.workload != "incast" }
		if n := len(seconds.where(second)); n > 0 {
			list = append(list, fmt.Sprintf("%s %d", of.name, n))
		}
	}
	return "times that each is the best of the others in permutations and tornados: " + strings.Join(list, ", ")
}

// fig05AtFullLoad judges a gain of REPS on the trace at full load, in percent.
func fig05AtFullLoad(claim string, of func(metric) gains, claimed float64) claims.Finding {
	var reached rule
	var mean mc.Estimate
	for _, m := range []metric{byMaxFCT(), byP99FCT(), byMeanFCT()} {
		for _, g := range of(m).where(func(g gain) bool { return g.at.load == 1 }) {
			mean = g.ratio.Percent()
			reached.words = append(reached.words, m.name+" of "+g.String())
			switch {
			case m.key == byMaxFCT().key:
			case claimed < 100:
				reached.add(claims.Gain(mean, claimed, 0), "")
			default: // ten times is 900 % more: within 10 % of it in the ratio
				reached.add(claims.Gain(g.ratio, 1+claimed/100, 1), "")
			}
		}
	}
	return reached.any(claim, mean, "over REPS: ", "; ",
		"the interval is that of the mean FCT, in percent more; the maximum FCT is not part of the rule")
}

// fig05AllToAll judges that REPS is slightly ahead in exchanges of all pairs.
func fig05AllToAll(c *comparison) claims.Finding {
	var ahead, little rule
	for _, g := range c.runnersUp(collectives, "reps").on("alltoall") {
		ahead.add(claims.ClearlyAbove(g.ratio, 1), "")
		little.add(claims.AtMost(g.ratio, 1.2), "%s", g)
	}
	little.add(claims.Any(ahead.conditions...), "")
	return little.all("N046", "best of the others over REPS: ", "; ", "")
}
