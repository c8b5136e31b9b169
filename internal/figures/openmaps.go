package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// The levels of the share of runs that converge.
const (
	half   = 0.5
	nearly = 0.99
)

// converged returns the share of runs that converged.
func (p openPoint) converged() mc.Estimate { return p.share(p.Converged) }

// String writes the share of runs that converged with its interval.
func (p openPoint) String() string { return withBounds(p.converged(), "%.3g") }

// convergenceTable lists points by the share of runs that converge.
func convergenceTable(name string, points []openPoint, seed uint64) frame.Table {
	t := frame.Table{Name: name}
	for _, p := range points {
		rounds := p.Rounds
		t.Add(cells{{"stage", p.stage.String()}, {"bins", p.Bins}, {"threshold", p.Threshold},
			{"converged", p.Converged},
			{"certified", p.Certified}, {"share", frame.WithEnds(p.converged())}, {"rounds_mean", frame.WithEnds(rounds)},
			{"rounds_per_n", rounds.Value / float64(p.Bins)}, {"max_load_at_decision_mean", p.AtDecision.Value}},
			p.madeFrom(seed))
	}
	return t
}

// openThresholds maps the convergence of the self-clocked process over (n, τ), far below the theorem's 4 ln n. It
// looks for the least τ for which most runs, and nearly all runs, converge.
func openThresholds(r *openRuns) openPart {
	const most, large = 10, 4096
	bins := []int{4, 16, 64, 256, 1024, large, 16_384}
	const mapped, fresh, theorem = 500, 2000, 5000
	const rare, rareLarge = 10_000, 5000 // from n = 4096 on
	r.points = len(bins)*(most+8) + 3
	at := func(n, threshold int, replicas uint64, stage openStage) openPoint {
		return r.point(recycled.Config{Bins: n, Threshold: threshold}, replicas, stage)
	}
	var points, atTheorem []openPoint
	found := map[float64][]crossing[openPoint]{}
	lnN := plot.Series{Name: "ln n", Dash: plot.Dashed, Color: plot.Black}
	for _, n := range bins {
		appendXY(&lnN, float64(n), math.Log(float64(n)))
		var row []openPoint
		for threshold := 1; threshold <= most; threshold++ {
			row = append(row, at(n, threshold, mapped, onMap))
		}
		points = append(points, row...)
		search := func(level float64, replicas uint64) {
			first := 0 // the first threshold on the map above the level
			for first < most && row[first].converged().Value <= level {
				first++
			}
			found[level] = append(found[level], cross(first, first+1, 1, most, level,
				func(threshold int) (openPoint, mc.Estimate) {
					p := at(n, threshold, replicas, confirmed)
					points = append(points, p)
					return p, p.converged()
				}))
		}
		search(half, fresh)
		if n < large {
			search(nearly, rare)
		} else {
			search(nearly, rareLarge)
		}
	}
	for _, n := range []int{16, 256, large} {
		atTheorem = append(atTheorem, at(n, theoremThreshold(n), theorem, onMap))
	}
	if r.err != nil {
		return openPart{}
	}
	pace := func(p openPoint) string {
		e := p.Rounds.Per(float64(p.Bins))
		return fmt.Sprintf("%s times n at n = %d", withBounds(e, "%.3g"), p.Bins)
	}
	last := bins[len(bins)-1]
	return openPart{
		title: "A smaller threshold",
		texts: notes(facts{"first": bins[0], "last": last, "most": most, "mapped": mapped, "fresh": fresh, "rare": rare,
			"rareLarge": rareLarge, "halves": each(found[half], crossedThreshold),
			"nearlyAll": each(found[nearly], crossedThreshold), "lnN": math.Log(float64(bins[len(found[nearly])-1])),
			"atTheorem": each(atTheorem, pace), "shown": !slices.ContainsFunc(found[half], func(c crossing[openPoint]) bool {
				return c.above == nil || c.above.Threshold >= theoremThreshold(c.above.Bins)
			}) && atTheorem[len(atTheorem)-1].Rounds.Hi < 2*large}, "open-thresholds"),
		rows: convergenceTable("", append(points, atTheorem...), r.Seed),
		panel: plot.Panel{Title: "(a) Self-clocked: runs that converge", XLabel: "Bins n", YLabel: "Threshold τ",
			X: atPowersOf2(onScale(plot.Log2, 2.8, 23_000), 2, 4, 6, 8, 10, 12, 14),
			Y: ticked(from(0, 11), "%d", 0, 2, 4, 6, 8, 10), Series: append(shareMap(points), lnN), Legend: plot.Above},
	}
}

