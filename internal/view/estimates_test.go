package view

import (
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/frame"
	"repslab/internal/rows"
)

// TestEstimatesAreFound: each estimate of each model's rows is printed with its interval and drawn with it, and
// compared if it has a standard error. Parameters and columns beside estimates are none.
func TestEstimatesAreFound(t *testing.T) {
	for _, m := range cases.All() {
		columns := m.Columns()
		row := map[string]any{}
		for i, c := range columns {
			row[c.Key] = float64(100 * (i + 1))
		}
		row["replicas"], row["converged"] = int64(8), int64(8)
		for key, beside := range frame.Estimates(frame.Keys(m.Results)) {
			value := row[key].(float64)
			row[beside.Se], row[beside.Lo], row[beside.Hi] = 1.5, value-4, value+7
		}
		results := syntheticTable(m, row)
		compared, err := meansOf(results, "")
		if err != nil {
			t.Fatal(err)
		}
		shown := (&Flags{Format: rows.Aligned, Columns: frame.Keys(columns), Interval: Brackets}).shown(results, nil)
		estimates := 0
		for i, c := range columns {
			beside, is := results.Beside[c.Key]
			text, _ := shown[i].cell(results.Rows[0]).(string)
			mean, err := (&Drawing{Plot: &Plot{Y: c.Key}}).mean(results.Rows[0])
			if err != nil {
				t.Fatal(err)
			}
			if found := strings.Contains(text, "["); found != is || !math.IsNaN(mean.Hi) != is {
				t.Errorf("%s: %s: printed as %q, drawn with %v, an estimate: %v", m.Name, c.Key, text, mean.Hi, is)
			}
			if slices.Contains(compared, c.Key) != (beside.Se != "") {
				t.Errorf("%s: %s: compared %v, standard error %q", m.Name, c.Key, compared, beside.Se)
			}
			if is {
				estimates++
			}
		}
		if estimates < 4 {
			t.Errorf("%s has %d estimates", m.Name, estimates)
		}
	}
}

// TestPlotsIntervalsOfFigures: the interval of a figure's column is drawn. A parameter has none, although an estimate's
// key begins with its key, and a column without a key tells no lines apart.
func TestPlotsIntervalsOfFigures(t *testing.T) {
	const file = ",exceeds,exceeds_probability,exceeds_lo,exceeds_hi,speedup_over_ops,speedup_over_ops_lo,speedup_over_ops_hi,seed,replicas\n" +
		"0,3,0.2,0.1,0.4,2,1.5,2.5,1,5\n1,4,0.1,0.05,0.2,3,2.5,3.5,1,5\n"
	for key, hi := range map[string]float64{"exceeds": math.NaN(), "exceeds_probability": 0.4, "speedup_over_ops": 2.5} {
		d, _, err := drawnFile(t, Plot{Kind: LinePlot, X: "replicas", Y: key, By: "exceeds"}, file)
		if err != nil {
			t.Fatal(err)
		}
		list := d.Figure.Panels[0][0].Series
		if len(list) != 2 || math.IsNaN(hi) != (list[0].Hi == nil) || list[0].Hi != nil && list[0].Hi[0] != hi {
			t.Errorf("%s: %d lines, intervals %v, want %v", key, len(list), list[0].Hi, hi)
		}
	}
	d, _, err := drawnFile(t, Plot{Kind: LinePlot, X: "exceeds", Y: "exceeds_probability"}, file)
	if err != nil || len(d.Figure.Panels[0][0].Series) != 1 {
		t.Errorf("without --by: error %v, lines %v", err, d.Figure.Panels[0][0].Series)
	}
}
