package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/proofs"
	"repslab/recycled"
)

// thm1Curve is a reading of the process over a range of n.
type thm1Curve struct {
	key, name string
	bins      []int
	threshold int // 0 means the theorem's
	clocking  recycled.Clocking
	replicas  uint64
	points    []thm1Point // for each of bins
}

// thm1Point is the outcome for one n.
type thm1Point struct {
	cfg    recycled.Config
	result recycled.Result
}

// thm1Curves returns the curves of the figure.
func thm1Curves(scale Scale) []*thm1Curve {
	many := []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}
	return []*thm1Curve{
		{"self-clocked", "self-clocked (the proof)", many, 0, recycled.SelfClocked, scale.replicas(1000, 20_000), nil},
		{"phase-one", "self-clocked, phase one alone", many, recycled.MaxThreshold, recycled.SelfClocked,
			scale.replicas(1000, 20_000), nil},
		{"round-robin", "round-robin (the text)", []int{16, 32, 64}, 0, recycled.RoundRobin, scale.replicas(100, 1000),
			nil},
	}
}

// thm1 measures the quantities of Theorem 1: rounds to convergence and the maximum
// load, in both readings of the process, at the theorem's smallest parameters.
func thm1(ctx context.Context, s Settings) (Output, error) {
	curves := thm1Curves(s.Scale)
	var list estimations[recycled.Config, recycled.Result]
	for _, c := range curves {
		for _, n := range c.bins {
			cfg := recycled.Config{Bins: n, Threshold: c.threshold, Clocking: c.clocking}.WithDefaults()
			list.add(cfg, c.replicas, simulating(recycled.Simulate, cfg))
			c.points = append(c.points, thm1Point{cfg: cfg})
		}
	}
	var runs results[recycled.Config, recycled.Result]
	var growth map[recycled.Clocking]thm1Growth
	err := s.inTurn(ctx, func(ctx context.Context, s Settings) (err error) {
		runs, err = list.run(ctx, s)
		return err
	}, func(ctx context.Context, s Settings) (err error) {
		growth, err = runGrowth(ctx, s)
		return err
	})
	if err != nil {
		return Output{}, err
	}
	for _, c := range curves {
		for i := range c.points {
			c.points[i].result = runs.at(c.points[i].cfg)
		}
	}
	self, phaseOne, text := curves[0].points, curves[1].points, curves[2].points
	proof, err := thm1Proof(ctx)
	if err != nil {
		return Output{}, err
	}
	bounds, err := thm1Bounds(self)
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables: []table.Table{thm1Table(curves, s.Seed), growthTable(growth, s.Seed), thm1BoundsTable(bounds, self)},
		Plot:   thm1Plot(curves, bounds, growth),
		Notes: []string{
			"Self-clocked is the process that the proof analyses: a good ball returns to its bin in the same round. Round-robin is the process of the model section's text: b n colours thrown in cyclic order.",
			"A run ends when it converged (absorbed, exact), when more than n τ balls certify that it never will, or after 100 n ln n rounds, undecided.",
			"Rounds are over the runs that converged. A self-clocked run fails to converge with a small positive probability, so the unconditional expectation is infinite.",
			"Bounds are on the expected rounds of self-clocked, given at most 2 n ln n + n balls: the paper's (2 n ln n, and 32 times the excess) and the stronger one that repslab prove checks; thm1-bounds.csv has them, and one that holds with probability 1 - 2/n. The exact mean of phase one lies on the measured curve: nearly all rounds are phase one's.",
			"Loads in panel (d) are those up to convergence or the certificate; panel (c) and thm1-growth.csv follow n = 16 beyond them.",
		},
		Findings: slices.Concat([]claims.Finding{stepsFinding(self, text),
			loadFinding(self, text, growth[recycled.RoundRobin])}, proof,
			[]claims.Finding{phaseOneFinding(phaseOne), ringFinding()}),
	}, nil
}

// thm1Table lists every point.
func thm1Table(curves []*thm1Curve, seed uint64) table.Table {
	var t table.Table
	for _, c := range curves {
		for _, p := range c.points {
			n, s := float64(p.cfg.Bins), p.result
			addRow(&t, cells{{"process", c.key}, {"bins", p.cfg.Bins},
				{"threshold", orNull(c.threshold == 0, p.cfg.Threshold)}, {"colors_per_bin", p.cfg.Colors},
				{"max_rounds", p.cfg.MaxRounds}, {"converged", s.Converged}, {"certified", s.Certified}},
				withError("rounds_mean", "rounds", s.Rounds), cells{{"rounds_p95", s.RoundsP95.Value},
					{"rounds_per_nlnn", s.Rounds.Value / (n * math.Log(n))}, {"rounds_per_n", s.Rounds.Value / n},
					{"max_load_at_decision_mean", s.MaxLoadAtDecision.Value},
					{"max_load_at_decision_max", s.MaxLoadAtDecisionMax},
					{"max_load_at_decision_per_lnn", s.MaxLoadAtDecision.Value / math.Log(n)},
					{"random_throw_fraction", s.RandomFraction.Value}},
				madeFrom(seed, s.Replicas))
		}
	}
	return t
}

