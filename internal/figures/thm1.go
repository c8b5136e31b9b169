package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/checks"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/proofs"
	"repslab/recycled"
	"repslab/reps"
)

// thm1Curve is a reading of the process over a range of n.
type thm1Curve struct {
	name     string
	color    plot.Color
	clocking recycled.Clocking
	bins     []int
	replicas uint64
	points   []thm1Point // one for each of bins
}

// thm1Point is the outcome for one n.
type thm1Point struct {
	recycled.Config
	recycled.Result
	phaseOne float64 // exact mean number of rounds of phase one alone, without a threshold
}

// n returns the number of bins.
func (p thm1Point) n() float64 { return float64(p.Bins) }

// converged returns the share of runs that converged.
func (p thm1Point) converged() mc.Estimate {
	return proportion(p.Converged, p.Replicas)
}

// perNLogN returns the mean rounds to convergence divided by n ln n.
func (p thm1Point) perNLogN() mc.Estimate { return p.Rounds.Per(p.n() * math.Log(p.n())) }

// perLogN returns the mean maximum load up to the decision, divided by ln n.
func (p thm1Point) perLogN() mc.Estimate { return p.MaxLoadAtDecision.Per(math.Log(p.n())) }

// thm1Curves returns the curves of the figure: the process of the proof, and the process of the text. Hardly any
// run of the text's process converges before its last round, so it costs n^2 ln n throws, and n is small.
func thm1Curves() []*thm1Curve {
	powers := []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}
	small := powers[:4]
	text := fmt.Sprintf("round-robin (the text), to n = %d", small[len(small)-1])
	return []*thm1Curve{
		{"self-clocked (the proof)", plot.Teal, recycled.SelfClocked, powers, 20_000, nil},
		{text, plot.Olive, recycled.RoundRobin, small, 200, nil},
	}
}

// thm1 measures the quantities of Theorem 1, rounds to convergence and the maximum load, in both readings of the
// process, with the smallest parameters of the theorem.
func thm1(ctx context.Context, s engine.Settings) (engine.Output, error) {
	curves := thm1Curves()
	var list engine.Estimations[recycled.Config, recycled.Result]
	for _, c := range curves {
		for _, n := range c.bins {
			cfg := recycled.Config{Bins: n, Clocking: c.clocking}.WithDefaults()
			list.Add(cfg, c.replicas, engine.Simulating(recycled.Simulate, cfg))
			c.points = append(c.points, thm1Point{Config: cfg})
		}
	}
	runs, err := list.Run(ctx, s.Part(0, 2))
	if err != nil {
		return engine.Output{}, err
	}
	for _, c := range curves {
		for i := range c.points {
			p := &c.points[i]
			p.Result = runs.At(p.Config)
			p.Rounds, p.MaxLoadAtDecision = p.Rounds.OfFew(counted(1)), p.MaxLoadAtDecision.OfFew(counted(1))
		}
	}
	growth, err := thm1Growth(ctx, s.Part(1, 2))
	if err != nil {
		return engine.Output{}, err
	}
	self, text := curves[0].points, curves[1].points
	for i, p := range self {
		law, err := recycled.NewPhaseOne(p.Bins)
		if err != nil {
			return engine.Output{}, err
		}
		self[i].phaseOne, _ = law.Mean()
	}
	bounds, boundCurves, err := thm1Bounds(self)
	if err != nil {
		return engine.Output{}, err
	}
	proof, err := thm1Proof(ctx)
	return engine.Output{
		Tables: []frame.Table{thm1Table(curves, s.Seed), growthTable(growth, s.Seed), bounds},
		Plot:   thm1Plot(curves, boundCurves, growth),
		Notes:  notes(facts{"most": text[len(text)-1].Bins}, "thm1"),
		Findings: slices.Concat([]claims.Finding{stepsFinding(self, text), loadFinding(self, text, growth)}, proof,
			[]claims.Finding{phaseOneFinding(self), ringFinding()}),
	}, err
}

