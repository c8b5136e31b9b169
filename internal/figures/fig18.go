package figures

import (
	"context"
	"fmt"
	"strings"

	"repslab/ballsbins"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// fig18Rounds is the paper's horizon.
const fig18Rounds = 200

// fig18Setups returns the switches of panels (a) to (e).
func fig18Setups() []switchSetup {
	text := func(colors, threshold int) openQueues {
		return recycling(recycled.Config{Bins: 5, Clocking: recycled.RoundRobin, Colors: colors, Threshold: threshold})
	}
	return []switchSetup{
		{"ops-5", "(a) OPS, n = 5", "", 10, 0, sprayed(ballsbins.Config{Bins: 5})},
		{"round-robin-4-10", "(b) Text, n = 5, 4 colours per port", "(b) 4 colours", 10, 10, text(4, 10)},
		{"round-robin-8-7", "(c) Text, n = 5, 8 colours per port", "(c) 8 colours", 7, 7, text(8, 7)},
		{"ops-8", "(d) OPS, n = 8", "", 4, 0, sprayed(ballsbins.Config{Bins: 8})},
		// In the authors' script a queue of length τ = 5 counts as overfull.
		{"self-clocked-8", "(e) Authors' script, n = 8", "(e) script", 4, 5,
			recycling(recycled.Config{Bins: 8, Threshold: 4})},
	}
}

// fig18Seen holds statistics of a switch after each round.
type fig18Seen struct {
	Longest [fig18Rounds + 1]mc.Estimate // mean longest queue
	Within  [fig18Rounds + 1]mc.Estimate // share of runs with no queue above the threshold
}

// simulate runs replicas of a switch.
func (f switchSetup) simulate(ctx context.Context, plan mc.Plan) (seen fig18Seen, err error) {
	type sums struct {
		longest [fig18Rounds + 1]mc.Moments
		within  [fig18Rounds + 1]uint64
	}
	newWorker := func() mc.Worker[*sums] {
		q, err := f.open()
		return func(ctx context.Context, block mc.Block) (*sums, error) {
			var of sums
			for replica := block.First; replica < block.End && err == nil; replica++ {
				q.reset(mc.NewStream(plan.Seed, mc.Algorithm, replica))
				for r := 1; r <= fig18Rounds; r++ {
					q.step()
					of.longest[r].Add(int64(q.longest()))
					if int(q.longest()) <= f.threshold {
						of.within[r]++
					}
				}
				err = ctx.Err()
			}
			return &of, err
		}
	}
	var all sums
	_, err = mc.Run(ctx, plan, newWorker, func(of *sums) mc.Estimate {
		for r := 1; r <= fig18Rounds; r++ {
			all.longest[r].Merge(of.longest[r])
			all.within[r] += of.within[r]
		}
		return mc.Estimate{}
	})
	for r := 1; r <= fig18Rounds; r++ {
		seen.Longest[r] = all.longest[r].Mean(mc.DefaultConfidence).OfFew(counted(1))
		seen.Within[r] = proportion(all.within[r], all.longest[r].N())
	}
	return seen, err
}

// fig18 reproduces the queues of all ports of a switch over 200 rounds, under
// oblivious spraying and under recycled balls.
func fig18(ctx context.Context, s engine.Settings) (engine.Output, error) {
	setups := fig18Setups()
	const replicas = 20_000
	var list engine.Estimations[string, fig18Seen]
	for _, setup := range setups {
		list.Add(setup.key, replicas, setup.simulate)
	}
	runs, err := list.Run(ctx, s)
	if err != nil {
		return engine.Output{}, err
	}
	traces, shares := frame.Table{}, frame.Table{Name: "shares"}
	var panels []plot.Panel
	share := plot.Panel{Title: "(f) Runs with no overfull queue", XLabel: "Round", YLabel: "Share of runs",
		Y: from(0, 1.05), Legend: plot.BottomRight}
	for i, setup := range setups {
		panel, err := setup.trace(fig18Rounds, s.Seed, &traces)
		if err != nil {
			return engine.Output{}, err
		}
		panels = append(panels, panel)
		series := plot.Series{Name: setup.label, Color: plot.NthColor(i)}
		for r := 1; r <= fig18Rounds; r++ {
			within, longest := runs.At(setup.key).Within[r], runs.At(setup.key).Longest[r]
			appendPoint(&series, float64(r), within)
			shares.Add(cells{{"setup", setup.key}, {"bins", len(panel.Series)}, {"threshold", setup.threshold},
				{"round", r}, {"within_threshold_fraction", frame.WithEnds(within)},
				{"max_queue_mean", frame.WithError(longest)}}, madeFrom(s.Seed, longest.N))
		}
		if setup.label != "" {
			share.Series = append(share.Series, series)
		}
	}
	shareOneScale(panels)
	return engine.Output{
		Tables:   []frame.Table{traces, shares},
		Plot:     &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{panels[:3], {panels[3], panels[4], share}}},
		Notes:    notes(facts{"replicas": replicas}, "fig18"),
		Findings: []claims.Finding{fig18Finding(setups, runs)},
	}, nil
}

// fig18Finding grades the claim.
func fig18Finding(setups []switchSetup, runs engine.Results[string, fig18Seen]) claims.Finding {
	var parts []claims.Part
	measured := "runs with no overfull queue after round 200:"
	for _, of := range []struct {
		name, brief string
		setup       int // index; ops is OPS with as many ports
		ops         string
	}{{"the process of the paper's text with b = 4, τ = 10", "b = 4", 1, "ops-5"},
		{"with b = 8, τ = 7", "b = 8", 2, "ops-5"},
		{"the authors' script", "script", 4, "ops-8"}} {
		s := setups[of.setup]
		within, ops := runs.At(s.key).Within[fig18Rounds], runs.At(of.ops)
		half, end := ops.Longest[fig18Rounds/2], ops.Longest[fig18Rounds]
		parts = append(parts, claims.Part{Name: of.name,
			Condition: claims.All(claims.Met("N078", "runs", within).Condition, claims.ClearlyBelow(half, end))})
		measured += fmt.Sprintf(" %s %s, OPS's queue from %.1f to %.1f;", of.brief, withBounds(within, "%.2f"), half.Value,
			end.Value)
	}
	return claims.InParts("N078", parts, strings.TrimSuffix(measured, ";"), "the paper does not say its b and τ")
}
