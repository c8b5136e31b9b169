package figures

import (
	"context"
	"math"
	"slices"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/proofs"
	"repslab/recycled"
)

// thm1Growth holds the loads of a process, in runs that do not stop at convergence or
// certificate, after some rounds.
type thm1Growth struct {
	cfg    recycled.Config
	rounds []int
	runs   [][]thm1Loads // by replica and round
}

// thm1Loads are the largest load so far, and the balls in the bins.
type thm1Loads struct{ largest, balls int64 }

// maxLoad returns the mean largest load after the given rounds.
func (g thm1Growth) maxLoad(rounds int) mc.Estimate {
	i := slices.Index(g.rounds, rounds)
	return meanCount(g.runs, func(l []thm1Loads) int64 { return l[i].largest })
}

// balls returns the mean number of balls after the given rounds.
func (g thm1Growth) balls(rounds int) mc.Estimate {
	i := slices.Index(g.rounds, rounds)
	return meanCount(g.runs, func(l []thm1Loads) int64 { return l[i].balls })
}

// growthClockings lists the followed processes in the order of tables.
func growthClockings() []recycled.Clocking {
	return []recycled.Clocking{recycled.SelfClocked, recycled.RoundRobin}
}

// runGrowth follows the processes with n = 16 for n rounds and on, to ten times and, at
// full scale, a hundred times 100 n ln n.
func runGrowth(ctx context.Context, s Settings) (map[recycled.Clocking]thm1Growth, error) {
	growths := map[recycled.Clocking]thm1Growth{}
	var list trials[recycled.Clocking, []thm1Loads]
	for _, clocking := range growthClockings() {
		g := thm1Growth{cfg: recycled.Config{Bins: 16, Clocking: clocking}.WithDefaults()}
		for rounds := g.cfg.Bins; 2*rounds < g.cfg.MaxRounds; rounds *= 4 {
			g.rounds = append(g.rounds, rounds)
		}
		for factor := 1; factor <= choose(s.Scale, 10, 100); factor *= 10 {
			g.rounds = append(g.rounds, factor*g.cfg.MaxRounds)
		}
		growths[clocking] = g
		list.add(clocking, s.Scale.replicas(40, 100), g.follow)
	}
	runs, err := list.run(ctx, s)
	for clocking, g := range growths {
		g.runs = runs[clocking]
		growths[clocking] = g
	}
	return growths, err
}

// follow returns a runner of the process that reads its loads.
func (g thm1Growth) follow() (replicaRunner[[]thm1Loads], error) {
	p, err := recycled.New(g.cfg)
	pause := mc.CheckEvery(g.cfg.Bins)
	return func(ctx context.Context, seed, replica uint64) (loads []thm1Loads, err error) {
		p.Reset(mc.NewStream(seed, mc.Algorithm, replica))
		for _, rounds := range g.rounds {
			for p.Round() < rounds {
				if p.Round()%pause == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.Step()
			}
			loads = append(loads, thm1Loads{int64(p.MaxLoad()), p.Balls()})
		}
		return loads, nil
	}, err
}

// growthTable lists the loads.
func growthTable(growths map[recycled.Clocking]thm1Growth, seed uint64) table.Table {
	t := table.Table{Name: "growth"}
	for _, clocking := range growthClockings() {
		g := growths[clocking]
		for _, rounds := range g.rounds {
			e := g.maxLoad(rounds)
			addRow(&t, cells{{"process", string(clocking)}, {"bins", g.cfg.Bins}, {"threshold", g.cfg.Threshold},
				{"colors_per_bin", g.cfg.Colors}, {"round", rounds}, {"max_load_mean", e.Value},
				{"max_load_se", e.StdErr},
				{"balls_per_bin", g.balls(rounds).Per(float64(g.cfg.Bins)).Value}}, madeFrom(seed, e.N))
		}
	}
	return t
}

// thm1Bound holds, for one n and the theorem's smallest τ, proved bounds and exact
// numbers of the self-clocked process, in rounds.
type thm1Bound struct {
	bins, threshold int
	paper           float64 // expected: 2 n ln n for phase one, 32 (2 n ln n + n) for phase two
	stronger        float64 // expected: phase one by variable drift, (2 n ln n + n)/0.45 for phase two
	likely          float64 // exceeded with probability at most 2/n
	phaseOne        float64 // exact E[T1] without a threshold, an upper bound with one
}

// thm1Bounds returns the bounds at the n of points.
func thm1Bounds(points []thm1Point) ([]thm1Bound, error) {
	var bounds []thm1Bound
	c := proofs.PaperConstants()
	for _, p := range points {
		n := float64(p.cfg.Bins)
		balls := float64(2*n*math.Log(n)) + n // of phase two, with probability at least 1 - 1/n
		likely, _, err := recycled.RoundsBound(p.cfg.Bins, p.cfg.Threshold)
		if err != nil {
			return nil, err
		}
		law, err := recycled.NewPhaseOne(p.cfg.Bins)
		if err != nil {
			return nil, err
		}
		exact, _ := law.Mean()
		bounds = append(bounds, thm1Bound{
			bins: p.cfg.Bins, threshold: p.cfg.Threshold,
			paper:    float64(2*n*math.Log(n)) + balls/c.FinalDrift,
			stronger: recycled.PhaseOneRoundsBound(p.cfg.Bins) + balls/c.Absorption,
			likely:   likely,
			phaseOne: exact,
		})
	}
	return bounds, nil
}

