package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// openFate is the outcome at one (n, τ).
type openFate struct {
	n, threshold int
	stage        openStage
	result       recycled.Result
	share        mc.Estimate // of runs that converged
}

// openFateAt runs a clocking at one (n, τ).
func openFateAt(r *openRuns, clocking recycled.Clocking, n, threshold int, replicas uint64, stage openStage) openFate {
	cfg := recycled.Config{Bins: n, Threshold: threshold, Clocking: clocking}
	s := estimate(r, replicas, stage, simulating(recycled.Simulate, cfg))
	return openFate{n, threshold, stage, s, mc.Proportion(s.Converged, s.Replicas, mc.DefaultConfidence)}
}

// String writes the share with its interval.
func (f openFate) String() string { return withInterval(f.share) }

// fatesTable lists fates.
func fatesTable(name string, fates []openFate, seed uint64) table.Table {
	t := table.Table{Name: name}
	for _, f := range fates {
		s := f.result
		addRow(&t, cells{{"stage", f.stage.String()}, {"bins", f.n}, {"threshold", f.threshold},
			{"converged", s.Converged}, {"certified", s.Certified}},
			withEnds("share", "share", f.share), withEnds("rounds_mean", "rounds", s.Rounds),
			cells{{"rounds_per_n", s.Rounds.Value / float64(f.n)},
				{"max_load_at_decision_mean", s.MaxLoadAtDecision.Value}}, madeFrom(f.stage.seed(seed), s.Replicas))
	}
	return t
}

// openThresholds maps the convergence of self-clocked over (n, τ), far below the
// theorem's 4 ln n, and looks for the τ from which most, and nearly all, runs
// converge.
func openThresholds(scale Scale) openExperiment {
	const most = 10
	largest := choose(scale, 4096, 16_384) // at which rare failures are counted
	bins := []int{4, 16, 64, 256, 1024, 4096, 16_384}
	counts := thresholdRuns{
		mapped: scale.replicas(30, 500), half: scale.replicas(100, 2000),
		nearly: scale.replicas(1000, 10_000), nearlyLarge: scale.replicas(500, 5000), theorem: scale.replicas(300, 5000),
	}
	return openExperiment{len(bins)*(most+8) + 3, func(r *openRuns) openPart {
		var fates []openFate
		found := map[float64][]crossing[openFate]{}
		for _, n := range bins {
			var mapped []openFate
			for threshold := 1; threshold <= most; threshold++ {
				mapped = append(mapped, openFateAt(r, recycled.SelfClocked, n, threshold, counts.mapped, onMap))
			}
			fates = append(fates, mapped...)
			for _, level := range []float64{half, nearly} {
				if level == nearly && n > largest {
					continue
				}
				c, tried := crossThresholds(r, mapped, level, counts.of(n, level))
				found[level] = append(found[level], c)
				fates = append(fates, tried...)
			}
		}
		var theorem []openFate
		for _, n := range []int{16, 256, 4096} {
			theorem = append(theorem,
				openFateAt(r, recycled.SelfClocked, n, theoremThreshold(n), counts.theorem, onMap))
		}
		if r.err != nil {
			return openPart{}
		}
		m, lnN := newOpenMap(), plot.Series{Name: "ln n", Dash: plot.Dashed, Color: plot.Black}
		for _, f := range fates {
			if f.stage == onMap {
				m.add(float64(f.n), float64(f.threshold), f.share.Value)
			}
		}
		for _, n := range bins {
			appendXY(&lnN, float64(n), math.Log(float64(n)))
		}
		return openPart{
			answer: thresholdsAnswer(bins, most, counts, found, fates, theorem),
			rows:   fatesTable("", append(fates, theorem...), r.settings.Seed),
			panel: plot.Panel{Title: "(a) Self-clocked: runs that converge", XLabel: "Bins n", YLabel: "Threshold τ",
				X: onScale(plot.Log2), Y: plot.Axis{Min: new(0.0), Max: new(11.0), Ticks: []float64{0, 2, 4, 6, 8, 10}},
				Series: append(m.drawn(), lnN), Legend: plot.Above},
		}
	}}
}

// The levels of the share of runs that converge.
const (
	half   = 0.5
	nearly = 0.99
)

// thresholdRuns are the runs of openThresholds at a point.
type thresholdRuns struct {
	mapped, half        uint64
	nearly, nearlyLarge uint64 // up to n = 1024, beyond
	theorem             uint64
}

