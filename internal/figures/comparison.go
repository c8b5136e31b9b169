package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// metric is a time of a run by which schemes are compared.
type metric struct {
	key, name string // "max_fct_us", "max. FCT"
	of        func(netRun) int64
}

func byMaxFCT() metric  { return metric{"max_fct_us", "max. FCT", netRun.maxFCT} }
func byMeanFCT() metric { return metric{"mean_fct_us", "mean FCT", netRun.meanFCT} }
func byP99FCT() metric  { return metric{"p99_fct_us", "p99 FCT", netRun.p99FCT} }
func byEnd() metric     { return metric{"end_us", "end of the last flow", netRun.lastEnd} }

// Groups of points, which are drawn and searched together.
const (
	healthy     = "healthy" // beside groups in which something fails
	patterns    = "patterns"
	midRun      = "mid-run" // permutations in which something fails after a while
	traces      = "traces"
	collectives = "collectives"
)

// comparedPoint is a network with its workload on which schemes are compared.
type comparedPoint struct {
	group    string
	x        int    // parameter that tells points of a group apart, such as the packets per ACK
	label    string // on an axis
	sort     string // before the label of the first one of several points
	place    string // in a sentence: "permutation of 8 MiB"
	workload string
	hosts    int
	load     float64  // of a trace, 1 for the full one
	cells    cells    // in tables; the same keys at all points of a comparison
	metrics  []metric // by which it is compared, the chief one first
	network  experiment.Networks
	schemes  []scheme                                   // nil: those of the comparison
	evs      int                                        // 0: all
	control  func() transport.Control                   // nil: DCTCP
	trace    func(*fattree.Network) fattree.TraceConfig // nil: no samples
	keep     func(experiment.Replica) (netRun, error)   // nil: keepTimes
	replicas uint64
	runs     results[string, netRuns] // by the scheme's key
}

// of returns the runs of a scheme, nil if it did not run.
func (p *comparedPoint) of(key string) netRuns { return p.runs[key] }

// setup returns the experiment that runs a scheme at the point.
func (p *comparedPoint) setup(of scheme) experiment.Setup {
	setup := of.setup(cmp.Or(p.evs, fullEVS), p.network)
	setup.Trace = p.trace
	if of.carries { // with an ACK for every packet they carry all EVs anyway
		setup.Network = altered(p.network, func(spec *fattree.Spec) {
			options := transport.OptionsOf(*spec)
			options.CarryEVs = spec.AckRatio > 1
			spec.Options = options
		})
	}
	if p.control != nil {
		setup.Control = p.control
	}
	return setup
}

// comparison compares schemes at several points. Ratios are paired: replicas meet the same
// workload and salts.
type comparison struct {
	schemes []scheme
	points  []*comparedPoint
	seed    uint64 // of the run
}

// schemesAt returns the schemes that run at a point.
func (c *comparison) schemesAt(p *comparedPoint) []scheme {
	if p.schemes != nil {
		return p.schemes
	}
	return c.schemes
}

// runKey is the key of a scheme's runs at a point.
type runKey struct {
	at     *comparedPoint
	scheme string
}

// String names the scheme and the point, by its cells if it has no place.
func (k runKey) String() string {
	words := k.scheme
	if k.at.place != "" {
		return words + ", " + k.at.place
	}
	for _, c := range k.at.cells {
		words += fmt.Sprintf(", %s=%v", c.Key, c.Value)
	}
	if k.at.evs > 0 {
		words += fmt.Sprintf(", evs=%d", k.at.evs)
	}
	return words
}

// recordedAs returns the key of the runs by name.
func (k runKey) recordedAs() any {
	at := k.at
	key := map[string]any{"lb": k.scheme, "group": at.group, "place": at.place, "x": at.x}
	for _, c := range at.cells {
		key[c.Key] = c.Value
	}
	if at.evs > 0 {
		key["evs"] = at.evs
	}
	return key
}

// run runs every scheme at every point.
func (c *comparison) run(ctx context.Context, s Settings) error {
	c.seed = s.Seed
	var all trials[runKey, netRun]
	for _, p := range c.points {
		p.runs = results[string, netRuns]{}
		keep := p.keep
		if keep == nil {
			keep = keepTimes
		}
		for _, of := range c.schemesAt(p) {
			all.addNetwork(runKey{p, of.key}, p.replicas, p.setup(of), keep)
		}
	}
	if all == nil {
		return ctx.Err()
	}
	runs, err := all.run(ctx, s)
	for key, r := range runs {
		for i := range r {
			r[i].by = key.String()
		}
		key.at.runs[key.scheme] = r
	}
	return err
}

// in returns the points of a group, all for the empty text.
func (c *comparison) in(group string) []*comparedPoint {
	return slices.DeleteFunc(slices.Clone(c.points),
		func(p *comparedPoint) bool { return group != "" && p.group != group })
}

