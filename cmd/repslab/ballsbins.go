package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"repslab/ballsbins"
	"repslab/mc"
	"repslab/sweep"
)

func ballsbinsModel() model {
	return model{
		name:    "ballsbins",
		streams: 1,
		short:   "Batched balls into bins: queues under oblivious packet spraying",
		long: `Estimates the loads of the batched balls-into-bins process: in every round each
non-empty bin loses one ball, then each of n balls arrives with probability
lambda and goes to a bin. One row for each observed round.

mean_field_max_load is exact: the expected maximum of n independent bins with the
law of one bin, a lower bound for the process.`,
		example: `  repslab ballsbins --bins 4..128:x2 --lambda 0.99 --rounds 1000 --every 50
  repslab ballsbins --bins 32 --policy uniform,two-choice --format csv -o loads.csv`,
		parameters: []parameter{
			{"bins", "32", "output ports n"},
			{"lambda", "1", "probability that an offered ball arrives, in (0, 1]"},
			{"rounds", "1000", "rounds of a run"},
			{"every", "", "observe after each so many rounds, and after the last (default: only after the last)"},
			{"policy", string(ballsbins.Uniform), list(ballsbins.Policies())},
			{"variant", string(ballsbins.ServeThenArrive), list(ballsbins.Variants())},
		},
		keys:    columns([]string{"bins", "lambda", "rounds", "every", "policy", "variant"}, "policy", "variant"),
		results: columns([]string{"round", "max_load_mean", "max_load_se", "max_load_p95", "total_load_mean", "mean_field_max_load"}),
		points:  ballsbinsPoints,
	}
}

// ballsbinsPoints returns the combinations of the parameters, all of them valid.
func ballsbinsPoints(g *grid) ([]sweep.Point, error) {
	bins := axis(g, "bins", intsIn(1, ballsbins.MaxBins))
	lambda := axis(g, "lambda", probabilities)
	rounds := axis(g, "rounds", intsIn(1, mc.MaxRounds))
	every := optional(g, "every", intsIn(1, mc.MaxRounds))
	policy := axis(g, "policy", namesOf(ballsbins.Policies()))
	variant := axis(g, "variant", namesOf(ballsbins.Variants()))
	return pointsOf(collect(g, nil, func() (p ballsbinsPoint, err error) {
		p = ballsbinsPoint{cfg: ballsbins.Config{Bins: bins(), Lambda: lambda(), Policy: policy(), Variant: variant()}, rounds: rounds()}
		var given bool
		if p.every, given = every(); !given {
			p.every = p.rounds
		}
		if least := (p.rounds-1)/mc.MaxObservations + 1; p.every < least {
			return p, usagef("--every (%d) must be at least %d with --rounds %d: at most %d rounds are observed", p.every, least, p.rounds, mc.MaxObservations)
		}
		p.cfg.Rounds = mc.RoundsEvery(p.every, p.rounds)
		return p, asFlags(p.cfg.Validate(), ballsbinsFlags)
	}))
}

// ballsbinsFlags maps the fields of a configuration to flags.
func ballsbinsFlags() map[string]string {
	return map[string]string{"Bins": "bins", "Lambda": "lambda", "Variant": "variant", "Policy": "policy", "Rounds": "rounds"}
}

// ballsbinsPoint is a combination of parameters of the batched process.
type ballsbinsPoint struct {
	cfg           ballsbins.Config
	rounds, every int
}

// String names the point in warnings and progress.
func (p ballsbinsPoint) String() string {
	return fmt.Sprintf("bins=%d lambda=%v policy=%s variant=%s", p.cfg.Bins, p.cfg.Lambda, p.cfg.Policy, p.cfg.Variant)
}

// point returns the point of a sweep.
func (p ballsbinsPoint) point() sweep.Point {
	keys := []any{p.cfg.Bins, p.cfg.Lambda, p.rounds, p.every, string(p.cfg.Policy), string(p.cfg.Variant)}
	return sweep.Estimated(p.String(), keys, ballsbins.NewExperiment(p.cfg), p.results)
}

// results turns a tally into rows.
func (p ballsbinsPoint) results(ctx context.Context, tally *ballsbins.Tally, replicas uint64) (sweep.Results, error) {
	var warnings []string
	meanField, err := ballsbins.MeanFieldMaxLoad(ctx, p.cfg)
	switch {
	case errors.Is(err, ballsbins.ErrNoMeanField), errors.Is(err, ballsbins.ErrMeanFieldTooLong):
		warnings = append(warnings, "mean_field_max_load is null: "+strings.TrimPrefix(err.Error(), "ballsbins: "))
	case err != nil:
		return sweep.Results{}, err
	}
	out := sweep.Results{Work: float64(replicas) * float64(p.rounds) * float64(p.cfg.Bins)}
	for i, o := range tally.Result().Observations {
		var bound any
		if meanField != nil {
			bound = meanField[i]
		}
		out.Rows = append(out.Rows, []any{o.Round, o.MaxLoad.Value, o.MaxLoad.StdErr, o.MaxLoadP95.Value, o.TotalLoad.Value, bound})
	}
	if replicas == 1 {
		warnings = append(warnings, "one replica gives no standard error: max_load_se is null")
	}
	out.Warnings = warnings
	return out, nil
}
