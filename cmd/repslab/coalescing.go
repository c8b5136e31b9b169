package main

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/mc"
	"repslab/recycled"
	"repslab/sweep"
)

func coalescingModel() model {
	return newModel(model{name: "coalescing", streams: 1, results: numbers(coalescingResults())}, coalescingSpace())
}

// coalescingPoint is a combination of parameters, with defaults applied.
type coalescingPoint struct {
	coalescing.Config
	rounds int
}

func coalescingSpace() space[coalescingPoint] {
	type point = coalescingPoint
	bins := func(p *point) int { return p.Bins }
	defaults := coalescing.Config{}.WithDefaults()
	return newSpace(point{defaults, defaults.Rounds[0]}, space[point]{
		parameters: []parameter[point]{
			integer("bins", "output ports n, also flows", 1, recycled.MaxBins, func(p *point) *int { return &p.Bins }),
			integer("ack-ratio", "served balls of a flow per ACK, r", 1, coalescing.MaxRatio,
				func(p *point) *int { return &p.Ratio }).field("Ratio"),
			name("ack-variant", "", coalescing.Variants(), func(p *point) *coalescing.Variant { return &p.Variant }).
				field("Variant").
				usedOnly("with --ack-ratio above 1, or if it is standard or every-rth-round", (*point).usesVariant),
			name("clocking", list(recycled.Clockings())+" (default round-robin; every-rth-round: self-clocked)",
				recycled.Clockings(), func(p *point) *recycled.Clocking { return &p.Clocking }).noPreset(),
			expression("threshold", thresholdHelp, bins, maxThreshold, func(p *point, v int, _ string) { p.Threshold = v }).
				cell(func(p *point) any { return p.Threshold }).noPreset(),
			expression("colors-per-bin", colorsHelp, bins, maxColors, func(p *point, v int, _ string) { p.Colors = v }).
				cell(func(p *point) any { return p.Colors }).noPreset().field("Colors").
				usedOnly("by --clocking round-robin", func(p *point) bool { return p.Clocking == recycled.RoundRobin }),
			integer("rounds", "rounds of a run", 1, mc.MaxRounds, func(p *point) *int { return &p.rounds }),
		},
		complete: func(p *point) error {
			p.Rounds = []int{p.rounds}
			p.Config = p.WithDefaults()
			return p.Validate()
		},
		point: (*point).point,
	})
}

// usesVariant reports whether the ACK variant has an effect or is one of those that
// are allowed without coalescing.
func (p *coalescingPoint) usesVariant() bool {
	return p.Ratio > 1 || p.Variant == coalescing.Standard || p.Variant == coalescing.EveryRthRound
}

// String names the point in warnings and progress.
func (p *coalescingPoint) String() string {
	return fmt.Sprintf("bins=%d ack_ratio=%d ack_variant=%s clocking=%s", p.Bins, p.Ratio, p.Variant, p.Clocking)
}

// coalescingRow holds the observation of the last round of the process and, for
// comparison, of oblivious spraying.
type coalescingRow struct {
	recycled  coalescing.Observation
	oblivious ballsbins.Observation
}

func coalescingResults() []column[coalescingRow] {
	type row = coalescingRow
	return []column[row]{
		{"max_load_mean", func(r row) any { return r.recycled.MaxLoad.Value }},
		{"max_load_se", func(r row) any { return r.recycled.MaxLoad.StdErr }},
		{"max_load_p95", func(r row) any { return r.recycled.MaxLoadP95.Value }},
		{"peak_load_mean", func(r row) any { return r.recycled.Peak.Value }},
		{"over_threshold_fraction", func(r row) any { return r.recycled.OverThreshold.Value }},
		{"ops_max_load_mean", func(r row) any { return r.oblivious.MaxLoad.Value }},
	}
}

// point returns the point of a sweep.
func (p *coalescingPoint) point() sweep.Point {
	type tally = mc.Pair[*coalescing.Tally, *ballsbins.Tally]
	oblivious := ballsbins.NewExperiment(ballsbins.Config{Bins: p.Bins, Rounds: p.Rounds})
	fold := func(_ context.Context, t *tally, replicas uint64) (sweep.Results, error) {
		row := coalescingRow{t.First.Result().Observations[0], t.Second.Result().Observations[0]}
		return sweep.Results{
			Rows: [][]any{cellsOf(coalescingResults(), row)},
			Work: float64(replicas) * float64(p.rounds) * float64(p.Bins),
		}, nil
	}
	return sweep.Estimated(p.String(), nil, mc.Paired(coalescing.NewExperiment(p.Config), oblivious), fold)
}