// having returns the points of a group at which the given schemes ran.
func (c *comparison) having(group string, keys ...string) []*comparedPoint {
	return slices.DeleteFunc(c.in(group), func(p *comparedPoint) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return p.of(key) == nil })
	})
}

// at returns the runs of a scheme at the point of a group with parameter x. It panics if
// there are none.
func (c *comparison) at(group string, x int, key string) netRuns {
	for _, p := range c.in(group) {
		if runs := p.runs[key]; p.x == x && runs != nil {
			return runs
		}
	}
	panic(fmt.Sprintf("figures: %q did not run at %q, %d", key, group, x))
}

// rowsOf lists every point of a group, scheme by scheme. Rows begin with the cells of the
// point and end with those of the seed; of returns the cells between them.
func (c *comparison) rowsOf(name, group string, of func(*comparedPoint, scheme, netRuns) []cells) table.Table {
	t := table.Table{Name: name}
	for _, p := range c.in(group) {
		for _, s := range c.schemesAt(p) {
			runs := p.of(s.key)
			for _, row := range of(p, s, runs) {
				addRow(&t, p.cells, cells{{"lb", s.key}}, row, madeFrom(c.seed, len(runs)))
			}
		}
	}
	return t
}

// perRun makes the cells of a row from the runs of a scheme at a point.
type perRun func(*comparedPoint, scheme, netRuns) cells

// rows lists every point of a group, scheme by scheme, as [comparison.rowsOf] does.
func (c *comparison) rows(name, group string, row perRun) table.Table {
	return c.rowsOf(name, group, func(p *comparedPoint, of scheme, runs netRuns) []cells {
		return []cells{row(p, of, runs)}
	})
}

// ops returns the runs of OPS at a point or, where it does not run, at another of its group.
func (c *comparison) ops(p *comparedPoint) netRuns {
	for _, p := range append([]*comparedPoint{p}, c.in(p.group)...) {
		if runs := p.runs["ops"]; runs != nil {
			return runs
		}
	}
	return nil
}

// table lists the runs of each scheme at each point, compared with OPS, after extra cells.
func (c *comparison) table(extra ...perRun) table.Table {
	return c.rows("", "", func(p *comparedPoint, of scheme, runs netRuns) cells {
		row := cells{{"evs", cmp.Or(p.evs, fullEVS)}}
		for _, add := range extra {
			row = append(row, add(p, of, runs)...)
		}
		return append(row, runs.cells(c.ops(p))...)
	})
}

// speedups lists the times that are compared, and their ratios to those of OPS.
func (c *comparison) speedups() table.Table {
	return c.rowsOf("speedups", "", func(p *comparedPoint, _ scheme, runs netRuns) []cells {
		return lists.Map(p.metrics, func(m metric) cells {
			return slices.Concat(cells{{"metric", m.key}}, withEnds("time_us", "time", runs.time(m.of)),
				withEnds("speedup_over_ops", "speedup", p.of("ops").ratio(runs, m.of)))
		})
	})
}

// losses lists what failures did to each scheme at each point: the packets lost on failed links and by bit
// errors, and the time from a failure to the last packet sent into it.
func (c *comparison) losses() table.Table {
	return c.rows("losses", "", func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		corrupted := runs.count(func(r netRun) int64 { return r.Corrupted })
		return append(withEnds("lost", "lost", runs.count(netRun.lost)),
			cells{{"corrupted", corrupted.Value}, {"reroute_us", runs.reroute().Value}}...)
	})
}

// gain is the time of a scheme over that of another, and where.
type gain struct {
	ratio mc.Estimate
	slow  scheme // whose time is the numerator
	at    *comparedPoint
}

// String writes the gain in words.
func (g gain) String() string {
	return fmt.Sprintf("%s %s, %s", g.slow.name, withBounds(g.ratio, "%.2f"), g.at.place)
}

// sized returns the finding that a ratio over REPS is the claimed one.
func (g gain) sized(claim, why string) claims.Finding {
	return claims.Sized(claim, g.ratio, "largest over REPS: "+g.String(), why)
}

// sizedInPercent is like sized for a claim in percent more than REPS.
func (g gain) sizedInPercent(claim, why string) claims.Finding {
	return claims.Sized(claim, g.ratio.Percent(), "largest over REPS: "+g.String(), why).With(g.ratio)
}

// ratio returns a scheme's time at the point over that of another.
func (p *comparedPoint) ratio(slow, fast string, m metric) mc.Estimate {
	e := p.of(slow).ratio(p.of(fast), m.of)
	return listedAs(e, "us", m.name+" of "+e.Basis.Quantity)
}

// gains are gains at several points.
type gains []gain

// metric returns the given metric, or else the chief one of the point.
func (p *comparedPoint) metric(given []metric) metric { return append(given, p.metrics...)[0] }

