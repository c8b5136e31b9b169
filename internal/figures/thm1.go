package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/proofs"
	"repslab/recycled"
)

// thm1Curve is a reading of the process over a range of n.
type thm1Curve struct {
	name     string
	color    plot.Color
	clocking recycled.Clocking
	bins     []int
	replicas uint64
	points   []thm1Point // for each of bins
}

// thm1Point is the outcome for one n.
type thm1Point struct {
	recycled.Config
	recycled.Result
}

// n returns the number of bins.
func (p thm1Point) n() float64 { return float64(p.Bins) }

// converged returns the share of runs that converged.
func (p thm1Point) converged() mc.Estimate {
	return mc.Proportion(p.Converged, p.Replicas, mc.DefaultConfidence)
}

// perNLogN returns the mean rounds to convergence as multiples of n ln n.
func (p thm1Point) perNLogN() mc.Estimate { return p.Rounds.Per(p.n() * math.Log(p.n())) }

// perLogN returns the mean maximum load up to the decision as multiples of ln n.
func (p thm1Point) perLogN() mc.Estimate { return p.MaxLoadAtDecision.Per(math.Log(p.n())) }

// thm1Curves returns the curves of the figure: the proof's and the text's. Hardly a run of
// the text's converges before its last round, so it costs n^2 ln n throws, and n is small.
func thm1Curves(scale Scale) []*thm1Curve {
	powers := []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}
	small := powers[:choose(scale, 3, 5)]
	text := fmt.Sprintf("round-robin (the text), to n = %d", small[len(small)-1])
	return []*thm1Curve{
		{"self-clocked (the proof)", plot.Purple, recycled.SelfClocked, powers, scale.replicas(2000, 20_000), nil},
		{text, plot.Green, recycled.RoundRobin, small, scale.replicas(100, 300), nil},
	}
}

// thm1 measures the quantities of Theorem 1: rounds to convergence and the maximum
// load, in both readings of the process, at the theorem's smallest parameters.
func thm1(ctx context.Context, s Settings) (Output, error) {
	curves := thm1Curves(s.Scale)
	var list estimations[recycled.Config, recycled.Result]
	for _, c := range curves {
		for _, n := range c.bins {
			cfg := recycled.Config{Bins: n, Clocking: c.clocking}.WithDefaults()
			list.add(cfg, c.replicas, simulating(recycled.Simulate, cfg))
			c.points = append(c.points, thm1Point{Config: cfg})
		}
	}
	runs, err := list.run(ctx, s.part(0, 2))
	if err != nil {
		return Output{}, err
	}
	for _, c := range curves {
		for i := range c.points {
			c.points[i].Result = runs.at(c.points[i].Config)
		}
	}
	growth, err := thm1Growth(ctx, s.part(1, 2))
	if err != nil {
		return Output{}, err
	}
	self, text := curves[0].points, curves[1].points
	bounds, boundCurves, err := thm1Bounds(self)
	if err != nil {
		return Output{}, err
	}
	proof, err := thm1Proof(ctx)
	if err != nil {
		return Output{}, err
	}
	phaseOne, err := phaseOneFinding(curves[0].bins)
	return Output{
		Tables: []table.Table{thm1Table(curves, s.Seed), growthTable(growth, s.Seed), bounds},
		Plot:   thm1Plot(curves, boundCurves, growth),
		Notes:  notes(facts{"most": text[len(text)-1].Bins}, "thm1"),
		Findings: slices.Concat([]claims.Finding{stepsFinding(self, text), loadFinding(self, text, growth)}, proof,
			[]claims.Finding{phaseOne, ringFinding()}),
	}, err
}

// thm1Table lists every point.
func thm1Table(curves []*thm1Curve, seed uint64) table.Table {
	var t table.Table
	for _, c := range curves {
		for _, p := range c.points {
			addRow(&t, cells{{"process", string(c.clocking)}, {"bins", p.Bins}, {"threshold", p.Threshold},
				{"colors_per_bin", p.Colors},
				{"max_rounds", p.MaxRounds}, {"converged", p.Converged}, {"certified", p.Certified}},
				withErrorAndEnds("rounds_mean", "rounds", p.Rounds), cells{{"rounds_p95", p.RoundsP95.Value},
					{"rounds_per_nlnn", p.perNLogN().Value}, {"rounds_per_n", p.Rounds.Value / p.n()},
					{"max_load_at_decision_mean", p.MaxLoadAtDecision.Value},
					{"max_load_at_decision_max", p.MaxLoadAtDecisionMax},
					{"max_load_at_decision_per_lnn", p.perLogN().Value},
					{"random_throw_fraction", p.RandomFraction.Value}}, madeFrom(seed, p.Replicas))
		}
	}
	return t
}

