package figures

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// fig18Rounds is the paper's horizon.
const fig18Rounds = 200

// fig18 re-makes the queues of all ports of a switch over 200 rounds, under
// oblivious spraying and under recycled balls.
func fig18() Figure {
	return Figure{
		ID:    "fig18",
		Title: "Queues of all ports over 200 rounds, OPS against recycled balls",
		Rules: []claims.Rule{
			{Claim: "N078", Text: "for n = 5 the text's process (round-robin), with (b, τ) = (4, 10) and with (8, 7), has all queues at most τ after round 200 in at least 95 % of the runs, while the mean maximum queue of OPS still grows between rounds 100 and 200 with intervals that do not touch"},
		},
		Build: buildFig18,
	}
}

// fig18Setups returns the switches of panels (a) to (e).
func fig18Setups() []switchSetup {
	text := func(colors, threshold int) recycled.Config {
		return recycled.Config{Bins: 5, Clocking: recycled.RoundRobin, Colors: colors, Threshold: threshold}
	}
	return []switchSetup{
		{"ops-5", "(a) OPS, n = 5", "", 10, ballsbins.Config{Bins: 5}, recycled.Config{}},
		{"round-robin-4-10", "(b) Recycled, n = 5, b = 4, τ = 10", "(b) b = 4, τ = 10", 10, ballsbins.Config{}, text(4, 10)},
		{"round-robin-8-7", "(c) Recycled, n = 5, b = 8, τ = 7", "(c) b = 8, τ = 7", 7, ballsbins.Config{}, text(8, 7)},
		{"ops-8", "(d) OPS, n = 8", "", 4, ballsbins.Config{Bins: 8}, recycled.Config{}},
		// The authors' script serves a queue below its τ = 5 into the same port:
		// good means at most 4 here.
		{"self-clocked-8", "(e) Authors' script, n = 8", "(e) authors' script", 4, ballsbins.Config{}, recycled.Config{Bins: 8, Threshold: 4}},
	}
}

// fig18Tally counts, per round, the runs whose queues are all at most the
// threshold, and the maximum queue.
type fig18Tally struct {
	runs    uint64
	within  [fig18Rounds + 1]uint64
	maximum [fig18Rounds + 1]mc.Moments
}

func (t *fig18Tally) merge(other *fig18Tally) {
	t.runs += other.runs
	for r := range t.within {
		t.within[r] += other.within[r]
		t.maximum[r].Merge(other.maximum[r])
	}
}

// run adds one run.
func (t *fig18Tally) run(q queues, threshold int, stream mc.Stream) {
	q.reset(stream)
	t.runs++
	for r := 1; r <= fig18Rounds; r++ {
		q.step()
		most := 0
		for bin := range q.bins {
			most = max(most, q.load(bin))
		}
		t.maximum[r].Add(int64(most))
		if most <= threshold {
			t.within[r]++
		}
	}
}

// tally runs all replicas of a setup.
func (f switchSetup) tally(ctx context.Context, plan mc.Plan) (*fig18Tally, error) {
	newWorker := func() mc.Worker[*fig18Tally] {
		q, err := f.open()
		return func(ctx context.Context, block mc.Block) (*fig18Tally, error) {
			t := new(fig18Tally)
			for r := block.First; r < block.End && err == nil; r++ {
				t.run(q, f.threshold, mc.NewStream(plan.Seed, mc.Algorithm, r))
				err = ctx.Err()
			}
			return t, err
		}
	}
	all := new(fig18Tally)
	_, err := mc.Run(ctx, plan, newWorker, func(t *fig18Tally) mc.Estimate {
		all.merge(t)
		return mc.Estimate{}
	})
	return all, err
}

