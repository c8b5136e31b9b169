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
	"repslab/recycled"
)

// thm1 measures what Theorem 1 is about: rounds to convergence and the maximum
// load, in both readings of the process, at the theorem's smallest parameters.
func thm1() Figure {
	return Figure{
		ID:    "thm1",
		Title: "Theorem 1: convergence of recycled balls into bins at τ = 4 ln n, b = 2.4 ln n",
		Rules: []claims.Rule{
			{Claim: "N076", Text: "in both readings of the process at least a share 1 - 2/n of the runs converges within 100 n ln n rounds, and mean rounds / (n ln n) does not grow by more than 10 % from the smallest n to the largest"},
			{Claim: "N077", Text: "in both readings the mean maximum load / ln n does not grow by more than 10 % from the smallest n to the largest, and round-robin with n = 16, run on for ten times its rounds, does not grow by more than 10 % either"},
			{Claim: "N082", Text: "step B2 of repslab prove holds"},
			{Claim: "N083", Text: "steps D5 and D6 of repslab prove hold, or their conclusions do, and so does D6r, which is about the process"},
			{Claim: "N084", Text: "step E4 of repslab prove holds, or its conclusion does: the drift is at most -1/32 for n >= 16, integer τ >= 4 ln n"},
			{Claim: "N085", Text: "step C17 of repslab prove holds, or its conclusion does: at most 3n/4 - k bins are near the threshold"},
			{Claim: "N096", Text: "with a threshold that is never reached, the mean rounds to convergence are within 10 % of n ln n + n at every n"},
			{Claim: "N097", Text: "2.4 ln n, which the theorem asks of b, is at most the ring's 8 entries for all switches of the paper, n = 16 to 128"},
		},
		Build: buildThm1,
	}
}

// thm1Run is one curve: a reading of the process over a range of n.
type thm1Run struct {
	key, name string
	bins      []int
	threshold int // 0 means the theorem's
	clocking  recycled.Clocking
	replicas  uint64
}

// thm1Point is the outcome for one n.
type thm1Point struct {
	cfg    recycled.Config
	result recycled.Result
}

func buildThm1(ctx context.Context, s Settings) (Output, error) {
	many := []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096}
	runs := []thm1Run{
		{"self-clocked", "self-clocked (the proof)", many, 0, recycled.SelfClocked, s.Scale.Choose(1000, 20_000)},
		{"phase-one", "self-clocked, phase one alone", many, recycled.MaxThreshold, recycled.SelfClocked, s.Scale.Choose(1000, 20_000)},
		{"round-robin", "round-robin (the text)", []int{16, 32, 64}, 0, recycled.RoundRobin, s.Scale.Choose(100, 1000)},
	}
	parts, part := 0, 0
	for _, r := range runs {
		parts += len(r.bins)
	}
	points := map[string][]thm1Point{}
	for _, r := range runs {
		for _, n := range r.bins {
			cfg := recycled.Config{Bins: n, Threshold: r.threshold, Clocking: r.clocking}.WithDefaults()
			result, err := recycled.Simulate(ctx, cfg, s.Plan(r.replicas, part, parts))
			if err != nil {
				return Output{}, err
			}
			points[r.key] = append(points[r.key], thm1Point{cfg, result})
			part++
		}
	}
	growth, err := thm1Growth(ctx, s, recycled.RoundRobin)
	if err != nil {
		return Output{}, err
	}
	settled, err := thm1Growth(ctx, s, recycled.SelfClocked)
	if err != nil {
		return Output{}, err
	}
	proof, err := thm1Proof(ctx)
	if err != nil {
		return Output{}, err
	}
	bounds, err := thm1Bounds(points["self-clocked"])
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []table.Table{thm1Table(runs, points, s.Seed), slices.Concat(settled, growth).table(s.Seed), thm1BoundsTable(bounds, points["self-clocked"])},
		Formats: []table.Format{table.CSV},
		Plot:    thm1Plot(runs, points, bounds, settled, growth),
		Notes: []string{
			"Self-clocked is the process that the proof analyses: a good ball returns to its bin in the same round. Round-robin is the process of the model section's text: b n colours thrown in cyclic order.",
			"A run ends when it converged (absorbed, exact), when more than n τ balls certify that it never will, or after 100 n ln n rounds, undecided.",
			"Rounds are over the runs that converged. A self-clocked run fails to converge with a small positive probability, so the unconditional expectation is infinite.",
			"Bounds are on the expected rounds of self-clocked, given at most 2 n ln n + n balls: the paper's (2 n ln n, and 32 times the excess) and the stronger one that repslab prove checks; thm1-bounds.csv has them, and one that holds with probability 1 - 2/n. The exact mean of phase one lies on the measured curve: nearly all rounds are phase one's.",
			"Loads in panel (d) are those up to convergence or the certificate; panel (c) and thm1-growth.csv follow n = 16 beyond them.",
		},
		Findings: thm1Findings(points, growth, proof),
	}, nil
}