// thm1Table lists every point.
func thm1Table(curves []*thm1Curve, seed uint64) frame.Table {
	var t frame.Table
	for _, c := range curves {
		for _, p := range c.points {
			t.Add(cells{{"process", string(c.clocking)}, {"bins", p.Bins}, {"threshold", p.Threshold},
				{"colors_per_bin", p.Colors},
				{"max_rounds", p.MaxRounds}, {"converged", p.Converged}, {"certified", p.Certified},
				{"rounds_mean", frame.WithErrorAndEnds(p.Rounds)}, {"rounds_p95", p.RoundsP95.Value},
				{"rounds_per_nlnn", p.perNLogN().Value}, {"rounds_per_n", p.Rounds.Value / p.n()},
				{"max_load_at_decision_mean", p.MaxLoadAtDecision.Value},
				{"max_load_at_decision_max", p.MaxLoadAtDecisionMax},
				{"max_load_at_decision_per_lnn", p.perLogN().Value},
				{"random_throw_fraction", p.RandomFraction.Value}}, madeFrom(seed, p.Replicas))
		}
	}
	return t
}

// thm1Parts returns the parts of a claim that is graded for both processes.
func thm1Parts(self, text claims.Condition) []claims.Part {
	return []claims.Part{{Name: "the process that the proof analyses", Condition: self},
		{Name: "the one that the text describes", Condition: text}}
}

// stepsFinding grades O(n log n) steps to convergence.
func stepsFinding(self, text []thm1Point) claims.Finding {
	converge := func(points []thm1Point) claims.Condition {
		first, last := points[0], points[len(points)-1]
		conditions := []claims.Condition{claims.MetTimes("N076", "growth", last.perNLogN(), first.perNLogN()).Condition}
		for _, p := range points {
			conditions = append(conditions, claims.AtLeast(p.converged(), 1-math.Log(p.n())/p.n()))
		}
		return claims.All(conditions...)
	}
	first, last := self[0], self[len(self)-1]
	return claims.InParts("N076", thm1Parts(converge(self), converge(text)),
		fmt.Sprintf("runs that converge: the proof's process %s; the text's %s", fates(self), fates(text)),
		fmt.Sprintf("the proof's process takes %.2f n ln n rounds at n = %d, %.2f n ln n at n = %d", first.perNLogN().Value,
			first.Bins, last.perNLogN().Value, last.Bins))
}

// loadFinding grades O(log n) balls in a bin throughout.
func loadFinding(self, text []thm1Point, growth []growthPoint) claims.Finding {
	horizon := text[0].MaxRounds // the horizon for n = 16, as in growth
	after := func(rounds int) mc.Estimate {
		return growth[slices.IndexFunc(growth,
			func(g growthPoint) bool { return g.Clocking == recycled.RoundRobin && g.round == rounds })].maxLoad
	}
	early, late := after(horizon), after(10*horizon)
	measured := "mean maximum load / ln n until the run is decided:"
	steady := func(name string, points []thm1Point) claims.Condition {
		first, last := points[0], points[len(points)-1]
		measured += fmt.Sprintf(" %s %.2f at n = %d, %.2f at n = %d;", name, first.perLogN().Value, first.Bins,
			last.perLogN().Value, last.Bins)
		return claims.MetTimes("N077", "growth", last.perLogN(), first.perLogN()).Condition
	}
	parts := thm1Parts(steady("the proof's process", self),
		claims.All(steady("the text's", text), claims.MetTimes("N077", "growth", late, early).Condition))
	return claims.InParts("N077", parts, strings.TrimSuffix(measured, ";"),
		fmt.Sprintf("at n = 16 the longest queue of the text's process is %s after %d rounds and %s after %d",
			withBounds(early, "%.1f"), horizon, withBounds(late, "%.1f"), 10*horizon))
}

// phaseOneFinding grades n ln n + n expected steps of the first phase, from its exact mean.
func phaseOneFinding(points []thm1Point) claims.Finding {
	const mean = "n ln n + n as the mean"
	smallest, largest := math.Inf(1), 0.0
	for _, p := range points {
		share := p.phaseOne / (float64(p.n()*math.Log(p.n())) + p.n())
		smallest, largest = min(smallest, share), max(largest, share)
	}
	return claims.InParts("N096", []claims.Part{
		claims.Met("N096", "n ln n + n as an upper bound", claims.Exact(largest)),
		{Name: mean, Condition: claims.Certain(claims.Within("N096", mean, smallest) && claims.Within("N096", mean, largest))},
	}, fmt.Sprintf("exact mean rounds are %.2f to %.2f of n ln n + n for n = %d to %d", smallest, largest,
		points[0].Bins, points[len(points)-1].Bins), "in a round every empty bin throws a ball")
}

