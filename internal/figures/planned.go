package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// The groups of the figure of planned paths. plannedPaths is the number of paths, 4 hosts and uplinks for each ToR.
const (
	plannedToR         = "one ToR"
	plannedPermutation = "permutation"
	plannedTornado     = "tornado"
	plannedPaths       = 4
)

// plannedSchemes returns the load balancers; those with planned paths have one path for each host of a ToR, or take all
// paths in turn, each host from another one.
func plannedSchemes() []scheme {
	static, turns := named("path-static", "static paths"), named("path-round-robin", "paths in turn")
	turns.open = func(evs int) (transport.Balancer, error) { return balance.NewRotation(evs, balance.StartSource) }
	return append(lbs("ops"), static, turns, lb("reps"))
}

// newPlanned returns the comparison, not yet run: 8 MiB from each host of one ToR, or of all.
func newPlanned() comparison {
	tree := topology.FatTree{Hosts: 32}
	message := traffic.Message{Bytes: 8 * mebi}
	spec := fattree.Spec{Topology: tree, Choose: topology.ExactPath}
	c := comparison{schemes: plannedSchemes()}
	for _, p := range []struct {
		group, label string
		network      experiment.Networks
	}{
		{plannedToR, "One ToR", fixed(spec)(traffic.OneToR(tree, message))},
		{plannedPermutation, "Permutation", permuted(spec, message.Bytes)},
		{plannedTornado, "Tornado", fixed(spec)(traffic.Tornado(tree.Hosts, message))},
	} {
		c.points = append(c.points, &comparedPoint{group: p.group, label: p.label, place: p.group, evs: plannedPaths, replicas: 20,
			cells: cells{{"workload", p.group}, {"hosts", tree.Hosts}, {"message_bytes", message.Bytes}}, network: p.network, metrics: []metric{byMaxFCT()}})
	}
	return c
}

// planned shows paths that are planned instead of learnt, on a healthy network.
func planned(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newPlanned()
	return compared(ctx, s, func() engine.Output {
		queue := func(p *comparedPoint, key string) mc.Estimate { return p.of(key).longest() }
		return engine.Output{
			Tables: []frame.Table{c.table()},
			Plot: &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{
				c.times(plot.Panel{Title: "(a) Until the last flow ends", YLabel: "Mean max. FCT (us)", Y: from(0)}, ""),
				c.bars(plot.Panel{Title: "(b) Longest queue", YLabel: "Packets", Y: from(0)}, "", queue),
			}}},
			Notes:    notes(facts{"replicas": c.points[0].replicas, "paths": plannedPaths}, "planned"),
			Findings: []claims.Finding{plannedPathsDo(&c)},
		}
	}, &c)
}

// longest returns the mean of the longest queue of a run, in packets.
func (runs netRuns) longest() mc.Estimate {
	return listedAs(runs.count(func(r netRun) int64 { return int64(r.MaxQueue) }), "packets", "longest queue, "+runs.by())
}

// plannedPathsDo grades planned paths: no queues where the theory has one switch, and times of a whole network.
func plannedPathsDo(c *comparison) claims.Finding {
	static, turns := "path-static", "path-round-robin"
	queue := func(key string) mc.Estimate { return c.at(plannedToR, 0, key).longest() }
	time := func(key string) mc.Estimate {
		return c.at(plannedPermutation, 0, key).over(c.at(plannedPermutation, 0, "reps"))
	}
	return claims.InParts("N111", []claims.Part{
		claims.Met("N111", "one ToR static", queue(static)), claims.Met("N111", "one ToR in turn", queue(turns)),
		claims.Met("N111", "permutation static", time(static)), claims.Met("N111", "permutation in turn", time(turns)),
	}, fmt.Sprintf("queues of one ToR: %.0f and %.0f packets; permutation over REPS: static %s, in turn %s",
		queue(static).Value, queue(turns).Value, withBounds(time(static), "%.2f"), withBounds(time(turns), "%.3f")),
		"static paths meet at the destinations' ToRs")
}
