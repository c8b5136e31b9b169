package figures

import (
	"fmt"
	"math"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// openLost looks at λ < 1: how the largest load depends on 1/(1 - λ).
func openLost(scale Scale) openExperiment {
	const n = 64
	lambdas := []float64{0.8, 0.9, 0.95, 0.98, 0.99}
	clockings := recycled.Clockings()
	replicas, rounds := scale.Choose(10, 40), int(scale.Choose(5000, 50_000))
	return openExperiment{len(lambdas) * (len(clockings) + 1), func(r *openRuns) openPart {
		t := table.Table{Name: "lambda", Columns: append([]table.Column{table.Text("process")}, table.Numbers("bins", "threshold", "lambda", "rounds", "max_load_mean", "max_load_lo", "max_load_hi", "random_throw_fraction", "seed", "replicas")...)}
		panel := plot.Panel{Title: "(e) Balls lost, n = 64", XLabel: "1 / (1 - λ)", YLabel: "Mean maximum load",
			X: plot.Axis{Scale: plot.Log10}, Y: plot.Axis{Scale: plot.Log2, Min: new(8.0)}, Legend: plot.Above}
		threshold := theoremThreshold(n)
		var loads []plot.Series
		for i, clocking := range clockings {
			s := plot.Series{Name: string(clocking), Mark: plot.LinePoints, Color: i + 1}
			for _, lambda := range lambdas {
				o := r.recycled(recycled.Config{Bins: n, Clocking: clocking, Lambda: lambda, MaxRounds: rounds}, replicas, onMap)
				AppendPoint(&s, 1/(1-lambda), o.MaxLoad)
				t.Rows = append(t.Rows, []any{string(clocking), n, threshold, lambda, rounds, o.MaxLoad.Value, o.MaxLoad.Lo, o.MaxLoad.Hi, o.RandomFraction.Value, r.settings.Seed, o.Replicas})
			}
			loads = append(loads, s)
		}
		oblivious := plot.Series{Name: "OPS, last round", Mark: plot.LinePoints, Color: 4}
		for _, lambda := range lambdas {
			o, done := r.batched(ballsbins.Config{Bins: n, Lambda: lambda, Rounds: []int{rounds}}, replicas)
			AppendPoint(&oblivious, 1/(1-lambda), o)
			t.Rows = append(t.Rows, []any{"ops", n, nil, lambda, rounds, o.Value, o.Lo, o.Hi, 1.0, r.settings.Seed, done})
		}
		if r.err != nil {
			return openPart{}
		}
		panel.Series = append(loads, oblivious)
		panel.Rules = []plot.ReferenceLine{{At: float64(threshold), Label: "τ"}}
		ends := func(s plot.Series) string {
			last := len(s.Y) - 1
			return fmt.Sprintf("%s %.3g [%.3g, %.3g] and %.3g [%.3g, %.3g]", s.Name, s.Y[0], s.Lo[0], s.Hi[0], s.Y[last], s.Lo[last], s.Hi[last])
		}
		return openPart{
			answer: openAnswer{
				title:      "Lost balls",
				question:   "The theory is for λ = 1. With each throw lost with probability 1 - λ nothing is absorbing: do loads stay O(ln n), or are they O(ln n/(1 - λ)) as for oblivious spraying?",
				experiment: fmt.Sprintf("All three clockings at n = %d, τ = %d and λ = 0.8..0.99, %d runs of %d rounds: the largest load of a run; OPS: the maximum at the last round, which is less (panel e; open-lambda.csv).", n, threshold, replicas, rounds),
				found: fmt.Sprintf("Loads of recycled balls hardly depend on λ, while those of OPS grow like 1/(1 - λ). At λ = 0.8 and 0.99: %s. The bound O(ln n/(1 - λ)) that the runs are compatible with is far too weak for them. In round-robin, which does not converge at λ = 1, losses help: they take away what has gathered too much.",
					each(panel.Series, ends)),
			},
			rows: t, panel: panel,
		}
	}}
}

// batched returns the maximum load of OPS at the last round.
func (r *openRuns) batched(cfg ballsbins.Config, replicas uint64) (load mc.Estimate, done uint64) {
	r.point(func() error {
		result, err := ballsbins.Simulate(r.ctx, cfg, r.plan(replicas, onMap))
		if err == nil {
			load, done = result.Observations[len(result.Observations)-1].MaxLoad, result.Replicas
		}
		return err
	})
	return load, done
}

// openCoalesced follows the balls under coalescing over decades of rounds.
func openCoalesced(scale Scale) openExperiment {
	const n = 32
	ratios := []int{1, 2, 4, 8}
	variants := []coalescing.Variant{coalescing.Standard, coalescing.Carry}
	rounds := []int{200, 500, 1000, 2000, 5000, 10_000, 20_000}
	if scale == Full {
		rounds = append(rounds, 50_000, 100_000, 200_000)
	}
	replicas := scale.Choose(6, 20)
	return openExperiment{len(ratios) + 1, func(r *openRuns) openPart {
		t := table.Table{Name: "coalescing", Columns: append([]table.Column{table.Text("ack_variant")}, table.Numbers("ack_ratio", "bins", "threshold", "round", "balls_per_bin", "balls_lo", "balls_hi", "max_load_mean", "random_throw_fraction", "seed", "replicas")...)}
		panel := plot.Panel{Title: "(f) One ACK in r, n = 32", XLabel: "Round", YLabel: "Balls per bin M/n",
			X: plot.Axis{Scale: plot.Log10}, Y: plot.Axis{Scale: plot.Log2, Min: new(4.0)}, Legend: plot.Above}
		add := func(variant coalescing.Variant, ratio int) {
			cfg := coalescing.Config{Bins: n, Ratio: ratio, Variant: variant, Rounds: rounds}.WithDefaults()
			s := plot.Series{Name: fmt.Sprintf("%s, r = %d", variant, ratio), Mark: plot.LinePoints, Color: len(panel.Series) + 1}
			r.point(func() error {
				result, err := coalescing.Simulate(r.ctx, cfg, r.plan(replicas, onMap))
				for _, o := range result.Observations {
					e := o.TotalLoad.Per(n)
					AppendPoint(&s, float64(o.Round), e)
					t.Rows = append(t.Rows, []any{string(variant), ratio, n, cfg.Threshold, o.Round, e.Value, e.Lo, e.Hi, o.MaxLoad.Value, o.RandomFraction.Value, r.settings.Seed, result.Replicas})
				}
				return err
			})
			panel.Series = append(panel.Series, s)
		}
		for _, ratio := range ratios {
			add(variants[0], ratio)
		}
		add(variants[1], ratios[len(ratios)-1])
		if r.err != nil {
			return openPart{}
		}
		panel.Rules = []plot.ReferenceLine{{At: float64(theoremThreshold(n)), Label: "τ"}}
		growth := func(s plot.Series) string {
			last := len(s.Y) - 1
			return fmt.Sprintf("%s: %.3g to %.3g [%.3g, %.3g], exponent %.2f over the last decade", s.Name, s.Y[0], s.Y[last], s.Lo[last], s.Hi[last], lastDecade(s))
		}
		return openPart{
			answer: openAnswer{
				title:      "Coalesced acknowledgements",
				question:   "With one ACK for r balls, do the balls in the bins settle? The paper: queues barely exceed τ.",
				experiment: fmt.Sprintf("Round-robin with memory consumed by use, n = %d, τ = %d, %d runs, M/n from round %d to round %d (panel f; open-coalescing.csv; fig20 has maximum loads).", n, theoremThreshold(n), replicas, rounds[0], rounds[len(rounds)-1]),
				found: fmt.Sprintf("%s. M never falls at full rate, and under standard coalescing with r >= 4 it keeps growing, faster the larger r is: at most one throw in r can be recycled, so the others are oblivious. A statement that queues barely exceed τ is therefore one about the horizon. For r = 2 the growth is slow; that it stops is not shown. Carry, which teaches all r, grows no faster at r = 8 than r = 1 does.",
					each(panel.Series, growth)),
			},
			rows: t, panel: panel,
		}
	}}
}

// lastDecade returns the slope of ln y over ln x from a tenth of the last x on.
func lastDecade(s plot.Series) float64 {
	last := len(s.X) - 1
	first := last
	for first > 0 && s.X[first-1] >= s.X[last]/10 {
		first--
	}
	return math.Log(s.Y[last]/s.Y[first]) / math.Log(s.X[last]/s.X[first])
}