// ringFinding grades that the ring's 8 entries come from the theorem's b.
func ringFinding() claims.Finding {
	parts := lists.Map([]int{16, 32, 64, 128}, func(n int) claims.Part {
		return claims.Part{Name: fmt.Sprintf("n = %d", n), Condition: claims.Certain(claims.Within("N097", "entries", theoremColors(n)))}
	})
	return claims.InParts("N097", parts, fmt.Sprintf("2.4 ln n is %.1f at n = 16, %.1f at n = 128",
		theoremColors(16), theoremColors(128)),
		fmt.Sprintf("%d entries suffice up to n = %.0f", reps.DefaultBufferSize,
			math.Floor(math.Exp(reps.DefaultBufferSize/2.4))))
}

// theoremColors is the least b of the theorem.
func theoremColors(n int) float64 { return 2.4 * math.Log(float64(n)) }

// fates counts converged and certified runs: in one number if all converged, otherwise for each n.
func fates(points []thm1Point) string {
	var converged, runs uint64
	var s []string
	for _, p := range points {
		converged += p.Converged
		runs += p.Replicas
		s = append(s, fmt.Sprintf("%d of %d at n = %d (%d certified never to)", p.Converged, p.Replicas, p.Bins,
			p.Certified))
	}
	if converged == runs {
		return fmt.Sprintf("all of %d runs", runs)
	}
	return strings.Join(s, ", ")
}

// thm1Proof grades the paper's statements about its proof, by the checks of package proofs. The checks cover
// statements about the proof's process and their derivation. Steps with ids that end in r cover statements about
// the text's process.
func thm1Proof(ctx context.Context) ([]claims.Finding, error) {
	audit, err := proofs.New(proofs.DefaultBins())
	if err != nil {
		return nil, err
	}
	var findings []claims.Finding
	for _, c := range []struct {
		claim  string
		steps  []string
		others []string
	}{
		{"N082", []string{"B2"}, nil},
		{"N083", []string{"D5", "D6"}, []string{"D6r"}},
		{"N084", []string{"E4"}, []string{"E4r", "E2"}},
		{"N085", []string{"C17"}, []string{"C16"}},
	} {
		statement, derivation := true, true
		var ofText []claims.Part
		var measured []string
		for _, id := range append(c.steps, c.others...) {
			step, err := proofs.Find(id)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			result := audit.Check(step)
			measured = append(measured, fmt.Sprintf("%s %s", id, result.Verdict))
			holds := result.Verdict == proofs.Holds
			switch {
			case slices.Contains(c.steps, id):
				derivation = derivation && holds
				statement = statement && (holds || result.Verdict == proofs.NotJustified)
			case strings.HasSuffix(id, "r"):
				ofText = []claims.Part{{Name: "the process that the text describes", Condition: claims.Certain(holds)}}
			}
		}
		parts := append([]claims.Part{{Name: "the statement itself", Condition: claims.Certain(statement)},
			{Name: "the printed derivation", Condition: claims.Certain(derivation)}}, ofText...)
		findings = append(findings, claims.InParts(c.claim, parts, strings.Join(measured, "; "),
			"see repslab prove --explain "+c.steps[len(c.steps)-1]))
	}
	return findings, nil
}

// growthPoint holds the loads of a process after some rounds, in runs that continue after convergence or
// certification.
type growthPoint struct {
	recycled.Config
	round          int
	maxLoad, balls mc.Estimate // largest load so far; number of balls
}

// growthRun holds the loads of a run after the observed rounds.
type growthRun map[int]struct{ MaxLoad, Balls int64 }

// thm1Growth follows the processes with n = 16, from n rounds up to a hundred times 100 n ln n rounds.
func thm1Growth(ctx context.Context, s engine.Settings) ([]growthPoint, error) {
	var points []growthPoint
	var list engine.Trials[recycled.Config, growthRun]
	for _, clocking := range []recycled.Clocking{recycled.SelfClocked, recycled.RoundRobin} {
		cfg := recycled.Config{Bins: 16, Clocking: clocking}.WithDefaults()
		var rounds []int
		for round := cfg.Bins; 2*round < cfg.MaxRounds; round *= 4 {
			rounds = append(rounds, round)
		}
		for factor := 1; factor <= 100; factor *= 10 {
			rounds = append(rounds, factor*cfg.MaxRounds)
		}
		for _, round := range rounds {
			points = append(points, growthPoint{Config: cfg, round: round})
		}
		list.Add(cfg, 100,
			func() (engine.ReplicaRunner[growthRun], error) { return follow(cfg, rounds) })
	}
	runs, err := list.Run(ctx, s)
	for i := range points {
		p := &points[i]
		p.maxLoad = meanCount(runs[p.Config], func(r growthRun) int64 { return r[p.round].MaxLoad })
		p.balls = meanCount(runs[p.Config], func(r growthRun) int64 { return r[p.round].Balls })
	}
	return points, err
}

