package figures

import (
	"context"
	"fmt"

	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/plot"
	"repslab/mc"
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

// trimmingGroups are the groups with and without trimming.
var trimmingGroups = map[bool]string{true: "trimming", false: "no trimming"}

// newTrimming returns REPS where packets are lost, with trimming and then at the same points without, not yet run.
func newTrimming(replicas uint64) comparison {
	const hosts, cables = 128, "cables=1%,place=random,dir=both"
	c := comparison{schemes: lbs("reps")}
	for _, trims := range []bool{true, false} {
		spec := patternSpec(topology.FatTree{Hosts: hosts})
		spec.DisableTrimming, spec.Horizon = !trims, million*microseconds
		for _, p := range []struct {
			label, failures string
			draw            drawWorkload
		}{
			{"incast", "", drawIncast(hosts, traffic.Message{Bytes: 8 * mebi})},
			{"failed for 100 µs", cables + ",at=50,for=100", drawPermutation(hosts, 8*mebi)},
			{"failed for good", cables, drawPermutation(hosts, 8*mebi)},
		} {
			point := failurePoint(trimmingGroups[trims], p.label, p.label, p.failures, spec, p.draw)
			point.place = p.label + ", " + trimmingGroups[trims]
			point.cells = cells{{"case", p.label}, {"trimming", trims}}
			point.metrics, point.replicas = []metric{byMaxFCT()}, replicas
			c.points = append(c.points, point)
		}
	}
	return c
}

// trimmingPanel draws the times with and without trimming.
func trimmingPanel(c *comparison) plot.Panel {
	panel := plot.Panel{Title: "(h) REPS where packets are lost, 8 MiB", YLabel: "Mean max. FCT (us)", Y: from(0), Legend: plot.Above}
	for i, trims := range []bool{true, false} {
		drawn := c.times(panel, trimmingGroups[trims])
		series := drawn.Series[0]
		series.Name, series.Color = trimmingGroups[trims], plot.NthColor(i)
		panel.X, panel.Series = drawn.X, append(panel.Series, series)
	}
	return panel
}

// trimmed grades that REPS is at its best where switches trim packets.
func trimmed(c *comparison) claims.Finding {
	longer := func(i int) mc.Estimate { // the points without trimming follow those with it
		return c.points[len(c.points)/2+i].of("reps").over(c.points[i].of("reps")).Percent()
	}
	incast, passing, lasting := longer(0), longer(1), longer(2)
	full := c.points[len(c.points)/2].of("reps")
	dropped := listedAs(full.count(netRun.dropped), "packets", "dropped, "+full.by())
	return claims.InParts("N110", []claims.Part{claims.Met("N110", "incast", incast),
		claims.Met("N110", "failed for 100 µs", passing), claims.Met("N110", "failed for good", lasting),
	}, fmt.Sprintf("longer without trimming: incast %s %%, cables that fail for 100 µs %s %%, for good %s %%", withBounds(incast, "%.1f"),
		withBounds(passing, "%.1f"), withBounds(lasting, "%.1f")), fmt.Sprintf("in the incast %.0f packets are dropped without trimming and nothing "+
		"is gained; with failed cables none is trimmed, and only how losses are found differs", dropped.Value)).With(dropped)
}

// fig19 reproduces freezing mode forced without a failure.
func fig19(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const replicas = 20
	tree := topology.FatTree{Hosts: 128}
	network := fixed(microSpec(tree))(traffic.OneToR(tree, traffic.Message{Bytes: 16 * mebi}))
	scene, c, t := newUplinks(network, keepUplinks(keepWhole), forcedSchemes()...), newFig19(replicas), newTrimming(replicas)
	return compared(ctx, s, func() engine.Output {
		drawn := scene.plot(from(250, 520))
		frozen := drawn.Panels[len(drawn.Panels)-1]
		for i := range frozen {
			frozen[i].References = append(frozen[i].References,
				plot.ReferenceLine{Vertical: true, At: forcedAt, Label: "frozen"})
		}
		drawn.Panels = append(drawn.Panels, []plot.Panel{c.times(plot.Panel{Title: "(g) Permutation of 16 MiB: until the last flow ends",
			YLabel: "Mean max. FCT (us)", Y: from(0), Legend: plot.None}, ""), trimmingPanel(&t)})
		drawn.Height += 1.4
		times, losses := c.table(), t.table()
		times.Name, losses.Name = "permutation", "trimming"
		return engine.Output{
			Tables:   append(scene.tables(), times, losses),
			Plot:     drawn,
			Notes:    notes(facts{"replicas": replicas}, "fig19"),
			Findings: append(fig19Findings(&c, scene), trimmed(&t)),
		}
	}, &scene.comparison, &c, &t)
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
