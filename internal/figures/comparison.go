package figures

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
)

// metric is a time of a run that schemes are compared by.
type metric struct {
	key, name string // "max_fct_us", "max. FCT"
	of        func(netRun) int64
}

func byMaxFCT() metric  { return metric{"max_fct_us", "max. FCT", netRun.maxFCT} }
func byMeanFCT() metric { return metric{"mean_fct_us", "mean FCT", netRun.meanFCT} }
func byP99FCT() metric  { return metric{"p99_fct_us", "p99 FCT", netRun.p99FCT} }
func byEnd() metric     { return metric{"end_us", "end of the last flow", netRun.lastEnd} }

// Groups of points. The points of a group are drawn and searched together.
const (
	healthy     = "healthy" // next to groups with failures
	patterns    = "patterns"
	midRun      = "mid-run" // permutations with a failure during the run
	traces      = "traces"
	collectives = "collectives"
)

// comparedPoint is a network with its workload on which schemes are compared.
type comparedPoint struct {
	group    string
	x        int    // distinguishes the points of a group, such as the packets per ACK
	label    string // on an axis
	sort     string // precedes the label of the first of several points
	place    string // in a sentence: "permutation of 8 MiB"
	workload string
	hosts    int
	load     float64  // load of a trace; 1 is full
	cells    cells    // cells in tables; all points of a comparison have the same keys
	metrics  []metric // metrics to compare, the main one first
	network  experiment.Networks
	schemes  []scheme                                   // nil: the schemes of the comparison
	evs      int                                        // 0: all
	control  func() transport.Control                   // nil: DCTCP
	trace    func(*fattree.Network) fattree.TraceConfig // nil: no samples
	keep     func(experiment.Replica) (netRun, error)   // nil: keepTimes
	replicas uint64
	runs     engine.Results[string, netRuns] // by the scheme's key
}

// of returns the runs of a scheme, nil if it did not run.
func (p *comparedPoint) of(key string) netRuns { return p.runs[key] }

// setup returns the experiment of a scheme at the point.
func (p *comparedPoint) setup(of scheme) experiment.Setup {
	setup := of.setup(cmp.Or(p.evs, fullEVS), p.network)
	setup.Trace = p.trace
	if of.carries { // with an ACK for every packet, ACKs carry all EVs anyway
		setup.Network = altered(p.network, func(s *fattree.Spec) {
			coalesces := transport.OptionsOf(planOf(*s)).AckRatio > 1
			transport.Change(s, func(o *transport.Options) { o.CarryEVs = coalesces })
		})
	}
	if p.control != nil {
		setup.Control = p.control
	}
	return setup
}

// comparison compares schemes at several points. Ratios are paired: replicas have the same workload and salts
// under every scheme.
type comparison struct {
	schemes []scheme
	points  []*comparedPoint
	seed    uint64 // seed of the run
}

// schemesAt returns the schemes to run at a point.
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

// String names the scheme and the point. A point without a place is named by its cells.
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

// RecordedAs returns the key by name.
func (k runKey) RecordedAs() any {
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
func (c *comparison) run(ctx context.Context, s engine.Settings) error {
	c.seed = s.Seed
	var all engine.Trials[runKey, netRun]
	for _, p := range c.points {
		p.runs = engine.Results[string, netRuns]{}
		keep := p.keep
		if keep == nil {
			keep = keepTimes
		}
		for _, of := range c.schemesAt(p) {
			addNetwork(&all, runKey{p, of.key}, p.replicas, p.setup(of), keep)
		}
	}
	if all == nil {
		return ctx.Err()
	}
	runs, err := all.Run(ctx, s)
	for key, r := range runs {
		for i := range r {
			r[i].by = key.String()
		}
		key.at.runs[key.scheme] = r
	}
	return err
}

// in returns the points of a group, or all points if group is empty.
func (c *comparison) in(group string) []*comparedPoint {
	return lists.Where(c.points, func(p *comparedPoint) bool { return group == "" || p.group == group })
}

// having returns the points of a group at which the given schemes ran.
func (c *comparison) having(group string, keys ...string) []*comparedPoint {
	return lists.Where(c.in(group), func(p *comparedPoint) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return p.of(key) == nil })
	})
}

