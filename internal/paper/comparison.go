package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// metric is a time of a run by which load balancers are compared.
type metric struct {
	key, name string // "max_fct_us", "max. FCT"
	of        func(networkRun) int64
}

func longest() metric { return metric{"max_fct_us", "max. FCT", networkRun.maxFCT} }
func average() metric { return metric{"mean_fct_us", "mean FCT", networkRun.meanFCT} }
func tail() metric    { return metric{"p99_fct_us", "p99 FCT", networkRun.p99FCT} }
func ending() metric  { return metric{"end_us", "end of the last flow", networkRun.lastEnd} }

// point is a workload on a network, on which load balancers are compared.
type point struct {
	group    string   // of points that are drawn and searched together
	label    string   // on an axis
	place    string   // in a sentence: "permutation of 8 MiB"
	cells    []any    // what tables say of it, under comparison.columns
	metrics  []metric // by which it is compared
	network  func(replica uint64) (*fattree.Network, error)
	replicas uint64
	ideal    bool // compare with the fluid ideal as well
	runs     []networkRuns
}

// comparison is a comparison of load balancers on several workloads or networks.
// Ratios are between paired replicas: those of the same workload and salts.
type comparison struct {
	compared []contender // OPS among them
	evs      int         // 0 is fullEVS
	columns  []report.Column
	points   []point
}

// index returns the number of a contender, or -1.
func (c *comparison) index(key string) int {
	return slices.IndexFunc(c.compared, func(other contender) bool { return other.key == key })
}

// run runs everything, the last points first.
func (c *comparison) run(ctx context.Context, s Settings) error {
	if c.evs == 0 {
		c.evs = fullEVS
	}
	var all []experiment[networkRun]
	for _, p := range c.points {
		keep := keepTimes
		if p.ideal {
			keep = keepRun
		}
		for _, of := range c.compared {
			all = append(all, experiment[networkRun]{of.setup(c.evs, p.network), p.replicas, keep})
		}
	}
	runs, err := simulateEach(ctx, s, all)
	if err != nil {
		return err
	}
	for i, r := range runs {
		p := &c.points[i/len(c.compared)]
		p.runs = append(p.runs, r)
	}
	return nil
}

// table lists what each load balancer did on each point.
func (c *comparison) table(seed uint64) Table {
	t := Table{Columns: slices.Concat(c.columns, []report.Column{text("lb"), number("evs")}, networkColumns())}
	oblivious := c.index("ops")
	for _, p := range c.points {
		for i, of := range c.compared {
			t.Rows = append(t.Rows, slices.Concat(p.cells, []any{of.key, c.evs}, p.runs[i].cells(p.runs[oblivious], seed)))
		}
	}
	return t
}

// speedups lists the times that are compared, with their ratios to OPS's.
func (c *comparison) speedups(seed uint64) Table {
	t := Table{Name: "speedups", Columns: slices.Concat(c.columns, []report.Column{text("lb"), text("metric")},
		numbers("time_us", "time_lo", "time_hi", "speedup_over_ops", "speedup_lo", "speedup_hi", "seed", "replicas"))}
	oblivious := c.index("ops")
	for _, p := range c.points {
		for i, of := range c.compared {
			for _, m := range p.metrics {
				e, ratio := p.runs[i].time(m.of), p.runs[oblivious].ratio(p.runs[i], m.of)
				t.Rows = append(t.Rows, slices.Concat(p.cells, []any{of.key, m.key, e.Value, e.Lo, e.Hi, ratio.Value, ratio.Lo, ratio.Hi, seed, len(p.runs[i])}))
			}
		}
	}
	return t
}

// times fills a panel with bars, grouped by the points of a group: a metric, in
// microseconds. Bars on a logarithmic axis need its Min.
func (c *comparison) times(panel report.Panel, group string, m metric) report.Panel {
	return c.bars(panel, group, func(p point, i int) mc.Estimate { return p.runs[i].time(m.of) })
}

