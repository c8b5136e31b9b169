package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/mc"
	"repslab/recycled"
)

// boundaryCase is a setting of the per-flow process with one free number: the delay d or, if windowed, the
// window's excess W - d over the delay.
type boundaryCase struct {
	recycled.Config
	circuits  int // length of a run, in circuits of d + τ rounds
	windowed  bool
	meanField bool
}

// at returns the configuration for a value of the free number.
func (c boundaryCase) at(x int) recycled.Config {
	cfg := c.Config
	if c.windowed {
		cfg.Window = cfg.Delay + x
	} else {
		cfg.Delay = x
	}
	cfg.Clocking, cfg.MaxRounds = recycled.PerFlow, c.circuits*(cfg.Delay+cfg.Threshold)
	return cfg
}

// most returns the upper end of the search: a delay of 2 + τ²/6, or an excess of 2 τ.
func (c boundaryCase) most() int {
	if c.windowed {
		return 2 * c.Threshold
	}
	return 2 + c.Threshold*c.Threshold/6
}

// stays reports whether recycling survives in a replica for a value of the free number.
func (c boundaryCase) stays(ctx context.Context, x int, stream mc.Stream) (bool, error) {
	cfg, open := c.at(x), recycled.New
	if c.meanField {
		open = recycled.NewMeanField
	}
	process, err := open(cfg)
	if err != nil {
		return false, err
	}
	o, err := recycled.Run(ctx, process, cfg, stream)
	return o.RandomFraction < unstableFrom, err
}

// search bisects [0, most] with the random numbers of one replica, until recycling survives at a number and not at
// the next one. It returns their middle. Without runs, 0 counts as survived and most as lost: a result next to one
// of them is not a boundary, but NaN.
func (c boundaryCase) search(ctx context.Context, seed, replica uint64) (float64, error) {
	stream := mc.NewStream(seed, mc.Algorithm, replica)
	return bisect(c.most(), func(x int) (bool, error) { return c.stays(ctx, x, stream) })
}

// bisect returns the middle between a number in [0, most] at which recycling survives and the next one, where it does
// not. 0 counts as survived and most as lost, without asking; the result is NaN if only most is.
func bisect(most int, stays func(x int) (bool, error)) (float64, error) {
	lo, hi := 0, most
	for hi-lo > 1 {
		middle := (lo + hi) / 2
		survives, err := stays(middle)
		if err != nil {
			return 0, err
		}
		if survives {
			lo = middle
		} else {
			hi = middle
		}
	}
	if hi == most {
		return math.NaN(), nil
	}
	return float64(lo) + half, nil
}

// searcher finds a boundary with the random numbers of one replica.
type searcher interface {
	search(ctx context.Context, seed, replica uint64) (float64, error)
}

// searches are searches that run together.
type searches struct {
	engine.Trials[searcher, float64]
}

// add adds replicas of a search.
func (l *searches) add(c searcher, replicas uint64) {
	l.Add(c, replicas, func() (engine.ReplicaRunner[float64], error) { return c.search, nil })
}

// found are the boundaries of searches, of all replicas.
type found struct {
	engine.Results[searcher, []float64]
}

// of returns the mean boundary of a search. It exists only if all runs found one.
func (f found) of(c searcher) mc.Estimate {
	none, runs := math.NaN(), f.At(c)
	if slices.ContainsFunc(runs, math.IsNaN) {
		return mc.Estimate{Value: none, StdErr: none, Lo: none, Hi: none, N: uint64(len(runs))}
	}
	return inSupport(runs, func(x float64) float64 { return x }, counted(1))
}

// run runs the searches.
func (l *searches) run(ctx context.Context, s engine.Settings) (found, error) {
	runs, err := l.Run(ctx, s)
	return found{runs}, err
}

// boundaries are the cases of the figure and their results.
type boundaries struct {
	engine.Settings
	bins   []int // numbers of bins of the simulated process, ascending
	copies int   // copies in the mean field

	replicas, limits uint64 // of cases with windows: of the process, and of its mean field

	list searches
	found
	order []boundaryCase // cases in the order of add, without bins
}

// add adds a case: the process for each number of bins, and its mean field.
func (b *boundaries) add(c boundaryCase) {
	b.order = append(b.order, c)
	replicas, limits := b.replicas, b.limits
	if !c.windowed {
		replicas, limits = fullRateReplicas, fullRateReplicas/2
	}
	for _, n := range b.bins {
		b.list.add(c.simulated(n), replicas)
	}
	b.list.add(b.limit(c), limits)
}

