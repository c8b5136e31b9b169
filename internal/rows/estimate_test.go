package rows

import (
	"fmt"
	"math"
	"testing"

	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/sweep"
)

// estimateOf returns the estimate y of a row of a model, or of a CSV file if the name is empty.
func estimateOf(model string, cells map[string]any) Estimate {
	keys := []string{"y", "y_se", "y_lo", "y_hi", "replicas"}
	t := New(param.Model{Name: model}, frame.Numbers(keys...))
	row := make([]any, len(keys))
	for i, key := range keys {
		row[i] = cells[key]
	}
	t.AddRow(row)
	return t.Rows[0].Estimate("y")
}

// TestEnds: without ends in a row the interval is Student's, of four runs with a standard error of 1 the mean give or
// take 3.182. A model's results are not negative, other numbers may be. Ends of the row are taken as they are.
func TestEnds(t *testing.T) {
	none, all := math.Inf(-1), math.Inf(1)
	for _, c := range []struct {
		model  string
		cells  map[string]any
		lo, hi float64
	}{
		{"m", map[string]any{"y": 2.0, "y_se": 1.0, "replicas": int64(4)}, 0, 5.182},
		{"", map[string]any{"y": 2.0, "y_se": 1.0, "replicas": int64(4)}, -1.182, 5.182},
		{"m", map[string]any{"y": 5.0, "y_se": 1.0, "replicas": int64(4)}, 1.818, 8.182},
		{"m", map[string]any{"y": -2.0, "y_se": 1.0, "replicas": int64(4)}, -5.182, 1.182}, // it is no quantity of this kind
		{"m", map[string]any{"y": 2.0, "y_se": 1.0, "replicas": int64(2)}, 0, 14.706},
		{"m", map[string]any{"y": 2.0, "y_se": 1.0, "replicas": int64(1)}, none, all},
		{"m", map[string]any{"y": 2.0, "y_se": 0.0, "replicas": int64(4)}, none, all},
		{"m", map[string]any{"y": 2.0, "y_se": 1.0}, none, all},
		{"m", map[string]any{"y": 2.0, "y_se": 1.0, "y_lo": -7.0, "y_hi": 9.0, "replicas": int64(4)}, -7, 9},
		{"m", map[string]any{"y_lo": 3.0}, 3, all},
		{"m", map[string]any{"y_hi": 3.0}, none, 3},
	} {
		same := func(x, y float64) bool { return x == y || math.Abs(x-y) < 1e-3 }
		if e := estimateOf(c.model, c.cells); !same(e.Lo, c.lo) || !same(e.Hi, c.hi) {
			t.Errorf("model %q, %v: [%v, %v], want [%v, %v]", c.model, c.cells, e.Lo, e.Hi, c.lo, c.hi)
		}
	}
}

// TestBounds: a row without a value and with one end is a bound.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		cells map[string]any
		want  string
	}{
		{map[string]any{"y_lo": 3.5}, "> 3.5"}, {map[string]any{"y_hi": 3.5}, "< 3.5"}, {map[string]any{"y_lo": 1.0, "y_hi": 3.5}, ""},
		{map[string]any{}, ""}, {map[string]any{"y": 2.0, "y_lo": 1.0}, ""},
	} {
		if e := estimateOf("m", c.cells); e.Bound() != c.want || e.Bounded() != (c.want != "") {
			t.Errorf("%v: %q, want %q", c.cells, e.Bound(), c.want)
		}
	}
}

// TestRunsOfBlocks: rounds until convergence are over the converged runs of a block, other results over all of its
// replicas. A block without a value, or without runs, gives none.
func TestRunsOfBlocks(t *testing.T) {
	table := New(param.Model{Name: "m"}, frame.Numbers("rounds_mean", "load_mean", "converged", "replicas"))
	table.results = []string{"rounds_mean", "load_mean", "converged"}
	blocks := func(converged int64) []sweep.BlockResults {
		return []sweep.BlockResults{{Replicas: 8, Rows: [][]any{{5.0, 1.5, int64(3)}}}, {Replicas: 6, Rows: [][]any{{7.0, 2.5, converged}}}}
	}
	for converged, want := range map[int64]string{2: "[5 7] [3 2]", 0: "[] []"} {
		table.Rows = nil
		table.AddRow([]any{6.0, 2.0, 3 + converged, int64(14)})
		row := table.Rows[0]
		table.blocks = map[*any]blocksOfRow{&row.Cells[0]: {blocks(converged), 0}}
		for key, want := range map[string]string{"rounds_mean": want, "load_mean": "[1.5 2.5] [8 6]", "other": "[] []"} {
			values, runs := row.Blocks(key)
			if got := fmt.Sprint(values, " ", runs); got != want {
				t.Errorf("%d converged, %s: %s, want %s", converged, key, got, want)
			}
		}
	}
}