// gains returns a scheme's time over that of another at each point of a group, by a metric
// or by the chief one of each point.
func (c *comparison) gains(group, slow, fast string, m ...metric) gains {
	numerator := c.schemes[slices.IndexFunc(c.schemes, func(of scheme) bool { return of.key == slow })]
	return lists.Map(c.having(group, slow, fast), func(p *comparedPoint) gain {
		return gain{p.ratio(slow, fast, p.metric(m)), numerator, p}
	})
}

// runnersUp returns, for each point of a group at which all schemes ran, the time of the best other scheme over
// that of a scheme, as [comparison.gains] does. The best has the smallest mean.
func (c *comparison) runnersUp(group, key string, m ...metric) gains {
	return c.best(group, key, m...).where(c.whole)
}

// whole reports whether all schemes ran where a gain is.
func (c *comparison) whole(g gain) bool { return len(g.at.runs) == len(c.schemes) }

// best is like runnersUp for the best of those other schemes that ran, at every point of a group.
func (c *comparison) best(group, key string, m ...metric) gains {
	return lists.Map(c.having(group, key), func(p *comparedPoint) gain {
		others := slices.DeleteFunc(slices.Clone(c.schemesAt(p)), func(of scheme) bool { return of.key == key })
		of := p.metric(m).of
		time := func(other scheme) float64 {
			if t := p.of(other.key).time(of).Value; !math.IsNaN(t) {
				return t
			}
			return math.Inf(1) // it never ended
		}
		best := slices.MinFunc(others, func(a, b scheme) int { return cmp.Compare(time(a), time(b)) })
		return gain{p.ratio(best.key, key, p.metric(m)), best, p}
	})
}

