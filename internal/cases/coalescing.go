package cases

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/recycled"
	"repslab/sweep"
)

func coalescingModel() param.Model {
	results := param.Numbers(coalescingRow(coalescing.Observation{}, ballsbins.Observation{}))
	return param.New(param.Model{Name: "coalescing", Streams: 1, Results: results, Brief: []string{
		"bins", "ack_ratio", "threshold", "max_load_mean", "max_load_se", "max_load_p95", "ops_max_load_mean", "ops_max_load_se",
	}}, func() param.Space { return coalescingSpace(new(Coalescing)) })
}

// Coalescing is a point: a combination of parameters, with defaults applied.
type Coalescing struct {
	coalescing.Config
	rounds int
}

func coalescingSpace(p *Coalescing) param.Space {
	*p = Coalescing{Config: coalescing.Config{}.WithDefaults()}
	p.rounds = p.Rounds[0]
	return param.NewSpace(p, (*Coalescing).complete, (*Coalescing).point, param.Formulas("bins", &p.Bins, []param.Parameter{
		param.Integer("bins", "output ports n, also flows", 1, recycled.MaxBins, &p.Bins),
		param.Integer("ack-ratio", "served balls of a flow per ACK, r", 1, coalescing.MaxRatio, &p.Ratio).Field("Ratio"),
		param.Name("ack-variant", "balls that an ACK judges", coalescing.Variants(), &p.Variant).Field("Variant").
			UsedOnly("with --ack-ratio above 1, or if it is standard or every-rth-round", p.usesVariant),
		param.Name("clocking", "process, which says who remembers", coalescing.Clockings(), &p.Clocking).
			NoPreset("round-robin; every-rth-round: self-clocked"),
		thresholdParameter(1, &p.Bins, &p.Threshold, new(string)),
		colorsParameter(&p.Bins, &p.Colors, &p.Clocking),
		param.Integer("rounds", "rounds of a run", 1, mc.MaxRounds, &p.rounds),
	}))
}

// complete applies defaults and checks the point.
func (p *Coalescing) complete() error {
	p.Rounds = []int{p.rounds}
	p.Config = p.WithDefaults()
	used := recycled.Config{Clocking: p.Clocking, Colors: p.Colors, Ring: p.Ring}.Used()
	p.Colors, p.Ring = used.Colors, used.Ring
	p.Config = p.WithDefaults()
	return p.Validate()
}

// usesVariant reports whether the ACK variant has an effect, or is one of the variants that are allowed without
// coalescing.
func (p *Coalescing) usesVariant() bool {
	return p.Ratio > 1 || p.Variant == coalescing.Standard || p.Variant == coalescing.EveryRthRound
}

// String names the point in warnings and progress.
func (p *Coalescing) String() string {
	return fmt.Sprintf("bins=%d ack_ratio=%d ack_variant=%s clocking=%s", p.Bins, p.Ratio, p.Variant, p.Clocking)
}

// coalescingRow returns the results: the last round of the process and, for comparison, the last round of
// oblivious spraying.
func coalescingRow(o coalescing.Observation, oblivious ballsbins.Observation) frame.Row {
	return frame.Row{
		{"max_load_mean", frame.WithError(o.MaxLoad)},
		{"max_load_p95", frame.WithEnds(o.MaxLoadP95)},
		{"peak_load_mean", frame.WithError(o.Peak)},
		{"over_threshold_fraction", share(o.OverThreshold)},
		{"ops_max_load_mean", frame.WithError(oblivious.MaxLoad)},
	}
}

// point returns the point of a sweep.
func (p *Coalescing) point() sweep.Point {
	type tally = mc.Pair[*coalescing.Tally, *ballsbins.Tally]
	oblivious := ballsbins.NewExperiment(ballsbins.Config{Bins: p.Bins, Rounds: p.Rounds})
	work := float64(p.rounds) * float64(p.Bins)
	fold := func(_ context.Context, t *tally, replicas uint64) (sweep.Results, error) {
		row := coalescingRow(t.First.Result().Observations[0], t.Second.Result().Observations[0])
		return sweep.Results{
			Rows:     [][]any{row.Values()},
			Work:     float64(replicas) * work,
			Warnings: wideIntervals(p.String(), row, nil),
		}, nil
	}
	point := sweep.Estimated(p.String(), nil, mc.Paired(coalescing.NewExperiment(p.Config), oblivious), fold)
	point.Work = work
	return point
}
