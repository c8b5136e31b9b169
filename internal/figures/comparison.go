package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/internal/table"
)

// Metric is a time of a run by which load balancers are compared.
type Metric struct {
	Key, Name string // "max_fct_us", "max. FCT"
	Of        func(Run) int64
}

// Longest is the time of the slowest flow.
func Longest() Metric { return Metric{"max_fct_us", "max. FCT", Run.MaxFCT} }

// Average is the mean over flows.
func Average() Metric { return Metric{"mean_fct_us", "mean FCT", Run.MeanFCT} }

// Tail is the 99 % quantile over flows.
func Tail() Metric { return Metric{"p99_fct_us", "p99 FCT", Run.P99FCT} }

// Ending is the end of a collective.
func Ending() Metric { return Metric{"end_us", "end of the last flow", Run.LastEnd} }

// Point is a workload on a network, on which load balancers are compared.
type ComparisonPoint struct {
	Group    string   // of points that are drawn and searched together
	Label    string   // on an axis
	Place    string   // in a sentence: "permutation of 8 MiB"
	Cells    Cells    // what tables say of it
	Metrics  []Metric // by which it is compared
	Network  fattree.Networks
	Replicas uint64
	Ideal    bool // compare with the fluid ideal as well
	Runs     []Runs
}

// Cells are what tables say of a point, by the keys of [Comparison.Columns]; what is
// not there is empty.
type Cells map[string]any

// Workload returns the name of the point's workload.
func (p ComparisonPoint) Workload() string { return p.Cells["workload"].(string) }

// Hosts returns the number of hosts that its tables speak of.
func (p ComparisonPoint) Hosts() int { return p.Cells["hosts"].(int) }

// Load returns the load of a trace, 1 for the full one.
func (p ComparisonPoint) Load() float64 { return p.Cells["load"].(float64) }

// Comparison is a comparison of load balancers on several workloads or networks.
// Ratios are between paired replicas: those of the same workload and salts.
type Comparison struct {
	Compared []Scheme // OPS among them
	evs      int      // 0 is netrun.FullEVS
	Columns  []table.Column
	Points   []ComparisonPoint
}

// Row returns what tables say of a point, in the order of the columns. It panics
// where the point says something that has no column.
func (c *Comparison) Row(p ComparisonPoint) []any {
	row, used := make([]any, len(c.Columns)), 0
	for i, column := range c.Columns {
		if cell, has := p.Cells[column.Key]; has {
			row[i] = cell
			used++
		}
	}
	if used < len(p.Cells) {
		panic(fmt.Sprintf("compare: %s says more (%v) than the columns have", p.Place, p.Cells))
	}
	return row
}

// Index returns the number of a contender, or -1.
func (c *Comparison) Index(key string) int {
	return slices.IndexFunc(c.Compared, func(other Scheme) bool { return other.Key == key })
}

// Run runs everything, the last points first.
func (c *Comparison) Run(ctx context.Context, s Settings) error {
	if c.evs == 0 {
		c.evs = FullEVS
	}
	var all []ReplicatedSetup[Run]
	for _, p := range c.Points {
		keep := KeepTimes
		if p.Ideal {
			keep = KeepWithIdeal
		}
		for _, of := range c.Compared {
			all = append(all, ReplicatedSetup[Run]{Setup: of.Setup(c.evs, p.Network), Replicas: p.Replicas, Keep: keep})
		}
	}
	runs, err := SimulateEach(ctx, s, all)
	if err != nil {
		return err
	}
	for i, r := range runs {
		p := &c.Points[i/len(c.Compared)]
		p.Runs = append(p.Runs, r)
	}
	return nil
}

// Table lists what each load balancer did on each point.
func (c *Comparison) Table(seed uint64) table.Table {
	t := table.Table{Columns: slices.Concat(c.Columns, []table.Column{table.Text("lb"), table.Number("evs")}, RunColumns())}
	oblivious := c.Index("ops")
	for _, p := range c.Points {
		for i, of := range c.Compared {
			t.Rows = append(t.Rows, slices.Concat(c.Row(p), []any{of.Key, c.evs}, p.Runs[i].Cells(p.Runs[oblivious], seed)))
		}
	}
	return t
}

// Speedups lists the times that are compared, with their ratios to OPS's.
func (c *Comparison) Speedups(seed uint64) table.Table {
	t := table.Table{Name: "speedups", Columns: slices.Concat(c.Columns, []table.Column{table.Text("lb"), table.Text("metric")},
		table.Numbers("time_us", "time_lo", "time_hi", "speedup_over_ops", "speedup_lo", "speedup_hi", "seed", "replicas"))}
	oblivious := c.Index("ops")
	for _, p := range c.Points {
		for i, of := range c.Compared {
			for _, m := range p.Metrics {
				e, ratio := p.Runs[i].Time(m.Of), p.Runs[oblivious].Ratio(p.Runs[i], m.Of)
				t.Rows = append(t.Rows, slices.Concat(c.Row(p), []any{of.Key, m.Key, e.Value, e.Lo, e.Hi, ratio.Value, ratio.Lo, ratio.Hi, seed, len(p.Runs[i])}))
			}
		}
	}
	return t
}

// In returns the points of a group, all for the empty text.
func (c *Comparison) In(group string) []ComparisonPoint {
	return slices.DeleteFunc(slices.Clone(c.Points), func(p ComparisonPoint) bool { return group != "" && p.Group != group })
}

// Losses lists what failures did to each contender on each point.
func (c *Comparison) Losses(seed uint64) table.Table {
	t := table.Table{Name: "losses", Columns: slices.Concat(c.Columns, []table.Column{table.Text("lb")}, table.Numbers(LostColumns()...), table.Numbers("seed", "replicas"))}
	for _, p := range c.Points {
		for i, of := range c.Compared {
			t.Rows = append(t.Rows, slices.Concat(c.Row(p), []any{of.Key}, p.Runs[i].LostCells(), []any{seed, len(p.Runs[i])}))
		}
	}
	return t
}