// largest returns the gain of the largest ratio.
func (list gains) largest() gain {
	return slices.MaxFunc(list, func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
}

// last returns the last gain.
func (list gains) last() gain { return list[len(list)-1] }

// parts returns a part of a claim for each gain, named by its place.
func (list gains) parts(is func(mc.Estimate) claims.Condition) []claims.Part {
	return lists.Map(list, func(g gain) claims.Part { return claims.Part{Name: g.at.place, Condition: is(g.ratio)} })
}

// ratios returns the ratios.
func (list gains) ratios() []mc.Estimate {
	return lists.Map(list, func(g gain) mc.Estimate { return g.ratio })
}

// words lists the gains in words.
func (list gains) words(format string) string {
	return strings.Join(lists.Map(list, func(g gain) string {
		return fmt.Sprintf("%s %s (%s)", g.slow.name, withBounds(g.ratio, format), g.at.place)
	}), ", ")
}

// span words the range of the ratios over REPS, as in "1.1 to 1.2 times as long as REPS".
func (list gains) span() string {
	smallest := slices.MinFunc(list, func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
	low, high := fmt.Sprintf("%.3f", smallest.ratio.Value), fmt.Sprintf("%.3f", list.largest().ratio.Value)
	if low != high {
		low += " to " + high
	}
	return low + " times as long as REPS"
}

// paperGains returns a scheme's time over that of REPS at the points of the paper's figures.
func (c *comparison) paperGains(slow string) gains {
	return slices.Concat(c.gains(patterns, slow, "reps"), c.gains(traces, slow, "reps").where(ofTrace),
		c.gains(collectives, slow, "reps"))
}

// ofTrace reports whether a gain is on a trace by the authors' generator.
func ofTrace(g gain) bool { return g.at.workload == wholeTrace().key }

// atFullLoad returns the gains on traces by the authors' generator at full load, in the
// order of their busy hosts: the last one has the hosts of the paper's text.
func (list gains) atFullLoad() gains {
	return list.where(func(g gain) bool { return ofTrace(g) && g.at.load == 1 })
}

// on returns the gains on workloads whose name begins with a text.
func (list gains) on(workload string) gains {
	return list.where(func(g gain) bool { return strings.HasPrefix(g.at.workload, workload) })
}

// where returns the gains that satisfy a condition.
func (list gains) where(holds func(gain) bool) gains {
	return slices.DeleteFunc(slices.Clone(list), func(g gain) bool { return !holds(g) })
}

// bars fills a panel with a bar for each scheme and point of a group, none for a scheme
// that has no number anywhere. Runs that did not finish keep their place.
func (c *comparison) bars(panel plot.Panel, group string,
	of func(p *comparedPoint, key string) mc.Estimate) plot.Panel {
	points := c.in(group)
	sort := ""
	panel.X = labelled(points, func(p *comparedPoint) string {
		defer func() { sort = p.sort }()
		if p.sort == sort {
			return p.label
		}
		return p.sort + " " + p.label
	})
	if len(points) == 1 && len(c.schemes) < 3 { // bars, not walls
		panel.X.Min, panel.X.Max = new(-2.0), new(2.0)
	}
	for _, s := range c.schemes {
		bars := barsOf(s.series(plot.Bars), points,
			func(p *comparedPoint) mc.Estimate { return p.runs[s.key].orUnfinished(of(p, s.key)) })
		if slices.ContainsFunc(bars.Y, func(y float64) bool { return !math.IsNaN(y) }) {
			panel.Series = append(panel.Series, bars)
		}
	}
	return panel
}

// curves returns a curve of each scheme over the x of a group's points.
func (c *comparison) curves(group string, of func(netRuns) mc.Estimate) []plot.Series {
	return lists.Map(c.schemes, func(s scheme) plot.Series {
		curve := s.series(plot.ErrorBars)
		for _, p := range c.in(group) {
			if runs := p.runs[s.key]; runs != nil {
				appendPoint(&curve, float64(p.x), of(runs))
			}
		}
		return curve
	})
}

// times fills a panel with bars of a time, in microseconds, by a metric or by the chief one
// of each point.
func (c *comparison) times(panel plot.Panel, group string, m ...metric) plot.Panel {
	return c.bars(panel, group, func(p *comparedPoint, key string) mc.Estimate {
		return p.of(key).time(p.metric(m).of)
	})
}

// faster fills a panel with bars of a time under OPS over that under each of the others, by
// a metric or by the chief one of each point.
func (c *comparison) faster(panel plot.Panel, group string, m ...metric) plot.Panel {
	panel = fromOne(panel)
	return c.without("ops").bars(panel, group, func(p *comparedPoint, key string) mc.Estimate {
		return p.of("ops").ratio(p.of(key), p.metric(m).of)
	})
}

// without returns the comparison of the other schemes.
func (c comparison) without(key string) *comparison {
	c.schemes = slices.DeleteFunc(slices.Clone(c.schemes), func(of scheme) bool { return of.key == key })
	return &c
}

// fromOne returns a panel of ratios, whose bars rise and fall from 1.
func fromOne(panel plot.Panel) plot.Panel {
	panel.Origin, panel.References = 1, append(panel.References, plot.ReferenceLine{At: 1})
	return panel
}

// speedupPanel returns a panel for [comparison.faster], from 0 to top.
func speedupPanel(title string, top float64) plot.Panel {
	return plot.Panel{Title: title, YLabel: "Speed-up over OPS", Y: from(0, top)}
}

// traceRows returns panels of the speed-ups of mean and p99 FCT on traces, with the letters of
// their titles and the tops of their axes, one below the other.
func (c *comparison) traceRows(letters string, top, tailTop float64) [][]plot.Panel {
	panel := func(letter byte, of metric, top float64) plot.Panel {
		return wide(c.faster(speedupPanel(fmt.Sprintf("(%c) WebSearch: speed-up of %s", letter, of.name), top), traces, of))
	}
	return [][]plot.Panel{{panel(letters[0], byMeanFCT(), top)}, {panel(letters[1], byP99FCT(), tailTop)}}
}

// stacked returns a plot of rows of panels with the height of at most a page, without panels that have
// nothing to draw.
func stacked(rows ...[]plot.Panel) *plot.Plot {
	for i := range rows {
		rows[i] = slices.DeleteFunc(rows[i], func(p plot.Panel) bool { return len(p.Series) == 0 })
	}
	rows = slices.DeleteFunc(rows, func(row []plot.Panel) bool { return len(row) == 0 })
	return &plot.Plot{Columns: plot.Double, Height: min(1.8*float64(len(rows)), 9), SharedLegend: true, Panels: rows}
}

// patternLabel is the title of axes with the labels of [patternPoints].
const patternLabel = "Pattern and message size"

// patternTimes returns a wide panel of a maximum FCT of the patterns.
func (c *comparison) patternTimes(title string, m ...metric) plot.Panel {
	return wide(c.times(plot.Panel{Title: title, YLabel: "Mean max. FCT (us)",
		Y: onScale(plot.Log10)}, patterns, m...))
}

// patternSpeedups returns a wide panel of speed-ups of the patterns.
func (c *comparison) patternSpeedups(title string, top float64, m ...metric) plot.Panel {
	return wide(c.faster(speedupPanel(title, top), patterns, m...))
}

// wide returns the panel with the width of the plot.
func wide(panel plot.Panel) plot.Panel {
	panel.Wide = true
	return panel
}

// judgement judges a claim by runs that were made.
type judgement func() claims.Finding

// judged runs comparisons, and judges claims by them.
func (s Settings) judged(ctx context.Context, list []judgement, of ...*comparison) (found []claims.Finding, err error) {
	for i, c := range of {
		if err := c.run(ctx, s.part(i, len(of))); err != nil {
			return nil, err
		}
	}
	return lists.Map(list, func(j judgement) claims.Finding { return j() }), nil
}
