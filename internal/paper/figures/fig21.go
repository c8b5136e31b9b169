package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/internal/paper"
	"repslab/internal/paper/compare"
	"repslab/internal/paper/lineup"
	"repslab/internal/report"
)

// fig21 re-makes the synthetic patterns on a tree of three tiers.
func fig21() paper.Figure {
	return paper.Figure{
		ID:    "fig21",
		Title: "Load balancers on a tree of three tiers",
		Rules: []paper.Rule{
			{Claim: "N088", Text: "in every permutation and tornado the mean maximum FCT of REPS on 3 tiers, as a multiple of that of fluids, is at most 10 % above what it is on 2 tiers with as many hosts"},
		},
		Build: buildFig21,
	}
}

// tieredPoints returns the synthetic set on a tree of the given tiers.
func tieredPoints(s paper.Settings, tiers int) []compare.Point {
	sizes := []int{4, 8, 16}
	if s.Scale == paper.Quick {
		sizes = sizes[1:2]
	}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128, Tiers: tiers}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	points := compare.Synthetic(s.Seed, spec, sizes, s.Scale.Choose(2, 10))
	for i := range points {
		points[i].Cells["tiers"], points[i].Ideal = tiers, true
	}
	return points
}

func buildFig21(ctx context.Context, s paper.Settings) (paper.Output, error) {
	columns := append(compare.WorkloadColumns(), paper.Number("tiers"))
	flat := compare.Comparison{Compared: []lineup.Contender{lineup.OPS(), lineup.REPS()}, Columns: columns, Points: tieredPoints(s, 2)}
	tall := compare.Comparison{Compared: lineup.All(), Columns: columns, Points: tieredPoints(s, 3)}
	for i, c := range []*compare.Comparison{&flat, &tall} {
		if err := c.Run(ctx, s.Part(i, 2)); err != nil {
			return paper.Output{}, err
		}
	}
	main, ratios := tall.Table(s.Seed), tall.Speedups(s.Seed)
	main.Rows, ratios.Rows = append(main.Rows, flat.Table(s.Seed).Rows...), append(ratios.Rows, flat.Speedups(s.Seed).Rows...)
	gains := tall.Faster(compare.SpeedupPanel("(b) 3 tiers: speed-up of max. FCT", compare.PatternLabel, 1.35), compare.Patterns, compare.Longest())
	gains.Wide = true
	return paper.Output{
		Tables:  []paper.Table{main, ratios},
		Formats: []report.Format{report.CSV},
		Plot: &report.Figure{Columns: report.Double, Height: 5.6, SharedLegend: true,
			Panels: [][]report.Panel{{tall.PatternTimes("(a) 3 tiers: completion time", compare.Longest())}, {gains}, {fig21Ideal(&flat, &tall, "ops", "(c) OPS against fluids"), fig21Ideal(&flat, &tall, "reps", "(d) REPS against fluids")}}},
		Notes: []string{
			fmt.Sprintf("128 hosts, 3 tiers: ToRs and aggregation switches of 4 ports down and 4 up (k = 8), pods of 16 hosts; queue 101, ECN 25/76, no trimming, DCTCP variant; %d replicas. The paper takes the set-up of its symmetric figure with a third tier and gives no more.", tall.Points[0].Replicas),
			"I is an incast of 8, P a permutation, T a tornado, with the message in MiB. Speed-up: the time under OPS over the own one, replicas paired. fig21-speedups.csv has all ratios.",
			"Panels (c) and (d): the maximum FCT over that of fluids which share links max-min fairly, on 3 tiers and on 2 with as many hosts (8 uplinks to a ToR), which takes the longer round trip out.",
			"Queue and ECN thresholds are as on 2 tiers, though the BDP is 151 packets here.",
		},
		Findings: []paper.Finding{fig21Finding(&flat, &tall)},
	}, nil
}

// fig21Ideal draws times of a load balancer over those of fluids, on 2 and on 3
// tiers.
func fig21Ideal(flat, tall *compare.Comparison, key, title string) report.Panel {
	panel := report.Panel{Title: title, XLabel: compare.PatternLabel, YLabel: "Max. FCT / fluids'", Y: report.Axis{Min: new(0.0), Max: new(1.5)}, Rules: []report.Rule{{At: 1}}}
	for i, c := range []*compare.Comparison{flat, tall} {
		of := c.Compared[c.Index(key)]
		bars := report.Series{Name: of.Name, Color: of.Look, Mark: report.Bars}
		if c == flat {
			// Two tiers are hollow.
			bars.Name, bars.Color = of.Name+", 2 tiers", of.Look+8
		}
		for k, p := range c.Points {
			paper.AppendPoint(&bars, float64(k), p.Runs[c.Index(key)].OverIdeal())
			if i == 0 {
				panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, p.Label)
			}
		}
		panel.Series = append(panel.Series, bars)
	}
	return panel
}

// fig21Finding judges that REPS is as good on 3 tiers as on 2.
func fig21Finding(flat, tall *compare.Comparison) paper.Finding {
	holds, each := true, []string{}
	var conditions []paper.Condition
	for i, p := range tall.Points {
		if p.Workload() == "incast" {
			continue
		}
		three, two := p.Runs[tall.Index("reps")].OverIdeal(), flat.Points[i].Runs[flat.Index("reps")].OverIdeal()
		holds, conditions = holds && three.Value <= 1.1*two.Value, append(conditions, paper.Below(three, two.Per(1/1.1)))
		each = append(each, fmt.Sprintf("%s and %s (%s)", paper.Interval(three, "%.3f"), paper.Interval(two, "%.3f"), p.Place))
	}
	second := compare.Most(slices.DeleteFunc(tall.RunnersUp(compare.Patterns, "reps", compare.Longest()), func(g compare.Gain) bool { return g.At.Workload() == "incast" }))
	return paper.InWords("N088", holds, "REPS over fluids on 3 and on 2 tiers: "+strings.Join(each, ", "),
		"the best of the others takes up to, in REPS's time: "+second.String()).Resting(paper.All(conditions...))
}