// of returns the fresh runs with which a level is decided at n.
func (c thresholdRuns) of(n int, level float64) uint64 {
	switch {
	case level == half:
		return c.half
	case n <= 1024:
		return c.nearly
	}
	return c.nearlyLarge
}

// crossThresholds looks for the thresholds between which the share of converged runs
// rises through a level, beginning where it does on the map, and returns all that
// were tried.
func crossThresholds(r *openRuns, mapped []openFate, level float64, replicas uint64) (c crossing[openFate],
	tried []openFate) {
	first := len(mapped)
	for i, f := range mapped {
		if f.share.Value > level {
			first = i
			break
		}
	}
	c = cross(first, first+1, 1, len(mapped), level, func(threshold int) (openFate, mc.Estimate) {
		f := openFateAt(r, recycled.SelfClocked, mapped[0].n, threshold, replicas, confirmed)
		tried = append(tried, f)
		return f, f.share
	})
	return c, tried
}

// thresholdsAnswer says where self-clocked converges and how fast.
func thresholdsAnswer(bins []int, most int, counts thresholdRuns, found map[float64][]crossing[openFate], fates,
	theorem []openFate) openAnswer {
	pace := func(f openFate) string {
		e := f.result.Rounds.Per(float64(f.n))
		return fmt.Sprintf("%.3g n [%.3g, %.3g] at n = %d", e.Value, e.Lo, e.Hi, f.n)
	}
	paces := func(threshold int) string {
		var of []openFate
		for _, f := range fates {
			if f.stage == onMap && f.threshold == threshold && f.result.Converged > 1 {
				of = append(of, f)
			}
		}
		return fmt.Sprintf("at τ = %d %s and %s", threshold, pace(of[0]), pace(of[len(of)-1]))
	}
	last := bins[len(bins)-1]
	return openAnswer{
		title:    "A smaller threshold",
		question: "The theorem asks for τ >= 4 ln n; steps S6 and S7 need about ln n. Why do small, nearly constant τ work, and is the time from empty bins O(n)?",
		experiment: fmt.Sprintf("Self-clocked over a map of n = %d..%d and τ = 1..%d, %d runs each, until they converge, are certified by more than n τ balls never to, or 100 n ln n rounds have passed (panel a; open.csv). From where the map crosses a share of one half, fresh runs (%d for each τ) step up until the interval is above it, and down until it is below; for 99 %% likewise (%d runs, %d from n = 4096 on).",
			bins[0], last, most, counts.mapped, counts.half, counts.nearly, counts.nearlyLarge),
		found: fmt.Sprintf("More than half of the runs converge from τ = %s. More than 99 %% converge from τ = %s. For this last n, ln n is %.3g. The boundary rises with n, but far more slowly than ln n: the bound n e^(1-τ) of S6, which counts balls as if no bin could overflow, is not tight. What helps is that overfull bins throw too: their balls find the empty bins, phase one ends early, and fewer balls are ever made. Accordingly the time falls with τ: mean rounds of converged runs are %s, %s; at the theorem's τ they are %s. All of these are compatible with O(n), none with n ln n. Whether some constant τ serves all n is not answered.",
			each(found[half], crossedThreshold), each(found[nearly], crossedThreshold),
			math.Log(float64(bins[len(found[nearly])-1])), paces(5), paces(8), each(theorem, pace)),
	}
}

// crossedThreshold writes the first threshold above the level, and the last below.
func crossedThreshold(c crossing[openFate]) string {
	switch {
	case c.above == nil && c.below == nil:
		return "undecided everywhere"
	case c.above == nil:
		return fmt.Sprintf("none of the map at n = %d (%v at τ = %d)", c.below.n, c.below, c.below.threshold)
	case c.below == nil:
		return fmt.Sprintf("%d at n = %d (%v)", c.above.threshold, c.above.n, c.above)
	}
	return fmt.Sprintf("%d at n = %d (%v; %v at τ = %d)", c.above.threshold, c.above.n, c.above, c.below,
		c.below.threshold)
}

// robinSearch says how the best threshold of round-robin is looked for.
type robinSearch struct {
	least, most    int    // thresholds, all integers between
	kept           int    // of them, to be chosen from
	up, beyond     uint64 // runs at each, up to n = 16 and beyond
	chosen         uint64 // runs at each of those kept
	best, bestMore uint64 // runs at the one that is reported, beyond n = 16 and up to it
}

