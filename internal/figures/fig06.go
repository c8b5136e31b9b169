package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// everyTenth flow is background traffic.
const everyTenth = 10

// Metrics of the flows under ECMP, and of the other flows.
func ofBackground() metric {
	return metric{"background_max_fct_us", "max. FCT of the background",
		func(r netRun) int64 { return int64(r.Numbers[backgroundFCT]) }}
}

func ofMain() metric {
	return metric{"main_max_fct_us", "max. FCT of the others",
		func(r netRun) int64 { return int64(r.Numbers[mainFCT]) }}
}

// The longest FCT of the background, and of all other flows, in picoseconds.
const (
	backgroundFCT = "background max. FCT"
	mainFCT       = "main max. FCT"
)

// keepBackground keeps a run and the longest FCTs of both kinds of flows.
func keepBackground(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	k.Numbers = map[string]float64{backgroundFCT: 0, mainFCT: 0}
	for i, flow := range r.Result.Flows {
		kind := mainFCT
		if i%everyTenth == 0 {
			kind = backgroundFCT
		}
		k.Numbers[kind] = max(k.Numbers[kind], float64(flow.FCT()))
	}
	return k, err
}

// withBackground returns the scheme with background traffic under ECMP.
func withBackground(c scheme) scheme {
	main := c.open
	c.open = func(evs int) (transport.Balancer, error) {
		own, err := main(evs)
		if err != nil {
			return nil, err
		}
		background, err := balance.NewECMP(evs)
		return balance.NewMixed(own, background), err
	}
	return c
}

// besideBackground returns the network of the authors' runs with background traffic.
func besideBackground() fattree.Spec {
	return fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Queue: 101, KMin: 25, KMax: 76, Options: transport.Options{InitialWindow: authorsWindow}}
}

// fig06Runs is the number of replicas.
const fig06Runs = 10

// newFig06 returns the comparison and its controls at every point, not yet run. In the controls, all flows are
// under REPS, or the background is alone under ECMP. x is the number of the point.
func newFig06() (c, controls comparison) {
	c.points = patternPoints(besideBackground(), patternSizes(), fig06Runs)
	c.schemes = lists.Map(allSchemes(), withBackground)
	for i, p := range c.points {
		p.keep = keepBackground
		uniform, alone := *p, *p
		uniform.place, alone.place = p.place+", all under REPS", p.place+", background alone"
		uniform.x, uniform.group, uniform.schemes, uniform.metrics = i, "REPS", lbs("reps"), []metric{ofMain()}
		alone.x, alone.group, alone.schemes, alone.metrics = i, "background", lbs("ecmp"), []metric{ofBackground()}
		// Flows keep their numbers, and thus their EVs under ECMP.
		alone.network = altered(p.network, func(spec *fattree.Spec) {
			for flow := range spec.Workload.Flows {
				if flow%everyTenth != 0 {
					spec.Workload.Flows[flow].Bytes = 1
				}
			}
		})
		controls.points = append(controls.points, &uniform, &alone)
		p.metrics = []metric{ofMain(), ofBackground()}
		p.network = altered(p.network, func(spec *fattree.Spec) { spec.Workload.BackgroundEvery = everyTenth })
	}
	return c, controls
}

// fig06 reproduces the comparison of all load balancers, next to background flows that ECMP pins to a path.
func fig06(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c, controls := newFig06()
	return compared(ctx, s, func() engine.Output {
		slowdowns := controls.rows("controls", "", func(control *comparedPoint, _ scheme, alone netRuns) cells {
			both, of := beside(&c, control), control.metrics[0].of
			return cells{{"flows", control.group}, {"beside_max_fct_us", both.time(of).Value},
				{"without_max_fct_us", alone.time(of).Value}, {"slowdown", frame.WithEnds(both.ratio(alone, of))}}
		})
		return engine.Output{
			Tables:   []frame.Table{c.table(), c.speedups(), slowdowns},
			Plot:     fig06Plot(&c),
			Notes:    notes(facts{"replicas": fig06Runs}, "fig06"),
			Findings: []claims.Finding{fig06Finding(&c, &controls)},
		}
	}, &c, &controls)
}

// beside returns the runs of REPS with the background at the point of a control.
func beside(c *comparison, control *comparedPoint) netRuns { return c.points[control.x].of("reps") }

// fig06Plot draws completion times and speed-ups of both kinds of flows.
func fig06Plot(c *comparison) *plot.Plot {
	const top, backgroundTop = 1.6, 4
	return stacked(
		[]plot.Panel{c.patternTimes("(a) Flows under the load balancer, 90 %: completion time")},
		[]plot.Panel{c.patternTimes("(b) Background under ECMP, 10 %: completion time", ofBackground())},
		[]plot.Panel{c.patternSpeedups("(c) Flows under the load balancer: speed-up of max. FCT", top)},
		[]plot.Panel{c.patternSpeedups("(d) Background: speed-up of max. FCT", backgroundTop, ofBackground())})
}

// fig06Finding grades that neither kind of flows slows the other down by more than 10 %.
func fig06Finding(c, controls *comparison) claims.Finding {
	var all rule
	for _, sort := range []string{"REPS", "background"} {
		for _, pattern := range []string{"permutation", "tornado"} {
			var little []claims.Condition
			var most mc.Estimate
			for _, control := range controls.in(sort) {
				if control.workload == pattern {
					alone := control.of(control.schemes[0].key)
					slowdown := beside(c, control).ratio(alone, control.metrics[0].of)
					slowdown.Basis.Quantity += ": " + sort
					little = append(little, claims.Met("N048", "slow-down", slowdown).Condition)
					if slowdown.Value > most.Value {
						most = slowdown
					}
				}
			}
			name := sort + " flows of a " + pattern
			all.part(name, claims.All(little...), "%s %s", name, withBounds(most, "%.3f"))
		}
	}
	var besideOPS []string
	var under []mc.Estimate
	for _, pattern := range []string{"permutation", "tornado"} {
		most := c.gains(patterns, "ops", "reps", ofBackground()).on(pattern).largest().ratio
		besideOPS, under = append(besideOPS, fmt.Sprintf("%.2f times (%s)", most.Value, pattern)), append(under, most)
	}
	return all.inParts("N048", "maximum FCT beside the other flows over that without them, at most: ", ", ",
		"background flows take up to "+strings.Join(besideOPS, " and ")+" as long beside OPS as beside REPS").With(under...)
}