// faster fills a panel with bars, grouped by the points of a group: a metric under
// OPS over that under each of the others.
func (c *comparison) faster(panel report.Panel, group string, m metric) report.Panel {
	oblivious := c.index("ops")
	panel.Rules = append(panel.Rules, report.Rule{At: 1})
	return c.bars(panel, group, func(p point, i int) mc.Estimate {
		if i == oblivious {
			return mc.Estimate{Value: math.NaN()}
		}
		return p.runs[oblivious].ratio(p.runs[i], m.of)
	})
}

// speedupPanel returns a panel for faster, from 0 to top.
func speedupPanel(title, label string, top float64) report.Panel {
	return report.Panel{Title: title, XLabel: label, YLabel: "OPS's time / own", Y: report.Axis{Min: new(0.0), Max: &top}}
}

// bars fills a panel with a bar for each contender and point of a group, none for
// a contender that has no number anywhere.
func (c *comparison) bars(panel report.Panel, group string, of func(p point, contender int) mc.Estimate) report.Panel {
	points := c.in(group)
	panel.X.Ticks, panel.X.TickLabels = nil, nil
	for k, p := range points {
		panel.X.Ticks, panel.X.TickLabels = append(panel.X.Ticks, float64(k)), append(panel.X.TickLabels, p.label)
	}
	for i, contender := range c.compared {
		bars := report.Series{Name: contender.name, Color: contender.look, Mark: report.Bars}
		drawn := false
		for k, p := range points {
			e := of(p, i)
			drawn = drawn || !math.IsNaN(e.Value)
			appendPoint(&bars, float64(k), e)
		}
		if drawn {
			panel.Series = append(panel.Series, bars)
		}
	}
	return panel
}

// in returns the points of a group, all for the empty text.
func (c *comparison) in(group string) []point {
	return slices.DeleteFunc(slices.Clone(c.points), func(p point) bool { return group != "" && p.group != group })
}

// gain is by how much one load balancer takes longer than another, and where.
type gain struct {
	ratio mc.Estimate // its time over that of the other
	than  contender   // that takes longer
	at    point
}

// String says it in words.
func (g gain) String() string {
	return fmt.Sprintf("%s %s, %s", g.than.name, interval(g.ratio, "%.2f"), g.at.place)
}

// gains returns, for each point of a group, how much longer a contender takes than
// another by a metric.
func (c *comparison) gains(group, slow, fast string, m metric) []gain {
	var list []gain
	i, j := c.index(slow), c.index(fast)
	for _, p := range c.in(group) {
		list = append(list, gain{p.runs[i].ratio(p.runs[j], m.of), c.compared[i], p})
	}
	return list
}

// runnersUp returns, for each point of a group, how much longer than a contender
// the best of all others takes by a metric: the one of the smallest mean.
func (c *comparison) runnersUp(group, key string, m metric) []gain {
	var list []gain
	own := c.index(key)
	for _, p := range c.in(group) {
		best, least := -1, math.Inf(1)
		for i := range c.compared {
			time := p.runs[i].time(m.of).Value
			if math.IsNaN(time) {
				time = math.Inf(1) // it never ended
			}
			if i != own && (best < 0 || time < least) {
				best, least = i, time
			}
		}
		list = append(list, gain{p.runs[best].ratio(p.runs[own], m.of), c.compared[best], p})
	}
	return list
}

// most returns the gain of the largest ratio.
func most(list []gain) gain {
	return slices.MaxFunc(list, func(a, b gain) int { return cmp.Compare(a.ratio.Value, b.ratio.Value) })
}

// isGain says whether an estimate is the gain that the paper claims: within 10 % of
// it, or with it in an interval that does not hold none, what there is without a
// gain.
func isGain(e mc.Estimate, claimed, none float64) bool {
	inside := e.Lo <= claimed && claimed <= e.Hi && (none < e.Lo || e.Hi < none)
	return within10Percent(e.Value, claimed) || inside
}

// upTo judges a claimed gain by the rule of isGain.
func upTo(claim string, e mc.Estimate, claimed, none float64, measured, note string) Finding {
	return Finding{claim, judge(isGain(e, claimed, none)), measured, e.Lo, e.Hi, note}
}