// at returns the runs of a scheme at the point of a group with the given x. It panics if there are none.
func (c *comparison) at(group string, x int, key string) netRuns {
	for _, p := range c.in(group) {
		if runs := p.runs[key]; p.x == x && runs != nil {
			return runs
		}
	}
	panic(fmt.Sprintf("figures: %q did not run at %q, %d", key, group, x))
}

// labelled returns the first point with a label. It panics if there is none.
func (c *comparison) labelled(label string) *comparedPoint {
	return c.points[slices.IndexFunc(c.points, func(p *comparedPoint) bool { return p.label == label })]
}

// rowsOf lists every point of a group, scheme by scheme. Rows begin with the point's cells and end with the cells
// about the seed; of returns the cells in between.
func (c *comparison) rowsOf(name, group string, of func(*comparedPoint, scheme, netRuns) []cells) frame.Table {
	t := frame.Table{Name: name}
	for _, p := range c.in(group) {
		for _, s := range c.schemesAt(p) {
			runs := p.of(s.key)
			for _, row := range of(p, s, runs) {
				t.Add(p.cells, cells{{"lb", s.key}}, row, madeFrom(c.seed, len(runs)))
			}
		}
	}
	return t
}

// perRun returns the cells of a row from the runs of a scheme at a point.
type perRun func(*comparedPoint, scheme, netRuns) cells

// rows lists every point of a group, scheme by scheme, like [comparison.rowsOf] with one row each.
func (c *comparison) rows(name, group string, row perRun) frame.Table {
	return c.rowsOf(name, group, func(p *comparedPoint, of scheme, runs netRuns) []cells {
		return []cells{row(p, of, runs)}
	})
}

// ops returns the runs of OPS at a point. If OPS does not run there, it returns its runs at another point of the
// group.
func (c *comparison) ops(p *comparedPoint) netRuns {
	for _, p := range append([]*comparedPoint{p}, c.in(p.group)...) {
		if runs := p.runs["ops"]; runs != nil {
			return runs
		}
	}
	return nil
}

// table lists the runs of each scheme at each point, after extra cells, and compares them with OPS.
func (c *comparison) table(extra ...perRun) frame.Table {
	return c.rows("", "", func(p *comparedPoint, of scheme, runs netRuns) cells {
		row := cells{{"evs", cmp.Or(p.evs, fullEVS)}}
		for _, add := range extra {
			row = append(row, add(p, of, runs)...)
		}
		return append(row, runs.cells(c.ops(p))...)
	})
}

// speedups lists the compared times, and OPS's times divided by them.
func (c *comparison) speedups() frame.Table {
	return c.rowsOf("speedups", "", func(p *comparedPoint, _ scheme, runs netRuns) []cells {
		return lists.Map(p.metrics, func(m metric) cells {
			return cells{{"metric", m.key}, {"time_us", frame.WithEnds(runs.time(m.of))},
				{"speedup_over_ops", frame.WithEnds(p.of("ops").shown(runs, m.of))}}
		})
	})
}

// losses lists for each scheme at each point the packets lost on failed links and by bit errors, and the time from
// a failure to the last packet sent into it.
func (c *comparison) losses() frame.Table {
	return c.rows("losses", "", func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		corrupted := runs.count(func(r netRun) int64 { return r.Corrupted })
		return cells{{"lost", frame.WithEnds(runs.count(netRun.lost))}, {"corrupted", corrupted.Value},
			{"reroute_us", runs.reroute().Value}}
	})
}

// compared runs comparisons one after the other, and returns the figure made from them.
func compared(ctx context.Context, s engine.Settings, figure func() engine.Output, of ...*comparison) (engine.Output, error) {
	for i, c := range of {
		if err := c.run(ctx, s.Part(i, len(of))); err != nil {
			return engine.Output{}, err
		}
	}
	return figure(), nil
}
