package paper

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
)

// made returns a run that ended, whose flows took the given microseconds,
// ascending.
func made(fcts ...int64) networkRun {
	r := networkRun{result: &fattree.Result{}, complete: true}
	for _, fct := range fcts {
		r.fcts = append(r.fcts, fct*microseconds)
		r.end = fct * microseconds
	}
	return r
}

// testComparison returns a comparison of ECMP, OPS and REPS on two points of a
// group and one of another, as if it had been run twice.
func testComparison() comparison {
	c := comparison{compared: contenders(), columns: workloadColumns()}
	for i, times := range [][3][2]int64{{{400, 600}, {110, 130}, {100, 100}}, {{210, 210}, {300, 300}, {200, 200}}, {{100, 100}, {900, 900}, {100, 100}}} {
		p := point{group: []string{patterns, patterns, traces}[i], label: fmt.Sprint(i), place: fmt.Sprintf("place %d", i), cells: []any{"workload", 8, 1, nil}, metrics: []metric{longest()}, replicas: 2}
		for _, t := range times {
			p.runs = append(p.runs, networkRuns{made(1, t[0]), made(2, t[1])})
		}
		c.points = append(c.points, p)
	}
	return c
}

// TestGains: ratios by hand, the largest of a group, and the best of the others.
func TestGains(t *testing.T) {
	c := testComparison()
	if g := most(c.gains(patterns, "ecmp", "reps", longest())); g.ratio.Value != 5 || g.at.place != "place 0" || g.than.key != "ecmp" {
		t.Errorf("largest ratio of ECMP: %v at %q, want 5 at place 0", g.ratio.Value, g.at.place)
	}
	seconds := c.runnersUp(patterns, "reps", longest())
	for i, want := range []struct {
		key   string
		ratio float64
	}{{"ops", 1.2}, {"ecmp", 1.05}} {
		if g := seconds[i]; g.than.key != want.key || math.Abs(g.ratio.Value-want.ratio) > 1e-12 {
			t.Errorf("point %d: second is %s at %v, want %s at %v", i, g.than.key, g.ratio.Value, want.key, want.ratio)
		}
	}
	if n := len(c.runnersUp("", "reps", average())); n != 3 {
		t.Errorf("%d points in all, want 3", n)
	}
	c.points[0].runs[0][1].complete, c.points[1].runs[0] = false, networkRuns{{result: &fattree.Result{}}, {result: &fattree.Result{}}}
	if g := most(c.gains(patterns, "ecmp", "reps", longest())); g.ratio.Value != 4 {
		t.Errorf("over the complete replica the ratio is %v, want 4", g.ratio.Value)
	}
	if g := c.runnersUp(patterns, "reps", longest())[1]; g.than.key != "ops" {
		t.Errorf("second is %s, which never ended, want ops", g.than.key)
	}
}

// TestUpTo: an interval decides only where it shows a gain at all.
func TestUpTo(t *testing.T) {
	for _, c := range []struct {
		value, lo, hi float64
		want          Verdict
	}{
		{1.2, 1.15, 1.25, Reproduced}, {1.5, 1.2, 1.8, Reproduced}, {1.5, 1.3, 1.7, Differs}, {1.1, 0.9, 1.3, Differs},
		{1.6, math.Inf(-1), math.Inf(1), Differs}, {math.NaN(), math.Inf(-1), math.Inf(1), Differs},
	} {
		if got := upTo("N000", mc.Estimate{Value: c.value, Lo: c.lo, Hi: c.hi}, 1.25, 1, "", "").Verdict; got != c.want {
			t.Errorf("%v [%v, %v] against 1.25: %s, want %s", c.value, c.lo, c.hi, got, c.want)
		}
	}
}

// TestComparisonTables: OPS is the measure of all, and a row tells its point.
func TestComparisonTables(t *testing.T) {
	c := testComparison()
	c.evs = fullEVS
	for _, table := range []Table{c.table(1), c.speedups(1)} {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Fatalf("row of %d cells under %d columns", len(row), len(table.Columns))
			}
			for i, column := range table.Columns {
				if column.Key == "speedup_over_ops" && row[4] == "ops" && row[i] != 1.0 {
					t.Errorf("OPS over itself is %v", row[i])
				}
			}
		}
	}
	if n := len(c.table(1).Rows); n != 9 {
		t.Errorf("%d rows, want 9", n)
	}
}

// TestSimulateEach: replicas that differ in number come back under their
// experiment, in order, whatever the number of workers.
func TestSimulateEach(t *testing.T) {
	network := func(hosts int) func(uint64) (*fattree.Network, error) {
		return Settings{Seed: 1}.permutation(fattree.Spec{Topology: fattree.Topology{Hosts: hosts}}, 10_000)
	}
	keep := func(r fattree.Replica) (string, error) {
		spec := r.Network.Spec()
		return fmt.Sprint(len(spec.Workload.Flows), spec.Workload.Flows[0].Destination), nil
	}
	list := []experiment[string]{{ops().setup(256, network(16)), 3, keep}, {ops().setup(256, network(32)), 1, keep}, {ecmp().setup(256, network(64)), 2, keep}}
	for _, workers := range []int{1, 3} {
		got, err := simulateEach(context.Background(), Settings{Seed: 1, Workers: workers}, list)
		if err != nil {
			t.Fatal(err)
		}
		for i, hosts := range []int{16, 32, 64} {
			if len(got[i]) != int(list[i].replicas) {
				t.Fatalf("experiment %d has %d replicas, want %d", i, len(got[i]), list[i].replicas)
			}
			for replica, kept := range got[i] {
				w, err := traffic.Permutation(hosts, traffic.Message{Bytes: 10_000}, 1, uint64(replica))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprint(hosts, w.Flows[0].Destination); kept != want {
					t.Errorf("experiment %d, replica %d: %s, want %s", i, replica, kept, want)
				}
			}
		}
	}
}

// TestWorkloads: the points of each group are networks of the given hosts, traces
// and collectives among the first ones.
func TestWorkloads(t *testing.T) {
	s := Settings{Seed: 1, Scale: Quick}
	spec := traceSpec()
	points := append(s.synthetic(spec, []int{1}, 1), s.websearch(spec, arrivals{hosts: 32, duration: 100 * microseconds, poisson: true}, []float64{0.5}, 1)...)
	points = append(points, s.collectives(spec, 1)...)
	points = append(points, point{cells: []any{"permutation", 128}, network: s.failing(spec, "degrade=3%:0.5,place=random", func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(128, traffic.Message{Bytes: mib}, 1, replica)
	})})
	for _, p := range points {
		n, err := p.network(0)
		if err != nil {
			t.Fatal(err)
		}
		last := fattree.Host(0)
		for _, flow := range n.Spec().Workload.Flows {
			last = max(last, flow.Source, flow.Destination)
		}
		workload := p.cells[0].(string)
		if hosts := p.cells[1].(int); strings.HasPrefix(workload, "incast") && last != 71 || !strings.HasPrefix(workload, "incast") && !strings.HasPrefix(workload, "allreduce-ring") && int(last) != hosts-1 {
			t.Errorf("%s of %d hosts: the last one is %d", workload, hosts, last)
		}
		if faults := len(n.Spec().Faults); (p.group == "") != (faults == 4) {
			t.Errorf("%s: %d slow cables", workload, faults)
		}
	}
}
