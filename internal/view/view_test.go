package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/mc"
)

// TestIntervalCells: the half width of an interval has two digits, an interval that is not symmetric has
// brackets, and without an interval the cell is the value.
func TestIntervalCells(t *testing.T) {
	for _, c := range []struct {
		value, stdErr float64
		style, want   string
	}{
		{10, 1, PlusMinus, "10.0 ± 4.3"}, // Student's quantile for three runs is 4.303
		{10, 1, Brackets, "10.0 [5.7, 14.3]"},
		{-1234.5, 0.01, PlusMinus, "-1234.500 ± 0.043"},
		{12345, 1000, PlusMinus, "12345 ± 4303"},
		{2e-5, 1e-6, PlusMinus, "(2.00 ± 0.43)e-05"},
		{2e9, 1e7, Brackets, "2.000 [1.957, 2.043]e+09"},
		{9_999_999, 1e5, PlusMinus, "9999999 ± 430265"}, {1e7, 1e5, PlusMinus, "(1.000 ± 0.043)e+07"},
		{0.001, 1e-4, PlusMinus, "0.00100 ± 0.00043"}, {0.0009, 1e-4, PlusMinus, "(9.0 ± 4.3)e-04"},
	} {
		results := syntheticTable(modelOf("ballsbins"), map[string]any{
			"max_load_mean": c.value, "max_load_se": c.stdErr, "replicas": int64(3), "mean_field_max_load": 7.0,
			"exceeds_probability": 0.5, "exceeds_lo": 0.4, "exceeds_hi": 0.7, "exceeds": int64(9),
		})
		if got := withInterval(results.Rows[0], "max_load_mean", c.style); got != c.want {
			t.Errorf("%v, %v: %v, want %s", c.value, c.stdErr, got, c.want)
		}
		if got := withInterval(results.Rows[0], "exceeds_probability", c.style); got != "0.50 [0.40, 0.70]" {
			t.Errorf("asymmetric: %v", got)
		}
		if results.IsEstimate("exceeds") || results.IsEstimate("mean_field_max_load") || !results.IsBound("exceeds_lo") {
			t.Error("a parameter or a mean without an interval is an estimate, or an end is none")
		}
	}
	single := syntheticTable(modelOf("ballsbins"), map[string]any{"max_load_mean": 10.0, "replicas": int64(1)})
	if got := withInterval(single.Rows[0], "max_load_mean", PlusMinus); got != 10.0 {
		t.Errorf("one run: %v", got)
	}
	skewed := map[string]any{"exceeds_probability": 0.5, "exceeds_lo": 0.4, "exceeds_hi": 0.606}
	if got := withInterval(syntheticTable(modelOf("ballsbins"), skewed).Rows[0], "exceeds_probability", PlusMinus); got != "0.50 [0.40, 0.61]" {
		t.Errorf("3 %% of its half width from symmetric: %v", got)
	}
}

// TestIdenticalRuns: runs that are all alike have no interval, whether a standard error of 0 or missing ends tell it:
// not in a cell, in a long table, in a plot, which says so, or in a comparison, which has the p-value of signs.
func TestIdenticalRuns(t *testing.T) {
	alike := syntheticTable(modelOf("ballsbins"), map[string]any{
		"max_load_mean": 14.0, "max_load_se": 0.0, "max_load_p95": 14.0, "total_load_mean": 40.0, "total_load_se": 0.5, "replicas": int64(20),
	})
	row := alike.Rows[0]
	for key, want := range map[string]bool{"max_load_mean": false, "max_load_p95": false, "total_load_mean": true} {
		if e := row.Estimate(key); math.IsInf(e.Hi-e.Lo, 1) == want {
			t.Errorf("%s: [%v, %v]", key, e.Lo, e.Hi)
		}
		d := &Drawing{Plot: &Plot{Y: key}}
		m, err := d.mean(row)
		if said := strings.Contains(m.omission, "runs are all alike"); err != nil || said == want || math.IsNaN(m.Lo) == want {
			t.Errorf("%s: %+v, %v", key, m, err)
		}
		long := slices.IndexFunc(alike.Long().Rows, func(r rows.Row) bool { return r.Get(rows.QuantityKey) == key })
		if lo, ok := alike.Long().Rows[long].Number("lo"); ok != want {
			t.Errorf("%s: long table from %v", key, lo)
		}
	}
	if got := withInterval(row, "max_load_mean", PlusMinus); got != 14.0 {
		t.Errorf("identical runs: %v", got)
	}
	rounds := syntheticTable(modelOf("recycled"), map[string]any{"rounds_p50": 9.0, "converged": int64(7), "max_load_mean": 3.0, "replicas": int64(20)}).Rows[0]
	for key, want := range map[string]float64{"rounds_mean": 7, "rounds_p50": 7, "rounds_per_n": 7, "max_load_mean": 20} {
		if n := rounds.Estimate(key).Runs; n != want {
			t.Errorf("%s: %v runs, want %v", key, n, want)
		}
	}
	other := syntheticTable(modelOf("ballsbins"), map[string]any{
		"max_load_mean": 15.0, "max_load_se": 0.0, "total_load_mean": 44.0, "total_load_se": 0.5, "replicas": int64(20),
	})
	c, err := Compare(alike, other, "", "")
	if err != nil || len(c.differences) != 2 || c.Without != 0 {
		t.Fatalf("compared %+v, %v", c, err)
	}
	if d := c.differences[0]; d.y != "max_load_mean" || d.test.P != math.Ldexp(2, -20) || !math.IsInf(d.test.Hi, 1) {
		t.Errorf("14 against 15 in 20 runs each: %+v", d)
	}
	if w := c.differences[1].test; w != mc.NewWelch(4, 0.5, 20, 0.5, 20) {
		t.Errorf("40 against 44: %+v", w)
	}
}

