package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
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
	label    string // on an axis
	place    string // in a sentence: "permutation of 8 MiB"
	workload string
	hosts    int
	load     float64  // of a trace, 1 for the full one
	cells    cells    // in tables; the same keys at all points of a comparison
	metrics  []metric // by which it is compared, the chief one first
	network  fattree.Networks
	replicas uint64
	ideal    bool               // compare with the ideal times as well
	runs     map[string]netRuns // by the scheme's key
}

// of returns the runs of a scheme. It panics if there are none.
func (p *comparedPoint) of(key string) netRuns { return results[string, netRuns](p.runs).at(key) }

// comparison compares schemes, OPS among them, at several points. Ratios are paired:
// replicas meet the same workload and salts.
type comparison struct {
	schemes []scheme
	points  []*comparedPoint
}

// placed is the key of a scheme's runs at a point.
type placed struct {
	at     *comparedPoint
	scheme string
}

// String names the point and the scheme.
func (p placed) String() string { return p.at.place + ", " + p.scheme }

// run runs every scheme at every point.
func (c *comparison) run(ctx context.Context, s Settings) error {
	var all trials[placed, netRun]
	for _, p := range c.points {
		keep := keepTimes
		if p.ideal {
			keep = keepWithIdeal
		}
		for _, of := range c.schemes {
			all.addNetwork(placed{p, of.key}, p.replicas, of.setup(fullEVS, p.network), keep)
		}
	}
	runs, err := all.run(ctx, s)
	for key, r := range runs {
		if key.at.runs == nil {
			key.at.runs = map[string]netRuns{}
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

// rows calls add for every point of a group and scheme.
func (c *comparison) rows(group string, add func(p *comparedPoint, of scheme, runs netRuns)) {
	for _, p := range c.in(group) {
		for _, of := range c.schemes {
			add(p, of, p.of(of.key))
		}
	}
}

// table lists the runs of each scheme at each point.
func (c *comparison) table(seed uint64) table.Table {
	var t table.Table
	c.rows("", func(p *comparedPoint, of scheme, runs netRuns) {
		addRow(&t, p.cells, cells{{"lb", of.key}, {"evs", fullEVS}}, runs.cells(p.of("ops"), seed))
	})
	return t
}

// speedups lists the times that are compared, and their ratios to those of OPS.
func (c *comparison) speedups(seed uint64) table.Table {
	t := table.Table{Name: "speedups"}
	c.rows("", func(p *comparedPoint, of scheme, runs netRuns) {
		for _, m := range p.metrics {
			addRow(&t, p.cells, cells{{"lb", of.key}, {"metric", m.key}}, withEnds("time_us", "time", runs.time(m.of)),
				withEnds("speedup_over_ops", "speedup", p.of("ops").ratio(runs, m.of)), madeFrom(seed, len(runs)))
		}
	})
	return t
}

// losses lists what failures did to each scheme at each point.
func (c *comparison) losses(seed uint64) table.Table {
	t := table.Table{Name: "losses"}
	c.rows("", func(p *comparedPoint, of scheme, runs netRuns) {
		addRow(&t, p.cells, cells{{"lb", of.key}}, runs.lossCells(), madeFrom(seed, len(runs)))
	})
	return t
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

// scheme returns the scheme with the given key.
func (c *comparison) scheme(key string) scheme {
	return c.schemes[slices.IndexFunc(c.schemes, func(of scheme) bool { return of.key == key })]
}

// gains returns a scheme's time over that of another at each point of a group.
func (c *comparison) gains(group, slow, fast string, m metric) []gain {
	var list []gain
	for _, p := range c.in(group) {
		list = append(list, gain{p.of(slow).ratio(p.of(fast), m.of), c.scheme(slow), p})
	}
	return list
}

// allGains returns gains at all points, each by its chief metric.
func (c *comparison) allGains(slow, fast string) []gain {
	var list []gain
	for _, p := range c.points {
		list = append(list, gain{p.of(slow).ratio(p.of(fast), p.metrics[0].of), c.scheme(slow), p})
	}
	return list
}

// runnersUp returns, for each point of a group, the time of the best other scheme over
// that of a scheme. The best has the smallest mean.
func (c *comparison) runnersUp(group, key string, m metric) []gain {
	var list []gain
	for _, p := range c.in(group) {
		time := func(of scheme) float64 {
			if t := p.of(of.key).time(m.of).Value; !math.IsNaN(t) {
				return t
			}
			return math.Inf(1) // it never ended
		}
		others := slices.DeleteFunc(slices.Clone(c.schemes), func(of scheme) bool { return of.key == key })
		best := slices.MinFunc(others, func(a, b scheme) int { return cmp.Compare(time(a), time(b)) })
		list = append(list, gain{p.of(best.key).ratio(p.of(key), m.of), best, p})
	}
	return list
}

// largest returns the gain of the largest ratio.
func largest(list []gain) gain {
	return slices.MaxFunc(list, func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
}

// onWorkload returns the gains on workloads whose name begins with a text.
func onWorkload(list []gain, workload string) []gain {
	return slices.DeleteFunc(slices.Clone(list),
		func(g gain) bool { return !strings.HasPrefix(g.at.workload, workload) })
}

// bars fills a panel with a bar for each scheme and point of a group, none for a scheme
// that has no number anywhere.
func (c *comparison) bars(panel plot.Panel, group string,
	of func(p *comparedPoint, key string) mc.Estimate) plot.Panel {
	points := c.in(group)
	for k, p := range points {
		panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, p.label)
	}
	for _, s := range c.schemes {
		bars := plot.Series{Name: s.name, Color: s.color, Mark: plot.Bars}
		drawn := false
		for k, p := range points {
			e := of(p, s.key)
			drawn = drawn || !math.IsNaN(e.Value)
			appendPoint(&bars, float64(k), e)
		}
		if drawn {
			panel.Series = append(panel.Series, bars)
		}
	}
	return panel
}

// times fills a panel with bars of a metric, in microseconds. Bars on a logarithmic axis
// need its Min.
func (c *comparison) times(panel plot.Panel, group string, m metric) plot.Panel {
	return c.bars(panel, group, func(p *comparedPoint, key string) mc.Estimate { return p.of(key).time(m.of) })
}

// faster fills a panel with bars of a metric under OPS over that under each of the others.
func (c *comparison) faster(panel plot.Panel, group string, m metric) plot.Panel {
	panel.References = append(panel.References, plot.ReferenceLine{At: 1})
	return c.bars(panel, group, func(p *comparedPoint, key string) mc.Estimate {
		if key == "ops" {
			return mc.Estimate{Value: math.NaN()}
		}
		return p.of("ops").ratio(p.of(key), m.of)
	})
}

// speedupPanel returns a panel for [comparison.faster], from 0 to top.
func speedupPanel(title, label string, top float64) plot.Panel {
	return plot.Panel{Title: title, XLabel: label, YLabel: "OPS's time / own", Y: from(0, top)}
}

// patternLabel is the title of axes with the labels of [patternPoints].
const patternLabel = "Pattern, message (MiB)"

// patternTimes returns a wide panel of a metric of the patterns, a maximum FCT.
func (c *comparison) patternTimes(title string, m metric) plot.Panel {
	return c.times(plot.Panel{Wide: true, Title: title, XLabel: patternLabel, YLabel: "Mean max. FCT (us)",
		Y: onScale(plot.Log10, 50, 5000)}, patterns, m)
}

// patternSpeedups returns a wide panel of speed-ups of the patterns.
func (c *comparison) patternSpeedups(title string, top float64, m metric) plot.Panel {
	panel := c.faster(speedupPanel(title, patternLabel, top), patterns, m)
	panel.Wide = true
	return panel
}
