package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// everyTenth flow is background traffic.
const everyTenth = 10

// The flows under ECMP, and the others.
func ofBackground() metric {
	return metric{"background_max_fct_us", "max. FCT of the background",
		func(r netRun) int64 { return longestOf(r, true) }}
}

func ofMain() metric {
	return metric{"main_max_fct_us", "max. FCT of the others", func(r netRun) int64 { return longestOf(r, false) }}
}

// longestOf returns the longest FCT of the background, or of all other flows.
func longestOf(r netRun, background bool) int64 {
	most := int64(0)
	for i, flow := range r.Flows {
		if (i%everyTenth == 0) == background {
			most = max(most, flow.FCT())
		}
	}
	return most
}

// withBackground returns the scheme with background traffic under ECMP.
func withBackground(c scheme) scheme {
	main := c.open
	c.open = func(evs int) (fattree.Balancer, error) {
		own, err := main(evs)
		if err != nil {
			return nil, err
		}
		background, err := balance.NewECMP(evs)
		return balance.NewMixed(own, background), err
	}
	return c
}

// newFig06 returns the comparison and its controls at every point, not yet run: the
// background alone under ECMP, and all flows under REPS.
func newFig06(s Settings) (c, controls comparison) {
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Queue: 101, KMin: 25, KMax: 76}
	c.points = patternPoints(spec, patternSizes(s.Scale), s.Scale.replicas(2, 10))
	for _, of := range allSchemes() {
		c.schemes = append(c.schemes, withBackground(of))
	}
	for _, p := range c.points {
		// Flows keep their numbers, and so their EVs under ECMP.
		alone, uniform := *p, *p
		alone.group, alone.schemes = "background", lbs("ecmp")
		alone.network = altered(p.network, func(spec *fattree.Spec) {
			for flow := range spec.Workload.Flows {
				if flow%everyTenth != 0 {
					spec.Workload.Flows[flow].Bytes = 1
				}
			}
		})
		uniform.group, uniform.schemes = "reps", lbs("reps")
		controls.points = append(controls.points, &uniform, &alone)
		p.metrics = []metric{ofMain(), ofBackground()}
		p.network = altered(p.network, func(spec *fattree.Spec) { spec.Workload.BackgroundEvery = everyTenth })
	}
	return c, controls
}

// fig06 reproduces the comparison of all load balancers beside flows that ECMP pins
// to a path.
func fig06(ctx context.Context, s Settings) (Output, error) {
	c, controls := newFig06(s)
	if err := s.inTurn(ctx, c.run, controls.run); err != nil {
		return Output{}, err
	}
	slowdowns := fig06Slowdowns(&c, &controls)
	return Output{
		Tables:   []table.Table{c.table(), c.speedups(), fig06Table(slowdowns, s.Seed)},
		Plot:     fig06Plot(&c),
		Notes:    notes(facts{"replicas": c.points[0].replicas}, "fig06"),
		Findings: []claims.Finding{fig06Finding(&c, slowdowns)},
	}, nil
}

// fig06Slowdown is the slowdown of one sort of flows by the other sort.
type fig06Slowdown struct {
	flows             string
	at                *comparedPoint
	both, alone, over mc.Estimate // times with the other sort and without, and their ratio
}

// fig06Slowdowns returns the slowdowns of REPS's flows and of the background beside each
// other, for every point.
func fig06Slowdowns(c, controls *comparison) []fig06Slowdown {
	var list []fig06Slowdown
	for i, control := range controls.points { // two for each point
		p, key, m := c.points[i/2], "reps", ofMain()
		if control.group == "background" {
			key, m = "ecmp", ofBackground()
		}
		both, alone := p.of("reps"), control.of(key)
		list = append(list, fig06Slowdown{control.group, p, both.time(m.of), alone.time(m.of), both.ratio(alone, m.of)})
	}
	return list
}

// fig06Table lists the slowdowns.
func fig06Table(slowdowns []fig06Slowdown, seed uint64) table.Table {
	t := table.Table{Name: "controls"}
	for _, l := range slowdowns {
		addRow(&t, l.at.cells, cells{{"flows", l.flows}, {"beside_max_fct_us", l.both.Value},
			{"without_max_fct_us", l.alone.Value}},
			withEnds("slowdown", "slowdown", l.over), madeFrom(seed, l.at.replicas))
	}
	return t
}

// fig06Plot draws completion times and speed-ups of both sorts of flows.
func fig06Plot(c *comparison) *plot.Plot {
	const top = 3.2
	return &plot.Plot{Columns: plot.Double, Height: 7.2, SharedLegend: true, Panels: [][]plot.Panel{
		{c.patternTimes("(a) The 90 % under the load balancer: completion time")},
		{c.patternTimes("(b) The 10 % under ECMP: completion time", ofBackground())},
		{c.patternSpeedups("(c) The 90 %: speed-up", top)},
		{c.patternSpeedups("(d) The 10 %: speed-up", top, ofBackground())},
	}}
}

// fig06Finding judges that neither sort of flows slows the other down.
func fig06Finding(c *comparison, slowdowns []fig06Slowdown) claims.Finding {
	var neither rule
	for _, l := range slowdowns {
		if l.at.workload != "incast" {
			neither.add(claims.AtMost(l.over, 1.1), "%s %s (%s)", l.flows, withBounds(l.over, "%.3f"), l.at.place)
		}
	}
	under := func(pattern string) float64 {
		return c.gains(patterns, "ops", "reps", ofBackground()).on(pattern).largest().ratio.Value
	}
	return neither.all("N048", "maximum FCT beside the other sort of flows, as a multiple of that without: ", ", ",
		fmt.Sprintf("beside OPS the background takes up to %.2f (permutation) and %.2f times (tornado) as long as beside REPS",
			under("permutation"), under("tornado")))
}
