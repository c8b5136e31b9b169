package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/table"
)

// made returns a run that ended, whose flows took the given microseconds,
// ascending.
func made(fcts ...int64) Run {
	r := Run{Result: &fattree.Result{}, Complete: true}
	for _, fct := range fcts {
		r.FCTs = append(r.FCTs, fct*Microseconds)
		r.End = fct * Microseconds
	}
	return r
}

// testComparison returns a comparison of ECMP, OPS and REPS on two points of a
// group and one of another, as if it had been run twice.
func testComparison() Comparison {
	c := Comparison{Compared: ThreeSchemes(), Columns: WorkloadColumns()}
	for i, times := range [][3][2]int64{{{400, 600}, {110, 130}, {100, 100}}, {{210, 210}, {300, 300}, {200, 200}}, {{100, 100}, {900, 900}, {100, 100}}} {
		p := ComparisonPoint{Group: []string{Patterns, Patterns, Traces}[i], Label: fmt.Sprint(i), Place: fmt.Sprintf("place %d", i), Cells: Cells{"workload": "workload", "hosts": 8, "message_bytes": 1}, Metrics: []Metric{Longest()}, Replicas: 2}
		for _, t := range times {
			p.Runs = append(p.Runs, Runs{made(1, t[0]), made(2, t[1])})
		}
		c.Points = append(c.Points, p)
	}
	return c
}

// TestGains: ratios by hand, the largest of a group, and the best of the others.
func TestGains(t *testing.T) {
	c := testComparison()
	if g := Most(c.Gains(Patterns, "ecmp", "reps", Longest())); g.Ratio.Value != 5 || g.At.Place != "place 0" || g.Than.Key != "ecmp" {
		t.Errorf("largest ratio of ECMP: %v at %q, want 5 at place 0", g.Ratio.Value, g.At.Place)
	}
	seconds := c.RunnersUp(Patterns, "reps", Longest())
	for i, want := range []struct {
		key   string
		ratio float64
	}{{"ops", 1.2}, {"ecmp", 1.05}} {
		if g := seconds[i]; g.Than.Key != want.key || math.Abs(g.Ratio.Value-want.ratio) > 1e-12 {
			t.Errorf("point %d: second is %s at %v, want %s at %v", i, g.Than.Key, g.Ratio.Value, want.key, want.ratio)
		}
	}
	if n := len(c.RunnersUp("", "reps", Average())); n != 3 {
		t.Errorf("%d points in all, want 3", n)
	}
	c.Points[0].Runs[0][1].Complete, c.Points[1].Runs[0] = false, Runs{{Result: &fattree.Result{}}, {Result: &fattree.Result{}}}
	if g := Most(c.Gains(Patterns, "ecmp", "reps", Longest())); g.Ratio.Value != 4 {
		t.Errorf("over the complete replica the ratio is %v, want 4", g.Ratio.Value)
	}
	if g := c.RunnersUp(Patterns, "reps", Longest())[1]; g.Than.Key != "ops" {
		t.Errorf("second is %s, which never ended, want ops", g.Than.Key)
	}
}

// TestComparisonTables: OPS is the measure of all, and a row tells its point.
func TestComparisonTables(t *testing.T) {
	c := testComparison()
	c.evs = FullEVS
	for _, rows := range []table.Table{c.Table(1), c.Speedups(1)} {
		for _, row := range rows.Rows {
			if len(row) != len(rows.Columns) {
				t.Fatalf("row of %d cells under %d columns", len(row), len(rows.Columns))
			}
			if over := rows.Cell(row, "speedup_over_ops"); rows.Cell(row, "lb") == "ops" && over != 1.0 {
				t.Errorf("OPS over itself is %v", over)
			}
		}
	}
	if n := len(c.Table(1).Rows); n != 9 {
		t.Errorf("%d rows, want 9", n)
	}
}

// TestWorkloads: the points of each group are networks of the given hosts, traces
// and collectives among the first ones.
func TestWorkloads(t *testing.T) {
	s := Settings{Seed: 1, Scale: Quick}
	spec := TraceSpec()
	points := append(SyntheticPoints(s.Seed, spec, []int{1}, 1), WebSearchPoints(s.Seed, spec, Arrivals{Hosts: 32, Duration: 100 * Microseconds, Poisson: true}, []float64{0.5}, 1)...)
	points = append(points, CollectivePoints(s, spec, 1)...)
	points = append(points, ComparisonPoint{Cells: Cells{"workload": "permutation", "hosts": 128}, Network: Failing(s.Seed, spec, "degrade=3%:0.5,place=random", func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(128, traffic.Message{Bytes: MiB}, WorkloadSource(1, replica))
	})})
	for _, p := range points {
		n, err := p.Network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		last := fattree.Host(0)
		for _, flow := range n.Spec().Workload.Flows {
			last = max(last, flow.Source, flow.Destination)
		}
		workload := p.Workload()
		if hosts := p.Hosts(); strings.HasPrefix(workload, "incast") && last != 71 || !strings.HasPrefix(workload, "incast") && !strings.HasPrefix(workload, "allreduce-ring") && int(last) != hosts-1 {
			t.Errorf("%s of %d hosts: the last one is %d", workload, hosts, last)
		}
		if faults := len(n.Spec().Faults); (p.Group == "") != (faults == 4) {
			t.Errorf("%s: %d slow cables", workload, faults)
		}
	}
}

// TestRow: cells stand under their columns, what a point does not say is empty, and
// what has no column is a fault.
func TestRow(t *testing.T) {
	c := Comparison{Columns: append(WorkloadColumns(), table.Number("tiers"))}
	row := c.Row(ComparisonPoint{Cells: Cells{"tiers": 3, "workload": "tornado", "load": 0.5}})
	if want := []any{"tornado", nil, nil, 0.5, 3}; !slices.Equal(row, want) {
		t.Errorf("row %v, want %v", row, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a cell without a column is accepted")
		}
	}()
	c.Row(ComparisonPoint{Cells: Cells{"tires": 3}})
}
