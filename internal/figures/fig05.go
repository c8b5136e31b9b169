package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// scattered is the group of points with slow cables at random places.
const scattered = "scattered"

// newFig05 returns the comparison, not yet run.
func newFig05(s Settings) comparison {
	const hosts, bytes = 128, 8 * mebi
	tree := topology.FatTree{Hosts: hosts}
	random := patternSpec(tree)
	patterned, traced := random, traceSpec()
	for i := range 4 {
		patterned.Faults = append(patterned.Faults, slowUplink(tree, 4*i, 0))
		traced.Faults = append(traced.Faults, slowUplink(tree, 0, i))
	}
	many, few := s.Scale.replicas(2, 10), s.Scale.replicas(1, 3)
	points := slices.Concat(patternPoints(patterned, patternSizes(s.Scale), many),
		webSearchPoints(s, traced, false, traceLoads(s.Scale), few), collectivePoints(s, traced, few))
	for _, p := range points {
		slow := "tor 0: 4"
		if p.group == patterns {
			slow = "tors 0, 4, 8, 12: 1"
		}
		p.cells = append(p.cells, cell{"slow_uplinks", slow})
	}
	for _, direction := range choose(s.Scale, []string{"both"}, []string{"up", "both"}) {
		points = append(points, &comparedPoint{
			group: scattered, label: direction, place: "permutation of 8 MiB, random cables, " + direction,
			workload: "permutation",
			cells: append(workloadCells("permutation", hosts, bytes, nil),
				cell{"slow_uplinks", "random: 3 %, " + direction}),
			metrics: []metric{byMaxFCT()}, replicas: many,
			network: failing(random, "degrade=3%:0.5,place=random,dir="+direction, drawPermutation(hosts, bytes)),
		})
	}
	return comparison{schemes: allSchemes(), points: points}
}

// fig05 reproduces the comparison of all load balancers on a network some of whose
// uplinks run at half their rate.
func fig05(ctx context.Context, s Settings) (Output, error) {
	c := newFig05(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	return Output{
		Tables: []table.Table{c.table(), c.speedups()},
		Plot:   fig05Plot(&c),
		Notes: notes(facts{"replicas": c.in(patterns)[0].replicas, "few": c.in(traces)[0].replicas, "hosts": traceHosts,
			"busy": c.in(collectives)[0].hosts}, "fig05"),
		Findings: fig05Findings(&c),
	}, nil
}

// fig05Plot draws completion times and speed-ups.
func fig05Plot(c *comparison) *plot.Plot {
	const top, tailTop = 2.6, 3.6
	return &plot.Plot{Columns: plot.Double, Height: 7.2, SharedLegend: true, Panels: [][]plot.Panel{
		{c.patternTimes("(a) Patterns: completion time")},
		{c.patternSpeedups("(b) Patterns: speed-up of max. FCT", top)},
		{c.faster(speedupPanel("(c) WebSearch: speed-up of mean FCT", "Load (%)", top), traces, byMeanFCT()),
			c.faster(speedupPanel("(d) WebSearch: speed-up of p99 FCT", "Load (%)", tailTop), traces, byP99FCT())},
		{c.faster(speedupPanel("(e) Random slow cables, P.8: max. FCT", "Direction", top), scattered),
			c.faster(speedupPanel("(f) Collectives: speed-up of their end", "Collective", top), collectives)},
	}}
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
