package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// fig21 re-makes the synthetic patterns on a tree of three tiers.
func fig21() Figure {
	return Figure{
		ID:    "fig21",
		Title: "Load balancers on a tree of three tiers",
		Rules: []claims.Rule{
			{Claim: "N088", Text: "in every permutation and tornado the mean maximum FCT of REPS on 3 tiers, as a multiple of that of fluids, is at most 10 % above what it is on 2 tiers with as many hosts"},
		},
		Build: buildFig21,
	}
}

// tieredPoints returns the synthetic set on a tree of the given tiers.
func tieredPoints(s Settings, tiers int) []ComparisonPoint {
	sizes := []int{4, 8, 16}
	if s.Scale == Quick {
		sizes = sizes[1:2]
	}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128, Tiers: tiers}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	points := SyntheticPoints(s.Seed, spec, sizes, s.Scale.Choose(2, 10))
	for i := range points {
		points[i].Cells["tiers"], points[i].Ideal = tiers, true
	}
	return points
}

func buildFig21(ctx context.Context, s Settings) (Output, error) {
	columns := append(WorkloadColumns(), table.Number("tiers"))
	flat := Comparison{Compared: []Scheme{OPS(), REPS()}, Columns: columns, Points: tieredPoints(s, 2)}
	tall := Comparison{Compared: AllSchemes(), Columns: columns, Points: tieredPoints(s, 3)}
	for i, c := range []*Comparison{&flat, &tall} {
		if err := c.Run(ctx, s.Part(i, 2)); err != nil {
			return Output{}, err
		}
	}
	main, ratios := tall.Table(s.Seed), tall.Speedups(s.Seed)
	main.Rows, ratios.Rows = append(main.Rows, flat.Table(s.Seed).Rows...), append(ratios.Rows, flat.Speedups(s.Seed).Rows...)
	gains := tall.Faster(SpeedupPanel("(b) 3 tiers: speed-up of max. FCT", PatternLabel, 1.35), Patterns, Longest())
	gains.Wide = true
	return Output{
		Tables:  []table.Table{main, ratios},
		Formats: []table.Format{table.CSV},
		Plot: &plot.Plot{Columns: plot.Double, Height: 5.6, SharedLegend: true,
			Panels: [][]plot.Panel{{tall.PatternTimes("(a) 3 tiers: completion time", Longest())}, {gains}, {fig21Ideal(&flat, &tall, "ops", "(c) OPS against fluids"), fig21Ideal(&flat, &tall, "reps", "(d) REPS against fluids")}}},
		Notes: []string{
			fmt.Sprintf("128 hosts, 3 tiers: ToRs and aggregation switches of 4 ports down and 4 up (k = 8), pods of 16 hosts; queue 101, ECN 25/76, no trimming, DCTCP variant; %d replicas. The paper takes the set-up of its symmetric figure with a third tier and gives no more.", tall.Points[0].Replicas),
			"I is an incast of 8, P a permutation, T a tornado, with the message in MiB. Speed-up: the time under OPS over the own one, replicas paired. fig21-speedups.csv has all ratios.",
			"Panels (c) and (d): the maximum FCT over that of fluids which share links max-min fairly, on 3 tiers and on 2 with as many hosts (8 uplinks to a ToR), which takes the longer round trip out.",
			"Queue and ECN thresholds are as on 2 tiers, though the BDP is 151 packets here.",
		},
		Findings: []claims.Finding{fig21Finding(&flat, &tall)},
	}, nil
}

// fig21Ideal draws times of a load balancer over those of fluids, on 2 and on 3
// tiers.
func fig21Ideal(flat, tall *Comparison, key, title string) plot.Panel {
	panel := plot.Panel{Title: title, XLabel: PatternLabel, YLabel: "Max. FCT / fluids'", Y: plot.Axis{Min: new(0.0), Max: new(1.5)}, Rules: []plot.ReferenceLine{{At: 1}}}
	for i, c := range []*Comparison{flat, tall} {
		of := c.Compared[c.Index(key)]
		bars := plot.Series{Name: of.Name, Color: of.Look, Mark: plot.Bars}
		if c == flat {
			// Two tiers are hollow.
			bars.Name, bars.Color = of.Name+", 2 tiers", of.Look+8
		}
		for k, p := range c.Points {
			AppendPoint(&bars, float64(k), p.Runs[c.Index(key)].OverIdeal())
			if i == 0 {
				panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, p.Label)
			}
		}
		panel.Series = append(panel.Series, bars)
	}
	return panel
}

// fig21Finding judges that REPS is as good on 3 tiers as on 2.
func fig21Finding(flat, tall *Comparison) claims.Finding {
	holds, each := true, []string{}
	var conditions []claims.Condition
	for i, p := range tall.Points {
		if p.Workload() == "incast" {
			continue
		}
		three, two := p.Runs[tall.Index("reps")].OverIdeal(), flat.Points[i].Runs[flat.Index("reps")].OverIdeal()
		holds, conditions = holds && three.Value <= 1.1*two.Value, append(conditions, claims.Below(three, two.Per(1/1.1)))
		each = append(each, fmt.Sprintf("%s and %s (%s)", Interval(three, "%.3f"), Interval(two, "%.3f"), p.Place))
	}
	second := Most(slices.DeleteFunc(tall.RunnersUp(Patterns, "reps", Longest()), func(g Gain) bool { return g.At.Workload() == "incast" }))
	return claims.InWords("N088", holds, "REPS over fluids on 3 and on 2 tiers: "+strings.Join(each, ", "),
		"the best of the others takes up to, in REPS's time: "+second.String()).Resting(claims.All(conditions...))
}
