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

// fig18Setups returns the switches of panels (a) to (e).
func fig18Setups() []switchSetup {
	text := func(colors, threshold int) recycled.Config {
		return recycled.Config{Bins: 5, Clocking: recycled.RoundRobin, Colors: colors, Threshold: threshold}
	}
	return []switchSetup{
		{"ops-5", "(a) OPS, n = 5", "", 10, ballsbins.Config{Bins: 5}, recycled.Config{}},
		{"round-robin-4-10", "(b) Recycled, n = 5, b = 4, τ = 10", "(b) b = 4, τ = 10", 10, ballsbins.Config{},
			text(4, 10)},
		{"round-robin-8-7", "(c) Recycled, n = 5, b = 8, τ = 7", "(c) b = 8, τ = 7", 7, ballsbins.Config{}, text(8, 7)},
		{"ops-8", "(d) OPS, n = 8", "", 4, ballsbins.Config{Bins: 8}, recycled.Config{}},
		// The authors' script serves a queue below its τ = 5 into the same port:
		// good means at most 4 here.
		{"self-clocked-8", "(e) Authors' script, n = 8", "(e) authors' script", 4, ballsbins.Config{},
			recycled.Config{Bins: 8, Threshold: 4}},
	}
}

// fig18Tally counts, per round, the runs whose queues are all at most the
// threshold, and the maximum queue.
type fig18Tally struct {
	runs    mc.Count
	within  [fig18Rounds + 1]mc.Count
	maximum [fig18Rounds + 1]mc.Moments
}

// Parts implements [mc.Tally].
func (t *fig18Tally) Parts() []mc.NamedPart {
	parts := []mc.NamedPart{{Name: "runs", Part: &t.runs}}
	for r := range t.within {
		parts = append(parts, mc.NamedPart{Name: fmt.Sprint("within", r), Part: &t.within[r]},
			mc.NamedPart{Name: fmt.Sprint("maximum", r), Part: &t.maximum[r]})
	}
	return parts
}

// StoppingStatistic implements [mc.Tally].
func (t *fig18Tally) StoppingStatistic() mc.Estimate { return t.queue(fig18Rounds) }

// share returns the share of runs with all queues at most the threshold after a round.
func (t *fig18Tally) share(round int) mc.Estimate {
	return mc.Proportion(uint64(t.within[round]), uint64(t.runs), mc.DefaultConfidence)
}

// queue returns the mean maximum queue after a round.
func (t *fig18Tally) queue(round int) mc.Estimate { return t.maximum[round].Mean(mc.DefaultConfidence) }

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
	experiment := mc.EachReplica(func() *fig18Tally { return new(fig18Tally) },
		func(seed uint64) (func(context.Context, *fig18Tally, uint64) error, error) {
			q, err := f.open()
			return func(ctx context.Context, t *fig18Tally, replica uint64) error {
				t.run(q, f.threshold, mc.NewStream(seed, mc.Algorithm, replica))
				return ctx.Err()
			}, err
		})
	all, _, err := experiment.Run(ctx, plan)
	return all, err
}

// fig18 reproduces the queues of all ports of a switch over 200 rounds, under
// oblivious spraying and under recycled balls.
func fig18(ctx context.Context, s Settings) (Output, error) {
	setups := fig18Setups()
	replicas := s.Scale.replicas(1000, 20_000)
	var list estimations[string, *fig18Tally]
	for _, setup := range setups {
		list.add(setup.key, replicas, setup.tally)
	}
	tallies, err := list.run(ctx, s)
	if err != nil {
		return Output{}, err
	}
	traces, shares := table.Table{}, table.Table{Name: "shares"}
	var panels []plot.Panel
	share := plot.Panel{Title: "(f) Share of runs with all queues ≤ τ", XLabel: "Round", YLabel: "Share of runs",
		Y: from(0, 1.05), Legend: plot.BottomRight}
	for i, setup := range setups {
		q, err := setup.open()
		if err != nil {
			return Output{}, err
		}
		panels = append(panels, setup.trace(q, fig18Rounds, s.Seed, &traces))
		t := tallies.at(setup.key)
		series := plot.Series{Name: setup.label}
		for r := 1; r <= fig18Rounds; r++ {
			p, m := t.share(r), t.queue(r)
			appendPoint(&series, float64(r), p)
			addRow(&shares, cells{{"setup", setup.key}, {"bins", q.bins}, {"threshold", setup.threshold},
				{"round", r}}, withEnds("within_threshold_fraction", "within", p),
				cells{{"max_queue_mean", m.Value}, {"max_queue_se", m.StdErr}}, madeFrom(s.Seed, uint64(t.runs)))
		}
		if setup.label != "" {
			series.Color = plot.NthColor(i)
			share.Series = append(share.Series, series)
		}
	}
	shareOneScale(panels)
	return Output{
		Tables:   []table.Table{traces, shares},
		Plot:     &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{panels[:3], {panels[3], panels[4], share}}},
		Notes:    fig18Notes(replicas),
		Findings: []claims.Finding{fig18Finding(tallies)},
	}, nil
}

// fig18Finding judges the claim.
func fig18Finding(tallies results[string, *fig18Tally]) claims.Finding {
	within := func(key string) mc.Estimate { return tallies.at(key).share(fig18Rounds) }
	half, end := tallies.at("ops-5").queue(fig18Rounds/2), tallies.at("ops-5").queue(fig18Rounds)
	a, b := within("round-robin-4-10"), within("round-robin-8-7")
	return claims.Judged("N078",
		claims.All(claims.AtLeast(a, 0.95), claims.AtLeast(b, 0.95), claims.ClearlyBelow(half, end)),
		fmt.Sprintf("runs with all queues at most τ after round 200: (4, 10) %.3f [%.3f, %.3f], (8, 7) %.3f [%.3f, %.3f]; the authors' process %.3f; mean maximum of OPS after round 100 and 200: %.2f, %.2f",
			a.Value, a.Lo, a.Hi, b.Value, b.Lo, b.Hi, within("self-clocked-8").Value, half.Value, end.Value), "the text's process is round-robin; the authors' script and the proof have a per-port process, which does what the paper shows. The paper gives no b and τ")
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