// follow returns a runner of a process that reads its loads after the given rounds.
func follow(cfg recycled.Config, rounds []int) (engine.ReplicaRunner[growthRun], error) {
	p, err := recycled.New(cfg)
	pause := checks.Every(cfg.Bins)
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
			run[round] = struct{ MaxLoad, Balls int64 }{int64(p.MaxLoad()), p.Balls()}
		}
		return run, nil
	}, err
}

// growthTable lists the loads.
func growthTable(growth []growthPoint, seed uint64) frame.Table {
	t := frame.Table{Name: "growth"}
	for _, g := range growth {
		t.Add(cells{{"process", string(g.Clocking)}, {"bins", g.Bins}, {"threshold", g.Threshold},
			{"colors_per_bin", g.Colors}, {"round", g.round}, {"max_load_mean", frame.WithErrorAndEnds(g.maxLoad)},
			{"balls_per_bin", g.balls.Per(float64(g.Bins)).Value}}, madeFrom(seed, g.maxLoad.N))
	}
	return t
}

// thm1Bounds lists proved bounds on the rounds of the self-clocked process, and its exact first phase, with the
// measured points. It draws the bounds as curves of rounds / n.
func thm1Bounds(points []thm1Point) (frame.Table, []plot.Series, error) {
	t := frame.Table{Name: "bounds"}
	paper := plot.Series{Name: "bound of the paper's proof", Dash: plot.Dashed, Color: plot.Black}
	stronger := plot.Series{Name: "stronger bound, proved here", Dash: plot.LongDash, Color: plot.Indigo}
	exact := plot.Series{Name: "phase one alone, exact", Mark: plot.Points, Color: plot.Black}
	c := proofs.PaperConstants()
	for _, p := range points {
		n := p.n()
		likely, _, err := recycled.RoundsBound(p.Bins, p.Threshold) // exceeded with probability at most 2/n
		if err != nil {
			return t, nil, err
		}
		balls := float64(2*n*math.Log(n)) + n // balls of phase two, with probability at least 1 - 1/n
		ofPaper := float64(2*n*math.Log(n)) + balls/c.FinalDrift
		ofDrift := recycled.PhaseOneRoundsBound(p.Bins) + balls/c.Absorption
		measured := p.Rounds.Value
		t.Add(cells{{"bins", p.Bins}, {"threshold", p.Threshold}, {"paper_bound_rounds", ofPaper},
			{"stronger_bound_rounds", ofDrift}, {"stronger_likely_rounds", likely},
			{"phase_one_exact_rounds", p.phaseOne}, {"measured_rounds", measured},
			{"paper_over_measured", ofPaper / measured}, {"stronger_over_measured", ofDrift / measured}})
		appendXY(&paper, n, ofPaper/n)
		appendXY(&stronger, n, ofDrift/n)
		appendXY(&exact, n, p.phaseOne/n)
	}
	return t, []plot.Series{paper, stronger, exact}, nil
}

// thm1Plot draws rounds to convergence with their bounds, the fates of the runs, and the loads over time and over
// n.
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
	nLogN := plot.Series{Name: "n ln n, the theorem's order", Dash: plot.Dotted, Color: plot.Rose}
	for _, p := range self {
		appendXY(&nLogN, p.n(), math.Log(p.n()))
	}
	rounds.Series = append(append(rounds.Series, nLogN), bounds...)
	never := plot.Series{Name: "round-robin: never converges, certified", Mark: plot.LinePoints, Color: plot.Wine}
	add(&fates, never, text, func(p thm1Point) mc.Estimate {
		return proportion(p.Certified, p.Replicas)
	})
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Height: 4.4,
		Panels: [][]plot.Panel{{rounds, fates}, {growing, loads}}}
}
