package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// thresholdPoint is a self-clocked process with the results of its runs and the predictions.
type thresholdPoint struct {
	recycled.Config
	replicas uint64
	recycled.Result
	limit recycled.Limit
	order float64 // rounds of the first phase: n P[1 <= N <= τ] with N Poisson (ln n)
}

// n returns the number of bins.
func (p thresholdPoint) n() float64 { return float64(p.Bins) }

// ratio returns τ/ln n.
func (p thresholdPoint) ratio() float64 { return float64(p.Threshold) / math.Log(p.n()) }

// share returns the share of runs that converged.
func (p thresholdPoint) share() mc.Estimate { return proportion(p.Converged, p.Result.Replicas) }

// judged reports whether F is compared at the point: it is defined and neither nearly 0 nor nearly 1.
func (p thresholdPoint) judged() bool {
	f := p.limit.Share.Value
	return p.Bins >= 256 && f >= 0.001 && f <= 0.999
}

// thresholds are the points of the figure.
type thresholds struct {
	engine.Settings
	points []thresholdPoint
}

// thresholdRatio is the ratio τ/ln n at which rounds are followed over n, at n = e^(τ/thresholdRatio). The others
// are the smallest and the largest threshold there.
const (
	thresholdRatio   = 0.75
	thresholdSlowest = 4
	thresholdFastest = 8
)

// add adds a point.
func (f *thresholds) add(bins, threshold int, replicas uint64) {
	f.points = append(f.points, thresholdPoint{Config: recycled.Config{Bins: bins, Threshold: threshold}, replicas: replicas})
}

// layOut adds the points: n from 2^6 to 2^20 with τ from 2 (from 4 for n of 2^18 or more) to 6; rounds at a fixed
// ratio; and the theorem's threshold.
func (f *thresholds) layOut() {
	for i, replicas := range []uint64{20_000, 20_000, 10_000, 4000, 1500, 400, 100, 100} {
		for threshold := 2 + i/6*2; threshold <= 6; threshold++ {
			f.add(1<<(6+2*i), threshold, replicas)
		}
	}
	for threshold := thresholdSlowest; threshold <= thresholdFastest; threshold++ {
		bins := int(math.Round(math.Exp(float64(threshold) / thresholdRatio)))
		f.add(bins, threshold, 400)
	}
	for power := 6; power <= 14; power += 2 {
		f.add(1<<power, theoremThreshold(1<<power), 4000)
	}
	slices.SortFunc(f.points, func(a, b thresholdPoint) int {
		return cmp.Or(cmp.Compare(a.Bins, b.Bins), cmp.Compare(a.Threshold, b.Threshold))
	})
}

// run runs the points and computes the predictions.
func (f *thresholds) run(ctx context.Context) error {
	var list engine.Estimations[recycled.Config, recycled.Result]
	for _, p := range f.points {
		list.Add(p.Config, p.replicas, engine.Simulating(recycled.Simulate, p.Config))
	}
	runs, err := list.Run(ctx, f.Settings)
	if err != nil {
		return err
	}
	for i := range f.points {
		p := &f.points[i]
		p.Result = runs.At(p.Config)
		p.Rounds = p.Rounds.OfFew(counted(1))
		if p.limit, err = recycled.ConvergenceLimit(p.Bins, p.Threshold); err != nil {
			return err
		}
		term := 1.0
		for j := 1; j <= p.Threshold; j++ {
			term *= math.Log(p.n()) / float64(j)
			p.order += term // n e^(-ln n) = 1
		}
	}
	return nil
}

// table lists the points.
func (f *thresholds) table() frame.Table {
	var t frame.Table
	for _, p := range f.points {
		t.Add(cells{{"bins", p.Bins}, {"threshold", p.Threshold}, {"threshold_per_lnn", p.ratio()},
			{"converged", p.Converged}, {"certified", p.Certified}, {"share", frame.WithEnds(p.share())}, {"r", p.limit.R},
			{"alpha", p.limit.Alpha}, {"limit", p.limit.Share.Value},
			{"next_order", p.limit.NextOrder.Value}, {"rounds_mean", frame.WithEnds(p.Rounds)},
			{"rounds_per_n", p.Rounds.Value / p.n()}, {"first_phase_order", p.order}}, madeFrom(f.Seed, p.Result.Replicas))
	}
	return t
}

// at returns a point.
func (f *thresholds) at(bins, threshold int) thresholdPoint {
	return f.points[slices.IndexFunc(f.points, func(p thresholdPoint) bool {
		return p.Bins == bins && p.Threshold == threshold
	})]
}

// judged returns the points at which F is compared.
func (f *thresholds) judged() []thresholdPoint {
	return lists.Where(f.points, thresholdPoint.judged)
}

