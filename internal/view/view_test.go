package view

import (
	"math"
	"slices"
	"strings"
	"testing"

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