// thm1Table lists every point.
func thm1Table(runs []thm1Run, points map[string][]thm1Point, seed uint64) table.Table {
	t := table.Table{Columns: append([]table.Column{table.Text("process")}, table.Numbers(
		"bins", "threshold", "colors_per_bin", "max_rounds", "converged", "certified",
		"rounds_mean", "rounds_se", "rounds_lo", "rounds_hi", "rounds_p95", "rounds_per_nlnn", "rounds_per_n",
		"max_load_at_decision_mean", "max_load_at_decision_max", "max_load_at_decision_per_lnn", "random_throw_fraction", "seed", "replicas")...)}
	for _, r := range runs {
		for _, p := range points[r.key] {
			n, s := float64(p.cfg.Bins), p.result
			var threshold any
			if r.threshold == 0 {
				threshold = p.cfg.Threshold
			}
			t.Rows = append(t.Rows, []any{r.key, p.cfg.Bins, threshold, p.cfg.Colors, p.cfg.MaxRounds, s.Converged, s.Certified,
				s.Rounds.Value, s.Rounds.StdErr, s.Rounds.Lo, s.Rounds.Hi, s.RoundsP95.Value, s.Rounds.Value / (n * math.Log(n)), s.Rounds.Value / n,
				s.MaxLoadAtDecision.Value, s.MaxLoadAtDecisionMax, s.MaxLoadAtDecision.Value / math.Log(n), s.RandomFraction.Value, seed, s.Replicas})
		}
	}
	return t
}

// thm1Findings judges the claims.
func thm1Findings(points map[string][]thm1Point, growth thm1Horizons, proof []claims.Finding) []claims.Finding {
	self, text, phaseOne := points["self-clocked"], points["round-robin"], points["phase-one"]
	findings := []claims.Finding{stepsFinding(self, text), loadFinding(self, text, growth)}
	return append(append(findings, proof...), phaseOneFinding(phaseOne), ringFinding())
}

// stepsFinding judges O(n log n) steps to convergence.
func stepsFinding(self, text []thm1Point) claims.Finding {
	perNLogN := func(p thm1Point) float64 { return roundsPerNLogN(p).Value }
	first, last := self[0], self[len(self)-1]
	holds := enoughConverge(self) && enoughConverge(text) && perNLogN(last) <= 1.1*perNLogN(first)
	return claims.InWords("N076", holds,
		fmt.Sprintf("self-clocked converged in %s; rounds / (n ln n) %.3f at n = %d and %.3f at n = %d, rounds / n %.2f and %.2f. Round-robin converged in %s",
			fates(self), perNLogN(first), first.cfg.Bins, perNLogN(last), last.cfg.Bins,
			first.result.Rounds.Value/float64(first.cfg.Bins), last.result.Rounds.Value/float64(last.cfg.Bins), fates(text)),
		"self-clocked is the process that the proof analyses, round-robin that of the model section's text").Resting(claims.All(append(append(convergence(self), convergence(text)...), claims.Below(roundsPerNLogN(last), roundsPerNLogN(first).Per(1/1.1)))...))
}

