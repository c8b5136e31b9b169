package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// unstableFrom is the share of random throws from which a run counts as lost.
const unstableFrom = 0.05

// tripTally collects runs of per-flow senders.
type tripTally struct {
	runs, lost mc.Count
	random     mc.Moments // share of random throws in the second half, in 1e-6
	maxLoad    mc.Moments // balls
}

// Parts implements [mc.Tally].
func (t *tripTally) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "runs", Part: &t.runs}, {Name: "lost", Part: &t.lost},
		{Name: "random", Part: &t.random}, {Name: "max_load", Part: &t.maxLoad}}
}

// StoppingStatistic implements [mc.Tally].
func (t *tripTally) StoppingStatistic() mc.Estimate { return ofMillionths(t.random) }

// add records one run.
func (t *tripTally) add(o recycled.Outcome) {
	t.runs++
	if o.RandomFraction >= unstableFrom {
		t.lost++
	}
	t.random.Add(millionths(o.RandomFraction))
	t.maxLoad.Add(int64(o.MaxLoad))
}

// tripExperiment returns the experiment whose replicas are runs of cfg.
func tripExperiment(cfg recycled.Config) mc.Experiment[*tripTally] {
	return mc.EachReplica(func() *tripTally { return new(tripTally) },
		func(seed uint64) (func(context.Context, *tripTally, uint64) error, error) {
			process, err := recycled.New(cfg)
			return func(ctx context.Context, t *tripTally, replica uint64) error {
				o, err := recycled.Run(ctx, process, cfg, mc.NewStream(seed, mc.Algorithm, replica))
				if err == nil {
					t.add(o)
				}
				return err
			}, err
		})
}

// tripPoint is per-flow at one delay and window.
type tripPoint struct {
	cfg           recycled.Config
	stage         openStage
	runs          uint64
	lost          mc.Estimate // share of runs
	random, loads mc.Estimate // share of random throws; largest load, balls
}

// row lists a point; no window is null.
func (p tripPoint) row(t *table.Table, seed uint64) {
	addRow(t, cells{{"stage", p.stage.String()}, {"bins", p.cfg.Bins}, {"threshold", p.cfg.Threshold},
		{"delay", p.cfg.Delay}, {"window", orNull(p.cfg.Window > 0, p.cfg.Window)}},
		withEnds("random_throw_fraction", "random", p.random), withEnds("lost_share", "lost", p.lost),
		withEnds("max_load_mean", "max_load", p.loads),
		cells{{"rounds", p.cfg.MaxRounds}}, madeFrom(p.stage.seed(seed), p.runs))
}

// tripCurve is one line of a panel: points of per-flow senders by an integer, the
// delay or the window's excess.
type tripCurve struct {
	name   string
	xs     []int
	at     func(x int) recycled.Config
	points []tripPoint // at xs
	found  crossing[tripPoint]
}

// trip runs one point and lists it.
func (r *openRuns) trip(t *table.Table, cfg recycled.Config, replicas uint64, stage openStage) tripPoint {
	cfg.Clocking = recycled.PerFlow
	p := estimate(r, replicas, stage, func(ctx context.Context, plan mc.Plan) (tripPoint, error) {
		tally, runs, err := tripExperiment(cfg).Run(ctx, plan)
		return tripPoint{cfg, stage, runs, mc.Proportion(uint64(tally.lost), runs, mc.DefaultConfidence),
			tally.StoppingStatistic(), tally.maxLoad.Mean(mc.DefaultConfidence)}, err
	})
	p.row(t, r.settings.Seed)
	return p
}

