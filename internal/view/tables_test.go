package view

import (
	"math"
	"strings"
	"testing"

	"repslab/fattree/balance"
	"repslab/internal/cases"
	"repslab/internal/param"
	"repslab/internal/plot"
	"repslab/internal/rows"
)

// modelOf returns the model with the given name, which must exist.
func modelOf(name string) param.Model {
	m, err := param.Named(cases.All(), name)
	if err != nil {
		panic(err)
	}
	return m
}

// syntheticTable returns rows of a model's results, all cells null but the given ones.
func syntheticTable(m param.Model, given ...map[string]any) *rows.Table {
	t := rows.New(m, m.Columns())
	for _, of := range given {
		row := rows.Row{Table: t, Cells: make([]any, len(t.Columns))}
		for i, c := range t.Columns {
			row.Cells[i] = of[c.Key]
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// TestRowsWithoutReplicas: a row without a number of replicas gives no interval.
func TestRowsWithoutReplicas(t *testing.T) {
	results := syntheticTable(modelOf("ballsbins"), map[string]any{"bins": int64(8), "max_load_mean": 10.0, "max_load_se": 1.0, "replicas": int64(3)})
	last := len(results.Columns) - 1
	short := rows.New(results.Model, results.Columns[:last])
	short.AddRow(results.Rows[0].Cells[:last])
	d, err := Draw(&Plot{Kind: LinePlot, X: "bins", Y: "max_load_mean"}, []*rows.Table{short})
	if err != nil {
		t.Fatal(err)
	}
	if warnings := d.Warnings(); len(warnings) != 1 {
		t.Errorf("warnings %q", warnings)
	}
}

// TestPlotIntervals: bands are Student's t intervals for the number of runs behind the mean, for rounds
// the converged runs. If there is no interval, a warning gives the reason, except for exact results.
func TestPlotIntervals(t *testing.T) {
	for _, c := range []struct {
		name    string
		m       param.Model
		x, y    string
		row     map[string]any
		lo, hi  float64
		warning string // "" for none
	}{
		{"3 runs", modelOf("ballsbins"), "bins", "max_load_mean", map[string]any{"max_load_mean": 10.0, "max_load_se": 1.0, "replicas": int64(3)}, 5.697347, 14.302653, ""},
		{"3 of 9 runs converged", modelOf("recycled"), "bins", "rounds_mean", map[string]any{"rounds_mean": 10.0, "rounds_se": 1.0, "converged": int64(3), "replicas": int64(9)}, 5.697347, 14.302653, ""},
		{"5 runs of a network", modelOf("fattree"), "hosts", "max_fct_us", map[string]any{"max_fct_us": 10.0, "max_fct_us_se": 1.0, "flows": 8.0, "finished": 8.0, "replicas": int64(5)}, 7.223555, 12.776445, ""},
		{"the row's own", modelOf("ballsbins"), "bins", "exceeds_probability", map[string]any{"exceeds_probability": 10.0, "exceeds_se": 1.0, "exceeds_lo": 4.0, "exceeds_hi": 19.0, "replicas": int64(3)}, 4, 19, ""},
		{"one run", modelOf("ballsbins"), "bins", "max_load_mean", map[string]any{"max_load_mean": 10.0, "replicas": int64(1)}, math.NaN(), math.NaN(), "1 of 1 points have no interval of max_load_mean: fewer than three runs give none"},
		{"two runs", modelOf("ballsbins"), "bins", "max_load_mean", map[string]any{"max_load_mean": 10.0, "max_load_se": 1.0, "replicas": int64(2)}, math.NaN(), math.NaN(), "fewer than three runs give none"},
		{"one converged", modelOf("recycled"), "bins", "rounds_mean", map[string]any{"rounds_mean": 10.0, "converged": int64(1), "replicas": int64(9)}, math.NaN(), math.NaN(), "fewer than three runs give none"},
		{"an unfinished run", modelOf("fattree"), "hosts", "max_fct_us", map[string]any{"max_fct_us_lo": 10.0, "replicas": int64(5)}, 10, math.Inf(1), ""},
		{"ends without a standard error", modelOf("fattree"), "hosts", "p99_fct_us", map[string]any{"p99_fct_us": 10.0, "p99_fct_us_lo": 8.0, "p99_fct_us_hi": 12.5, "replicas": int64(5)}, 8, 12.5, ""},
		{"exact", modelOf("evs"), "evs", "imbalance_mean", map[string]any{"imbalance_mean": 10.0, "replicas": int64(0)}, math.NaN(), math.NaN(), ""},
	} {
		c.row[c.x] = int64(8)
		d, err := Draw(&Plot{Kind: LinePlot, X: c.x, Y: c.y}, []*rows.Table{syntheticTable(c.m, c.row)})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		s := d.Figure.Panels[0][0].Series[0]
		near := func(got, want float64) bool {
			return got == want || math.Abs(got-want) < 1e-6 || math.IsNaN(got) && math.IsNaN(want)
		}
		if !near(s.Lo[0], c.lo) || !near(s.Hi[0], c.hi) {
			t.Errorf("%s: interval [%v, %v], want [%v, %v]", c.name, s.Lo[0], s.Hi[0], c.lo, c.hi)
		}
		if said := strings.Join(d.Warnings(), "; "); !strings.Contains(said, c.warning) || c.warning == "" && said != "" {
			t.Errorf("%s: warnings %q, want %q", c.name, said, c.warning)
		}
	}
}

// TestPlotColoursOfBalancers: every load balancer of the command line has a colour of its own,
// which lines of the command plot get by their names.
func TestPlotColoursOfBalancers(t *testing.T) {
	seen := map[plot.Color]string{plot.AutoColor: "none"}
	for _, b := range balance.All() {
		c := plot.BalancerColor(b.Name)
		if other, taken := seen[c]; taken {
			t.Errorf("%s and %s have colour %d: give each balancer one of its own in internal/plot/balancers.go", b.Name, other, c)
		}
		seen[c] = b.Name
		if name := (&Drawing{Plot: &Plot{By: "lb"}}).name("lb", b.Name); name != b.Name {
			t.Errorf("the line of %s is called %q", b.Name, name)
		}
	}
}

// TestCompareCountsConvergedRuns: a difference of rounds has the degrees of freedom of the converged
// runs, and results without a standard error are counted, not compared.
func TestCompareCountsConvergedRuns(t *testing.T) {
	row := map[string]any{"rounds_mean": 10.0, "rounds_se": 1.0, "converged": int64(3), "replicas": int64(900)}
	c, err := Compare(syntheticTable(modelOf("recycled"), row), syntheticTable(modelOf("recycled"), row), "rounds_mean", "")
	if err != nil {
		t.Fatal(err)
	}
	if w := c.differences[0].test; math.Abs(w.Degrees-4) > 1e-9 || math.Abs(w.Hi-3.926486) > 1e-6 { // t(4, 0.975) * sqrt(2)
		t.Errorf("%+v, want 4 degrees of freedom and an end at 3.926486", w)
	}
	row["rounds_se"] = -1.0 // in a file of another program
	if c, err := Compare(syntheticTable(modelOf("recycled"), row), syntheticTable(modelOf("recycled"), row), "rounds_mean", ""); err == nil || c.Without != 1 {
		t.Errorf("a negative standard error: %d differences without a test, error %v, want 1 and an error", c.Without, err)
	}
	flows := map[string]any{"max_fct_us_lo": 10.0, "mean_fct_us": 9.0, "replicas": int64(5)}
	c, err = Compare(syntheticTable(modelOf("fattree"), flows), syntheticTable(modelOf("fattree"), flows), "", "")
	if err == nil || c.Without != 2 {
		t.Errorf("%d differences without a test, error %v, want 2 and an error", c.Without, err)
	}
}

// TestSignificant: a difference is significant from p < 0.05 on.
func TestSignificant(t *testing.T) {
	for p, want := range map[float64]bool{0.0499: true, 0.05: false, 0.4: false} {
		if got := (difference{p: p}).significant(); got != want {
			t.Errorf("p = %v: %v, want %v", p, got, want)
		}
	}
}
