package figures

import (
	"fmt"
	"math"

	"repslab/internal/mc"
	"repslab/internal/paper"
	"repslab/internal/report"
	"repslab/recycled"
)

// openFate is the outcome at one (n, τ).
type openFate struct {
	n, threshold int
	summary      recycled.Summary
	share        mc.Estimate // of runs that converged
}

// openFates runs a clocking over a grid and returns the outcomes in order.
func openFates(r *openRuns, clocking recycled.Clocking, bins, thresholds []int, replicas uint64) []openFate {
	var fates []openFate
	for _, n := range bins {
		for _, threshold := range thresholds {
			s := r.recycled(recycled.Config{Bins: n, Threshold: threshold, Clocking: clocking}, replicas)
			fates = append(fates, openFate{n, threshold, s, mc.Proportion(s.Converged, s.Replicas, mc.DefaultConfidence)})
		}
	}
	return fates
}

// fatesTable lists a grid.
func fatesTable(name string, fates []openFate, seed uint64) paper.Table {
	t := paper.Table{Name: name, Columns: paper.Numbers("bins", "threshold", "converged", "certified", "share", "share_lo", "share_hi", "rounds_mean", "rounds_lo", "rounds_hi", "rounds_per_n", "max_load_at_decision_mean", "seed", "replicas")}
	for _, f := range fates {
		s := f.summary
		t.Rows = append(t.Rows, []any{f.n, f.threshold, s.Converged, s.Certified, f.share.Value, f.share.Lo, f.share.Hi,
			s.Rounds.Value, s.Rounds.Lo, s.Rounds.Hi, s.Rounds.Value / float64(f.n), s.MaxLoadAtDecision.Value, seed, s.Replicas})
	}
	return t
}

// smallest returns the first threshold at n from which the share is above least,
// and its fate.
func smallest(fates []openFate, n int, least float64) (openFate, bool) {
	for _, f := range fates {
		if f.n == n && f.share.Value > least {
			return f, true
		}
	}
	return openFate{}, false
}

// openThresholds maps the convergence of self-clocked over (n, τ), far below the
// theorem's 4 ln n.
func openThresholds(scale paper.Scale) openExperiment {
	bins := []int{4, 16, 64, 256, 1024, 4096, 16_384}
	var thresholds []int
	for t := 1; t <= 10; t++ {
		thresholds = append(thresholds, t)
	}
	replicas := scale.Choose(100, 500)
	return openExperiment{len(bins)*len(thresholds) + 3, func(r *openRuns) openPart {
		fates := openFates(r, recycled.SelfClocked, bins, thresholds, replicas)
		var theorem []openFate
		for _, n := range []int{16, 256, 4096} {
			theorem = append(theorem, openFates(r, recycled.SelfClocked, []int{n}, []int{theoremThreshold(n)}, replicas)...)
		}
		if r.err != nil {
			return openPart{}
		}
		m, lnN := newOpenMap(), report.Series{Name: "ln n", Dash: report.Dashed, Color: 7}
		for _, f := range fates {
			m.add(float64(f.n), float64(f.threshold), f.share.Value)
		}
		for _, n := range bins {
			lnN.X, lnN.Y = append(lnN.X, float64(n)), append(lnN.Y, math.Log(float64(n)))
		}
		return openPart{
			answer: thresholdsAnswer(bins, fates, theorem),
			table:  fatesTable("", append(fates, theorem...), r.settings.Seed),
			panel: report.Panel{Title: "(a) Self-clocked: runs that converge", XLabel: "Bins n", YLabel: "Threshold τ",
				X: report.Axis{Scale: report.Log2}, Y: report.Axis{Min: new(0.0), Max: new(11.0), Ticks: []float64{0, 2, 4, 6, 8, 10}}, Series: append(m.drawn(), lnN), Legend: report.Above},
		}
	}}
}

