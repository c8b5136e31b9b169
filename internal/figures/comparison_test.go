package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
)

// made returns a run that ended, whose flows took the given microseconds,
// ascending.
func made(fcts ...int64) netRun {
	last := fcts[len(fcts)-1] * microseconds
	return netRun{Kept: experiment.Kept{Flows: len(fcts), Finished: len(fcts), Most: fattree.Picoseconds(last), End: fattree.Picoseconds(last)}}
}

// testComparison returns a comparison of ECMP, OPS and REPS on two points of a
// group and one of another, as if it had been run twice.
func testComparison() comparison {
	c := comparison{schemes: lbs("ecmp", "ops", "reps")}
	for i, times := range [][3][2]int64{{{400, 600}, {110, 130}, {100, 100}}, {{210, 210}, {300, 300}, {200, 200}},
		{{100, 100}, {900, 900}, {100, 100}}} {
		p := &comparedPoint{group: []string{patterns, patterns, traces}[i], label: fmt.Sprint(i),
			place: fmt.Sprintf("place %d", i),
			cells: workloadCells("workload", 8, 1,
				nil), metrics: []metric{byMaxFCT()}, replicas: 2, runs: map[string]netRuns{}}
		for j, t := range times {
			p.runs[c.schemes[j].key] = netRuns{made(1, t[0]), made(2, t[1])}
		}
		c.points = append(c.points, p)
	}
	return c
}

// TestGains: ratios by hand, the largest of a group, and the best of the others.
func TestGains(t *testing.T) {
	c := testComparison()
	if g := c.gains(patterns, "ecmp", "reps").largest(); g.ratio.Value != 5 || g.at.place != "place 0" ||
		g.slow.key != "ecmp" {
		t.Errorf("largest ratio of ECMP: %v at %q, want 5 at place 0", g.ratio.Value, g.at.place)
	}
	seconds := c.runnersUp(patterns)
	for i, want := range []struct {
		key   string
		ratio float64
	}{{"ops", 1.2}, {"ecmp", 1.05}} {
		if g := seconds[i]; g.slow.key != want.key || math.Abs(g.ratio.Value-want.ratio) > 1e-12 {
			t.Errorf("point %d: second is %s at %v, want %s at %v", i, g.slow.key, g.ratio.Value, want.key, want.ratio)
		}
	}
	if n := len(c.runnersUp("", byMeanFCT())); n != 3 {
		t.Errorf("%d points in all, want 3", n)
	}
	c.points[0].runs["ecmp"][1].Finished, c.points[1].runs["ecmp"][0].Finished = 0, 0
	g := c.gains(patterns, "ecmp", "reps")[0]
	if !math.IsNaN(g.ratio.Value) || g.ratio.Lo != 5 || !strings.HasPrefix(g.String(), "ECMP more than 5.00,") {
		t.Errorf("of a run that did not finish the ratio is %+v in %q, want at least 5", g.ratio, g)
	}
	if g := c.gains(patterns, "reps", "ecmp")[0]; !math.IsNaN(g.ratio.Value) || g.ratio.Hi != 0.2 || !strings.Contains(g.String(), "less than 0.20") {
		t.Errorf("over a run that did not finish the ratio is %+v in %q, want at most 0.2", g.ratio, g)
	}
	if g := c.runnersUp(patterns)[1]; g.slow.key != "ops" {
		t.Errorf("second is %s, which did not finish, want ops", g.slow.key)
	}
	row := netRuns(c.points[0].of("ecmp")).cells(c.points[0].of("ops")).Written()
	for key, want := range map[string]any{"max_fct_us_lo": 500.0, "speedup_over_ops_hi": 0.24, "finished_share": 0.5} {
		if i := slices.IndexFunc(row, func(c frame.Cell) bool { return c.Key == key }); row[i].Value != want {
			t.Errorf("%s = %v, want %v", key, row[i].Value, want)
		}
	}
}

