package figures

import (
	"context"
	"math"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// thm1Horizon is the maximum load of runs, not stopped at convergence or
// certificate, after some rounds.
type thm1Horizon struct {
	cfg     recycled.Config
	rounds  int
	maxLoad mc.Moments // largest load up to then
	balls   mc.Moments // in the bins then
}

// thm1Horizons is the growth of the maximum load with time.
type thm1Horizons []thm1Horizon

// at returns the horizon of factor times 100 n ln n rounds.
func (g thm1Horizons) at(factor int) thm1Horizon {
	for _, h := range g {
		if h.rounds == factor*h.cfg.MaxRounds {
			return h
		}
	}
	panic("figures: thm1: no such horizon")
}

// thm1Growth runs a process with n = 16 for n rounds and on, to ten times and, at
// full scale, a hundred times 100 n ln n.
func thm1Growth(ctx context.Context, s Settings, clocking recycled.Clocking) (thm1Horizons, error) {
	cfg := recycled.Config{Bins: 16, Clocking: clocking}.WithDefaults()
	var growth thm1Horizons
	for rounds := cfg.Bins; 2*rounds < cfg.MaxRounds; rounds *= 4 {
		growth = append(growth, thm1Horizon{cfg: cfg, rounds: rounds})
	}
	for factor := 1; factor <= int(s.Scale.Choose(10, 100)); factor *= 10 {
		growth = append(growth, thm1Horizon{cfg: cfg, rounds: factor * cfg.MaxRounds})
	}
	p, err := recycled.New(cfg)
	if err != nil {
		return nil, err
	}
	pause := mc.CheckEvery(cfg.Bins)
	for replica := range s.Scale.Choose(40, 100) {
		p.Reset(mc.NewStream(s.Seed, mc.Algorithm, replica))
		for i := range growth {
			for p.Round() < growth[i].rounds {
				if p.Round()%pause == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.Step()
			}
			growth[i].maxLoad.Add(int64(p.MaxLoad()))
			growth[i].balls.Add(p.Balls())
		}
	}
	return growth, nil
}

// table lists the horizons.
func (g thm1Horizons) table(seed uint64) table.Table {
	t := table.Table{Name: "growth", Columns: append([]table.Column{table.Text("process")}, table.Numbers(
		"bins", "threshold", "colors_per_bin", "round", "max_load_mean", "max_load_se", "balls_per_bin", "seed", "replicas")...)}
	for _, h := range g {
		e := h.maxLoad.Mean(mc.DefaultConfidence)
		t.Rows = append(t.Rows, []any{string(h.cfg.Clocking), h.cfg.Bins, h.cfg.Threshold, h.cfg.Colors, h.rounds,
			e.Value, e.StdErr, h.balls.Mean(mc.DefaultConfidence).Per(float64(h.cfg.Bins)).Value, seed, e.N})
	}
	return t
}

// series returns the maximum load over the rounds.
func (g thm1Horizons) series(name string, color int) plot.Series {
	s := plot.Series{Name: name, Mark: plot.LinePoints, Color: color}
	for _, h := range g {
		AppendPoint(&s, float64(h.rounds), h.maxLoad.Mean(mc.DefaultConfidence))
	}
	return s
}

// thm1Plot draws rounds to convergence with their bounds, the fates of the runs,
// and the loads over time and over n.
func thm1Plot(runs []thm1Run, points map[string][]thm1Point, bounds []thm1Bound, settled, growth thm1Horizons) *plot.Plot {
	bins := plot.Axis{Scale: plot.Log2}
	rounds := plot.Panel{Title: "(a) Self-clocked: rounds to convergence, and bounds", XLabel: "Bins n", YLabel: "Expected rounds / n", X: bins, Y: plot.Axis{Scale: plot.Log10, Min: new(1.0), Max: new(1000.0)}}
	fates := plot.Panel{Title: "(b) Runs that converge", XLabel: "Bins n", YLabel: "Share of runs", X: bins, Y: plot.Axis{Min: new(-0.04), Max: new(1.04), Ticks: []float64{0, 0.25, 0.5, 0.75, 1}}}
	loads := plot.Panel{Title: "(d) Largest queue until the run is decided", XLabel: "Bins n", YLabel: "Mean max. load / ln n", X: bins, Y: plot.Axis{Min: new(0.0)}}
	growing := plot.Panel{Title: "(c) Queues over time, n = 16", XLabel: "Round", YLabel: "Mean max. load so far (balls)", X: plot.Axis{Scale: plot.Log10}, Y: plot.Axis{Min: new(0.0)},
		Rules: []plot.ReferenceLine{{At: float64(growth[0].cfg.Threshold), Label: "τ"}}}
	nLogN := plot.Series{Name: "n ln n, the theorem's order", Dash: plot.Dashed, Color: 6}
	for _, p := range points["self-clocked"] {
		n := float64(p.cfg.Bins)
		nLogN.X, nLogN.Y = append(nLogN.X, n), append(nLogN.Y, math.Log(n))
	}
	never := plot.Series{Name: "round-robin: certainly never converges", Mark: plot.LinePoints, Color: 5}
	for i, r := range runs {
		if r.key == "phase-one" {
			continue // its exact law is drawn
		}
		if r.clocking == recycled.RoundRobin {
			growing.Series = append(growing.Series, growth.series(r.name, i+1))
		} else {
			growing.Series = append(growing.Series, settled.series(r.name, i+1))
		}
		curve := func() plot.Series { return plot.Series{Name: r.name, Mark: plot.LinePoints, Color: i + 1} }
		mean, converged, load := curve(), curve(), curve()
		for _, p := range points[r.key] {
			n, s := float64(p.cfg.Bins), p.result
			if s.Converged > 0 {
				AppendPoint(&mean, n, s.Rounds.Per(n))
			}
			AppendPoint(&converged, n, mc.Proportion(s.Converged, s.Replicas, mc.DefaultConfidence))
			if r.clocking == recycled.RoundRobin {
				AppendPoint(&never, n, mc.Proportion(s.Certified, s.Replicas, mc.DefaultConfidence))
			}
			AppendPoint(&load, n, s.MaxLoadAtDecision.Per(math.Log(n)))
		}
		if len(mean.X) > 0 {
			rounds.Series = append(rounds.Series, mean)
		}
		fates.Series = append(fates.Series, converged)
		loads.Series = append(loads.Series, load)
	}
	rounds.Series = append(append(rounds.Series, nLogN), thm1BoundSeries(bounds)...)
	fates.Series = append(fates.Series, never)
	loads.Rules = []plot.ReferenceLine{{At: 4, Label: "τ / ln n"}}
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Height: 4.4, Panels: [][]plot.Panel{{rounds, fates}, {growing, loads}}}
}