// atRatio returns the points at the fixed ratio.
func (f *thresholds) atRatio() []thresholdPoint {
	var list []thresholdPoint
	for threshold := thresholdSlowest; threshold <= thresholdFastest; threshold++ {
		list = append(list, f.at(int(math.Round(math.Exp(float64(threshold)/thresholdRatio))), threshold))
	}
	return list
}

// atTheorem returns the points at the theorem's threshold.
func (f *thresholds) atTheorem() []thresholdPoint {
	return lists.Where(f.points, func(p thresholdPoint) bool { return p.Threshold == theoremThreshold(p.Bins) })
}

// exponent returns the slope of ln T over ln n between the first and the last point at the fixed ratio, with a
// normal 95 % interval, and the exponent of the first phase's order.
func (f *thresholds) exponent() (measured mc.Estimate, order float64) {
	points := f.atRatio()
	first, last := points[0], points[len(points)-1]
	decades := math.Log(last.n() / first.n())
	slope := math.Log(last.Rounds.Value/first.Rounds.Value) / decades
	se := math.Hypot(last.Rounds.StdErr/last.Rounds.Value, first.Rounds.StdErr/first.Rounds.Value) / decades
	return mc.Estimate{Value: slope, StdErr: se, Lo: slope - 1.96*se, Hi: slope + 1.96*se, Confidence: mc.DefaultConfidence,
		N: min(first.Converged, last.Converged)}, math.Log(last.order/first.order) / decades
}

// thresholdStatement is a part of the conjecture and the rule that grades it.
type thresholdStatement struct {
	name, rule, measured string
	condition            claims.Condition
}

// off returns the share minus a prediction.
func off(share mc.Estimate, predicted float64) mc.Estimate {
	share.Value, share.Lo, share.Hi = share.Value-predicted, share.Lo-predicted, share.Hi-predicted
	return share
}

// followed grades a prediction of the shares at some points: their simultaneous 95 % intervals (Bonferroni's)
// include it up to a tolerance.
func followed(points []thresholdPoint, tolerance float64, predicted func(recycled.Limit) mc.Estimate) (claims.Condition, string) {
	holds, farthest := true, 0.0
	for _, p := range points {
		share := mc.Proportion(p.Converged, p.Result.Replicas, 1-(1-mc.DefaultConfidence)/float64(len(points)))
		e := off(share, predicted(p.limit).Value)
		holds = holds && e.Lo <= tolerance && e.Hi >= -tolerance
		farthest = max(farthest, math.Abs(e.Value))
	}
	return claims.Certain(holds), fmt.Sprintf("%d points, the farthest share is %.3f away", len(points), farthest)
}

// statements grades the conjecture. Tolerances allow for next-order terms and for the error of the predictions.
func (f *thresholds) statements() []thresholdStatement {
	const large = 1 << 16
	judged := f.judged()
	limit, limits := followed(lists.Where(judged, func(p thresholdPoint) bool { return p.Bins >= large }),
		0.02, func(l recycled.Limit) mc.Estimate { return l.Share })
	next, nexts := followed(judged, 0.02, func(l recycled.Limit) mc.Estimate { return l.NextOrder })
	slope, order := f.exponent()
	switch64 := f.at(64, 6)
	fewest, most := f.at(1<<8, 3), f.at(1<<16, 3)
	theorem := f.atTheorem()
	paces := func(p thresholdPoint) mc.Estimate { return p.Rounds.Per(math.Pi * math.Pi / 6 * p.n()) }
	last := theorem[len(theorem)-1]
	return []thresholdStatement{
		{"the share of converging runs is F, n >= 2^16",
			"simultaneous 95 % intervals of the shares meet F ± 0.02 at all points with 0.001 <= F <= 0.999", limits, limit},
		{"it is F with the terms of next order, n >= 2^8", "the same with these terms, at all such points", nexts, next},
		{"no constant τ suffices", "τ = 3: more than half of the runs at n = 2^8, less than 1 % at n = 2^16",
			withBounds(fewest.share(), "%.3g") + "; " + withBounds(most.share(), "%.3g"),
			claims.All(claims.MoreThan(fewest.share(), half), claims.LessThan(most.share(), 1-nearly))},
		{"64 ports: τ = 6 is enough for 99 % of runs", "more than 0.99",
			withBounds(switch64.share(), "%.4g"), claims.MoreThan(switch64.share(), nearly)},
		{"τ = 3 ln n/4: rounds grow as the first phase", "the exponent of n is within 0.1 of that of n P[1 <= N <= τ]",
			fmt.Sprintf("%s; %.3f", withBounds(slope, "%.3f"), order), claims.Between(slope, order-0.1, order+0.1)},
		{"τ = 4 ln n: rounds / n tends to π²/6", "within 5 % at the largest n",
			withBounds(paces(last), "%.3f"), claims.Between(paces(last), 0.95, 1.05)},
	}
}