// stepsFinding judges O(n log n) steps to convergence.
func stepsFinding(self, text []thm1Point) claims.Finding {
	first, last := self[0], self[len(self)-1]
	conditions := []claims.Condition{claims.AtMostTimes(last.perNLogN(), 1.1, first.perNLogN())}
	for _, p := range slices.Concat(self, text) {
		conditions = append(conditions, claims.AtLeast(p.converged(), 1-2/p.n()))
	}
	return claims.Judged("N076", claims.All(conditions...),
		fmt.Sprintf("self-clocked converged in %s; rounds / (n ln n) %.3f at n = %d and %.3f at n = %d, rounds / n "+
			"%.2f and %.2f. Round-robin converged in %s",
			fates(self), first.perNLogN().Value, first.Bins, last.perNLogN().Value, last.Bins,
			first.Rounds.Value/first.n(), last.Rounds.Value/last.n(), fates(text)),
		"self-clocked is the process that the proof analyses, round-robin that of the model section's text")
}

// loadFinding judges O(log n) balls in a bin throughout.
func loadFinding(self, text []thm1Point, growth []growthPoint) claims.Finding {
	horizon := text[0].MaxRounds // of n = 16, as in growth
	after := func(rounds int) mc.Estimate {
		return growth[slices.IndexFunc(growth,
			func(g growthPoint) bool { return g.Clocking == recycled.RoundRobin && g.round == rounds })].maxLoad
	}
	early, late := after(horizon), after(10*horizon)
	steady := []claims.Condition{claims.AtMostTimes(late, 1.1, early)} // none grows by more than 10 %
	measured := "mean maximum load / ln n:"
	for _, of := range []struct {
		name   string
		points []thm1Point
	}{{"self-clocked", self}, {"round-robin", text}} {
		first, last := of.points[0], of.points[len(of.points)-1]
		steady = append(steady, claims.AtMostTimes(last.perLogN(), 1.1, first.perLogN()))
		measured += fmt.Sprintf(" %s %.2f at n = %d, %.2f at n = %d;", of.name, first.perLogN().Value, first.Bins,
			last.perLogN().Value, last.Bins)
	}
	return claims.Judged("N077", claims.All(steady...),
		fmt.Sprintf("%s, up to its certificate. Round-robin with n = 16: mean maximum load %s after %d rounds, %s "+
			"after %d",
			strings.TrimSuffix(measured, ";"), withBounds(early, "%.1f"), horizon, withBounds(late, "%.1f"),
			10*horizon),
		"a finite horizon cannot show that loads grow without bound, only that they grow")
}

// phaseOneFinding judges n ln n + n expected steps of the first phase by its exact mean.
func phaseOneFinding(bins []int) (claims.Finding, error) {
	smallest, largest := math.Inf(1), 0.0
	for _, n := range bins {
		law, err := recycled.NewPhaseOne(n)
		if err != nil {
			return claims.Finding{}, err
		}
		rounds, _ := law.Mean()
		share := rounds / (float64(float64(n)*math.Log(float64(n))) + float64(n))
		smallest, largest = min(smallest, share), max(largest, share)
	}
	return claims.InWords("N096", smallest >= 0.9 && largest <= 1.1,
		fmt.Sprintf("exact mean rounds are %.2f to %.2f of n ln n + n", smallest, largest), ""), nil
}

// ringFinding judges that the ring's 8 entries come from the theorem's b.
func ringFinding() claims.Finding {
	mostPorts := math.Exp(8 / 2.4)
	return claims.Exactly("N097", mostPorts >= 128, math.Floor(mostPorts),
		fmt.Sprintf("2.4 ln n is at most 8 for n up to %.0f; n = 128 asks for %.0f", math.Floor(mostPorts),
			math.Ceil(2.4*math.Log(128))),
		"b counts colours of all senders in the text's model, the ring those of one")
}

// fates counts converged and certified runs: in one number where all converged,
// else at every n.
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

// thm1Proof judges the paper's statements about its proof by the checks of
// package proofs, in the order of thm1's rules.
func thm1Proof(ctx context.Context) ([]claims.Finding, error) {
	audit, err := proofs.New(proofs.DefaultBins())
	if err != nil {
		return nil, err
	}
	var findings []claims.Finding
	for _, c := range []struct {
		claim   string
		decides []string // steps whose conclusions must all hold
		told    []string // others to be known
		note    string
	}{
		{"N082", []string{"B2"}, nil, ""},
		{"N083", []string{"D5", "D6", "D6r"}, nil, "the arithmetic of the binomial law is right. In the text's " +
			"process that law is not the one of the balls between two of a colour"},
		{"N084", []string{"E4"}, []string{"E1", "E2"},
			"E1 and E2 are printed with their inequality signs turned round"},
		{"N085", []string{"C17"}, []string{"C16"},
			"C16 is the inequality that the paper derives it by, C17 what is meant"},
	} {
		holds := true
		var parts []string
		for _, id := range append(c.decides, c.told...) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			step, err := proofs.Find(id)
			if err != nil {
				return nil, err
			}
			result := audit.Check(step)
			part := fmt.Sprintf("%s %s", id, result.Verdict)
			if result.Counterexample != "" {
				part += " (" + result.Counterexample + ")"
			} else if result.Margin != "" {
				part += " (" + result.Margin + ")"
			}
			parts = append(parts, part)
			if len(parts) <= len(c.decides) {
				holds = holds && (result.Verdict == proofs.Holds || result.Verdict == proofs.NotJustified)
			}
		}
		findings = append(findings, claims.InWords(c.claim, holds, strings.Join(parts, "; "), c.note))
	}
	return findings, nil
}
