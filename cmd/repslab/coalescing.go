package main

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/recycled"
	"repslab/sweep"
)

func coalescingModel() model {
	return model{
		name:    "coalescing",
		streams: 1,
		short:   "Recycled balls under ACK coalescing: queues when not every packet is acknowledged",
		long: `Estimates the loads of recycled balls into bins when a flow acknowledges every
r-th of its removed balls, r the ack_ratio. What an acknowledgement teaches serves
one throw.

--ack-variant chooses what it teaches:
  standard         the ball that triggers the acknowledgement is judged
  carry            all r balls are, each by the load at its own removal
  reuse            as standard, but a remembered bin serves r throws
  every-rth-round  the authors' script: every r-th round recycles, the others throw
                   all balls at random

--clocking chooses who remembers:
  round-robin      n * colors_per_bin colours take turns, n a round
  per-flow         n REPS senders with a ring of 8 entries each
  self-clocked     every-rth-round alone, and its only one

threshold and colors_per_bin take expressions of n: + - * / ^ ( ) ln log2 sqrt,
rounded up. over_threshold_fraction is over all bins and rounds;
ops_max_load_mean is the mean maximum load under oblivious spraying (OPS) after
the same rounds, in the same replicas.`,
		example: `  repslab coalescing --bins 32 --ack-ratio 2,4,8,16 --ack-variant standard,carry,reuse
  repslab coalescing --bins 8 --ack-ratio 2,4,8 --ack-variant every-rth-round --rounds 2000
  repslab coalescing --bins 32 --ack-ratio 8 --clocking per-flow --rounds 200,1000`,
		parameters: []parameter{
			{"bins", "32", "output ports n, also flows"},
			{"ack-ratio", "1", "removed balls of a flow to an acknowledgement, r"},
			{"ack-variant", string(coalescing.Standard), list(coalescing.Variants())},
			{"clocking", "", list(recycled.Clockings()) + " (default round-robin; every-rth-round: self-clocked)"},
			{"threshold", "", thresholdHelp},
			{"colors-per-bin", "", colorsHelp},
			{"rounds", "1000", "rounds of a run"},
		},
		keys:    columns([]string{"bins", "ack_ratio", "ack_variant", "clocking", "threshold", "colors_per_bin", "rounds"}, "ack_variant", "clocking"),
		results: columns([]string{"max_load_mean", "max_load_se", "max_load_p95", "peak_load_mean", "over_threshold_fraction", "ops_max_load_mean"}),
		points:  coalescingPoints,
	}
}

// coalescingPoints returns the combinations of the parameters, all of them valid.
func coalescingPoints(g *grid) ([]sweep.Point, error) {
	bins := axis(g, "bins", intsIn(1, recycled.MaxBins))
	ratio := axis(g, "ack-ratio", intsIn(1, coalescing.MaxRatio))
	variant := axis(g, "ack-variant", namesOf(coalescing.Variants()))
	clocking := optional(g, "clocking", namesOf(recycled.Clockings()))
	threshold := optional(g, "threshold", values.Exprs)
	colors := optional(g, "colors-per-bin", values.Exprs)
	rounds := axis(g, "rounds", intsIn(1, mc.MaxRounds))
	return pointsOf(collect(g, coalescingUses(), func() (p coalescingPoint, err error) {
		cfg := coalescing.Config{Bins: bins(), Ratio: ratio(), Variant: variant(), Rounds: []int{rounds()}}
		cfg.Clocking, _ = clocking()
		if cfg.Threshold, _, err = thresholdAt(threshold, cfg.Bins); err != nil {
			return p, err
		}
		if cfg.Colors, err = colorsAt(colors, cfg.Bins); err != nil {
			return p, err
		}
		p = coalescingPoint{cfg.WithDefaults()}
		return p, asFlags(p.cfg.Validate(), coalescingFlags)
	}))
}

// coalescingUses lists the parameters that only some combinations use.
func coalescingUses() []use[coalescingPoint] {
	return []use[coalescingPoint]{
		{"ack-variant", "with --ack-ratio above 1, or if it is standard or every-rth-round", func(p coalescingPoint) bool {
			return p.cfg.Ratio > 1 || p.cfg.Variant == coalescing.Standard || p.cfg.Variant == coalescing.EveryRthRound
		}},
		{"colors-per-bin", "by --clocking round-robin", func(p coalescingPoint) bool { return p.cfg.Clocking == recycled.RoundRobin }},
	}
}

// coalescingPoint is a combination of parameters, with defaults applied.
type coalescingPoint struct {
	cfg coalescing.Config
}

// coalescingFlags maps the fields of a configuration to flags.
func coalescingFlags() map[string]string {
	return map[string]string{
		"Bins": "bins", "Ratio": "ack-ratio", "Variant": "ack-variant", "Clocking": "clocking",
		"Threshold": "threshold", "Colors": "colors-per-bin", "Rounds": "rounds",
	}
}

// String names the point in warnings and progress.
func (p coalescingPoint) String() string {
	return fmt.Sprintf("bins=%d ack_ratio=%d ack_variant=%s clocking=%s", p.cfg.Bins, p.cfg.Ratio, p.cfg.Variant, p.cfg.Clocking)
}

// coalescingTally holds the process and, for comparison, oblivious spraying.
type coalescingTally = mc.Pair[*coalescing.Tally, *ballsbins.Tally]

// point returns the point of a sweep.
func (p coalescingPoint) point() sweep.Point {
	c := p.cfg
	keys := []any{c.Bins, c.Ratio, string(c.Variant), string(c.Clocking), c.Threshold, c.Colors, c.Rounds[0]}
	experiment := mc.Paired(coalescing.NewExperiment(c), ballsbins.NewExperiment(ballsbins.Config{Bins: c.Bins, Rounds: c.Rounds}))
	return sweep.Estimated(p.String(), keys, experiment, p.results)
}

// results turns a tally into a row.
func (p coalescingPoint) results(_ context.Context, tally *coalescingTally, replicas uint64) (sweep.Results, error) {
	o, oblivious := tally.First.Result().Observations[0], tally.Second.Result().Observations[0]
	return sweep.Results{
		Rows: [][]any{{
			o.MaxLoad.Value, o.MaxLoad.StdErr, o.MaxLoadP95.Value, o.Peak.Value, o.OverThreshold.Value, oblivious.MaxLoad.Value,
		}},
		Work: float64(replicas) * float64(p.cfg.Rounds[0]) * float64(p.cfg.Bins),
	}, nil
}