// TestMarks: differences are written as benchstat writes them.
func TestMarks(t *testing.T) {
	for want, d := range map[string]difference{
		"~ (p=0.051 n=10)":          {a: mc.Estimate{Value: 1, N: 10}, b: mc.Estimate{Value: 2, N: 10}, p: 0.0509},
		"+100.00% (p=0.049 n=10+7)": {a: mc.Estimate{Value: 1, N: 10}, b: mc.Estimate{Value: 2, N: 7}, p: 0.049},
		"-50.00% (p=0.000 n=3)":     {a: mc.Estimate{Value: -2, N: 3}, b: mc.Estimate{Value: -3, N: 3}, p: 1e-9},
		"? (p=0.010 n=3)":           {a: mc.Estimate{Value: 0, N: 3}, b: mc.Estimate{Value: 1, N: 3}, p: 0.01},
	} {
		if got := d.mark(); got != want {
			t.Errorf("%+v: %s, want %s", d, got, want)
		}
	}
}

// TestDifferences: a row has the means, b - a between the ends of its interval, the difference relative to the size
// of a, which may be negative, and no number of pairs without pairs.
func TestDifferences(t *testing.T) {
	c := Comparison{differences: []difference{
		{y: "y", a: mc.Estimate{Value: -4}, b: mc.Estimate{Value: -3}, test: mc.Welch{Lo: 0.5, Hi: 1.5, P: 0.01}, p: 0.02},
		{y: "y", a: mc.Estimate{Value: 4}, b: mc.Estimate{Value: 3}, test: mc.Welch{Lo: -1.5, Hi: -0.5, P: 0.03}, p: 0.06, pairs: 5},
	}}
	keys := []string{"a", "b", "difference", "difference_lo", "difference_hi", PairsKey, "relative_difference", "p", "p_adjusted", "significant"}
	for i, want := range []string{"[-4 -3 1 0.5 1.5 <nil> 0.25 0.01 0.02 true]", "[4 3 -1 -1.5 -0.5 5 -0.25 0.03 0.06 false]"} {
		if got := fmt.Sprint(c.Table().Rows[i].Pick(keys)); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}

// TestCellsOfAHeatMap: a value lies in the cell that begins at or below it; a multiple of the width begins a cell,
// also where its quotient by the width is rounded down, as 0.3 / 0.1 is.
func TestCellsOfAHeatMap(t *testing.T) {
	d := &Drawing{Plot: &Plot{Kind: HeatPlot, X: "x", XBin: 0.1}}
	table := rows.New(param.Model{}, frame.Numbers("x"))
	for k := range 200 {
		table.AddRow([]any{float64(k) / 10})
		table.AddRow([]any{float64(k)/10 + 0.0999})
	}
	for i, row := range table.Rows {
		if got, want := d.across(row), float64(i/2)/10; got != want {
			t.Errorf("%v is in the cell of %v, want %v", row.Cells[0], got, want)
		}
	}
}

// TestCoordinates: a logarithmic axis takes 0, which it draws at its end, and no negative number; the colours of a
// heat map take positive numbers alone. Other axes take all.
func TestCoordinates(t *testing.T) {
	table := rows.New(param.Model{}, frame.Numbers("v"))
	for _, v := range []float64{-1, 0, 1} {
		table.AddRow([]any{v})
	}
	for axis, least := range map[string]float64{"x": 0, "y": 0, "value": 1} {
		for _, row := range table.Rows {
			want := row.Cells[0].(float64)
			if v, err := coordinate(row, axis, "v", true); (err == nil) != (want >= least) || err == nil && v != want {
				t.Errorf("--log-%s: %v gives %v, error %v", axis, want, v, err)
			}
			if v, err := coordinate(row, axis, "v", false); err != nil || v != want {
				t.Errorf("--%s: %v gives %v, error %v", axis, want, v, err)
			}
		}
	}
}
