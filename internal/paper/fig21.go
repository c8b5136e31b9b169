package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/internal/report"
)

// fig21 re-makes the synthetic patterns on a tree of three tiers.
func fig21() Figure {
	return Figure{
		ID:    "fig21",
		Title: "Load balancers on a tree of three tiers",
		Rules: []Rule{
			{"N088", "in every permutation and tornado the mean maximum FCT of REPS on 3 tiers, as a multiple of that of fluids, is at most 10 % above what it is on 2 tiers with as many hosts"},
		},
		build: buildFig21,
	}
}

// tieredPoints returns the synthetic set on a tree of the given tiers.
func (s Settings) tieredPoints(tiers int) []point {
	sizes := []int{4, 8, 16}
	if s.Scale == Quick {
		sizes = sizes[1:2]
	}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: 128, Tiers: tiers}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	points := s.synthetic(spec, sizes, s.Scale.choose(2, 10))
	for i := range points {
		points[i].cells, points[i].ideal = append(points[i].cells, tiers), true
	}
	return points
}

func buildFig21(ctx context.Context, s Settings) (Output, error) {
	columns := append(workloadColumns(), number("tiers"))
	flat := comparison{compared: []contender{ops(), repsPaper()}, columns: columns, points: s.tieredPoints(2)}
	tall := comparison{compared: allContenders(), columns: columns, points: s.tieredPoints(3)}
	for i, c := range []*comparison{&flat, &tall} {
		if err := c.run(ctx, s.part(i, 2)); err != nil {
			return Output{}, err
		}
	}
	main, ratios := tall.table(s.Seed), tall.speedups(s.Seed)
	main.Rows, ratios.Rows = append(main.Rows, flat.table(s.Seed).Rows...), append(ratios.Rows, flat.speedups(s.Seed).Rows...)
	gains := tall.faster(speedupPanel("(b) 3 tiers: speed-up of max. FCT", patternLabel, 1.35), patterns, longest())
	gains.Wide = true
	return Output{
		Tables:  []Table{main, ratios},
		Formats: []report.Format{report.CSV},
		Plot: &report.Figure{Columns: report.Double, Height: 5.6, SharedLegend: true,
			Panels: [][]report.Panel{{tall.patternTimes("(a) 3 tiers: completion time", longest())}, {gains}, {fig21Ideal(&flat, &tall, "ops", "(c) OPS against fluids"), fig21Ideal(&flat, &tall, "reps", "(d) REPS against fluids")}}},
		Notes: []string{
			fmt.Sprintf("128 hosts, 3 tiers: ToRs and aggregation switches of 4 ports down and 4 up (k = 8), pods of 16 hosts; queue 101, ECN 25/76, no trimming, DCTCP variant; %d replicas. The paper takes the set-up of its symmetric figure with a third tier and gives no more.", tall.points[0].replicas),
			"I is an incast of 8, P a permutation, T a tornado, with the message in MiB. Speed-up: the time under OPS over the own one, replicas paired. fig21-speedups.csv has all ratios.",
			"Panels (c) and (d): the maximum FCT over that of fluids which share links max-min fairly, on 3 tiers and on 2 with as many hosts (8 uplinks to a ToR), which takes the longer round trip out.",
			"Queue and ECN thresholds are as on 2 tiers, though the BDP is 151 packets here.",
		},
		Findings: []Finding{fig21Finding(&flat, &tall)},
	}, nil
}

// fig21Ideal draws times of a load balancer over those of fluids, on 2 and on 3
// tiers.
func fig21Ideal(flat, tall *comparison, key, title string) report.Panel {
	panel := report.Panel{Title: title, XLabel: patternLabel, YLabel: "Max. FCT / fluids'", Y: report.Axis{Min: new(0.0), Max: new(1.5)}, Rules: []report.Rule{{At: 1}}}
	for i, c := range []*comparison{flat, tall} {
		of := c.compared[c.index(key)]
		bars := report.Series{Name: of.name, Color: of.look, Mark: report.Bars}
		if c == flat {
			// Two tiers are hollow.
			bars.Name, bars.Color = of.name+", 2 tiers", of.look+8
		}
		for k, p := range c.points {
			appendPoint(&bars, float64(k), p.runs[c.index(key)].overIdeal())
			if i == 0 {
				panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, p.label)
			}
		}
		panel.Series = append(panel.Series, bars)
	}
	return panel
}

// fig21Finding judges that REPS is as good on 3 tiers as on 2.
func fig21Finding(flat, tall *comparison) Finding {
	holds, each := true, []string{}
	for i, p := range tall.points {
		if p.cells[0] == "incast" {
			continue
		}
		three, two := p.runs[tall.index("reps")].overIdeal(), flat.points[i].runs[flat.index("reps")].overIdeal()
		holds = holds && three.Value <= 1.1*two.Value
		each = append(each, fmt.Sprintf("%s and %s (%s)", interval(three, "%.3f"), interval(two, "%.3f"), p.place))
	}
	second := most(slices.DeleteFunc(tall.runnersUp(patterns, "reps", longest()), func(g gain) bool { return g.at.cells[0] == "incast" }))
	return inWords("N088", holds, "REPS over fluids on 3 and on 2 tiers: "+strings.Join(each, ", "),
		"the best of the others takes up to, in REPS's time: "+second.String())
}
