package main

import (
	"context"
	"fmt"
	"math"

	"repslab/internal/values"
	"repslab/recycled"
	"repslab/sweep"
)

func recycledModel() model {
	return model{
		name:    "recycled",
		streams: 1,
		short:   "Recycled balls into bins: queues under recycled packet spraying (REPS)",
		long: `Estimates convergence and loads of recycled balls into bins: a ball removed from a
bin with at most threshold balls makes its sender throw into that bin again.

--clocking chooses the process:
  self-clocked  what the paper's proof analyses: a good ball returns to its bin in
                the same round, overfull and empty bins throw at random
  round-robin   the text of the paper's model: n * colors_per_bin colours take turns
  per-flow      n REPS senders with a ring each, a round trip and a window

threshold and colors_per_bin take expressions of n: + - * / ^ ( ) ln log2 sqrt,
rounded up. rounds_* are over the runs that converged; certified counts runs that
never will, since more than n * threshold balls are in the bins. Convergence is
looked for in self-clocked and round-robin with lambda = 1. A run is decided when
it has converged, is certified, or has reached max_rounds: max_load_at_decision_*
and random_throw_fraction are over the rounds until then; where convergence is not
looked for random_throw_fraction is over the second half of them. max_load_* and
duplicate_color_fraction, which is for round-robin alone, are over the first
horizon rounds of all runs, or max_rounds without a horizon: then they are null if
certified runs, which end early, leave them unknown.`,
		example: `  repslab recycled --bins 16..4096:x2 --threshold '4*ln(n)' --replicas 2000
  repslab recycled --clocking round-robin --bins 32 --replicas 20 --horizon 20000
  repslab recycled --clocking per-flow --bins 32 --delay 100 --window 90..150:+10`,
		parameters: []parameter{
			{"bins", "32", "output ports n"},
			{"threshold", "", thresholdHelp},
			{"clocking", string(recycled.SelfClocked), list(recycled.Clockings())},
			{"colors-per-bin", "", colorsHelp},
			{"lambda", "1", "probability that a thrown ball is not lost, in (0, 1]"},
			{"ring", "8", "per-flow: entries of a flow's ring"},
			{"delay", "0", "per-flow: rounds from a ball's removal to its return"},
			{"window", "0", "per-flow: balls a flow has thrown and not yet back; 0 means no window"},
			{"max-rounds", "", "rounds after which a run ends undecided (default 100*n*ln(n), at least 100)"},
			{"horizon", "0", "rounds for which the loads of every run are followed, decided or not; 0 means that a run ends when it is decided"},
		},
		keys: columns([]string{
			"bins", "threshold", "threshold_expression", "colors_per_bin", "clocking", "lambda", "ring", "delay", "window", "max_rounds", "horizon",
		}, "threshold_expression", "clocking"),
		results: columns([]string{
			"converged", "certified", "rounds_mean", "rounds_se", "rounds_p50", "rounds_p95", "rounds_max", "rounds_per_nlnn", "rounds_per_n",
			"max_load_at_decision_mean", "max_load_at_decision_max", "max_load_at_decision_per_lnn", "random_throw_fraction",
			"max_load_mean", "max_load_max", "max_load_per_lnn", "duplicate_color_fraction",
		}),
		over:   recycledOver,
		points: recycledPoints,
	}
}

// recycledOver returns the number of runs behind a mean: those of the rounds are over
// the runs that converged.
func recycledOver(mean string, cell func(key string) any) (runs uint64, known bool) {
	count := "replicas"
	if mean == "rounds_mean" {
		count = "converged"
	}
	n, known := number(cell(count))
	return uint64(n), known
}

// recycledPoints returns the combinations of the parameters, all of them valid.
func recycledPoints(g *grid) ([]sweep.Point, error) {
	bins := axis(g, "bins", intsIn(1, recycled.MaxBins))
	threshold := optional(g, "threshold", values.Exprs)
	clocking := axis(g, "clocking", namesOf(recycled.Clockings()))
	colors := optional(g, "colors-per-bin", values.Exprs)
	lambda := axis(g, "lambda", probabilities)
	ring := axis(g, "ring", intsIn(1, recycled.MaxRing))
	delay := axis(g, "delay", intsIn(0, recycled.MaxDelay))
	window := axis(g, "window", intsIn(0, recycled.MaxWindow))
	maxRounds := optional(g, "max-rounds", intsIn(1, recycled.MaxMaxRounds))
	horizon := axis(g, "horizon", intsIn(0, recycled.MaxMaxRounds))
	return pointsOf(collect(g, recycledUses(), func() (p recycledPoint, err error) {
		cfg := recycled.Config{
			Bins: bins(), Clocking: clocking(), Lambda: lambda(),
			Ring: ring(), Delay: delay(), Window: window(), Horizon: horizon(),
		}
		cfg.MaxRounds, _ = maxRounds()
		var expression string
		if cfg.Threshold, expression, err = thresholdAt(threshold, cfg.Bins); err != nil {
			return p, err
		}
		if cfg.Colors, err = colorsAt(colors, cfg.Bins); err != nil {
			return p, err
		}
		p = recycledPoint{cfg.WithDefaults(), expression}
		return p, asFlags(p.cfg.Validate(), recycledFlags)
	}))
}

