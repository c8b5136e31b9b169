package figures

import (
	"context"

	"repslab/fattree/topology"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// tieredPoints returns the synthetic set on a tree of the given tiers.
func tieredPoints(s Settings, tiers int) []*comparedPoint {
	points := patternPoints(patternSpec(topology.FatTree{Hosts: 128, Tiers: tiers}), patternSizes(s.Scale),
		s.Scale.replicas(2, 10))
	for _, p := range points {
		p.cells, p.keep = append(p.cells, cell{"tiers", tiers}), keepWithIdeal
	}
	return points
}

// fig21 reproduces the synthetic patterns on a tree of three tiers.
func fig21(ctx context.Context, s Settings) (Output, error) {
	flat := comparison{schemes: lbs("ops", "reps"), points: tieredPoints(s, 2)}
	tall := comparison{schemes: allSchemes(), points: tieredPoints(s, 3)}
	if err := s.inTurn(ctx, flat.run, tall.run); err != nil {
		return Output{}, err
	}
	main, ratios := tall.table(), tall.speedups()
	main.Rows, ratios.Rows = append(main.Rows, flat.table().Rows...), append(ratios.Rows, flat.speedups().Rows...)
	return Output{
		Tables: []table.Table{main, ratios},
		Plot: &plot.Plot{Columns: plot.Double, Height: 5.6, SharedLegend: true, Panels: [][]plot.Panel{
			{tall.patternTimes("(a) 3 tiers: completion time")},
			{tall.patternSpeedups("(b) 3 tiers: speed-up of max. FCT", 1.35)},
			{fig21Ideal(&flat, &tall, lb("ops"), "(c) OPS against fluids"),
				fig21Ideal(&flat, &tall, lb("reps"), "(d) REPS against fluids")},
		}},
		Notes:    notes(facts{"replicas": tall.points[0].replicas}, "fig21"),
		Findings: []claims.Finding{fig21Finding(&flat, &tall)},
	}, nil
}

// fig21Ideal draws times of a scheme over the ideal times, on 2 tiers, hollow, and on 3.
func fig21Ideal(flat, tall *comparison, of scheme, title string) plot.Panel {
	overIdeal := func(p *comparedPoint) mc.Estimate { return p.of(of.key).overIdeal() }
	hollow := of.called(of.key, of.name+", 2 tiers", of.color.Hollow())
	return plot.Panel{Title: title, XLabel: patternLabel, YLabel: "Max. FCT / fluids'", Y: from(0, 1.5),
		X: labelled(flat.points, func(p *comparedPoint) string { return p.label }),
		Series: []plot.Series{barsOf(hollow.series(plot.Bars), flat.points, overIdeal),
			barsOf(of.series(plot.Bars), tall.points, overIdeal)},
		References: level(1, "")}
}

// fig21Finding judges that REPS is as good on 3 tiers as on 2.
func fig21Finding(flat, tall *comparison) claims.Finding {
	var asGood rule
	for i, p := range tall.points { // flat has the same points
		if p.workload != "incast" {
			three, two := p.of("reps").overIdeal(), flat.points[i].of("reps").overIdeal()
			asGood.add(claims.AtMostTimes(three, 1.1, two), "%s and %s (%s)", withBounds(three, "%.3f"),
				withBounds(two, "%.3f"), p.place)
		}
	}
	second := tall.runnersUp(patterns, "reps").where(func(g gain) bool { return g.at.workload != "incast" }).largest()
	return asGood.all("N088", "REPS over fluids on 3 and on 2 tiers: ", ", ",
		"the best of the others takes up to, in REPS's time: "+second.String())
}