// statementTable lists the statements with their grades.
func (f *thresholds) statementTable() frame.Table {
	t := frame.Table{Name: "statements"}
	for _, s := range f.statements() {
		t.Add(cells{{"statement", s.name}, {"rule", s.rule}, {"measured", s.measured},
			{"grade", string(s.condition.Grade())}})
	}
	return t
}

// plot draws shares over τ/ln n, against the predictions, and rounds over n.
func (f *thresholds) plot() *plot.Plot {
	shares := plot.Panel{Title: "(a) Runs that converge, and F (lines)", XLabel: "Threshold τ / ln n", YLabel: "Share of runs",
		X: ticked(onScale(plot.Log2, 0.13, 5), "%g", 0.25, 0.5, 1, 2, 4), Y: from(-0.03, 1.03), Legend: plot.Above,
		References: []plot.ReferenceLine{{Vertical: true, At: recycled.CriticalThreshold, Label: "a*"},
			{Vertical: true, At: 4, Label: "theorem"}}}
	for i := range 8 {
		power := 6 + 2*i
		points := plot.Series{Name: fmt.Sprintf("n = 2^{%d}", power), Mark: plot.Points, Color: plot.NthColor(i)}
		line := plot.Series{Mark: plot.Line, Color: plot.NthColor(i)}
		for _, p := range f.points {
			if p.Bins != 1<<power || p.Threshold > 6 {
				continue
			}
			appendPoint(&points, p.ratio(), p.share())
			if p.limit.Alpha < half {
				appendXY(&line, p.ratio(), p.limit.Share.Value)
			}
		}
		shares.Series = append(shares.Series, points, line)
	}
	against := plot.Panel{Title: "(b) Measured share less predicted, n ≥ 2^{8}", XLabel: "R = √n P[Poisson(ln n) < τ]",
		YLabel: "Difference of shares", X: onScale(plot.Log2), Legend: plot.Above, References: level(0, "")}
	for i, predicted := range []struct {
		name string
		of   func(recycled.Limit) mc.Estimate
	}{{"F", func(l recycled.Limit) mc.Estimate { return l.Share }},
		{"with the next order", func(l recycled.Limit) mc.Estimate { return l.NextOrder }}} {
		s := plot.Series{Name: predicted.name, Mark: plot.Points, Color: plot.NthColor(i)}
		for _, p := range f.judged() {
			appendPoint(&s, p.limit.R, off(p.share(), predicted.of(p.limit).Value))
		}
		against.Series = append(against.Series, s)
	}
	rounds := plot.Panel{Title: "(c) Rounds of converging runs", XLabel: "Bins n", YLabel: "Mean rounds / n",
		X: onScale(plot.Log2), Y: onScale(plot.Log10), Legend: plot.Above,
		References: level(math.Pi*math.Pi/6, "π²/6")}
	per := func(name string, color plot.Color, points []thresholdPoint) plot.Series {
		s := plot.Series{Name: name, Mark: plot.LinePoints, Color: color}
		for _, p := range points {
			appendPoint(&s, p.n(), p.Rounds.Per(p.n()))
		}
		return s
	}
	order := plot.Series{Name: "P[1 ≤ N ≤ τ] at 3/4", Dash: plot.Dashed, Color: plot.Black}
	for _, p := range f.atRatio() {
		appendXY(&order, p.n(), p.order/p.n())
	}
	rounds.Series = []plot.Series{per("τ = 4 ln n", plot.Teal, f.atTheorem()), per("τ = 3/4 ln n", plot.Indigo, f.atRatio()), order}
	return &plot.Plot{Columns: plot.Double, Height: 2.9, Panels: [][]plot.Panel{{shares, against, rounds}}}
}

// threshold compares the sharp threshold of the self-clocked process with its conjectured limit. It decides no
// claim of the paper.
func threshold(ctx context.Context, s engine.Settings) (engine.Output, error) {
	f := thresholds{Settings: s}
	f.layOut()
	if err := f.run(ctx); err != nil {
		return engine.Output{}, err
	}
	grades := lists.Map(f.statements(), func(s thresholdStatement) string {
		return fmt.Sprintf("%s: %s (%s)", s.name, s.condition.Grade(), s.measured)
	})
	return engine.Output{
		Tables: []frame.Table{f.table(), f.statementTable()},
		Plot:   f.plot(),
		Notes: notes(facts{"critical": recycled.CriticalThreshold, "times": 4 / recycled.CriticalThreshold,
			"points": len(f.judged()), "statements": joined(grades), "ratio": thresholdRatio}, "threshold"),
	}, nil
}