// curve runs the points of a curve, and looks for where the share of lost runs
// passes one half: halving the interval between the neighbours on the map with as
// few runs as there, then by fresh runs.
func (r *openRuns) curve(t *table.Table, c tripCurve, replicas, fresh uint64) tripCurve {
	first := -1
	for i, x := range c.xs {
		c.points = append(c.points, r.trip(t, c.at(x), replicas, onMap))
		if first < 0 && c.points[i].lost.Value >= half {
			first = i
		}
	}
	least, most := c.xs[0], c.xs[len(c.xs)-1]
	lo, hi := most, most+1
	switch {
	case first == 0:
		lo, hi = least-1, least
	case first > 0:
		lo, hi = c.xs[first-1], c.xs[first]
	}
	for hi-lo > 1 && r.err == nil {
		middle := (lo + hi) / 2
		if r.trip(t, c.at(middle), replicas, choosing).lost.Value >= half {
			hi = middle
		} else {
			lo = middle
		}
	}
	c.found = cross(lo, hi, least, most, half, func(x int) (tripPoint, mc.Estimate) {
		p := r.trip(t, c.at(x), fresh, confirmed)
		return p, p.lost
	})
	return c
}

// between writes where the boundary is, in the unit that of gives.
func (c tripCurve) between(of func(tripPoint) int) string {
	end := func(p *tripPoint) string { return fmt.Sprintf("%d (%s lost)", of(*p), withInterval(p.lost)) }
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

// tripPanel draws random shares over x.
func tripPanel(curves []tripCurve, x func(tripPoint) float64) []plot.Series {
	var series []plot.Series
	for i, c := range curves {
		s := plot.Series{Name: c.name, Mark: plot.LinePoints, Color: plot.NthColor(i)}
		for _, p := range c.points {
			appendPoint(&s, x(p), p.random)
		}
		series = append(series, s)
	}
	return series
}

// tripSearch writes how boundaries are found.
func tripSearch(fresh uint64) string {
	return fmt.Sprintf("A run is lost from a share of random throws of %g %% on, and the boundary is where half of the runs are: it is halved down to neighbouring integers between the points of the map, and from there %d fresh runs a point step outwards until the interval excludes one half; they are what is reported.", 100*unstableFrom, fresh)
}

// openTrip looks for the delay at which recycling at full rate is lost.
func openTrip(scale Scale) openExperiment {
	shapes := []struct{ n, threshold int }{{8, 14}, {32, 7}, {32, 14}, {32, 28}, {128, 28}}
	if scale == Full {
		shapes = append(shapes, struct{ n, threshold int }{128, 14})
	}
	quarters := []int{1, 2, 3, 4, 5, 6, 8, 12} // of τ
	replicas, fresh, rounds := scale.replicas(6, 10), scale.replicas(16, 100), choose(scale, 3000, 20_000)
	longest := choose(scale, 32, 128) // the largest n that is run ten times as long
	return openExperiment{len(shapes) * (len(quarters) + 12), func(r *openRuns) openPart {
		t := table.Table{Name: "round-trip"}
		var curves []tripCurve
		var late []tripPoint
		for _, shape := range shapes {
			c := tripCurve{name: fmt.Sprintf("n = %d, τ = %d", shape.n, shape.threshold),
				at: func(delay int) recycled.Config {
					return recycled.Config{Bins: shape.n, Threshold: shape.threshold, Delay: delay, MaxRounds: rounds}
				}}
			for _, q := range quarters {
				c.xs = append(c.xs, (shape.threshold*q+2)/4)
			}
			c = r.curve(&t, c, replicas, fresh)
			curves = append(curves, c)
			if below := c.found.below; below != nil && shape.n <= longest {
				cfg := below.cfg
				cfg.MaxRounds = 10 * rounds
				late = append(late, r.trip(&t, cfg, fresh/2, confirmed))
			}
		}
		if r.err != nil {
			return openPart{}
		}
		delayShare := func(p tripPoint) float64 { return float64(p.cfg.Delay) / float64(p.cfg.Threshold) }
		return openPart{
			answer: openAnswer{
				title:    "The round trip at full rate",
				question: "The theorem lets a ball return in the round of its removal. Per-flow senders learn d rounds later: up to which d is recycling stable?",
				experiment: fmt.Sprintf("Per-flow senders with 8-entry rings, no window, a map of d = τ/4..3τ with %d runs of %d rounds for each n, τ and d; the share of random throws in the second half (panel c; open-round-trip.csv). %s",
					replicas, rounds, tripSearch(fresh)),
				found: fmt.Sprintf("For τ of 4 ln n or more the boundary is a delay of the order of the threshold, whatever n; at n = 32 and half of that, τ = 7, it is well below. In runs of %d rounds it is, in d, for %s. The boundary belongs to its horizon: at the lower ends, the share of lost runs among %d of %d rounds each is %s. The reason: that a bin is overfull is known d rounds later; meanwhile what was good is thrown there again, so that a queue must hold d rounds of corrections. A network's round trip of 100 packets is far beyond the boundary at full rate.",
					rounds, each(curves,
						func(c tripCurve) string { return c.between(func(p tripPoint) int { return p.cfg.Delay }) }),
					fresh/2, 10*rounds, each(late, func(p tripPoint) string {
						return fmt.Sprintf("%s at n = %d, τ = %d, d = %d", withInterval(p.lost), p.cfg.Bins,
							p.cfg.Threshold, p.cfg.Delay)
					})),
			},
			rows: t,
			panel: plot.Panel{Title: "(c) Round trip d, full rate", XLabel: "Delay d / τ",
				YLabel: "Share of random throws",
				Y:      from(0, 1), Series: tripPanel(curves, delayShare), Legend: plot.Above},
		}
	}}
}

// openWindow looks for the window at which recycling is lost under a round trip.
func openWindow(scale Scale) openExperiment {
	shapes := []struct{ threshold, delay int }{{14, 25}, {25, 25}, {14, 100}, {25, 100}, {50, 100}, {100, 100}}
	excess := []int{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64}
	const n = 32
	replicas, fresh, rounds := scale.replicas(4, 10), scale.replicas(16, 100), choose(scale, 3000, 20_000)
	above := func(p tripPoint) int { return p.cfg.Window - p.cfg.Delay }
	return openExperiment{len(shapes) * (len(excess) + 12), func(r *openRuns) openPart {
		t := table.Table{Name: "window"}
		var curves []tripCurve
		for _, shape := range shapes {
			c := tripCurve{name: fmt.Sprintf("τ = %d, d = %d", shape.threshold, shape.delay), xs: excess,
				at: func(excess int) recycled.Config {
					return recycled.Config{Bins: n, Threshold: shape.threshold, Delay: shape.delay,
						Window: shape.delay + excess, MaxRounds: rounds}
				}}
			curves = append(curves, r.curve(&t, c, replicas, fresh))
		}
		if r.err != nil {
			return openPart{}
		}
		return openPart{
			answer: openAnswer{
				title:    "The window",
				question: "A window W limits a flow to W balls thrown and not yet back. How far above one round trip, W = d + 1, may it be?",
				experiment: fmt.Sprintf("Per-flow senders, n = %d, a map of W - d = 1..64 with %d runs of %d rounds for each τ, d and W (panel d; open-window.csv). %s",
					n, replicas, rounds, tripSearch(fresh)),
				found: fmt.Sprintf("With a window the queues hold at least W - d balls a bin on average once it is full. In runs of %d rounds the boundary of W - d is, for %s. It is not τ: the first round trip is random, and its largest queue (the mean of the maximum at W = d + 1 is %s) must fit beside W - d below the threshold. Where it does not fit even W = d + 1 is lost: τ must be of the order of the queue that one round trip of oblivious throws makes, about the square root of 2 d ln n.",
					rounds, each(curves, func(c tripCurve) string { return c.between(above) }),
					each([]tripCurve{curves[1], curves[len(curves)-1]}, func(c tripCurve) string {
						p := c.points[0]
						return fmt.Sprintf("%s at d = %d, against %.3g", withInterval(p.loads), p.cfg.Delay,
							math.Sqrt(2*float64(p.cfg.Delay)*math.Log(n)))
					})),
			},
			rows: t,
			panel: plot.Panel{Title: "(d) Window W, n = 32", XLabel: "Excess W - d", YLabel: "Share of random throws",
				X: onScale(plot.Log2), Y: from(0, 1),
				Series: tripPanel(curves, func(p tripPoint) float64 { return float64(above(p)) }),
				Legend: plot.Above},
		}
	}}
}
