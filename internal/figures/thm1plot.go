package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/proofs"
	"repslab/recycled"
)

// growthPoint holds the loads of a process after some rounds, in runs that do not stop at
// convergence or certificate.
type growthPoint struct {
	recycled.Config
	round          int
	maxLoad, balls mc.Estimate // the largest load so far, all balls
}

// growthRun holds the loads of a run after the observed rounds.
type growthRun map[int]struct{ maxLoad, balls int64 }

// thm1Growth follows the processes with n = 16 for n rounds and on, to ten times and, at
// full scale, a hundred times 100 n ln n.
func thm1Growth(ctx context.Context, s Settings) ([]growthPoint, error) {
	var points []growthPoint
	var list trials[recycled.Config, growthRun]
	for _, clocking := range []recycled.Clocking{recycled.SelfClocked, recycled.RoundRobin} {
		cfg := recycled.Config{Bins: 16, Clocking: clocking}.WithDefaults()
		var rounds []int
		for round := cfg.Bins; 2*round < cfg.MaxRounds; round *= 4 {
			rounds = append(rounds, round)
		}
		for factor := 1; factor <= choose(s.Scale, 10, 100); factor *= 10 {
			rounds = append(rounds, factor*cfg.MaxRounds)
		}
		for _, round := range rounds {
			points = append(points, growthPoint{Config: cfg, round: round})
		}
		list.add(cfg, s.Scale.replicas(40, 100),
			func() (replicaRunner[growthRun], error) { return follow(cfg, rounds) })
	}
	runs, err := list.run(ctx, s)
	for i := range points {
		p := &points[i]
		p.maxLoad = meanCount(runs[p.Config], func(r growthRun) int64 { return r[p.round].maxLoad })
		p.balls = meanCount(runs[p.Config], func(r growthRun) int64 { return r[p.round].balls })
	}
	return points, err
}

// follow returns a runner of a process that reads its loads after the given rounds.
func follow(cfg recycled.Config, rounds []int) (replicaRunner[growthRun], error) {
	p, err := recycled.New(cfg)
	pause := mc.CheckEvery(cfg.Bins)
	return func(ctx context.Context, seed, replica uint64) (growthRun, error) {
		p.Reset(mc.NewStream(seed, mc.Algorithm, replica))
		run := growthRun{}
		for _, round := range rounds {
			for p.Round() < round {
				if p.Round()%pause == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				p.Step()
			}
			run[round] = struct{ maxLoad, balls int64 }{int64(p.MaxLoad()), p.Balls()}
		}
		return run, nil
	}, err
}

// growthTable lists the loads.
func growthTable(growth []growthPoint, seed uint64) table.Table {
	t := table.Table{Name: "growth"}
	for _, g := range growth {
		addRow(&t, cells{{"process", string(g.Clocking)}, {"bins", g.Bins}, {"threshold", g.Threshold},
			{"colors_per_bin", g.Colors}, {"round", g.round}, {"max_load_mean", g.maxLoad.Value},
			{"max_load_se", g.maxLoad.StdErr}, {"balls_per_bin", g.balls.Per(float64(g.Bins)).Value}},
			madeFrom(seed, g.maxLoad.N))
	}
	return t
}

