package figures

import (
	"fmt"
	"math"

	"repslab/internal/paper"
	"repslab/internal/report"
	"repslab/recycled"
)

// unstableFrom is the share of random throws from which recycling counts as lost.
const unstableFrom = 0.05

// tripPoint is per-flow at one delay and window.
type tripPoint struct {
	cfg     recycled.Config
	summary recycled.Summary
}

// tripColumns are the keys of both tables.
func tripColumns() []report.Column {
	return paper.Numbers("bins", "threshold", "delay", "window", "random_throw_fraction", "random_lo", "random_hi", "max_load_mean", "max_load_lo", "max_load_hi", "rounds", "seed", "replicas")
}

// row lists a point; no window is null.
func (p tripPoint) row(seed uint64) []any {
	var window any
	if p.cfg.Window > 0 {
		window = p.cfg.Window
	}
	s := p.summary
	return []any{p.cfg.Bins, p.cfg.Threshold, p.cfg.Delay, window, s.RandomFraction.Value, s.RandomFraction.Lo, s.RandomFraction.Hi,
		s.MaxLoad.Value, s.MaxLoad.Lo, s.MaxLoad.Hi, p.cfg.MaxRounds, seed, s.Replicas}
}

// tripCurve is one line of a panel: points by delay or window.
type tripCurve struct {
	name   string
	points []tripPoint
}

// trip runs the points of a curve, all of per-flow senders, and lists them.
func (r *openRuns) trip(t *paper.Table, name string, points []recycled.Config, replicas uint64) tripCurve {
	c := tripCurve{name: name}
	for _, cfg := range points {
		cfg.Clocking = recycled.PerFlow
		p := tripPoint{cfg, r.recycled(cfg, replicas)}
		c.points = append(c.points, p)
		t.Rows = append(t.Rows, p.row(r.settings.Seed))
	}
	return c
}

// boundary returns the last point before, and the first from which, recycling is
// lost; -1 where there is none.
func (c tripCurve) boundary() (stable, unstable int) {
	for i, p := range c.points {
		if p.summary.RandomFraction.Value >= unstableFrom {
			return i - 1, i
		}
	}
	return len(c.points) - 1, -1
}

// between writes where the boundary is, in the unit that of gives.
func (c tripCurve) between(of func(tripPoint) float64) string {
	stable, unstable := c.boundary()
	switch {
	case unstable < 0:
		return fmt.Sprintf("%s: above %.3g", c.name, of(c.points[stable]))
	case stable < 0:
		return fmt.Sprintf("%s: below %.3g", c.name, of(c.points[unstable]))
	}
	return fmt.Sprintf("%s: between %.3g and %.3g", c.name, of(c.points[stable]), of(c.points[unstable]))
}

// tripPanel draws random shares over x.
func tripPanel(curves []tripCurve, x func(tripPoint) float64) []report.Series {
	var series []report.Series
	for i, c := range curves {
		s := report.Series{Name: c.name, Mark: report.LinePoints, Color: i + 1}
		for _, p := range c.points {
			paper.AppendPoint(&s, x(p), p.summary.RandomFraction)
		}
		series = append(series, s)
	}
	return series
}