// fullRateReplicas is the number of replicas of a case without a window. Its boundaries scatter by a tenth of a
// delay, and by a fifth with few bins, while boundaries with windows scatter by a packet. The mean field of a case
// scatters less, and has half as many replicas.
const fullRateReplicas = 40

// simulated returns the case with a number of bins.
func (c boundaryCase) simulated(bins int) boundaryCase {
	c.Bins = bins
	return c
}

// limit returns the mean field of a case.
func (b *boundaries) limit(c boundaryCase) boundaryCase {
	c.Bins, c.meanField = b.copies, true
	return c
}

// over returns the boundary of the process divided by the boundary of its mean field, both as delays or as
// windows; NaN if one does not exist.
func (b *boundaries) over(c boundaryCase, bins int) mc.Estimate {
	fixed := 0.0
	if c.windowed {
		fixed = float64(c.Delay)
	}
	process, limit := b.of(c.simulated(bins)), b.of(b.limit(c))
	x, y := fixed+process.Value, fixed+limit.Value
	if math.IsNaN(x) || math.IsNaN(y) {
		return mc.Estimate{Value: math.NaN()}
	}
	e := mc.Estimate{Value: x / y, Lo: math.Inf(-1), Hi: math.Inf(1)}
	if math.IsNaN(process.StdErr + limit.StdErr) {
		return e
	}
	e.Lo, e.Hi = mc.WelchRatio(x, process.StdErr, float64(process.N), y, limit.StdErr, float64(limit.N))
	return e
}

// excess returns, as a text with its interval, by how many percent over is above 1.
func (b *boundaries) excess(c boundaryCase, bins int) string {
	e := b.over(c, bins)
	return withBounds(mc.Estimate{Value: 100 * (e.Value - 1), Lo: 100 * (e.Lo - 1), Hi: 100 * (e.Hi - 1)}, "%.1f")
}

// table lists all boundaries.
func (b *boundaries) table() frame.Table {
	var rows frame.Table
	list := func(process string, c boundaryCase, ratio any) {
		boundary := b.of(c)
		rows.Add(cells{{"process", process}, {"bins", c.Bins}, {"threshold", c.Threshold},
			{"open", map[bool]string{false: "delay", true: "window_excess"}[c.windowed]},
			{"delay", orNull(c.windowed, c.Delay)}, {"ring", c.WithDefaults().Ring}, {"circuits", c.circuits},
			{"boundary", frame.WithEnds(boundary)}, {"over_mean_field", ratio}}, madeFrom(b.Seed, boundary.N))
	}
	for _, c := range b.order {
		for _, n := range b.bins {
			list("per-flow", c.simulated(n), b.over(c, n).Value)
		}
		list("mean-field", b.limit(c), nil)
	}
	return rows
}

// summary returns a table of texts with the boundaries of a case in each row.
func (b *boundaries) summary() frame.Table {
	rows := frame.Table{Name: "summary"}
	text := func(c boundaryCase) string {
		if e := b.of(c); !math.IsNaN(e.Value) {
			return withBounds(e, "%.3g")
		}
		return fmt.Sprintf("survives %d", c.most()-1)
	}
	for _, c := range b.order {
		row := cells{{"boundary_of", map[bool]string{false: "d", true: "W - d"}[c.windowed]},
			{"threshold", c.Threshold}, {"delay", orNull(c.windowed, c.Delay)}, {"ring", c.WithDefaults().Ring},
			{"circuits", c.circuits}}
		for _, n := range b.bins {
			row = append(row, cells{{fmt.Sprintf("bins_%d", n), text(c.simulated(n))}}...)
		}
		rows.Add(row, cells{{"mean_field", text(b.limit(c))}})
	}
	return rows
}

// boundaryCurve is a curve of a panel: cases by the number that varies along it.
type boundaryCurve struct {
	name  string
	color plot.Color
	xs    []int
	at    func(x int) boundaryCase
}

