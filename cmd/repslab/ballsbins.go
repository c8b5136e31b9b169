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
	return newModel(model{name: "ballsbins", streams: 1, results: numbers(ballsbinsResults())}, ballsbinsSpace())
}

// ballsbinsPoint is a combination of parameters of the batched process.
type ballsbinsPoint struct {
	ballsbins.Config
	rounds, every int
}

func ballsbinsSpace() space[ballsbinsPoint] {
	type point = ballsbinsPoint
	defaults := ballsbins.Config{}.WithDefaults()
	return newSpace(point{Config: defaults, rounds: defaults.Rounds[0]}, space[point]{
		parameters: []parameter[point]{
			integer("bins", "output ports n", 1, ballsbins.MaxBins, func(p *point) *int { return &p.Bins }),
			probability("lambda", "probability that an offered ball arrives, in (0, 1]",
				func(p *point) *float64 { return &p.Lambda }),
			integer("rounds", "rounds of a run", 1, mc.MaxRounds, func(p *point) *int { return &p.rounds }),
			integer("every",
				"observe after every multiple of this many rounds, and after the last (default: only after the last)",
				1, mc.MaxRounds, func(p *point) *int { return &p.every }).noPreset(),
			name("policy", "", ballsbins.Policies(), func(p *point) *ballsbins.Policy { return &p.Policy }),
			name("variant", "", ballsbins.Variants(), func(p *point) *ballsbins.Variant { return &p.Variant }),
		},
		complete: (*point).complete,
		point: func(p *point) sweep.Point {
			return sweep.Estimated(p.String(), nil, ballsbins.NewExperiment(p.Config), p.results)
		},
	})
}

// complete applies defaults and checks the point.
func (p *ballsbinsPoint) complete() error {
	if p.every == 0 {
		p.every = p.rounds
	}
	if least := (p.rounds-1)/mc.MaxObservations + 1; p.every < least {
		return usagef("--every (%d) must be at least %d with --rounds %d: at most %d rounds are observed",
			p.every, least, p.rounds, mc.MaxObservations)
	}
	p.Rounds = mc.RoundsEvery(p.every, p.rounds)
	return p.Validate()
}

// String names the point in warnings and progress.
func (p *ballsbinsPoint) String() string {
	return fmt.Sprintf("bins=%d lambda=%v policy=%s variant=%s", p.Bins, p.Lambda, p.Policy, p.Variant)
}

// ballsbinsRow holds the results of an observed round.
type ballsbinsRow struct {
	ballsbins.Observation
	meanField any // null where there is none
}

func ballsbinsResults() []column[ballsbinsRow] {
	type row = ballsbinsRow
	return []column[row]{
		{"round", func(r row) any { return r.Round }},
		{"max_load_mean", func(r row) any { return r.MaxLoad.Value }},
		{"max_load_se", func(r row) any { return r.MaxLoad.StdErr }},
		{"max_load_p95", func(r row) any { return r.MaxLoadP95.Value }},
		{"total_load_mean", func(r row) any { return r.TotalLoad.Value }},
		{"mean_field_max_load", func(r row) any { return r.meanField }},
	}
}

// results returns a row for each observed round.
func (p *ballsbinsPoint) results(ctx context.Context, tally *ballsbins.Tally, replicas uint64) (sweep.Results, error) {
	var out sweep.Results
	meanField, err := ballsbins.MeanFieldMaxLoad(ctx, p.Config)
	switch {
	case errors.Is(err, ballsbins.ErrNoMeanField), errors.Is(err, ballsbins.ErrMeanFieldTooLong):
		text := strings.TrimPrefix(err.Error(), "ballsbins: ")
		out.Warnings = append(out.Warnings, "mean_field_max_load is null: "+text)
	case err != nil:
		return out, err
	}
	for i, o := range tally.Result().Observations {
		row := ballsbinsRow{Observation: o}
		if meanField != nil {
			row.meanField = meanField[i]
		}
		out.Rows = append(out.Rows, cellsOf(ballsbinsResults(), row))
	}
	if replicas == 1 {
		out.Warnings = append(out.Warnings, "one replica gives no standard error: max_load_se is null")
	}
	out.Work = float64(replicas) * float64(p.rounds) * float64(p.Bins)
	return out, nil
}