// stepsFinding judges O(n log n) steps to convergence.
func stepsFinding(self, text []thm1Point) claims.Finding {
	perNLogN := func(p thm1Point) mc.Estimate {
		n := float64(p.cfg.Bins)
		return p.result.Rounds.Per(n * math.Log(n))
	}
	var steps rule
	for _, p := range slices.Concat(self, text) {
		share := mc.Proportion(p.result.Converged, p.result.Replicas, mc.DefaultConfidence)
		steps.add(claims.AtLeast(share, 1-2/float64(p.cfg.Bins)), "")
	}
	first, last := self[0], self[len(self)-1]
	steps.add(claims.AtMostTimes(perNLogN(last), 1.1, perNLogN(first)), "")
	return steps.all("N076", fmt.Sprintf("self-clocked converged in %s; rounds / (n ln n) %.3f at n = %d and %.3f at n = %d, rounds / n %.2f and %.2f. Round-robin converged in %s",
		fates(self), perNLogN(first).Value, first.cfg.Bins, perNLogN(last).Value, last.cfg.Bins,
		first.result.Rounds.Value/float64(first.cfg.Bins), last.result.Rounds.Value/float64(last.cfg.Bins),
		fates(text)), "",
		"self-clocked is the process that the proof analyses, round-robin that of the model section's text")
}

// loadFinding judges O(log n) balls in a bin throughout.
func loadFinding(self, text []thm1Point, growth thm1Growth) claims.Finding {
	loads := func(p thm1Point) mc.Estimate { return p.result.MaxLoadAtDecision.Per(math.Log(float64(p.cfg.Bins))) }
	perLogN := func(p thm1Point) float64 { return loads(p).Value }
	horizon := growth.cfg.MaxRounds
	early, late := growth.maxLoad(horizon), growth.maxLoad(10*horizon)
	var steady rule // none grows by more than 10 %
	steady.add(claims.AtMostTimes(loads(self[len(self)-1]), 1.1, loads(self[0])), "")
	steady.add(claims.AtMostTimes(loads(text[len(text)-1]), 1.1, loads(text[0])), "")
	steady.add(claims.AtMostTimes(late, 1.1, early), "")
	return steady.all("N077", fmt.Sprintf("mean maximum load / ln n: self-clocked %.2f at n = %d, %.2f at n = %d; round-robin %.2f at n = %d, %.2f at n = %d, up to its certificate. Round-robin with n = 16: mean maximum load %.1f [%.1f, %.1f] after %d rounds, %.1f [%.1f, %.1f] after %d",
		perLogN(self[0]), self[0].cfg.Bins, perLogN(self[len(self)-1]), self[len(self)-1].cfg.Bins,
		perLogN(text[0]), text[0].cfg.Bins, perLogN(text[len(text)-1]), text[len(text)-1].cfg.Bins,
		early.Value, early.Lo, early.Hi, horizon, late.Value, late.Lo, late.Hi, 10*horizon), "",
		"a finite horizon cannot show that loads grow without bound, only that they grow")
}

// phaseOneFinding judges n ln n + n expected steps of the first phase.
func phaseOneFinding(points []thm1Point) claims.Finding {
	var close rule
	below, smallest, largest := true, math.Inf(1), 0.0
	for _, p := range points {
		n, rounds := float64(p.cfg.Bins), p.result.Rounds
		claimed := float64(n*math.Log(n)) + n
		close.add(claims.CloseTo(rounds, claimed), "")
		below = below && rounds.Hi <= claimed
		smallest, largest = min(smallest, rounds.Value/claimed), max(largest, rounds.Value/claimed)
	}
	note := "as an upper bound it does not hold either"
	if below {
		note = "as an upper bound it holds, with an order to spare: in a round every empty bin throws a ball"
	}
	last := points[len(points)-1]
	return close.all("N096",
		fmt.Sprintf("mean rounds are %.2f to %.2f of n ln n + n; rounds / n is %.3f at n = %d", smallest, largest,
			last.result.Rounds.Value/float64(last.cfg.Bins), last.cfg.Bins), "", note)
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
		converged += p.result.Converged
		runs += p.result.Replicas
		s = append(s, fmt.Sprintf("%d of %d at n = %d (%d certified never to)", p.result.Converged, p.result.Replicas,
			p.cfg.Bins, p.result.Certified))
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
		{"N083", []string{"D5", "D6", "D6r"}, nil, "the arithmetic of the binomial law is right. In the text's process that law is not the one of the balls between two of a colour"},
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