// thm1BoundsTable lists bounds beside the measured rounds.
func thm1BoundsTable(bounds []thm1Bound, points []thm1Point) table.Table {
	t := table.Table{Name: "bounds"}
	for i, b := range bounds {
		measured := points[i].result.Rounds.Value // of the same n
		addRow(&t, cells{{"bins", b.bins}, {"threshold", b.threshold}, {"paper_bound_rounds", b.paper},
			{"stronger_bound_rounds", b.stronger},
			{"stronger_likely_rounds", b.likely}, {"phase_one_exact_rounds", b.phaseOne}, {"measured_rounds", measured},
			{"paper_over_measured", b.paper / measured}, {"stronger_over_measured", b.stronger / measured}})
	}
	return t
}

// thm1BoundSeries returns the bounds and the exact law as curves of rounds / n.
func thm1BoundSeries(bounds []thm1Bound) []plot.Series {
	paper := plot.Series{Name: "bound of the paper's proof", Dash: plot.Dashed, Color: plot.Black}
	stronger := plot.Series{Name: "stronger bound (docs/proof.md)", Dash: plot.LongDash, Color: plot.Purple}
	exact := plot.Series{Name: "exact, phase one", Mark: plot.Points, Color: plot.Vermilion}
	for _, b := range bounds {
		n := float64(b.bins)
		for _, c := range []struct {
			series *plot.Series
			rounds float64
		}{{&paper, b.paper}, {&stronger, b.stronger}, {&exact, b.phaseOne}} {
			appendXY(c.series, n, c.rounds/n)
		}
	}
	return []plot.Series{paper, stronger, exact}
}

// thm1Plot draws rounds to convergence with their bounds, the fates of the runs,
// and the loads over time and over n.
func thm1Plot(curves []*thm1Curve, bounds []thm1Bound, growth map[recycled.Clocking]thm1Growth) *plot.Plot {
	bins := onScale(plot.Log2)
	rounds := plot.Panel{Title: "(a) Self-clocked: rounds to convergence, and bounds", XLabel: "Bins n",
		YLabel: "Expected rounds / n", X: bins, Y: onScale(plot.Log10, 1, 1000)}
	fates := plot.Panel{Title: "(b) Runs that converge", XLabel: "Bins n", YLabel: "Share of runs", X: bins,
		Y: plot.Axis{Min: new(-0.04), Max: new(1.04), Ticks: []float64{0, 0.25, 0.5, 0.75, 1}}}
	loads := plot.Panel{Title: "(d) Largest queue until the run is decided", XLabel: "Bins n",
		YLabel: "Mean max. load / ln n", X: bins, Y: from(0)}
	growing := plot.Panel{Title: "(c) Queues over time, n = 16", XLabel: "Round",
		YLabel: "Mean max. load so far (balls)", X: onScale(plot.Log10), Y: from(0),
		References: level(float64(growth[recycled.RoundRobin].cfg.Threshold), "τ")}
	nLogN := plot.Series{Name: "n ln n, the theorem's order", Dash: plot.Dashed, Color: plot.SkyBlue}
	never := plot.Series{Name: "round-robin: certainly never converges", Mark: plot.LinePoints, Color: plot.Orange}
	for i, c := range curves {
		if c.key == "phase-one" {
			continue // its exact law is drawn
		}
		curve := func() plot.Series { return plot.Series{Name: c.name, Mark: plot.LinePoints, Color: plot.NthColor(i)} }
		mean, converged, load, time := curve(), curve(), curve(), curve()
		for _, p := range c.points {
			n, s := float64(p.cfg.Bins), p.result
			if c.clocking == recycled.SelfClocked {
				appendXY(&nLogN, n, math.Log(n))
			} else {
				appendPoint(&never, n, mc.Proportion(s.Certified, s.Replicas, mc.DefaultConfidence))
			}
			if s.Converged > 0 {
				appendPoint(&mean, n, s.Rounds.Per(n))
			}
			appendPoint(&converged, n, mc.Proportion(s.Converged, s.Replicas, mc.DefaultConfidence))
			appendPoint(&load, n, s.MaxLoadAtDecision.Per(math.Log(n)))
		}
		time = over(time, growth[c.clocking].rounds, growth[c.clocking].maxLoad)
		if len(mean.X) > 0 {
			rounds.Series = append(rounds.Series, mean)
		}
		fates.Series, loads.Series, growing.Series = append(fates.Series, converged), append(loads.Series,
			load), append(growing.Series, time)
	}
	rounds.Series = append(append(rounds.Series, nLogN), thm1BoundSeries(bounds)...)
	fates.Series = append(fates.Series, never)
	loads.References = level(4, "τ / ln n")
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Height: 4.4,
		Panels: [][]plot.Panel{{rounds, fates}, {growing, loads}}}
}
