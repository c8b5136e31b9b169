package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
)

// fig22Outages lists the failures.
func fig22Outages() []outage {
	return []outage{{0, 200, math.Inf(1)}, {1, 400, math.Inf(1)}, {2, 600, math.Inf(1)}}
}

// The workloads.
const (
	fig22OneToR      = "one ToR"
	fig22Permutation = "permutation"
)

// Horizons of the runs whose uplinks are sampled, and of those whose completion times
// are compared, in ps.
const (
	fig22Seen    = 1500 * microseconds
	fig22Horizon = 2e6 * microseconds
	fig22Cut     = 90_000 // us: where the authors' runs end
)

// fig22 reproduces permanent failures of all but one uplink of a ToR, one after the other.
func fig22(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.replicas(3, 20)
	tree, message := topology.FatTree{Hosts: 128, Tiers: 3}, traffic.Message{Bytes: 32 * mebi}
	spec := microSpec(tree)
	spec.Faults, spec.Horizon = outageFaults(tree, fig22Outages()), fig22Seen
	schemes := lbs("ops", "reps-100us", "artifact-100us", "reps")
	seen := newUplinks(fixed(spec)(traffic.OneToR(tree, message)), replicas, keepWithIdeal, schemes...)
	seen.points[0].cells = cells{{"setup", fig22OneToR}}
	spec.Horizon = fig22Horizon
	c := comparison{schemes: schemes, points: []*comparedPoint{
		{group: fig22OneToR, network: fixed(spec)(traffic.OneToR(tree, message))},
		{group: fig22Permutation, network: permuted(spec, message.Bytes), schemes: schemes[:2]},
	}}
	for _, p := range c.points {
		p.cells, p.keep, p.replicas = cells{{"workload", p.group}}, keepWithIdeal, replicas
	}
	if err := s.inTurn(ctx, seen.run, c.run); err != nil {
		return Output{}, err
	}
	main := c.table(func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		return cells{{"lost", runs.count(netRun.lost).Value}, {"reroute_us", runs.reroute().Value}}
	})
	drawn := seen.drawn()
	return Output{
		Tables:   append(append([]table.Table{main}, drawn.tables()[1:]...), seen.outages(fig22Outages())),
		Plot:     drawn.plot(from(0), outageLines(fig22Outages())...),
		Notes:    notes(facts{"replicas": replicas}, "fig22"),
		Findings: fig22Findings(&c, seen),
	}, nil
}

// fig22Findings judges the claims.
func fig22Findings(c *comparison, seen uplinkScene) []claims.Finding {
	stopped := func(key string) mc.Estimate { return seen.of(key).slowest(fig22Outages()) }
	ratio := func(workload, key string) mc.Estimate { return c.at(workload, 0, "ops").over(c.at(workload, 0, key)) }
	stops, thawing := stopped("reps-100us"), ratio(fig22OneToR, "reps-100us")
	cut := fig22Cut / c.at(fig22OneToR, 0, "reps-100us").maxFCT().Value
	return []claims.Finding{
		claims.Estimated("N001", stops, claims.LessThan(stops, 100),
			"slowest of three reroutes: "+withBounds(stops, "%.0f")+" us after the failure",
			fmt.Sprintf("by the authors' rules %s us, frozen for 10 ms %s us; whenever freezing mode ends some "+
				"packets try the failed uplinks once more, and flows that had no time-out yet may do so later: "+
				"reroute_us of the tables here and of fig08 is until the last packet",
				withBounds(stopped("artifact-100us"), "%.0f"), withBounds(stopped("reps"), "%.0f"))),
		claims.Estimated("N089", thawing, claims.Near(thawing, 40),
			"OPS takes "+withBounds(thawing, "%.0f")+" times as long",
			fmt.Sprintf("by the authors' rules %s, frozen for 10 ms %s, in a permutation of all hosts %s; "+
				"flows of OPS whose window is down to a packet wait for a time-out three times out of four. "+
				"The authors' command lines end runs after 90 ms, which is %.0f times what REPS takes",
				withBounds(ratio(fig22OneToR, "artifact-100us"), "%.0f"),
				withBounds(ratio(fig22OneToR, "reps"), "%.0f"),
				withBounds(ratio(fig22Permutation, "reps-100us"), "%.0f"), cut)),
	}
}
