package main

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"repslab/recycled"
	"repslab/sweep"
)

func recycledModel() model {
	return newModel(model{
		name:    "recycled",
		streams: 1,
		results: numbers(recycledResults()),
		over:    recycledOver,
	}, recycledSpace())
}

// recycledOver returns the number of runs behind a mean: for rounds_mean, the runs that
// converged.
func recycledOver(mean string, row record) (runs uint64, known bool) {
	count := "replicas"
	if mean == "rounds_mean" {
		count = "converged"
	}
	n, known := row.number(count)
	return uint64(n), known
}

// recycledPoint is a combination of parameters of a recycled process.
type recycledPoint struct {
	recycled.Config
	expression string // of the threshold
}

// The theorem's smallest parameters, which [recycled.Config] takes by default, and the
// parameters of recycled and coalescing that have them.
const (
	theoremThreshold = "4*ln(n)"
	thresholdHelp    = "a ball is good if its bin held at most this many balls before it was served " +
		"(default the theorem's " + theoremThreshold + ")"
	colorsHelp = "round-robin: colours per bin (default the theorem's 2.4*ln(n))"
)

func maxThreshold(int) int { return recycled.MaxThreshold }
func maxColors(n int) int  { return recycled.MaxColors / n }

func recycledSpace() space[recycledPoint] {
	type point = recycledPoint
	bins := func(p *point) int { return p.Bins }
	threshold := expression("threshold", thresholdHelp, bins, maxThreshold, func(p *point, v int, text string) {
		p.Threshold, p.expression = v, text
	})
	threshold.textKey = "threshold_expression"
	threshold.columns = []column[*point]{
		{"threshold", func(p *point) any { return p.Threshold }},
		{"threshold_expression", func(p *point) any { return p.expression }},
	}
	roundRobin := func(p *point) bool { return p.Clocking == recycled.RoundRobin }
	perFlow := func(flag, help string, least, most int, field func(p *point) *int) parameter[point] {
		return integer(flag, "per-flow: "+help, least, most, field).
			usedOnly("by --clocking per-flow", func(p *point) bool { return p.Clocking == recycled.PerFlow })
	}
	return newSpace(point{Config: recycled.Config{}.WithDefaults()}, space[point]{
		parameters: []parameter[point]{
			integer("bins", "output ports n", 1, recycled.MaxBins, func(p *point) *int { return &p.Bins }),
			threshold,
			expression("colors-per-bin", colorsHelp, bins, maxColors, func(p *point, v int, _ string) { p.Colors = v }).
				cell(func(p *point) any { return p.Colors }).noPreset().
				field("Colors").usedOnly("by --clocking round-robin", roundRobin),
			name("clocking", "", recycled.Clockings(), func(p *point) *recycled.Clocking { return &p.Clocking }),
			probability("lambda", "probability that a thrown ball is not lost, in (0, 1]",
				func(p *point) *float64 { return &p.Lambda }),
			perFlow("ring", "entries of a flow's ring", 1, recycled.MaxRing, func(p *point) *int { return &p.Ring }),
			perFlow("delay", "rounds from a ball's service to its return", 0, recycled.MaxDelay,
				func(p *point) *int { return &p.Delay }),
			perFlow("window", "most balls of a flow in flight; 0 means no window", 0, recycled.MaxWindow,
				func(p *point) *int { return &p.Window }),
			integer("max-rounds", "rounds after which a run ends undecided (default 100*n*ln(n), at least 100)",
				1, recycled.MaxMaxRounds, func(p *point) *int { return &p.MaxRounds }).noPreset(),
			integer("horizon",
				"rounds for which the loads of every run are followed, decided or not; 0 means until the run is decided",
				0, recycled.MaxMaxRounds, func(p *point) *int { return &p.Horizon }),
		},
		complete: func(p *point) error {
			p.Config = p.WithDefaults()
			p.expression = cmp.Or(p.expression, theoremThreshold)
			return p.Validate()
		},
		point: func(p *point) sweep.Point {
			return sweep.Estimated(p.String(), nil, recycled.NewExperiment(p.Config), p.results)
		},
	})
}