// loadFinding judges O(log n) balls in a bin throughout.
func loadFinding(self, text []thm1Point, growth thm1Horizons) claims.Finding {
	loads := func(p thm1Point) mc.Estimate { return p.result.MaxLoadAtDecision.Per(math.Log(float64(p.cfg.Bins))) }
	perLogN := func(p thm1Point) float64 { return loads(p).Value }
	steady := func(points []thm1Point) bool { return perLogN(points[len(points)-1]) <= 1.1*perLogN(points[0]) }
	grows := func(points []thm1Point) claims.Condition {
		return claims.Below(loads(points[len(points)-1]), loads(points[0]).Per(1/1.1))
	}
	first, tenfold := growth.at(1), growth.at(10)
	early, late := first.maxLoad.Mean(mc.DefaultConfidence), tenfold.maxLoad.Mean(mc.DefaultConfidence)
	return claims.InWords("N077", steady(self) && steady(text) && late.Value <= 1.1*early.Value,
		fmt.Sprintf("mean maximum load / ln n: self-clocked %.2f at n = %d, %.2f at n = %d; round-robin %.2f at n = %d, %.2f at n = %d, up to its certificate. Round-robin with n = 16: mean maximum load %.1f [%.1f, %.1f] after %d rounds, %.1f [%.1f, %.1f] after %d",
			perLogN(self[0]), self[0].cfg.Bins, perLogN(self[len(self)-1]), self[len(self)-1].cfg.Bins,
			perLogN(text[0]), text[0].cfg.Bins, perLogN(text[len(text)-1]), text[len(text)-1].cfg.Bins,
			early.Value, early.Lo, early.Hi, first.rounds, late.Value, late.Lo, late.Hi, tenfold.rounds),
		"a finite horizon cannot show that loads grow without bound, only that they grow").Resting(claims.All(grows(self), grows(text), claims.Below(late, early.Per(1/1.1))))
}

// phaseOneFinding judges n ln n + n expected steps of the first phase.
func phaseOneFinding(points []thm1Point) claims.Finding {
	close, below, smallest, largest := true, true, math.Inf(1), 0.0
	var conditions []claims.Condition
	for _, p := range points {
		n := float64(p.cfg.Bins)
		claimed := float64(n*math.Log(n)) + n
		share := p.result.Rounds.Value / claimed
		close = close && claims.Within10Percent(p.result.Rounds.Value, claimed)
		below = below && p.result.Rounds.Hi <= claimed
		conditions = append(conditions, claims.CloseTo(p.result.Rounds, claimed))
		smallest, largest = min(smallest, share), max(largest, share)
	}
	note := "as an upper bound it does not hold either"
	if below {
		note = "as an upper bound it holds, with an order to spare: in a round every empty bin throws a ball"
	}
	last := points[len(points)-1]
	return claims.InWords("N096", close,
		fmt.Sprintf("mean rounds are %.2f to %.2f of n ln n + n; rounds / n is %.3f at n = %d", smallest, largest, last.result.Rounds.Value/float64(last.cfg.Bins), last.cfg.Bins),
		note).Resting(claims.All(conditions...))
}

// ringFinding judges that the ring's 8 entries come from the theorem's b.
func ringFinding() claims.Finding {
	mostPorts := math.Exp(8 / 2.4)
	return claims.Exactly("N097", mostPorts >= 128, math.Floor(mostPorts),
		fmt.Sprintf("2.4 ln n is at most 8 for n up to %.0f; n = 128 asks for %.0f", math.Floor(mostPorts), math.Ceil(2.4*math.Log(128))),
		"b counts colours of all senders in the text's model, the ring those of one")
}

// roundsPerNLogN returns the mean rounds to convergence over n ln n.
func roundsPerNLogN(p thm1Point) mc.Estimate {
	n := float64(p.cfg.Bins)
	return p.result.Rounds.Per(n * math.Log(n))
}

// convergence is what enoughConverge is about, for each n.
func convergence(points []thm1Point) []claims.Condition {
	var list []claims.Condition
	for _, p := range points {
		share := mc.Proportion(p.result.Converged, p.result.Replicas, mc.DefaultConfidence)
		list = append(list, claims.AtLeast(share, 1-2/float64(p.cfg.Bins)))
	}
	return list
}

// enoughConverge says whether at every n a share of at least 1 - 2/n converged.
func enoughConverge(points []thm1Point) bool {
	for _, p := range points {
		if float64(p.result.Converged) < (1-2/float64(p.cfg.Bins))*float64(p.result.Replicas) {
			return false
		}
	}
	return true
}

// fates counts converged and certified runs: in one number where all converged,
// else at every n.
func fates(points []thm1Point) string {
	var converged, runs uint64
	var s []string
	for _, p := range points {
		converged += p.result.Converged
		runs += p.result.Replicas
		s = append(s, fmt.Sprintf("%d of %d at n = %d (%d certified never to)", p.result.Converged, p.result.Replicas, p.cfg.Bins, p.result.Certified))
	}
	if converged == runs {
		return fmt.Sprintf("all of %d runs", runs)
	}
	return strings.Join(s, ", ")
}
