package figures

import (
	"context"
	"fmt"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
)

// forcedAt is when freezing mode is forced, in us.
const forcedAt = 50

// forcedSchemes returns the load balancers.
func forcedSchemes() []scheme { return lbs("ops", "reps", "reps-forced") }

// newFig19 returns the paper's permutation of 16 MiB, not yet run.
func newFig19(replicas uint64) comparison {
	return comparison{schemes: forcedSchemes(), points: []*comparedPoint{{label: "Permutation, 128 hosts", place: "permutation of 16 MiB",
		cells: cells{{"workload", "permutation"}}, metrics: []metric{byMaxFCT()}, keep: keepComplete, replicas: replicas,
		network: permuted(microSpec(topology.FatTree{Hosts: 128}), 16*mebi)}}}
}

// fig19 reproduces freezing mode forced without a failure.
func fig19(ctx context.Context, s Settings) (Output, error) {
	const replicas = 20
	tree := topology.FatTree{Hosts: 128}
	network := fixed(microSpec(tree))(traffic.OneToR(tree, traffic.Message{Bytes: 16 * mebi}))
	scene, c := newUplinks(network, replicas, keepUplinks(keepWhole), forcedSchemes()...), newFig19(replicas)
	return s.compared(ctx, func() Output {
		drawn := scene.plot(from(250, 520))
		frozen := drawn.Panels[len(drawn.Panels)-1]
		for i := range frozen {
			frozen[i].References = append(frozen[i].References,
				plot.ReferenceLine{Vertical: true, At: forcedAt, Label: "frozen"})
		}
		drawn.Panels = append(drawn.Panels, []plot.Panel{c.times(plot.Panel{Wide: true, Title: "(g) Permutation of 16 MiB: until the last flow ends",
			YLabel: "Mean max. FCT (us)", Y: from(0), Legend: plot.None}, "")})
		drawn.Height += 1.4
		times := c.table()
		times.Name = "permutation"
		return Output{
			Tables:   append(scene.tables(), times),
			Plot:     drawn,
			Notes:    notes(facts{"replicas": replicas}, "fig19"),
			Findings: fig19Findings(&c, scene),
		}
	}, &scene.comparison, &c)
}

// fig19Findings grades the claim: times of the permutation, as in the sentence; how steady uplinks are in the tornado.
func fig19Findings(c *comparison, scene uplinkScene) []claims.Finding {
	sprayed, recycled, forced := c.points[0].of("ops"), c.points[0].of("reps"), c.points[0].of("reps-forced")
	longer := forced.over(recycled).Percent()
	standard, frozen := sprayed.over(recycled).Percent(), sprayed.over(forced).Percent()
	const slower = "OPS slower than both"
	wild, shaken := scene.of("ops").wildest(), scene.of("reps-forced").wildest()
	there := scene.of("reps-forced").over(scene.of("reps")).Percent()
	return []claims.Finding{claims.InParts("N081", []claims.Part{
		claims.Met("N081", "a finishing time comparable to REPS's", longer),
		{Name: slower, Condition: claims.All(claims.Met("N081", slower, standard).Condition, claims.Met("N081", slower, frozen).Condition)},
		{Name: "more stable than OPS", Condition: claims.Below(shaken, wild)},
	}, "forced into freezing mode REPS takes "+withBounds(longer, "%.2f")+" % longer, in the tornado "+withBounds(there, "%.2f"), fmt.Sprintf(
		"OPS takes %s %% longer than REPS frozen; farthest from 400 Gb/s: OPS %s %%, REPS frozen %s %%",
		withBounds(frozen, "%.1f"), withBounds(wild, "%.1f"), withBounds(shaken, "%.1f"))).With(there)}
}