// crossedThreshold describes the first threshold above the level and the last one below.
func crossedThreshold(c crossing[openPoint]) string {
	switch {
	case c.above == nil && c.below == nil:
		return "undecided everywhere"
	case c.above == nil:
		return fmt.Sprintf("none of the map at n = %d (%v at τ = %d)", c.below.Bins, c.below, c.below.Threshold)
	case c.below == nil:
		return fmt.Sprintf("%d at n = %d (%v)", c.above.Threshold, c.above.Bins, c.above)
	}
	return fmt.Sprintf("%d at n = %d (%v; %v at τ = %d)", c.above.Threshold, c.above.Bins, c.above, c.below,
		c.below.Threshold)
}

// openRobin looks for the threshold for which most runs of round-robin converge. It maps all thresholds, runs the
// best of them more often, and the best of these most often.
func openRobin(r *openRuns) openPart {
	const least, most, kept = 2, 128, 8
	const few, chosen, many = 40, 200, 2000
	bins := []int{2, 3, 4, 5, 6, 8, 12, 16, 24, 32}
	r.points = len(bins)*(most-least+1+kept+1) + 2
	at := func(n, threshold int, replicas uint64, stage openStage) openPoint {
		cfg := recycled.Config{Bins: n, Threshold: threshold, Clocking: recycled.RoundRobin}
		return r.point(cfg, replicas, stage)
	}
	byShare := func(a, b openPoint) int { return cmp.Compare(b.converged().Value, a.converged().Value) }
	var points, best []openPoint
	smallestTau := plot.Series{Name: "4 ln n", Dash: plot.Dashed, Color: plot.Black}
	for _, n := range bins {
		if n > 3 {
			appendXY(&smallestTau, float64(n), 4*math.Log(float64(n)))
		}
		var row, again []openPoint
		for threshold := least; threshold <= most; threshold++ {
			row = append(row, at(n, threshold, few, onMap))
		}
		for _, p := range slices.SortedStableFunc(slices.Values(row), byShare)[:kept] {
			again = append(again, at(n, p.Threshold, chosen, choosing))
		}
		slices.SortStableFunc(again, byShare)
		best = append(best, at(n, again[0].Threshold, many, confirmed))
		points = slices.Concat(points, row, again, best[len(best)-1:])
	}
	jump := func(threshold int) openPoint {
		if i := slices.IndexFunc(best, func(p openPoint) bool { return p.Bins == 16 && p.Threshold == threshold }); i >= 0 {
			return best[i]
		}
		points = append(points, at(16, threshold, many, confirmed))
		return points[len(points)-1]
	}
	often, rarely := jump(45), jump(56)
	drawn := []int{least} // a quarter apart, so that points do not overlap
	for threshold := least; threshold <= most; threshold++ {
		if float64(threshold) >= 1.25*float64(drawn[len(drawn)-1]) {
			drawn = append(drawn, threshold)
		}
	}
	if r.err != nil {
		return openPart{}
	}
	return openPart{
		title: "The process of the text",
		texts: notes(facts{"first": bins[0], "last": bins[len(bins)-1], "least": least, "most": most, "few": few, "kept": kept, "chosen": chosen, "many": many,
			"often": often, "oftenAt": often.Threshold, "rarely": rarely, "rarelyAt": rarely.Threshold,
			"shown": best[len(best)-1].converged().Hi < best[0].converged().Lo && rarely.converged().Hi < often.converged().Lo &&
				!slices.ContainsFunc(best, func(p openPoint) bool { return p.Bins >= 16 && p.converged().Hi >= half }),
			"best": each(best, func(p openPoint) string {
				return fmt.Sprintf("%v at n = %d (τ = %d)", p, p.Bins, p.Threshold)
			})}, "open-round-robin"),
		rows: convergenceTable("round-robin", points, r.Seed),
		panel: plot.Panel{Title: "(b) Round-robin: runs that converge", XLabel: "Bins n", YLabel: "Threshold τ",
			X: ticked(onScale(plot.Log2, 1.7, 1.2*float64(bins[len(bins)-1])), "%d", lists.Where(bins,
				func(n int) bool { return n != 5 })...), // no space for a label
			Y: ticked(onScale(plot.Log2, 1.5, 160), "%d", 2, 4, 8, 16, 32, 64, 128), Legend: plot.Above,
			Series: append(shareMap(lists.Where(points, func(p openPoint) bool { return slices.Contains(drawn, p.Threshold) })), smallestTau)},
	}
}