// recycledUses lists the parameters that only some clockings use.
func recycledUses() []use[recycledPoint] {
	const only = "by --clocking per-flow"
	perFlow := func(p recycledPoint) bool { return p.cfg.Clocking == recycled.PerFlow }
	return []use[recycledPoint]{
		{"colors-per-bin", "by --clocking round-robin", func(p recycledPoint) bool { return p.cfg.Clocking == recycled.RoundRobin }},
		{"ring", only, perFlow},
		{"delay", only, perFlow},
		{"window", only, perFlow},
	}
}

// recycledPoint is a combination of parameters of a recycled process, with defaults
// applied.
type recycledPoint struct {
	cfg        recycled.Config
	expression string // of the threshold
}

// recycledFlags maps the fields of a configuration to flags.
func recycledFlags() map[string]string {
	return map[string]string{
		"Bins": "bins", "Threshold": "threshold", "MaxRounds": "max-rounds", "Lambda": "lambda", "Clocking": "clocking",
		"Colors": "colors-per-bin", "Ring": "ring", "Delay": "delay", "Window": "window", "Horizon": "horizon",
	}
}

// String names the point in warnings and progress.
func (p recycledPoint) String() string {
	return fmt.Sprintf("bins=%d threshold=%d clocking=%s", p.cfg.Bins, p.cfg.Threshold, p.cfg.Clocking)
}

// point returns the point of a sweep.
func (p recycledPoint) point() sweep.Point {
	c := p.cfg
	keys := []any{c.Bins, c.Threshold, p.expression, c.Colors, string(c.Clocking), c.Lambda, c.Ring, c.Delay, c.Window, c.MaxRounds, c.Horizon}
	return sweep.Estimated(p.String(), keys, recycled.NewExperiment(c), p.results)
}

// results turns a tally into a row.
func (p recycledPoint) results(_ context.Context, tally *recycled.Tally, _ uint64) (sweep.Results, error) {
	s := tally.Result()
	n := float64(p.cfg.Bins)
	var converged, certified any
	if s.Absorbing {
		converged, certified = s.Converged, s.Certified
	}
	row := []any{
		converged, certified, s.Rounds.Value, s.Rounds.StdErr, s.RoundsP50.Value, s.RoundsP95.Value, s.RoundsMax,
		s.Rounds.Value / (n * math.Log(n)), s.Rounds.Value / n,
		s.MaxLoadAtDecision.Value, s.MaxLoadAtDecisionMax, s.MaxLoadAtDecision.Value / math.Log(n), s.RandomFraction.Value,
		s.MaxLoad.Value, s.MaxLoadMax, s.MaxLoad.Value / math.Log(n), s.ColorRepeated.Value,
	}
	return sweep.Results{Rows: [][]any{row}, Warnings: p.warnings(s), Work: float64(s.Throws)}, nil
}

// warnings names the statistics that do not exist.
func (p recycledPoint) warnings(s recycled.Result) []string {
	var w []string
	switch {
	case !s.Absorbing:
		w = append(w, fmt.Sprintf("clocking=%s lambda=%v: absorbing states are not looked for, so converged, certified and rounds_* are null", p.cfg.Clocking, p.cfg.Lambda))
	case s.Converged == 0:
		w = append(w, fmt.Sprintf("%s: none of %d runs converged within %d rounds (%d certainly never will): rounds_* are null", p, s.Replicas, p.cfg.MaxRounds, s.Certified))
	case s.Converged < s.Replicas:
		w = append(w, fmt.Sprintf("%s: %d of %d runs converged: rounds_* are over these alone", p, s.Converged, s.Replicas))
	}
	if s.Converged == 1 {
		w = append(w, "one converged run gives no standard error: rounds_se is null")
	}
	if math.IsNaN(s.MaxLoad.Value) {
		unknown := "max_load_mean, max_load_max and max_load_per_lnn"
		if p.cfg.Clocking == recycled.RoundRobin && math.IsNaN(s.ColorRepeated.Value) {
			unknown = "max_load_mean, max_load_max, max_load_per_lnn and duplicate_color_fraction"
		}
		w = append(w, fmt.Sprintf("%s: %d of %d runs were certified and ended there, so their later loads are unknown: %s are null (--horizon %d follows all runs for max_rounds)", p, s.Certified, s.Replicas, unknown, p.cfg.MaxRounds))
	}
	if p.cfg.Bins == 1 {
		w = append(w, "ln n is 0 for bins=1: rounds_per_nlnn and *_per_lnn are null")
	}
	if math.IsNaN(s.RandomFraction.Value) {
		w = append(w, fmt.Sprintf("%s: nothing was thrown: random_throw_fraction is null", p))
	}
	return w
}