func buildFig18(ctx context.Context, s Settings) (Output, error) {
	setups := fig18Setups()
	replicas := s.Scale.Choose(1000, 20_000)
	traces := table.Table{Columns: traceColumns()}
	shares := table.Table{Name: "shares", Columns: append([]table.Column{table.Text("setup")}, table.Numbers("bins", "threshold", "round", "within_threshold_fraction", "within_lo", "within_hi", "max_queue_mean", "max_queue_se", "seed", "replicas")...)}
	var panels []plot.Panel
	share := plot.Panel{Title: "(f) Share of runs with all queues ≤ τ", XLabel: "Round", YLabel: "Share of runs", Y: plot.Axis{Min: new(0.0), Max: new(1.05)}, Legend: plot.BottomRight}
	tallies := map[string]*fig18Tally{}
	for i, setup := range setups {
		q, err := setup.open()
		if err != nil {
			return Output{}, err
		}
		panels = append(panels, setup.trace(q, fig18Rounds, s.Seed, &traces))
		t, err := setup.tally(ctx, s.Plan(replicas, i, len(setups)))
		if err != nil {
			return Output{}, err
		}
		tallies[setup.key] = t
		series := plot.Series{Name: setup.label}
		for r := 1; r <= fig18Rounds; r++ {
			p, m := mc.Proportion(t.within[r], t.runs, mc.DefaultConfidence), t.maximum[r].Mean(mc.DefaultConfidence)
			AppendPoint(&series, float64(r), p)
			shares.Rows = append(shares.Rows, []any{setup.key, q.bins, setup.threshold, r, p.Value, p.Lo, p.Hi, m.Value, m.StdErr, s.Seed, t.runs})
		}
		if setup.label != "" {
			series.Color = i + 1
			share.Series = append(share.Series, series)
		}
	}
	shareOneScale(panels)
	return Output{
		Tables:   []table.Table{traces, shares},
		Formats:  []table.Format{table.CSV},
		Plot:     &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{panels[:3], {panels[3], panels[4], share}}},
		Notes:    fig18Notes(replicas),
		Findings: []claims.Finding{fig18Finding(tallies)},
	}, nil
}

// fig18Finding judges the claim.
func fig18Finding(tallies map[string]*fig18Tally) claims.Finding {
	first, second := tallies["round-robin-4-10"], tallies["round-robin-8-7"]
	within := func(t *fig18Tally) mc.Estimate {
		return mc.Proportion(t.within[fig18Rounds], t.runs, mc.DefaultConfidence)
	}
	half := tallies["ops-5"].maximum[fig18Rounds/2].Mean(mc.DefaultConfidence)
	end := tallies["ops-5"].maximum[fig18Rounds].Mean(mc.DefaultConfidence)
	a, b := within(first), within(second)
	holds := a.Value >= 0.95 && b.Value >= 0.95 && end.Lo > half.Hi
	return claims.InWords("N078", holds,
		fmt.Sprintf("runs with all queues at most τ after round 200: (4, 10) %.3f [%.3f, %.3f], (8, 7) %.3f [%.3f, %.3f]; the authors' process %.3f; mean maximum of OPS after round 100 and 200: %.2f, %.2f",
			a.Value, a.Lo, a.Hi, b.Value, b.Lo, b.Hi, within(tallies["self-clocked-8"]).Value, half.Value, end.Value),
		"the text's process is round-robin; the authors' script and the proof have a per-port process, which does what the paper shows. The paper gives no b and τ").Resting(claims.All(claims.AtLeast(a, 0.95), claims.AtLeast(b, 0.95), claims.Below(half, end)))
}

// fig18Notes describes the set-up.
func fig18Notes(replicas uint64) []string {
	return []string{
		"Panels (a) to (e) show one run (replica 0 of the seed), one line a port, after the arrivals of each round; panel (f) shows the share of runs in which every queue is at most τ.",
		"Panels (b) and (c) are the text's process: b n colours in cyclic order. The paper gives no b and τ for n = 5; with (4, 10) most runs converge in the long run, with (8, 7) nearly none.",
		"Panel (e) is the authors' script: no colours, a port below its τ = 5 packets before serving gets its own packet back, which is our threshold 4 (the dashed line). The script lets the first two rounds be random, here only empty ports throw at random; neither matters after some rounds.",
		fmt.Sprintf("Shares over %d runs. fig18-shares.csv has them for OPS too, against the threshold of a recycled run with as many ports.", replicas),
	}
}