// thm1Bounds lists proved bounds on the rounds of the self-clocked process, and its exact
// first phase, beside the measured points, and draws them as curves of rounds / n.
func thm1Bounds(points []thm1Point) (table.Table, []plot.Series, error) {
	t := table.Table{Name: "bounds"}
	paper := plot.Series{Name: "bound of the paper's proof", Dash: plot.Dashed, Color: plot.Black}
	stronger := plot.Series{Name: "stronger bound (docs/proof.md)", Dash: plot.LongDash, Color: plot.SkyBlue}
	exact := plot.Series{Name: "phase one alone, exact", Mark: plot.Points, Color: plot.Black}
	c := proofs.PaperConstants()
	for _, p := range points {
		n := p.n()
		likely, _, err := recycled.RoundsBound(p.Bins, p.Threshold) // exceeded with probability at most 2/n
		if err != nil {
			return t, nil, err
		}
		balls := float64(2*n*math.Log(n)) + n // of phase two, with probability at least 1 - 1/n
		ofPaper := float64(2*n*math.Log(n)) + balls/c.FinalDrift
		ofDrift := recycled.PhaseOneRoundsBound(p.Bins) + balls/c.Absorption
		measured := p.Rounds.Value
		addRow(&t, cells{{"bins", p.Bins}, {"threshold", p.Threshold}, {"paper_bound_rounds", ofPaper},
			{"stronger_bound_rounds", ofDrift}, {"stronger_likely_rounds", likely},
			{"phase_one_exact_rounds", p.phaseOne}, {"measured_rounds", measured},
			{"paper_over_measured", ofPaper / measured}, {"stronger_over_measured", ofDrift / measured}})
		appendXY(&paper, n, ofPaper/n)
		appendXY(&stronger, n, ofDrift/n)
		appendXY(&exact, n, p.phaseOne/n)
	}
	return t, []plot.Series{paper, stronger, exact}, nil
}

// thm1Plot draws rounds to convergence with their bounds, the fates of the runs,
// and the loads over time and over n.
func thm1Plot(curves []*thm1Curve, bounds []plot.Series, growth []growthPoint) *plot.Plot {
	bins := onScale(plot.Log2)
	self, text := curves[0].points, curves[1].points
	rounds := plot.Panel{Title: "(a) Self-clocked: rounds to convergence, and bounds", XLabel: "Bins n",
		YLabel: "Expected rounds / n", X: bins, Y: onScale(plot.Log10, 1, 1000)}
	fates := plot.Panel{Title: "(b) Runs that converge, and runs that never will", XLabel: "Bins n", YLabel: "Share of runs",
		X: bins, Y: plot.Axis{Min: new(-0.04), Max: new(1.04), Ticks: []float64{0, 0.25, 0.5, 0.75, 1}}}
	growing := plot.Panel{Title: "(c) Queues over time, n = 16", XLabel: "Round",
		YLabel: "Mean max. load so far (balls)", X: onScale(plot.Log10), Y: from(0),
		References: level(float64(text[0].Threshold), fmt.Sprintf("τ = %d", text[0].Threshold))}
	loads := plot.Panel{Title: "(d) Largest queue until the run is decided", XLabel: "Bins n",
		YLabel: "Mean max. load / ln n", X: bins, Y: from(0), References: level(4, "τ / ln n")}
	add := func(panel *plot.Panel, s plot.Series, points []thm1Point, y func(thm1Point) mc.Estimate) {
		for _, p := range points {
			appendPoint(&s, p.n(), y(p))
		}
		panel.Series = append(panel.Series, s)
	}
	for _, c := range curves {
		line := plot.Series{Name: c.name, Mark: plot.LinePoints, Color: c.color}
		if c.clocking == recycled.SelfClocked {
			add(&rounds, line, c.points, func(p thm1Point) mc.Estimate { return p.Rounds.Per(p.n()) })
		}
		add(&fates, line, c.points, thm1Point.converged)
		add(&loads, line, c.points, thm1Point.perLogN)
		for _, g := range growth {
			if g.Clocking == c.clocking {
				appendPoint(&line, float64(g.round), g.maxLoad)
			}
		}
		growing.Series = append(growing.Series, line)
	}
	nLogN := plot.Series{Name: "n ln n, the theorem's order", Dash: plot.Dotted, Color: plot.Orange}
	for _, p := range self {
		appendXY(&nLogN, p.n(), math.Log(p.n()))
	}
	rounds.Series = append(append(rounds.Series, nLogN), bounds...)
	never := plot.Series{Name: "round-robin: never converges, certified", Mark: plot.LinePoints, Color: plot.Orange}
	add(&fates, never, text, func(p thm1Point) mc.Estimate {
		return mc.Proportion(p.Certified, p.Replicas, mc.DefaultConfidence)
	})
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Height: 4.4,
		Panels: [][]plot.Panel{{rounds, fates}, {growing, loads}}}
}