// openTrip looks for the delay at which recycling at full rate is lost.
func openTrip(scale paper.Scale) openExperiment {
	shapes := []struct{ n, threshold int }{{8, 14}, {32, 7}, {32, 14}, {32, 28}, {128, 14}, {128, 28}}
	quarters := []int{1, 2, 3, 4, 5, 6, 8, 12} // of τ
	replicas, rounds := scale.Choose(8, 10), int(scale.Choose(4000, 20_000))
	delayShare := func(p tripPoint) float64 { return float64(p.cfg.Delay) / float64(p.cfg.Threshold) }
	return openExperiment{len(shapes) * len(quarters), func(r *openRuns) openPart {
		t := paper.Table{Name: "round-trip", Columns: tripColumns()}
		var curves []tripCurve
		for _, shape := range shapes {
			var points []recycled.Config
			for _, q := range quarters {
				points = append(points, recycled.Config{Bins: shape.n, Threshold: shape.threshold, Delay: (shape.threshold*q + 2) / 4, MaxRounds: rounds})
			}
			curves = append(curves, r.trip(&t, fmt.Sprintf("n = %d, τ = %d", shape.n, shape.threshold), points, replicas))
		}
		if r.err != nil {
			return openPart{}
		}
		return openPart{
			answer: openAnswer{
				title:      "The round trip at full rate",
				question:   "The theorem lets a ball return in the round of its removal. Per-flow senders learn d rounds later: up to which d is recycling stable?",
				experiment: fmt.Sprintf("Per-flow senders with 8-entry rings, no window, %d runs of %d rounds for each n, τ and d = τ/4..3τ; the share of random throws in the second half (panel c; open-round-trip.csv). Recycling counts as lost from %g %% on.", replicas, rounds, 100*unstableFrom),
				found: fmt.Sprintf("For τ of 4 ln n or more the boundary is a delay of the order of the threshold, whatever n; for a smaller τ it is well below. d/τ is, for %s. Below the boundary random throws are rare, above it they soon are most. Runs ten times as long are lost at somewhat smaller delays, as some are lost late. The reason: that a bin is overfull is known d rounds later; meanwhile what was good is thrown there again, so that a queue must hold d rounds of corrections. A network's round trip of 100 packets is far beyond the boundary at full rate.",
					each(curves, func(c tripCurve) string { return c.between(delayShare) })),
			},
			table: t,
			panel: report.Panel{Title: "(c) Round trip d, full rate", XLabel: "Delay d / τ", YLabel: "Share of random throws",
				Y: report.Axis{Min: new(0.0), Max: new(1.0)}, Series: tripPanel(curves, delayShare), Legend: report.Above},
		}
	}}
}

// openWindow looks for the window at which recycling is lost under a round trip.
func openWindow(scale paper.Scale) openExperiment {
	shapes := []struct{ threshold, delay int }{{14, 25}, {25, 25}, {14, 100}, {25, 100}, {50, 100}, {100, 100}}
	excess := []int{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64}
	const n = 32
	replicas, rounds := scale.Choose(4, 10), int(scale.Choose(3000, 20_000))
	above := func(p tripPoint) float64 { return float64(p.cfg.Window - p.cfg.Delay) }
	return openExperiment{len(shapes) * len(excess), func(r *openRuns) openPart {
		t := paper.Table{Name: "window", Columns: tripColumns()}
		var curves []tripCurve
		for _, shape := range shapes {
			var points []recycled.Config
			for _, e := range excess {
				points = append(points, recycled.Config{Bins: n, Threshold: shape.threshold, Delay: shape.delay, Window: shape.delay + e, MaxRounds: rounds})
			}
			curves = append(curves, r.trip(&t, fmt.Sprintf("τ = %d, d = %d", shape.threshold, shape.delay), points, replicas))
		}
		if r.err != nil {
			return openPart{}
		}
		return openPart{
			answer: openAnswer{
				title:      "The window",
				question:   "A window W limits a flow to W balls thrown and not yet back. How far above one round trip, W = d + 1, may it be?",
				experiment: fmt.Sprintf("Per-flow senders, n = %d, %d runs of %d rounds for each τ, d and W - d = 1..64 (panel d; open-window.csv).", n, replicas, rounds),
				found: fmt.Sprintf("With a window the queues hold at least W - d balls a bin on average once it is full, and the boundary of W - d is, for %s. It is not τ: the first round trip is random, and its largest queue (the mean of the maximum at W = d + 1 is %s) must fit beside W - d below the threshold. Where it does not fit even W = d + 1 is lost: τ must be of the order of the queue that one round trip of oblivious throws makes, about the square root of 2 d ln n.",
					each(curves, func(c tripCurve) string { return c.between(above) }),
					each([]tripCurve{curves[1], curves[len(curves)-1]}, func(c tripCurve) string {
						p := c.points[0]
						return fmt.Sprintf("%.3g at d = %d, against %.3g", p.summary.MaxLoad.Value, p.cfg.Delay, math.Sqrt(2*float64(p.cfg.Delay)*math.Log(n)))
					})),
			},
			table: t,
			panel: report.Panel{Title: "(d) Window W, n = 32", XLabel: "Excess W - d", YLabel: "Share of random throws",
				X: report.Axis{Scale: report.Log2}, Y: report.Axis{Min: new(0.0), Max: new(1.0)}, Series: tripPanel(curves, above), Legend: report.Above},
		}
	}}
}