// drawn draws the process as points for some numbers of bins, and the mean field as a line.
func (b *boundaries) drawn(c boundaryCurve, bins ...int) []plot.Series {
	line := plot.Series{Name: "mean field, n → ∞", Mark: plot.Line, Color: plot.Black}
	if c.color != plot.AutoColor {
		line.Name, line.Color = c.name+", mean field", c.color
	}
	series := []plot.Series{over(line, c.xs, func(x int) mc.Estimate { return b.of(b.limit(c.at(x))) })}
	series[0].Lo, series[0].Hi = nil, nil
	for i, n := range bins {
		points := plot.Series{Name: fmt.Sprintf("n = %d", n), Mark: plot.Points, Color: plot.NthColor(i)}
		if c.color != plot.AutoColor {
			points.Name, points.Color = fmt.Sprintf("%s, n = %d", c.name, n), c.color
		}
		series = append(series, over(points, c.xs, func(x int) mc.Estimate { return b.of(c.at(x).simulated(n)) }))
	}
	return series
}

// boundaryCircuits is the length of a run in circuits: an 8 MiB message takes 20 round trips of 100 packets.
const boundaryCircuits = 20

// fullRate returns the case of senders without a window.
func fullRate(threshold, circuits int) boundaryCase {
	return boundaryCase{Config: recycled.Config{Threshold: threshold}, circuits: circuits}
}

// withWindow returns the case of senders with a window.
func withWindow(threshold, delay, ring, circuits int) boundaryCase {
	return boundaryCase{Config: recycled.Config{Threshold: threshold, Delay: delay, Ring: ring}, circuits: circuits,
		windowed: true}
}

// boundaryPanel is a panel with its curves.
type boundaryPanel struct {
	plot.Panel
	curves []boundaryCurve
	bins   []int // numbers of bins to draw
}

// boundaryPanels lays out the figure.
func (b *boundaries) boundaryPanels() []boundaryPanel {
	thresholds := []int{8, 12, 16, 24, 32, 48}
	rings := []int{2, 3, 4, 5, 6, 8, 12, 16, 32}
	short := []int{20, 25, 30, 35, 40, 50}
	long := []int{60, 70, 85, 100, 120}
	horizons := []int{5, 10, 20, 40, 80, 160}
	most := b.bins[len(b.bins)-1:]
	return []boundaryPanel{
		{plot.Panel{Title: "(a) No window, ring of 8 EVs", XLabel: "Threshold τ (packets)",
			YLabel: "Longest stable round trip d", X: ticked(onScale(plot.Log2), "%d", thresholds...), Y: onScale(plot.Log2),
			Legend: plot.TopLeft},
			[]boundaryCurve{{"", plot.AutoColor, thresholds, func(x int) boundaryCase { return fullRate(x, boundaryCircuits) }}},
			b.bins},
		{plot.Panel{Title: "(b) Window W, ring of 8 EVs", XLabel: "Round trip d (packets)", YLabel: "Largest stable W − d",
			X: ticked(onScale(plot.Log2), "%d", 16, 24, 32, 48, 64, 96, 128), Y: from(0), Legend: plot.Above},
			[]boundaryCurve{
				{"τ = 14", plot.Indigo, short, func(x int) boundaryCase { return withWindow(14, x, 8, boundaryCircuits) }},
				{"τ = 28", plot.Rose, long, func(x int) boundaryCase { return withWindow(28, x, 8, boundaryCircuits) }},
			}, most},
		{plot.Panel{Title: "(c) Window W, by the ring", XLabel: "Ring (entries)", YLabel: "Largest stable W − d",
			X: ticked(onScale(plot.Log2), "%d", rings...), Y: from(0), Legend: plot.Above},
			[]boundaryCurve{
				{"τ = 14, d = 25", plot.Indigo, rings,
					func(x int) boundaryCase { return withWindow(14, 25, x, boundaryCircuits) }},
				{"τ = 28, d = 70", plot.Rose, rings,
					func(x int) boundaryCase { return withWindow(28, 70, x, boundaryCircuits) }},
			}, most},
		{plot.Panel{Title: "(d) As (a) and (b), by the length of a run", XLabel: "Length of a run (circuits of d + τ rounds)",
			YLabel: "Largest stable d, W − d", X: ticked(onScale(plot.Log2), "%d", horizons...), Y: from(0), Legend: plot.Above},
			[]boundaryCurve{
				{"d without a window", plot.Teal, horizons, func(x int) boundaryCase { return fullRate(16, x) }},
				{"W - d", plot.Olive, horizons, func(x int) boundaryCase { return withWindow(14, 25, 8, x) }},
			}, most},
	}
}

