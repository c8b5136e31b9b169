package cases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"repslab/ballsbins"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/sweep"
)

func ballsbinsModel() param.Model {
	results := param.Numbers(ballsbinsRow(ballsbins.Observation{}, nil, nil, nil, nil))
	return param.New(param.Model{Name: "ballsbins", Streams: 2, Results: results, Brief: []string{
		"bins", "lambda", "rule", "max_load_mean", "max_load_se", "max_load_p95", "exceeds_probability",
	}}, func() param.Space { return ballsbinsSpace(new(BallsBins)) })
}

// BallsBins is a point: a combination of parameters of the batched process.
type BallsBins struct {
	ballsbins.Config
	rounds, every int
	exceeds       int // 0 if not given
}

func ballsbinsSpace(p *BallsBins) param.Space {
	*p = BallsBins{Config: ballsbins.Config{}.WithDefaults()}
	p.rounds = p.Rounds[0]
	chooses := func() bool { return p.Policy == ballsbins.TwoChoice }
	return param.NewSpace(p, (*BallsBins).complete, (*BallsBins).point, param.Formulas("bins", &p.Bins, []param.Parameter{
		param.Integer("bins", "output ports n", 1, ballsbins.MaxBins, &p.Bins),
		param.Probability("lambda", "probability that an offered ball arrives, in (0, 1]", &p.Lambda),
		param.Integer("rounds", "rounds of a run", 1, mc.MaxRounds, &p.rounds),
		param.Integer("every",
			"observe after every multiple of this many rounds, and after the last",
			1, mc.MaxRounds, &p.every).NoPreset("only after the last"),
		param.Name("rule", "policy, the choice of a ball's bin", ballsbins.Policies(), &p.Policy).Field("Policy"),
		param.Integer("choices", "bins drawn for a ball", 1, ballsbins.MaxChoices, &p.Choices).
			UsedOnly("by --rule two-choice", chooses),
		param.OneOf("see", "loads that choices compare: after or before the round's service",
			&p.SeeBefore, []string{"after", "before"}, false, true).Field("SeeBefore").UsedOnly("by --rule two-choice", chooses),
		param.Name("variant", "order and weight of arrivals", ballsbins.Variants(), &p.Variant),
		integers("start", "empty, or balls of the first bins, as 100:0; the others are empty", "empty", &p.Start),
		exceedsParameter("lambda below 1, uniform, not weighted", ballsbins.MaxExceeds, &p.exceeds),
	}))
}

// complete applies defaults and checks the point.
func (p *BallsBins) complete() error {
	p.every = cmp.Or(p.every, p.rounds)
	if least := (p.rounds-1)/mc.MaxObservations + 1; p.every < least {
		return param.Usagef("--every (%d) must be at least %d with --rounds %d: at most %d rounds are observed",
			p.every, least, p.rounds, mc.MaxObservations)
	}
	p.Rounds = mc.RoundsEvery(p.every, p.rounds)
	p.SeeBefore = p.SeeBefore && p.Policy == ballsbins.TwoChoice
	if p.exceeds > 0 {
		_, err := ballsbins.NewExceedsExperiment(p.Config, p.exceeds)
		return exceedsFault(p.exceeds, err)
	}
	return p.Validate()
}

// point returns the point of a sweep.
func (p *BallsBins) point() sweep.Point {
	known := new(once[[]float64])
	point := besideExceeds(p.String(), ballsbins.NewExperiment(p.Config), p.exceeds,
		func() (rareExperiment, error) { return ballsbins.NewExceedsExperiment(p.Config, p.exceeds) },
		func(ctx context.Context, tally *ballsbins.Tally, rare *mc.SplitTally, replicas uint64) (sweep.Results, error) {
			list, err := known.get(ctx, func(ctx context.Context) ([]float64, error) { return ballsbins.MeanFieldMaxLoad(ctx, p.Config) })
			return p.results(tally, rare, replicas, list, err)
		})
	point.Work = float64(p.rounds) * float64(p.Bins)
	return point
}

// String names the point in warnings and progress.
func (p *BallsBins) String() string {
	return fmt.Sprintf("bins=%d lambda=%v rule=%s variant=%s", p.Bins, p.Lambda, p.Policy, p.Variant)
}

// ballsbinsRow returns the results of an observed round. meanField and total, the exact total load, are nil if there is
// none; rare and exact are nil unless --exceeds is given.
func ballsbinsRow(o ballsbins.Observation, meanField, total any, rare *mc.SplitTally, exact any) frame.Row {
	return frame.Row{
		{"round", o.Round},
		{"max_load_mean", frame.WithError(o.MaxLoad)},
		{"max_load_p95", frame.WithEnds(o.MaxLoadP95)},
		{"total_load_mean", frame.WithError(o.TotalLoad)},
		{"total_load_exact", total},
		{"mean_field_max_load", meanField},
		exceedsCell(rare),
		{"exceeds_exact", exact},
	}
}

// exactTotals returns the expected total load after each observed round, or nil where no closed form is known.
func (p *BallsBins) exactTotals() []float64 {
	if p.Policy != ballsbins.Uniform || p.Lambda < 1 || p.Variant != ballsbins.ServeThenArrive || len(p.Start) > 0 {
		return nil
	}
	loads, err := ballsbins.MeanLoads(p.Bins, p.Rounds)
	if err != nil {
		return nil // more rounds than it computes
	}
	for i := range loads {
		loads[i] *= float64(p.Bins)
	}
	return loads
}

// results returns a row for each observed round; rare is nil unless --exceeds is given. err is the error of the mean
// field.
func (p *BallsBins) results(tally *ballsbins.Tally, rare *mc.SplitTally, replicas uint64, meanField []float64, err error) (sweep.Results, error) {
	var out sweep.Results
	var exact any
	if rare != nil {
		probability, err := ballsbins.ExceedsExact(p.Config, p.exceeds)
		if err != nil {
			return out, err
		}
		exact = probability
		out.Warnings = append(out.Warnings, exceedsWarnings(p, rare)...)
		out.Work = float64(rare.Work()) * float64(p.Bins)
	}
	switch {
	case errors.Is(err, ballsbins.ErrNoMeanField), errors.Is(err, ballsbins.ErrMeanFieldTooLong):
		text := strings.TrimPrefix(err.Error(), "ballsbins: ")
		out.Warnings = append(out.Warnings, "mean_field_max_load is null: "+text)
	case err != nil:
		return out, err
	}
	totals := p.exactTotals()
	for i, o := range tally.Result().Observations {
		var expected any
		if meanField != nil {
			expected = meanField[i]
		}
		var total any
		if totals != nil {
			total = totals[i]
		}
		row := ballsbinsRow(o, expected, total, rare, exact)
		out.Rows = append(out.Rows, row.Values())
		out.Warnings = append(out.Warnings, wideIntervals(fmt.Sprintf("%s round=%d", p, o.Round), row, nil)...)
	}
	if replicas == 1 {
		out.Warnings = append(out.Warnings, "one replica gives no standard error: max_load_se is null")
	}
	out.Work += float64(replicas) * float64(p.rounds) * float64(p.Bins)
	return out, nil
}
