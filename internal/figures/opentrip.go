package figures

import (
	"fmt"
	"math"
	"slices"

	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// unstableFrom is the least share of random throws with which a run counts as lost.
const unstableFrom = 0.05

// lost returns the share of runs that are lost.
func (p openPoint) lost() mc.Estimate { return p.share(p.Lost) }

// tripCurve is one line of a panel: points of per-flow senders by an integer. The integer is the delay, or the
// window's excess over the delay.
type tripCurve struct {
	name   string
	points []openPoint
	found  crossing[openPoint] // where the share of lost runs crosses one half
}

// trips runs the curves of an experiment and lists their points.
type trips struct {
	*openRuns
	rows     frame.Table
	x        func(openPoint) int
	replicas uint64 // replicas of a point on the map
	fresh    uint64 // replicas of a point that is reported
}

// run runs one point and lists it. The cell of a missing window is null.
func (t *trips) run(cfg recycled.Config, replicas uint64, stage openStage) openPoint {
	cfg.Clocking = recycled.PerFlow
	p := t.point(cfg, replicas, stage)
	t.rows.Add(cells{{"stage", stage.String()}, {"bins", cfg.Bins}, {"threshold", cfg.Threshold},
		{"delay", cfg.Delay}, {"window", orNull(cfg.Window > 0, cfg.Window)},
		{"random_throw_fraction", frame.WithEnds(p.Random)}, {"lost_share", frame.WithEnds(p.lost())},
		{"max_load_mean", frame.WithEnds(p.MaxLoad)}, {"rounds", cfg.MaxRounds}}, p.madeFrom(t.Seed))
	return p
}

// curve runs the points of a curve at xs. Then it looks for the place where the share of lost runs crosses one
// half. It bisects the interval between neighbours on the map with as few runs as on the map, and then uses fresh
// runs.
func (t *trips) curve(name string, xs []int, at func(x int) recycled.Config) tripCurve {
	c := tripCurve{name: name}
	least, most := xs[0], xs[len(xs)-1]
	lo, hi := least-1, most+1
	for _, x := range xs {
		p := t.run(at(x), t.replicas, onMap)
		c.points = append(c.points, p)
		switch {
		case hi <= most: // both neighbours are known
		case p.lost().Value >= half:
			hi = x
		default:
			lo = x
		}
	}
	for hi-lo > 1 && t.err == nil {
		middle := (lo + hi) / 2
		if t.run(at(middle), t.replicas, choosing).lost().Value >= half {
			hi = middle
		} else {
			lo = middle
		}
	}
	c.found = cross(lo, hi, least, most, half, func(x int) (openPoint, mc.Estimate) {
		p := t.run(at(x), t.fresh, confirmed)
		return p, p.lost()
	})
	return c
}

// boundary describes where the boundary of a curve is.
func (t *trips) boundary(c tripCurve) string {
	end := func(p *openPoint) string { return fmt.Sprintf("%d (%s)", t.x(*p), withBounds(p.lost(), "%.3g")) }
	switch {
	case c.found.above == nil && c.found.below == nil:
		return fmt.Sprintf("%s: undecided", c.name)
	case c.found.above == nil:
		return fmt.Sprintf("%s: above %s", c.name, end(c.found.below))
	case c.found.below == nil:
		return fmt.Sprintf("%s: below %s", c.name, end(c.found.above))
	}
	return fmt.Sprintf("%s: between %s and %s", c.name, end(c.found.below), end(c.found.above))
}

// decided reports whether each curve has a point above the boundary or below it.
func decided(curves []tripCurve) bool {
	return !slices.ContainsFunc(curves, func(c tripCurve) bool { return c.found.above == nil && c.found.below == nil })
}

// randomShares draws random shares over x.
func randomShares(curves []tripCurve, x func(openPoint) float64) []plot.Series {
	var series []plot.Series
	for i, c := range curves {
		s := plot.Series{Name: c.name, Mark: plot.LinePoints, Color: plot.NthColor(i)}
		for _, p := range c.points {
			share := p.Random
			appendPoint(&s, x(p), share)
		}
		series = append(series, s)
	}
	return series
}

// openTrip looks for the delay at which recycling at full rate fails.
func openTrip(r *openRuns) openPart {
	type shape struct{ n, threshold int }
	shapes := []shape{{8, 14}, {32, 7}, {32, 14}, {32, 28}, {128, 28}, {128, 14}}
	quarters := []int{1, 2, 3, 4, 5, 6, 8, 12} // of τ
	const rounds = 20_000
	const longest = 128 // the largest n with runs ten times as long
	r.points = len(shapes) * (len(quarters) + 12)
	t := trips{openRuns: r, rows: frame.Table{Name: "round-trip"}, x: func(p openPoint) int { return p.Delay },
		replicas: 10, fresh: 100}
	var curves []tripCurve
	var late []openPoint
	for _, shape := range shapes {
		delays := lists.Map(quarters, func(q int) int { return (shape.threshold*q + 2) / 4 })
		c := t.curve(fmt.Sprintf("n = %d, τ = %d", shape.n, shape.threshold), delays, func(delay int) recycled.Config {
			return recycled.Config{Bins: shape.n, Threshold: shape.threshold, Delay: delay, MaxRounds: rounds}
		})
		curves = append(curves, c)
		if below := c.found.below; below != nil && shape.n <= longest {
			cfg := below.Config
			cfg.MaxRounds = 10 * rounds
			late = append(late, t.run(cfg, t.fresh/2, confirmed))
		}
	}
	if r.err != nil {
		return openPart{}
	}
	return openPart{
		title: "The round trip at full rate",
		texts: notes(facts{"replicas": t.replicas, "rounds": rounds, "percent": 100 * unstableFrom,
			"fresh": t.fresh, "boundaries": each(curves, t.boundary), "shown": decided(curves), "lateRuns": t.fresh / 2, "lateRounds": 10 * rounds,
			"late": each(late, func(p openPoint) string {
				return fmt.Sprintf("%s at n = %d, τ = %d, d = %d", withBounds(p.lost(), "%.3g"), p.Bins, p.Threshold,
					p.Delay)
			})}, "open-round-trip"),
		rows: t.rows,
		panel: plot.Panel{Title: "(c) No window: round trip d", XLabel: "Round trip d / threshold τ",
			YLabel: "Share of random throws", Y: from(0, 1), Legend: plot.Above,
			Series: randomShares(curves, func(p openPoint) float64 { return float64(p.Delay) / float64(p.Threshold) })},
	}
}

// openWindow looks for the window at which recycling fails under a round trip.
func openWindow(r *openRuns) openPart {
	shapes := []struct{ threshold, delay int }{{14, 25}, {25, 25}, {14, 100}, {25, 100}, {50, 100}, {100, 100}}
	excess := []int{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64}
	const n = 32
	const rounds = 20_000
	r.points = len(shapes) * (len(excess) + 12)
	t := trips{openRuns: r, rows: frame.Table{Name: "window"}, x: func(p openPoint) int { return p.Window - p.Delay },
		replicas: 10, fresh: 100}
	var curves []tripCurve
	for _, shape := range shapes {
		name := fmt.Sprintf("τ = %d, d = %d", shape.threshold, shape.delay)
		curves = append(curves, t.curve(name, excess, func(excess int) recycled.Config {
			return recycled.Config{Bins: n, Threshold: shape.threshold, Delay: shape.delay,
				Window: shape.delay + excess, MaxRounds: rounds}
		}))
	}
	if r.err != nil {
		return openPart{}
	}
	return openPart{
		title: "The window",
		texts: notes(facts{"n": n, "replicas": t.replicas, "rounds": rounds, "boundaries": each(curves, t.boundary), "shown": decided(curves),
			"first": each([]tripCurve{curves[1], curves[len(curves)-1]}, func(c tripCurve) string {
				p := c.points[0]
				return fmt.Sprintf("%s, %.3g at d = %d", withBounds(p.MaxLoad, "%.3g"),
					math.Sqrt(2*float64(p.Delay)*math.Log(n)), p.Delay)
			})}, "open-window"),
		rows: t.rows,
		panel: plot.Panel{Title: "(d) Window W, round trip d, n = 32", XLabel: "W - d (balls)", YLabel: "Share of random throws",
			X: onScale(plot.Log2), Y: plot.Axis{Scale: plot.Log10, Max: new(1.0)}, Legend: plot.Above,
			Series: randomShares(curves, func(p openPoint) float64 { return float64(t.x(p)) })},
	}
}
