package main

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"repslab/internal/table"
	"repslab/recycled"
	"repslab/sweep"
)

func recycledModel() model {
	return newModel(model{
		name:    "recycled",
		streams: 1,
		results: numbers(recycledRow(recycled.Result{}, 1)),
		over:    recycledOver,
	}, recycledSpace)
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

// theoremThreshold is the theorem's smallest threshold, which [recycled.Config] takes by default.
const theoremThreshold = "4*ln(n)"

// thresholdParameter is the threshold of recycled and coalescing; text is that of its expression.
func thresholdParameter(bins, threshold *int, text *string) parameter {
	return expression("threshold", "a ball is good if its bin held at most this many balls before it was served "+
		"(default the theorem's "+theoremThreshold+")",
		bins, func(int) int { return recycled.MaxThreshold }, threshold, text)
}

// colorsParameter is the number of colours per bin of recycled and coalescing.
func colorsParameter(bins, colors *int, clocking *recycled.Clocking) parameter {
	return expression("colors-per-bin", "round-robin: colours per bin (default the theorem's 2.4*ln(n))",
		bins, func(n int) int { return recycled.MaxColors / n }, colors, new(string)).field("Colors").
		usedOnly("by --clocking round-robin", func() bool { return *clocking == recycled.RoundRobin })
}

func recycledSpace() space {
	p := &recycledPoint{Config: recycled.Config{}.WithDefaults()}
	threshold := thresholdParameter(&p.Bins, &p.Threshold, &p.expression)
	threshold.columns = append(threshold.columns,
		column{table.Text("threshold_expression"), func() any { return p.expression }})
	flows := func() bool { return p.Clocking == recycled.PerFlow }
	perFlow := func(flag, help string, least, most int, field *int) parameter {
		return integer(flag, "per-flow: "+help, least, most, field).usedOnly("by --clocking per-flow", flows)
	}
	byEVs := func(q parameter) parameter {
		return q.usedOnly("by --clocking per-flow with --evs", func() bool { return flows() && p.EVS > 0 })
	}
	return newSpace(p, (*recycledPoint).complete, (*recycledPoint).point, []parameter{
		integer("bins", "output ports n", 1, recycled.MaxBins, &p.Bins),
		threshold,
		colorsParameter(&p.Bins, &p.Colors, &p.Clocking),
		name("clocking", "", recycled.Clockings(), &p.Clocking),
		probability("lambda", "probability that a thrown ball is not lost, in (0, 1]", &p.Lambda),
		perFlow("ring", "entries of a flow's ring", 1, recycled.MaxRing, &p.Ring),
		perFlow("delay", "rounds from a ball's service to its return", 0, recycled.MaxDelay, &p.Delay),
		perFlow("window", "most balls of a flow in flight; 0 means no window", 0, recycled.MaxWindow, &p.Window),
		perFlow("evs", "entropy values of a flow, a power of two for most rules; 0 means an endless set",
			0, recycled.MaxColors, &p.EVS).field("EVS"),
		byEVs(name("rule", "choice of the entropy value: reps (a ring, else uniform), mixed (an unlimited list, else as bitmap), "+
			"bitmap (in blocks, past those with marks), stratified (in blocks), ops (uniform)", recycled.Rules(), &p.Rule)),
		byEVs(integer("ack-ratio", "per-flow with --evs: balls per acknowledgement", 1, recycled.MaxRatio, &p.Ratio)).field("Ratio"),
		integer("max-rounds", "rounds after which a run ends undecided (default 100*n*ln(n), at least 100)",
			1, recycled.MaxMaxRounds, &p.MaxRounds).noPreset(),
		integer("horizon",
			"rounds for which the loads of every run are followed, decided or not; 0 means until the run is decided",
			0, recycled.MaxMaxRounds, &p.Horizon),
	})
}

// complete applies defaults and checks the point.
func (p *recycledPoint) complete() error {
	p.Config = p.WithDefaults()
	p.expression = cmp.Or(p.expression, theoremThreshold)
	return p.Validate()
}

// point returns the point of a sweep.
func (p *recycledPoint) point() sweep.Point {
	return sweep.Estimated(p.String(), nil, recycled.NewExperiment(p.Config), p.results)
}

// String names the point in warnings and progress.
func (p *recycledPoint) String() string {
	return fmt.Sprintf("bins=%d threshold=%d clocking=%s", p.Bins, p.Threshold, p.Clocking)
}

// recycledRow returns the results of a point with n bins.
func recycledRow(r recycled.Result, n float64) []member {
	ifAbsorbing := func(count uint64) any {
		if !r.Absorbing {
			return nil
		}
		return count
	}
	return []member{
		{"converged", ifAbsorbing(r.Converged)},
		{"certified", ifAbsorbing(r.Certified)},
		{"rounds_mean", r.Rounds.Value},
		{"rounds_se", r.Rounds.StdErr},
		{"rounds_p50", r.RoundsP50.Value},
		{"rounds_p95", r.RoundsP95.Value},
		{"rounds_max", r.RoundsMax},
		{"rounds_per_nlnn", r.Rounds.Value / (n * math.Log(n))},
		{"rounds_per_n", r.Rounds.Value / n},
		{"max_load_at_decision_mean", r.MaxLoadAtDecision.Value},
		{"max_load_at_decision_max", r.MaxLoadAtDecisionMax},
		{"max_load_at_decision_per_lnn", r.MaxLoadAtDecision.Value / math.Log(n)},
		{"random_throw_fraction", r.RandomFraction.Value},
		{"max_load_mean", r.MaxLoad.Value},
		{"max_load_max", r.MaxLoadMax},
		{"max_load_per_lnn", r.MaxLoad.Value / math.Log(n)},
		{"duplicate_color_fraction", r.ColorRepeated.Value},
	}
}

// results returns the row of a tally.
func (p *recycledPoint) results(_ context.Context, tally *recycled.Tally, _ uint64) (sweep.Results, error) {
	r := tally.Result()
	row := cellsOf(recycledRow(r, float64(p.Bins)))
	return sweep.Results{Rows: [][]any{row}, Warnings: p.warnings(r), Work: float64(r.Throws)}, nil
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
