package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// tieredPoints returns the synthetic patterns on a tree with the given number of tiers. With three tiers, queue,
// thresholds and window are the authors', for the longer round trip.
func tieredPoints(tiers int) []*comparedPoint {
	spec := patternSpec(topology.FatTree{Hosts: 128, Tiers: tiers})
	if tiers == 3 {
		spec.Queue, spec.KMin, spec.KMax = 152, 38, 114
		transport.Change(&spec, func(o *transport.Options) { o.InitialWindow = 228 })
	}
	points := patternPoints(spec, patternSizes(), fig21Runs)
	for i, p := range points {
		p.x, p.cells = i, append(p.cells, cells{{"tiers", tiers}}...)
		if tiers == 3 {
			p.place += ", 3 tiers"
		}
	}
	return points
}

// fig21Runs is the number of replicas.
const fig21Runs = 10

// newFig21 returns the comparisons on two tiers and on three tiers, not yet run. x is the number of a point in
// both.
func newFig21() (flat, tall comparison) {
	return comparison{schemes: lbs("ops", "reps"), points: tieredPoints(2)},
		comparison{schemes: allSchemes(), points: tieredPoints(3)}
}

// fig21 reproduces the synthetic patterns on a tree of three tiers.
func fig21(ctx context.Context, s engine.Settings) (engine.Output, error) {
	flat, tall := newFig21()
	return compared(ctx, s, func() engine.Output {
		main, ratios := tall.table(), tall.speedups()
		main.Rows, ratios.Rows = append(main.Rows, flat.table().Rows...), append(ratios.Rows, flat.speedups().Rows...)
		return engine.Output{
			Tables: []frame.Table{main, ratios},
			Plot: &plot.Plot{Columns: plot.Double, Height: 5.6, SharedLegend: true, Panels: [][]plot.Panel{
				{tall.patternTimes("(a) Completion time on 3 tiers")},
				{tall.patternSpeedups("(b) Speed-up of max. FCT on 3 tiers", 1.35)},
				{fig21Tiers(&flat, &tall)},
			}},
			Notes:    notes(facts{"replicas": fig21Runs}, "fig21"),
			Findings: []claims.Finding{fig21Finding(&flat, &tall)},
		}
	}, &flat, &tall)
}

// fig21Longer returns a scheme's maximum FCT at a point on 3 tiers divided by its value on 2 tiers.
func fig21Longer(flat *comparison, p *comparedPoint, key string) mc.Estimate {
	return p.of(key).over(flat.points[p.x].of(key))
}

// fig21Tiers draws times on 3 tiers divided by times on 2 tiers.
func fig21Tiers(flat, tall *comparison) plot.Panel {
	both := comparison{schemes: flat.schemes, points: tall.points}
	return both.bars(fromOne(plot.Panel{Wide: true, Title: "(c) 3 tiers against 2", XLabel: patternLabel,
		YLabel: "Max. FCT, 3 tiers / 2"}), "",
		func(p *comparedPoint, key string) mc.Estimate { return fig21Longer(flat, p, key) })
}

// fig21Finding grades that REPS is as good on 3 tiers as on 2.
func fig21Finding(flat, tall *comparison) claims.Finding {
	var asGood rule
	worst := mc.Estimate{}
	for _, p := range tall.points {
		if p.workload == "incast" {
			continue
		}
		longer := fig21Longer(flat, p, "reps").Percent()
		asGood.add(claims.Met("N088", "each pattern", longer).Condition, "%s %s %%",
			strings.TrimSuffix(p.place, ", 3 tiers"), withBounds(longer, "%.1f"))
		if worst.N == 0 || longer.Value > worst.Value {
			worst = longer
		}
	}
	return asGood.all("N088", "REPS on 3 tiers takes longer than on 2 by: ", "; ", fmt.Sprintf(
		"%.1f %% longer at most, with a longer unloaded round trip",
		worst.Value))
}