// thresholdsAnswer says where self-clocked converges and how fast.
func thresholdsAnswer(bins []int, fates, theorem []openFate) openAnswer {
	at := func(least float64) func(int) string {
		return func(n int) string {
			f, ok := smallest(fates, n, least)
			if !ok {
				return fmt.Sprintf("none at n = %d", n)
			}
			return fmt.Sprintf("%d at n = %d", f.threshold, n)
		}
	}
	pace := func(threshold int) string {
		var of []openFate
		for _, f := range fates {
			if f.threshold == threshold && f.summary.Converged > 0 {
				of = append(of, f)
			}
		}
		first, last := of[0], of[len(of)-1]
		return fmt.Sprintf("at τ = %d %.3g n at n = %d and %.3g n at n = %d", threshold, first.summary.Rounds.Value/float64(first.n), first.n, last.summary.Rounds.Value/float64(last.n), last.n)
	}
	last := bins[len(bins)-1]
	return openAnswer{
		title:      "A smaller threshold",
		question:   "The theorem asks for τ >= 4 ln n; steps S6 and S7 need about ln n. Why do small, nearly constant τ work, and is the time from empty bins O(n)?",
		experiment: fmt.Sprintf("Self-clocked over a map of n = %d..%d and τ = 1..10, %d runs each, until they converge or more than n τ balls certify that they never will (panel a; open.csv).", bins[0], last, theorem[0].summary.Replicas),
		found: fmt.Sprintf("More than half of the runs converge from τ = %s; more than 99 %% from τ = %s, where ln n = %.3g for the last. The boundary rises with n, but far more slowly than ln n: the bound n e^(1-τ) of S6, which counts balls as if no bin could overflow, is not tight. What helps is that overfull bins throw too: their balls find the empty bins, phase one ends early, and fewer balls are ever made. Accordingly the time falls with τ: mean rounds of converged runs are %s, %s; at the theorem's τ they are %s. All of these are compatible with O(n), none with n ln n. Whether some constant τ serves all n is not answered.",
			each(bins, at(0.5)), each(bins, at(0.99)), math.Log(float64(last)), pace(5), pace(8),
			each(theorem, func(f openFate) string {
				return fmt.Sprintf("%.3g n [%.3g, %.3g] at n = %d", f.summary.Rounds.Value/float64(f.n), f.summary.Rounds.Lo/float64(f.n), f.summary.Rounds.Hi/float64(f.n), f.n)
			})),
	}
}

// openRobin maps the convergence of round-robin over (n, τ).
func openRobin(scale paper.Scale) openExperiment {
	bins := []int{2, 3, 4, 5, 6, 8, 12, 16, 24, 32}
	thresholds := []int{4, 6, 8, 12, 16, 24, 32, 48, 64, 96}
	replicas := scale.Choose(40, 200)
	return openExperiment{len(bins) * len(thresholds), func(r *openRuns) openPart {
		fates := openFates(r, recycled.RoundRobin, bins, thresholds, replicas)
		if r.err != nil {
			return openPart{}
		}
		m, smallestTau := newOpenMap(), report.Series{Name: "4 ln n", Dash: report.Dashed, Color: 7}
		best := map[int]openFate{}
		for _, f := range fates {
			m.add(float64(f.n), float64(f.threshold), f.share.Value)
			if f.share.Value > best[f.n].share.Value || best[f.n].n == 0 {
				best[f.n] = f
			}
		}
		for _, n := range bins[2:] {
			smallestTau.X, smallestTau.Y = append(smallestTau.X, float64(n)), append(smallestTau.Y, 4*math.Log(float64(n)))
		}
		answer := openAnswer{
			title:      "The process of the text",
			question:   "Is there any convergence theorem for round-robin, the process that the model section describes?",
			experiment: fmt.Sprintf("Round-robin with b = ceil(2.4 ln n) over a map of n = 2..32 and τ = 4..96, %d runs each of at most 100 n ln n rounds (panel b; open-round-robin.csv).", replicas),
			found: fmt.Sprintf("None of the theorem's form. The share of runs that converge is largest in between: a small τ lets more than n τ balls gather, a large one keeps for ever whatever uneven memory the first rounds leave. The best share over τ is %s: it falls with n, and at the theorem's domain, n >= 16, it is small for every τ.",
				each(bins, func(n int) string {
					f := best[n]
					if f.summary.Converged == 0 {
						return fmt.Sprintf("0 [0, %.2g] at n = %d (every τ)", f.share.Hi, n)
					}
					return fmt.Sprintf("%.2g [%.2g, %.2g] at n = %d (τ = %d)", f.share.Value, f.share.Lo, f.share.Hi, n, f.threshold)
				})),
		}
		return openPart{
			answer: answer,
			table:  fatesTable("round-robin", fates, r.settings.Seed),
			panel: report.Panel{Title: "(b) Round-robin: runs that converge", XLabel: "Bins n", YLabel: "Threshold τ",
				X: report.Axis{Scale: report.Log2}, Y: report.Axis{Scale: report.Log2, Min: new(3.0), Max: new(128.0)}, Series: append(m.drawn(), smallestTau), Legend: report.Above},
		}
	}}
}