// TestRatioToItself: runs over themselves are refused where a grade could use them, in all ratios; tables have 1
// without an interval, and nothing if the runs did not finish.
func TestRatioToItself(t *testing.T) {
	c := testComparison()
	p := c.points[0]
	ops, again := p.of("ops"), slices.Clone(p.of("ops"))
	for name, make := range map[string]func(of, over netRuns){
		"over":        func(of, over netRuns) { of.over(over) },
		"ratio":       func(of, over netRuns) { of.ratio(over, netRun.lastEnd) },
		"lostOver":    func(of, over netRuns) { of.lostOver(over) },
		"packetsOver": func(of, over netRuns) { of.packetsOver(over, netRun.sent, "sent") },
	} {
		if !panics(func() { make(ops, ops) }) || !panics(func() { make(ops, ops[:1]) }) {
			t.Errorf("%s: a ratio of runs to themselves is made", name)
		}
		make(ops, again)
		make(ops, nil)
	}
	if !panics(func() { c.gains(patterns, "reps", "reps") }) {
		t.Error("gains of REPS over itself are made")
	}
	if e := ops.shown(ops, netRun.maxFCT); e.Value != 1 || !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) || e.N != 0 {
		t.Errorf("shown over itself: %+v, want 1 without an interval and runs", e)
	}
	if e, want := ops.shown(p.of("reps"), netRun.maxFCT), ops.ratio(p.of("reps"), netRun.maxFCT); e.Value != want.Value || e.Lo != want.Lo {
		t.Errorf("shown over others: %v, want %v", e, want)
	}
	again[0].Finished = 0
	if e := again.shown(again, netRun.maxFCT); !math.IsNaN(e.Value) {
		t.Errorf("shown of unfinished runs over themselves: %v, want no value", e.Value)
	}
}

// TestComparisonTables: OPS is the measure of all, and a row tells its point.
func TestComparisonTables(t *testing.T) {
	c := testComparison()
	for _, rows := range []frame.Table{c.table(), c.speedups()} {
		for _, row := range rows.Rows {
			if over := cellOf(rows, row, "speedup_over_ops"); cellOf(rows, row, "lb") == "ops" && over != 1.0 {
				t.Errorf("OPS over itself is %v", over)
			}
		}
	}
	if n := len(c.table().Rows); n != 9 {
		t.Errorf("%d rows, want 9", n)
	}
}

// TestOwnSchemes: a point may have schemes, EVs and ACKs of its own; its rows are compared
// with OPS at another point of its group; a missing run is a fault.
func TestOwnSchemes(t *testing.T) {
	network := permuted(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Options: transport.Options{AckRatio: 2}}, 100_000)
	carry := lb("reps")
	carry.carries = true
	c := comparison{points: []*comparedPoint{
		{group: "g", schemes: lbs("ops"), cells: cells{{"x", 0}}, network: network, replicas: 2},
		{group: "g", x: 1, schemes: []scheme{carry}, cells: cells{{"x", 1}}, network: network, evs: 8, replicas: 2,
			control: fixedWindow},
	}}
	if err := c.run(t.Context(), engine.Settings{Seed: 1}); err != nil {
		t.Fatal(err)
	}
	rows := c.table()
	if len(rows.Rows) != 2 || cellOf(rows, rows.Rows[0], "evs") != fullEVS || cellOf(rows, rows.Rows[1], "evs") != 8 {
		t.Errorf("rows %v, want OPS with all EVs and REPS with 8", rows.Rows)
	}
	want := c.at("g", 0, "ops").over(c.at("g", 1, "reps")).Value
	if got := cellOf(rows, rows.Rows[1], "speedup_over_ops"); got != want {
		t.Errorf("REPS is %v times as fast as OPS, want %v", got, want)
	}
	if !panics(func() { c.at("g", 1, "ops") }) {
		t.Error("OPS has runs where it did not run")
	}
	n, err := c.points[1].setup(carry).Network(1, 0)
	if err != nil || !transport.OptionsOn(n).CarryEVs {
		t.Errorf("ACKs do not carry EVs: %v", err)
	}
	if name := (runKey{c.points[1], "reps"}).String(); name != "reps, x=1, evs=8" {
		t.Errorf("the experiment is called %q", name)
	}
}