// String names the point in warnings and progress.
func (p *recycledPoint) String() string {
	return fmt.Sprintf("bins=%d threshold=%d clocking=%s", p.Bins, p.Threshold, p.Clocking)
}

// recycledRow holds the results of a point.
type recycledRow struct {
	recycled.Result
	n float64
}

func recycledResults() []column[recycledRow] {
	type row = recycledRow
	ifAbsorbing := func(r row, count uint64) any {
		if !r.Absorbing {
			return nil
		}
		return count
	}
	return []column[row]{
		{"converged", func(r row) any { return ifAbsorbing(r, r.Converged) }},
		{"certified", func(r row) any { return ifAbsorbing(r, r.Certified) }},
		{"rounds_mean", func(r row) any { return r.Rounds.Value }},
		{"rounds_se", func(r row) any { return r.Rounds.StdErr }},
		{"rounds_p50", func(r row) any { return r.RoundsP50.Value }},
		{"rounds_p95", func(r row) any { return r.RoundsP95.Value }},
		{"rounds_max", func(r row) any { return r.RoundsMax }},
		{"rounds_per_nlnn", func(r row) any { return r.Rounds.Value / (r.n * math.Log(r.n)) }},
		{"rounds_per_n", func(r row) any { return r.Rounds.Value / r.n }},
		{"max_load_at_decision_mean", func(r row) any { return r.MaxLoadAtDecision.Value }},
		{"max_load_at_decision_max", func(r row) any { return r.MaxLoadAtDecisionMax }},
		{"max_load_at_decision_per_lnn", func(r row) any { return r.MaxLoadAtDecision.Value / math.Log(r.n) }},
		{"random_throw_fraction", func(r row) any { return r.RandomFraction.Value }},
		{"max_load_mean", func(r row) any { return r.MaxLoad.Value }},
		{"max_load_max", func(r row) any { return r.MaxLoadMax }},
		{"max_load_per_lnn", func(r row) any { return r.MaxLoad.Value / math.Log(r.n) }},
		{"duplicate_color_fraction", func(r row) any { return r.ColorRepeated.Value }},
	}
}

// results returns the row of a tally.
func (p *recycledPoint) results(_ context.Context, tally *recycled.Tally, _ uint64) (sweep.Results, error) {
	row := recycledRow{tally.Result(), float64(p.Bins)}
	return sweep.Results{
		Rows: [][]any{cellsOf(recycledResults(), row)}, Warnings: p.warnings(row.Result), Work: float64(row.Throws),
	}, nil
}

// warnings names the statistics that do not exist.
func (p *recycledPoint) warnings(s recycled.Result) (w []string) {
	warn := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	switch {
	case !s.Absorbing:
		warn("clocking=%s lambda=%v: absorbing states are not looked for, so converged, certified and rounds_* are null",
			p.Clocking, p.Lambda)
	case s.Converged == 0:
		warn("%s: none of %d runs converged within %d rounds (%d certainly never will): rounds_* are null",
			p, s.Replicas, p.MaxRounds, s.Certified)
	case s.Converged < s.Replicas:
		warn("%s: %d of %d runs converged: rounds_* are over these alone", p, s.Converged, s.Replicas)
	}
	if s.Converged == 1 {
		warn("one converged run gives no standard error: rounds_se is null")
	}
	if math.IsNaN(s.MaxLoad.Value) {
		unknown := "max_load_mean, max_load_max and max_load_per_lnn"
		if p.Clocking == recycled.RoundRobin && math.IsNaN(s.ColorRepeated.Value) {
			unknown = "max_load_mean, max_load_max, max_load_per_lnn and duplicate_color_fraction"
		}
		warn("%s: %d of %d runs were certified and ended there, so their later loads are unknown: "+
			"%s are null (--horizon %d follows all runs for max_rounds)",
			p, s.Certified, s.Replicas, unknown, p.MaxRounds)
	}
	if p.Bins == 1 {
		warn("ln n is 0 for bins=1: rounds_per_nlnn and *_per_lnn are null")
	}
	if math.IsNaN(s.RandomFraction.Value) {
		warn("%s: nothing was thrown: random_throw_fraction is null", p)
	}
	return w
}