// openRobin looks for the threshold at which most runs of round-robin converge.
func openRobin(scale Scale) openExperiment {
	bins := []int{2, 3, 4, 5, 6, 8, 12, 16, 24}
	if scale == Full {
		bins = append(bins, 32)
	}
	search := robinSearch{least: 2, most: choose(scale, 96, 128), kept: 8,
		up: scale.replicas(8, 40), beyond: scale.replicas(3, 40), chosen: scale.replicas(40, 200), best: scale.replicas(150,
			2000), bestMore: scale.replicas(300, 2000)}
	return openExperiment{len(bins)*(search.most-search.least+1+search.kept+1) + 2, func(r *openRuns) openPart {
		m, smallestTau := newOpenMap(), plot.Series{Name: "4 ln n", Dash: plot.Dashed, Color: plot.Black}
		var fates, best []openFate
		for _, n := range bins {
			tried := search.run(r, n)
			fates, best = append(fates, tried...), append(best, tried[len(tried)-1])
			for _, f := range tried {
				if f.stage == onMap {
					m.add(float64(n), float64(f.threshold), f.share.Value)
				}
			}
		}
		jumps := []openFate{
			openFateAt(r, recycled.RoundRobin, 16, 45, search.bestMore, confirmed),
			openFateAt(r, recycled.RoundRobin, 16, 56, search.bestMore, confirmed),
		}
		if r.err != nil {
			return openPart{}
		}
		for _, n := range bins[2:] {
			appendXY(&smallestTau, float64(n), 4*math.Log(float64(n)))
		}
		return openPart{
			answer: search.answer(bins, best, jumps),
			rows:   fatesTable("round-robin", append(fates, jumps...), r.settings.Seed),
			panel: plot.Panel{Title: "(b) Round-robin: runs that converge", XLabel: "Bins n", YLabel: "Threshold τ",
				X: onScale(plot.Log2), Y: onScale(plot.Log2, 1.5, 160), Series: append(m.drawn(), smallestTau),
				Legend: plot.Above},
		}
	}}
}

// run returns all points that were tried at n, the last one the best.
func (s robinSearch) run(r *openRuns, n int) []openFate {
	few, many := s.up, s.bestMore
	if n > 16 {
		few, many = s.beyond, s.best
	}
	byShare := func(a, b openFate) int { return cmp.Compare(b.share.Value, a.share.Value) }
	at := func(threshold int, replicas uint64, stage openStage) openFate {
		return openFateAt(r, recycled.RoundRobin, n, threshold, replicas, stage)
	}
	var mapped, kept []openFate
	for threshold := s.least; threshold <= s.most; threshold++ {
		mapped = append(mapped, at(threshold, few, onMap))
	}
	for _, f := range slices.SortedStableFunc(slices.Values(mapped), byShare)[:s.kept] {
		kept = append(kept, at(f.threshold, s.chosen, choosing))
	}
	slices.SortStableFunc(kept, byShare)
	return slices.Concat(mapped, kept, []openFate{at(kept[0].threshold, many, confirmed)})
}

// answer says how the best share depends on n, and how jagged it is.
func (s robinSearch) answer(bins []int, best, jumps []openFate) openAnswer {
	return openAnswer{
		title:    "The process of the text",
		question: "Is there any convergence theorem for round-robin, the process that the model section describes?",
		experiment: fmt.Sprintf("Round-robin with b = ceil(2.4 ln n) and runs of at most 100 n ln n rounds, for n = %d..%d. At each n all integers τ = %d..%d are tried, %d runs each (%d beyond n = 16); the best %d by %d fresh runs each; and the best of these by %d fresh runs (%d beyond n = 16), which alone are reported (panel b; open-round-robin.csv).",
			bins[0], bins[len(bins)-1], s.least, s.most, s.up, s.beyond, s.kept, s.chosen, s.bestMore, s.best),
		found: fmt.Sprintf("None of the theorem's form. The share of runs that converge is largest in between: a small τ lets more than n τ balls gather, a large one keeps for ever whatever uneven memory the first rounds leave. It also jumps with τ: at n = 16 it is %v at τ = %d and %v at τ = %d. At the best τ that the search found it is %s. A better τ may exist, all the more at large n, where few runs were spent on each. What was found falls with n, and in the theorem's domain, n >= 16, most runs do not converge within the horizon at any τ that was found.",
			jumps[0], jumps[0].threshold, jumps[1], jumps[1].threshold,
			each(best, func(f openFate) string { return fmt.Sprintf("%v at n = %d (τ = %d)", f, f.n, f.threshold) })),
	}
}