// TestWorkloads: the points of each group are networks of the given hosts, traces
// and collectives among the first ones.
func TestWorkloads(t *testing.T) {
	spec := traceSpec()
	points := append(patternPoints(spec, []int{1}, 1), poissonTrace().points(onSpec(spec), 0.5)...)
	points = append(points, collectivePoints(spec, 1)...)
	points = append(points, &comparedPoint{workload: "permutation", hosts: 128,
		network: failing(spec, "degrade=3%:0.5,place=random", drawPermutation(128, mebi))})
	for _, p := range points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		last := fattree.Host(0)
		for _, flow := range n.Spec().Workload.Flows {
			last = max(last, flow.Source, flow.Destination)
		}
		if strings.HasPrefix(p.workload, "incast") && last != 71 || !strings.HasPrefix(p.workload, "incast") &&
			!strings.HasPrefix(p.workload, "allreduce-ring") && int(last) != p.hosts-1 {
			t.Errorf("%s of %d hosts: the last one is %d", p.workload, p.hosts, last)
		}
		if faults := len(n.Spec().Faults); (p.group == "") != (faults == 4) {
			t.Errorf("%s: %d slow cables", p.workload, faults)
		}
	}
}

// TestAddRow: the first row sets the columns, and a row with other keys is a fault.
func TestAddRow(t *testing.T) {
	var rows frame.Table
	rows.Add(cells{{"workload", "tornado"}, {"hosts", nil}}, cells{{"load", 0.5}})
	rows.Add(cells{{"workload", "incast"}}, cells{{"hosts", 8}, {"load", nil}})
	if want := []frame.Column{frame.Text("workload"), frame.Number("hosts"),
		frame.Number("load")}; !slices.Equal(rows.Columns, want) {
		t.Errorf("columns %v, want %v", rows.Columns, want)
	}
	if want := []any{"incast", 8, nil}; !slices.Equal(rows.Rows[1], want) {
		t.Errorf("row %v, want %v", rows.Rows[1], want)
	}
	for _, wrong := range []cells{{{"workload", 1}, {"hosts", 2}, {"tires", 3}}, {{"workload", 1}, {"hosts", 2}},
		{{"hosts", 1}, {"workload", 2}, {"load", 3}}} {
		if !panics(func() { rows.Add(wrong) }) {
			t.Errorf("the row %v is accepted", wrong)
		}
	}
}

// TestRule: all parts must hold.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		parts []bool
		grade claims.Grade
	}{
		{[]bool{true, true}, claims.Reproduced},
		{[]bool{true, false}, claims.Contradicted},
		{[]bool{false, false}, claims.Contradicted},
	} {
		var r rule
		for i, holds := range c.parts {
			r.add(claims.Certain(holds), "%d", i)
		}
		if f := r.all("N001", "parts ", ", ", ""); f.Grade != c.grade || f.Measured != "parts 0, 1" {
			t.Errorf("%v: %+v", c.parts, f)
		}
	}
}

// TestBarsOfUnfinishedRuns: a balancer none of whose runs finished keeps its place, at +Inf, and one that is
// compared with itself has none.
func TestBarsOfUnfinishedRuns(t *testing.T) {
	c := testComparison()
	c.points[0].runs["ecmp"] = netRuns{{Kept: experiment.Kept{Flows: 1, Most: 900}}, {Kept: experiment.Kept{Flows: 1, Most: 900}}}
	p := c.faster(plot.Panel{}, patterns)
	if len(p.Series) != 2 || p.Origin != 1 || p.Series[0].Name != "ECMP" || p.Series[1].Name != "REPS" {
		t.Fatalf("bars %+v from %v, want those of ECMP and REPS from 1", p.Series, p.Origin)
	}
	if y := p.Series[0].Y; !math.IsInf(y[0], 1) || math.IsInf(y[1], 0) || math.IsNaN(y[1]) {
		t.Errorf("speed-ups of ECMP %v, want +Inf where it did not finish and a number elsewhere", y)
	}
	if len(c.schemes) != 3 {
		t.Errorf("%d schemes are left in the comparison, want 3", len(c.schemes))
	}
}
