package view

import (
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/rows"
)

// networkRows are rows of two balancers with 16 and 64 EVs, means 2 and 4 times as large under a failure,
// from 5 replicas each; ecmp has one run, and no value under a failure.
func networkRows() *rows.Table {
	var rows []map[string]any
	for _, failure := range []string{"none", "cables=1,at=5"} {
		for _, lb := range []string{"ops", "reps", "ecmp"} {
			for _, evs := range []int64{64, 16} {
				row := map[string]any{
					"failure": failure, "lb": lb, "evs": evs, "max_fct_us": 100 / float64(evs), "max_fct_us_se": 1 / float64(evs),
					"mean_fct_us": 10.0, "flows": 8.0, "finished": 8.0, "replicas": int64(5),
				}
				switch {
				case lb == "ecmp" && failure != "none":
					row["max_fct_us"], row["max_fct_us_se"] = nil, nil
				case lb == "ecmp":
					row["max_fct_us_se"], row["replicas"] = nil, int64(1)
				case failure != "none":
					row["max_fct_us"] = map[string]float64{"ops": 400, "reps": 200}[lb] / float64(evs)
				}
				rows = append(rows, row)
			}
		}
	}
	return syntheticTable(modelOf("fattree"), rows...)
}

// csvTable reads a CSV file.
func csvTable(t *testing.T, path string) *rows.Table {
	t.Helper()
	table, err := rows.ReadAny(t.Context(), nil, path, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// drawn returns the plot of tables.
func drawn(t *testing.T, f Plot, tables ...*rows.Table) *Drawing {
	t.Helper()
	paths := []string{"a.jsonl", "b.jsonl"}[:len(tables)]
	for i, table := range tables {
		table.Path = paths[i]
		table.AddFile(paths)
	}
	d, err := Draw(&f, tables)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Figure.Render(f.Style, plot.SVG); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPlotFacets: a panel for each value, with common axes and legend. Labels stand at the outer sides,
// and lines have the colours of the balancers even if they are renamed.
func TestPlotFacets(t *testing.T) {
	d := drawn(t, Plot{
		Kind: LinePlot, X: "evs", Y: "max_fct_us", By: "lb", Facet: "failure", LogX: true, Ends: [4]*float64{2: new(0.0)}, Title: "T",
		Legend: "cables=1,at=5=One cable, failed,ops=OPS",
	}, networkRows())
	f := d.Figure
	if !f.SharedAxes || !f.SharedLegend || f.Title != "T" || f.Columns != plot.Double || len(f.Panels) != 1 || len(f.Panels[0]) != 2 {
		t.Fatalf("%+v", f)
	}
	left, right := f.Panels[0][0], f.Panels[0][1]
	got := []string{left.Title, right.Title, left.XLabel, left.YLabel, right.XLabel, right.YLabel}
	if want := []string{"none", "One cable, failed", "EVs", "Maximum FCT (µs)", "EVs", ""}; !slices.Equal(got, want) {
		t.Errorf("titles and labels %q, want %q", got, want)
	}
	if left.X.Scale != plot.Log2 || *left.Y.Min != 0 || *right.Y.Min != 0 {
		t.Errorf("axes %+v and %+v", left.X, left.Y)
	}
	for i, want := range []plot.Series{
		{Name: "OPS", Color: plot.Vermilion}, {Name: "reps", Color: plot.Blue}, {Name: "ecmp", Color: plot.Green},
	} {
		s := right.Series[i]
		if s.Name != want.Name || s.Color != want.Color || !slices.Equal(s.X, []float64{16, 64}) {
			t.Errorf("line %d: %+v, want %+v at 16 and 64", i, s, want)
		}
	}
	want := []string{
		"2 of 12 points have no interval of max_fct_us: fewer than three runs give none",
		"2 of 12 points have no max_fct_us: they are left out",
	}
	if got = d.Warnings(); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

// TestPlotRatios: each value is divided by the value of the named line at the same x in the same panel.
// Both relative standard errors of reps under no failure are 0.01, with 8 degrees of freedom together:
// 2.306004 * 0.01414214 = 0.03261183; its exponential is 1.033149.
func TestPlotRatios(t *testing.T) {
	d := drawn(t, Plot{Kind: LinePlot, X: "evs", Y: "max_fct_us", By: "lb", Facet: "failure", RatioTo: "ops"}, networkRows())
	left, right := d.Figure.Panels[0][0], d.Figure.Panels[0][1]
	if left.YLabel != "Maximum FCT relative to ops" {
		t.Errorf("label %q", left.YLabel)
	}
	ops, reps, ecmp := left.Series[0], left.Series[1], left.Series[2]
	if ops.Y[0] != 1 || ops.Lo != nil || ecmp.Y[0] != 1 || !math.IsNaN(ecmp.Hi[0]) {
		t.Errorf("ops %+v, ecmp %+v, want 1 without intervals", ops, ecmp)
	}
	if reps.Y[1] != 1 || math.Abs(reps.Hi[1]-1.033149) > 1e-6 || math.Abs(reps.Lo[1]-1/1.033149) > 1e-6 {
		t.Errorf("reps %+v, want 1 from 1/1.033149 to 1.033149", reps)
	}
	if y := right.Series[1].Y; y[0] != 0.5 || y[1] != 0.5 {
		t.Errorf("reps under a failure: %v, want a half", y)
	}
	lacking := networkRows()
	lacking.Rows = slices.DeleteFunc(lacking.Rows, func(r rows.Row) bool { return r.Get("lb") == "ops" && r.Get("evs") == int64(16) })
	d = drawn(t, Plot{Kind: BarPlot, X: "evs", Y: "max_fct_us", By: "lb", Facet: "failure", RatioTo: "ops"}, lacking)
	if y := d.Figure.Panels[0][0].Series[1].Y; !math.IsNaN(y[0]) || y[1] != 1 {
		t.Errorf("reps over a line without 16 EVs: %v", y)
	}
	const want = "3 of 10 points are left out: --ratio-to has no value there to divide by"
	if said := d.Warnings(); !slices.Contains(said, want) {
		t.Errorf("warnings %q", said)
	}
}

// TestPlotBars: texts are categories. Every line has a place in each category, so that bars are in the
// same order.
func TestPlotBars(t *testing.T) {
	table := networkRows()
	table.Rows = table.Rows[2:6] // reps and ecmp, no failure
	table.Rows[3].Cells[slices.Index(frame.Keys(table.Columns), "lb")] = "plb"
	p := drawn(t, Plot{Kind: BarPlot, X: "lb", Y: "max_fct_us", By: "evs", Legend: "reps=REPS"}, table).Figure.Panels[0][0]
	if !slices.Equal(p.X.TickLabels, []string{"REPS", "ecmp", "plb"}) || p.XLabel != "Load balancer" {
		t.Errorf("axis %+v, label %q", p.X, p.XLabel)
	}
	for i, want := range []struct {
		name string
		none int
	}{{"EVs = 64", 2}, {"EVs = 16", 1}} {
		s := p.Series[i]
		if s.Mark != plot.Bars || s.Name != want.name || !slices.Equal(s.X, []float64{0, 1, 2}) || s.Hi[0] <= s.Y[0] {
			t.Errorf("%+v, want bars of %s", s, want.name)
		}
		if !math.IsNaN(s.Y[want.none]) || math.IsNaN(s.Y[3-want.none]) {
			t.Errorf("%+v, want no bar at %d alone", s, want.none)
		}
	}
}

// TestPlotEnds: the axes of all panels have the ends that the flags give, and --colors changes only the
// ink of a line.
func TestPlotEnds(t *testing.T) {
	f := Plot{Kind: LinePlot, X: "evs", Y: "max_fct_us", By: "lb", Facet: "failure", Ends: [4]*float64{new(20.0), new(60.0), new(1.0), new(3.0)}, LogY: true, Colors: "ops=Red,reps=#1f77b4"}
	for _, p := range drawn(t, f, networkRows()).Figure.Panels[0] {
		if *p.X.Min != 20 || *p.X.Max != 60 || *p.Y.Min != 1 || *p.Y.Max != 3 || p.Y.Scale != plot.Log10 {
			t.Errorf("axes %+v and %+v", p.X, p.Y)
		}
		for i, want := range []plot.Color{plot.Vermilion.WithInk(color.RGBA{255, 0, 0, 255}), plot.Blue.WithInk(color.RGBA{31, 119, 180, 255}), plot.Green} {
			if got := p.Series[i].Color; got != want {
				t.Errorf("line %d has colour %x, want %x", i, got, want)
			}
		}
	}
	f = Plot{Kind: BarPlot, X: "evs", Y: "flows", By: "failure", Facet: "lb", Colors: "none=red,cables=1,at=5=blue"}
	if s := drawn(t, f, networkRows()).Figure.Panels[0][0].Series[1]; s.Color != plot.AutoColor.WithInk(color.RGBA{0, 0, 255, 255}) {
		t.Errorf("bars have colour %x, want blue", s.Color)
	}
}

// TestPlotColumns: the intervals of any CSV file come from _lo and _hi, or are Student's intervals from
// _se and replicas: 3.182446 standard errors with four runs. A warning names what is missing for
// intervals.
func TestPlotColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		text, y, lack string
		lo, hi        float64
	}{
		"ends":      {"x,t,t_lo,t_hi\n1,10,8,13\n2,20,18,23\n", "t", "", 8, 13},
		"errors":    {"x,t,t_se,replicas\n1,10,1,4\n2,20,1,4\n", "t", "", 10 - 3.182446, 10 + 3.182446},
		"mean":      {"x,t_mean,t_se,replicas\n1,10,1,4\n2,20,1,4\n", "t_mean", "", 10 - 3.182446, 10 + 3.182446},
		"converged": {"x,rounds_mean,rounds_se,converged,replicas\n1,10,1,4,9\n2,20,1,4,9\n", "rounds_mean", "", 10 - 3.182446, 10 + 3.182446},
		"few":       {"x,t,t_lo,t_hi,replicas\n1,10,8,13,2\n2,20,18,23,2\n", "t", "fewer than three runs give none", math.NaN(), math.NaN()},
		"unknown":   {"x,t,t_se\n1,10,1\n2,20,1\n", "t", "no number of runs, replicas, and neither t_lo nor _hi", math.NaN(), math.NaN()},
	} {
		if err := os.WriteFile(name+".csv", []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		table := csvTable(t, name+".csv")
		d := drawn(t, Plot{Kind: LinePlot, X: "x", Y: c.y}, table)
		s := d.Figure.Panels[0][0].Series[0]
		if got, lo := s.Hi[0], s.Lo[0]; !(math.Abs(got-c.hi) < 1e-5 && math.Abs(lo-c.lo) < 1e-5) && !math.IsNaN(c.hi+got) {
			t.Errorf("%s: from %v to %v, want %v to %v", name, lo, got, c.lo, c.hi)
		}
		if said := strings.Join(d.Warnings(), ""); (said == "") != (c.lack == "") || !strings.Contains(said, c.lack) || !math.IsNaN(c.hi) && c.lack != "" {
			t.Errorf("%s: warnings %q, want %q", name, said, c.lack)
		}
	}
}

// TestPlotBounds: a row with one end and no value is drawn as a bound, and so is a line of such rows. A
// lower bound divided by a value stays a lower bound; a value divided by it becomes an upper bound.
func TestPlotBounds(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "lb,x,t,t_lo,t_hi\nops,1,,30,\nops,2,,40,\nreps,1,10,8,13\nreps,2,,50,\n"
	if err := os.WriteFile("b.csv", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ratioTo string
		lo, hi  [2][2]float64 // of ops and reps at 1 and 2
	}{
		{"", [2][2]float64{{30, 40}, {8, 50}}, [2][2]float64{{math.Inf(1), math.Inf(1)}, {13, math.Inf(1)}}},
		{"reps", [2][2]float64{{3, math.NaN()}, {math.NaN(), math.NaN()}}, [2][2]float64{{math.Inf(1), math.NaN()}, {math.NaN(), math.NaN()}}},
		{"ops", [2][2]float64{{math.NaN(), math.NaN()}, {math.Inf(-1), math.NaN()}}, [2][2]float64{{math.NaN(), math.NaN()}, {1. / 3, math.NaN()}}},
	} {
		for _, kind := range []Kind{LinePlot, BarPlot} {
			table := csvTable(t, "b.csv")
			d := drawn(t, Plot{Kind: kind, X: "x", Y: "t", By: "lb", RatioTo: c.ratioTo}, table)
			if said := d.Warnings(); c.ratioTo == "" && len(said) != 0 {
				t.Errorf("warnings %q", said)
			}
			same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
			for i, s := range d.Figure.Panels[0][0].Series {
				for k := range s.X {
					lo, hi := math.NaN(), math.NaN()
					if s.Lo != nil {
						lo, hi = s.Lo[k], s.Hi[k]
					}
					if !same(lo, c.lo[i][k]) || !same(hi, c.hi[i][k]) {
						t.Errorf("%s over %q, line %d at %v: [%v, %v], want [%v, %v]", kind, c.ratioTo, i, s.X[k], lo, hi, c.lo[i][k], c.hi[i][k])
					}
				}
			}
		}
	}
}

// TestPlotWhere: several values of one key are alternatives, all keys must match, and names stay the
// names of the rows.
func TestPlotWhere(t *testing.T) {
	f := Plot{Where: []string{"failure=cables=1,at=5", "lb=ops", "lb=reps", "evs=16"}}
	table := networkRows()
	if err := Select([]*rows.Table{table}, f.Where); err != nil || len(table.Rows) != 2 {
		t.Fatalf("%d rows, error %v, want those of two balancers", len(table.Rows), err)
	}
	for i, lb := range []string{"ops", "reps"} {
		if row := table.Rows[i]; row.Get("lb") != lb || row.Get("evs") != int64(16) || row.Get("failure") != "cables=1,at=5" {
			t.Errorf("row %d: %v", i, row.Cells)
		}
	}
}

// TestPlotLogarithms: bars begin at --y-min, or at 1 for ratios. The tail of a distribution is the share
// above x.
func TestPlotLogarithms(t *testing.T) {
	f := Plot{Kind: BarPlot, X: "evs", Y: "max_fct_us", By: "lb", Facet: "failure", LogY: true, Ends: [4]*float64{2: new(0.5)}}
	if p := drawn(t, f, networkRows()).Figure.Panels[0][0]; p.Origin != 0.5 || p.Y.Scale != plot.Log10 {
		t.Errorf("bars begin at %v", p.Origin)
	}
	f.RatioTo = "ops"
	if p := drawn(t, f, networkRows()).Figure.Panels[0][0]; p.Origin != 1 {
		t.Errorf("bars of ratios begin at %v", p.Origin)
	}
	p := drawn(t, Plot{Kind: CdfPlot, X: "max_fct_us", By: "lb", LogY: true}, networkRows()).Figure.Panels[0][0]
	if s := p.Series[0]; !slices.Equal(s.X, []float64{1.5625, 1.5625, 6.25, 25}) || !slices.Equal(s.Y, []float64{1, 0.75, 0.25, 0.25}) || p.YLabel != "Share above" {
		t.Errorf("tail %v at %v, label %q", s.Y, s.X, p.YLabel)
	}
	if s := p.Series[2]; !slices.Equal(s.Y, []float64{1, 0.75, 0.5}) { // two of four rows have no value
		t.Errorf("tail of a line without some values: %v", s.Y)
	}
}

// TestPlotDistributions: the share of rows of a line with a value of at most x, relative to all rows of
// the line.
func TestPlotDistributions(t *testing.T) {
	d := drawn(t, Plot{Kind: CdfPlot, X: "max_fct_us", By: "lb"}, networkRows())
	want := []plot.Series{
		{Name: "ops", X: []float64{1.5625, 1.5625, 6.25, 25}, Y: []float64{0, 0.25, 0.75, 1}},
		{Name: "reps", X: []float64{1.5625, 1.5625, 3.125, 6.25, 12.5}, Y: []float64{0, 0.25, 0.5, 0.75, 1}},
		{Name: "ecmp", X: []float64{1.5625, 1.5625, 6.25}, Y: []float64{0, 0.25, 0.5}},
	}
	for i, s := range d.Figure.Panels[0][0].Series {
		if s.Name != want[i].Name || !slices.Equal(s.X, want[i].X) || !slices.Equal(s.Y, want[i].Y) || s.Lo != nil {
			t.Errorf("%+v, want %+v", s, want[i])
		}
	}
	if got := d.Warnings(); len(got) != 1 || got[0] != "2 of 12 points have no max_fct_us: they count as larger than all others" {
		t.Errorf("warnings %q", got)
	}
}

// TestPlotPoints: a mark for each row of a line that has a value, also at the same place.
func TestPlotPoints(t *testing.T) {
	d := drawn(t, Plot{Kind: PointPlot, X: "evs", Y: "max_fct_us"}, networkRows())
	s := d.Figure.Panels[0][0].Series[0]
	if len(s.X) != 10 || len(s.Y) != 10 || s.Mark != plot.Points || s.Lo != nil {
		t.Errorf("%+v", s)
	}
	if got := d.Warnings(); len(got) != 1 || got[0] != "2 of 12 points have no evs or no max_fct_us: they are left out" {
		t.Errorf("warnings %q", got)
	}
	two := drawn(t, Plot{Kind: PointPlot, X: "evs", Y: "max_fct_us"}, networkRows(), networkRows())
	if lines := two.Figure.Panels[0][0].Series; len(lines) != 2 || lines[0].Name != "File = a" && lines[0].Name != "a" || len(lines[1].X) != 10 {
		t.Errorf("points of two files: %+v", lines)
	}
}

// TestPlotHeat: a cell for each row, numbers in order, one colour bar for all panels.
func TestPlotHeat(t *testing.T) {
	d := drawn(t, Plot{Kind: HeatPlot, X: "evs", Y: "lb", Value: "max_fct_us", Facet: "failure", LogValue: true}, networkRows())
	left, right := d.Figure.Panels[0][0], d.Figure.Panels[0][1]
	if got := d.Warnings(); len(got) != 1 || got[0] != "2 of 12 points have no max_fct_us: their cells are blank" {
		t.Errorf("warnings %q", got)
	}
	if !slices.Equal(left.X.TickLabels, []string{"16", "64"}) || !slices.Equal(left.Y.TickLabels, []string{"ops", "reps", "ecmp"}) {
		t.Errorf("axes %q and %q", left.X.TickLabels, left.Y.TickLabels)
	}
	if left.ZLabel != "" || right.ZLabel != "Maximum FCT (µs)" || right.Z.Scale != plot.Log10 {
		t.Errorf("bars of colours %q and %q", left.ZLabel, right.ZLabel)
	}
	s := right.Series[0]
	if s.Mark != plot.Cells || s.X[3] != 1 || s.Y[3] != 0 || s.Z[3] != 6.25 || !math.IsNaN(s.Z[5]) {
		t.Errorf("%+v", s)
	}
}

// TestPlotFiles: if files have rows at the same places, each file has its own lines, with the colours of
// the balancers. If the places differ, the rows form one line.
func TestPlotFiles(t *testing.T) {
	f := Plot{Kind: LinePlot, X: "evs", Y: "max_fct_us", By: "lb", Facet: "failure", Legend: "b=B"}
	s := drawn(t, f, networkRows(), networkRows()).Figure.Panels[0][0].Series
	if len(s) != 6 || s[0].Name != "ops (a)" || s[3].Name != "ops (B)" || s[0].Color.Hollow() != s[3].Color || s[0].Color != plot.Vermilion {
		t.Errorf("%+v", s)
	}
	f.By, f.Facet, f.RatioTo = "file", "lb", "b"
	a, b := networkRows(), networkRows()
	a.Rows, b.Rows = a.Rows[:6], b.Rows[:6]
	if s = drawn(t, f, a, b).Figure.Panels[0][0].Series; len(s) != 2 || s[0].Name != "a" || s[1].Name != "B" || s[0].Y[0] != 1 {
		t.Errorf("%+v", s)
	}
	f = Plot{Kind: LinePlot, X: "evs", Y: "max_fct_us", By: "lb"}
	b = networkRows()
	b.Rows = b.Rows[:0]
	for _, row := range networkRows().Rows[:6] {
		row.Table, row.Cells[slices.Index(frame.Keys(b.Columns), "evs")] = b, row.Get("evs").(int64)*256
		b.Rows = append(b.Rows, row)
	}
	a = networkRows()
	a.Rows = a.Rows[:6]
	s = drawn(t, f, a, b).Figure.Panels[0][0].Series
	if len(s) != 3 || s[0].Name != "ops" || !slices.Equal(s[0].X, []float64{16, 64, 4096, 16384}) {
		t.Errorf("%+v", s)
	}
}

// TestPlotOrigins: the axis of slowdowns may begin at 1, the least slowdown. Other axes, ratios to a line
// and categories begin at 0.
func TestPlotOrigins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("lb,slowdown,fct_us,slowdown_p99\nops,1.002,4,1.1\nops,1.5,5,1.2\nreps,1.01,4,1.3\nreps,1.4,5,1.4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags Plot
		x, y  float64
	}{
		{Plot{Kind: CdfPlot, X: "slowdown", By: "lb"}, 1, 0}, {Plot{Kind: CdfPlot, X: "fct_us", By: "lb"}, 0, 0},
		{Plot{Kind: LinePlot, X: "fct_us", Y: "slowdown_p99", By: "lb"}, 0, 1}, {Plot{Kind: LinePlot, X: "fct_us", Y: "slowdown_p99", By: "lb", RatioTo: "ops"}, 0, 0},
		{Plot{Kind: BarPlot, X: "slowdown", Y: "slowdown_p99", By: "lb"}, 0, 0},
	} {
		table := csvTable(t, path)
		if p := drawn(t, c.flags, table).Figure.Panels[0][0]; p.X.Origin != c.x || p.Y.Origin != c.y {
			t.Errorf("%+v: axes begin at %v and %v, want %v and %v", c.flags, p.X.Origin, p.Y.Origin, c.x, c.y)
		}
	}
}

// TestColumnsWithoutValues: an axis of which no row has a value is an error, as a file without rows is. A value in one
// of several files is enough.
func TestColumnsWithoutValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"empty.csv": "a,b,c\n1,,\n2,NA,3\n", "full.csv": "a,b,c\n1,2,3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flags Plot
		files []string
		want  string
	}{
		{Plot{X: "a", Y: "b"}, []string{"empty.csv"}, `--y: "b" must have a value, but has none in 2 rows`},
		{Plot{X: "b"}, []string{"empty.csv"}, `--x: "b" must have a value, but has none in 2 rows`},
		{Plot{X: "a", Y: "c", Value: "b"}, []string{"empty.csv"}, `--value: "b" must have a value`},
		{Plot{X: "a", Y: "c", Where: []string{"a=1"}}, []string{"empty.csv"}, `--y: "c" must have a value, but has none in 1 rows`},
		{Plot{X: "a", Y: "b"}, []string{"empty.csv", "full.csv"}, ""}, {Plot{X: "a", Y: "c", Value: rowsKey}, []string{"empty.csv"}, ""},
	} {
		if _, err := c.flags.Read(t.Context(), nil, c.files, io.Discard); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v of %v: error %v, want %q", c.flags, c.files, err, c.want)
		}
	}
}