// boundary finds how long a round trip may be for recycling at full rate to survive, and how far the window may
// exceed a round trip, in the per-flow process and in its mean field.
func boundary(ctx context.Context, s engine.Settings) (engine.Output, error) {
	b := boundaries{Settings: s, bins: []int{32, 128, 512},
		copies: 1024, replicas: 12, limits: 4}
	panels := b.boundaryPanels()
	for _, p := range panels {
		for _, curve := range p.curves {
			for _, x := range curve.xs {
				if c := curve.at(x); !slices.Contains(b.order, c) {
					b.add(c)
				}
			}
		}
	}
	var err error
	if b.found, err = b.list.run(ctx, s); err != nil {
		return engine.Output{}, err
	}
	drawn := [][]plot.Panel{nil, nil}
	for i, p := range panels {
		for _, curve := range p.curves {
			p.Series = append(p.Series, b.drawn(curve, p.bins...)...)
		}
		drawn[i/2] = append(drawn[i/2], p.Panel)
	}
	return engine.Output{
		Tables:  []frame.Table{b.table(), b.summary()},
		Formats: []rows.Format{rows.Markdown, rows.LaTeX},
		Plot:    &plot.Plot{Columns: plot.Double, Height: 5, Panels: drawn},
		Notes:   notes(b.facts(), "boundary"),
	}, nil
}

// facts returns the numbers in the notes.
func (b *boundaries) facts() facts {
	const usual = 8 // entries of a ring
	most := b.bins[len(b.bins)-1]
	var delays, windows, excesses, roots, spreads span
	for _, c := range b.order {
		x := b.of(c.simulated(most)).Value
		switch threshold := float64(c.Threshold); {
		case c.circuits != boundaryCircuits:
		case !c.windowed:
			delays.add(100 * (b.over(c, most).Value - 1))
			roots.add(threshold / math.Sqrt(x))
		case c.Ring >= usual:
			windows.add(100 * (b.over(c, most).Value - 1))
			excesses.add(x - b.of(b.limit(c)).Value)
			spreads.add((threshold - x) / math.Sqrt(float64(c.Delay)))
		}
	}
	at := func(c boundaryCase) string { return withBounds(b.of(c.simulated(most)), "%.3g") }
	const long = 160
	return facts{"percent": 100 * unstableFrom, "circuits": boundaryCircuits, "copies": b.copies, "most": most,
		"replicas": b.replicas, "limits": b.limits, "fullRate": fullRateReplicas, "fullRateLimits": fullRateReplicas / 2,
		"least": b.bins[0], "fewOver": b.excess(fullRate(16, boundaryCircuits), b.bins[0]),
		"manyOver": b.excess(fullRate(16, boundaryCircuits), most),
		"bins":     each(b.bins, func(n int) string { return fmt.Sprint(n) }),
		"delays":   delays, "windows": windows, "excesses": excesses, "roots": roots, "spreads": spreads,
		"few":  withBounds(b.of(fullRate(16, boundaryCircuits).simulated(b.bins[0])), "%.3g"),
		"many": at(fullRate(16, boundaryCircuits)), "long": long, "early": at(fullRate(16, 10)),
		"late": at(fullRate(16, long)), "lateOver": b.excess(fullRate(16, long), most),
		"oneScale": at(withWindow(14, 25, usual, boundaryCircuits)), "twoScales": at(withWindow(28, 100, usual, boundaryCircuits)),
		"windowLate": at(withWindow(14, 25, usual, long)), "twoRing": at(withWindow(28, 70, 2, boundaryCircuits)),
		"fourRing": at(withWindow(28, 70, 4, boundaryCircuits)), "usualRing": at(withWindow(28, 70, usual, boundaryCircuits))}
}

// span is the range of the numbers added to it, except NaN. The zero value is empty.
type span struct {
	lo, hi float64
	filled bool
}

// add adds a number unless it is NaN.
func (s *span) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if !s.filled {
		s.lo, s.hi, s.filled = x, x, true
	}
	s.lo, s.hi = min(s.lo, x), max(s.hi, x)
}

// String writes the two ends.
func (s span) String() string { return fmt.Sprintf("%.3g to %.3g", s.lo, s.hi) }
