package view

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/plot"
)

// drawnFile returns the plot of a CSV file with the given text, and the output on the standard error.
func drawnFile(t *testing.T, f Plot, text string) (*Drawing, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	tables, err := f.Read(context.Background(), cases.All(), []string{path}, &said)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Draw(&f, tables)
	if err == nil {
		_, err = d.Figure.Render(f.Style, plot.SVG)
	}
	return d, said.String(), err
}

// traceText is a file of fattree --trace: windows of two flows, marks in thousands, and losses, which are 0.
const traceText = "time_us,quantity,number,value\n2,cwnd_packets,0,10\n2,cwnd_packets,1,20\n2,marked,,1000\n2,lost,,0\n" +
	"4,cwnd_packets,0,11\n4,cwnd_packets,1,\n4,marked,,3000\n4,lost,,0\n"

// TestPlotTrace: a trace has a panel for each quantity that is not always 0. Panels are stacked, each
// with its own vertical axis, and share the horizontal axis. There is a line for each number, and the
// line of the whole network has no name. If --where chooses a quantity, there is one panel.
func TestPlotTrace(t *testing.T) {
	d, said, err := drawnFile(t, Plot{Kind: LinePlot, X: "time_us", Y: "value"}, traceText)
	if err != nil {
		t.Fatal(err)
	}
	f := d.Figure
	if f.SharedAxes || !f.SharedX || f.Columns != plot.Single || len(f.Panels) != 2 || len(f.Panels[0]) != 1 {
		t.Fatalf("%+v", f)
	}
	window, marked := f.Panels[0][0], f.Panels[1][0]
	if window.Title != "Window (packets)" || marked.Title != "Marked" || window.YLabel != "" || window.XLabel != "" || marked.XLabel != "Time (µs)" {
		t.Errorf("titles %q and %q, labels %q, %q and %q", window.Title, marked.Title, window.YLabel, window.XLabel, marked.XLabel)
	}
	if len(window.Series) != 2 || window.Series[1].Name != "Number = 1" || marked.Series[0].Name != "" || !slices.Equal(marked.Series[0].Y, []float64{1000, 3000}) {
		t.Errorf("%+v, %+v", window.Series, marked.Series)
	}
	if !strings.Contains(said, "no panel for what is 0 all the time: lost") {
		t.Errorf("said %q", said)
	}
	d, said, err = drawnFile(t, Plot{Kind: LinePlot, X: "time_us", Y: "value", Where: []string{"quantity=cwnd_packets"}}, traceText)
	if err != nil || said != "" || len(d.Figure.Panels) != 1 || d.Figure.Panels[0][0].Title != "" || len(d.Figure.Panels[0][0].Series) != 2 {
		t.Errorf("of one quantity: %+v, %q, %v", d.Figure, said, err)
	}
	d, _, err = drawnFile(t, Plot{Kind: LinePlot, X: "time_us", Y: "value", Where: []string{"quantity=cwnd_packets", "quantity=marked"}}, traceText)
	if err != nil || len(d.Figure.Panels) != 2 || !d.Stack {
		t.Errorf("of two quantities: %+v, %v", d.Figure, err)
	}
}

// TestPlotStack: with Stack panels of any column stand one under the other, and there may be more.
func TestPlotStack(t *testing.T) {
	text := "a,x,y\n"
	for a := range 13 {
		text += fmt.Sprintf("%d,1,%d\n%d,2,3\n", a, a, a)
	}
	if _, _, err := drawnFile(t, Plot{Kind: LinePlot, X: "x", Y: "y", Facet: "a"}, text); err == nil || !strings.Contains(err.Error(), "at most 12 panels") {
		t.Errorf("13 panels: %v", err)
	}
	d, _, err := drawnFile(t, Plot{Kind: LinePlot, X: "x", Y: "y", Facet: "a", Stack: true}, text)
	if err != nil || len(d.Figure.Panels) != 13 || d.Figure.Panels[3][0].YLabel == "" {
		t.Errorf("13 panels one under the other: %v", err)
	}
}

// TestPlotTotals: cells add up the rows in them, or count them, and columns of cells without rows stay.
// Without adding up, two rows in a cell are an error. Too many cells are an error.
func TestPlotTotals(t *testing.T) {
	const text = "time,ev,sent\n0.1,a,5\n0.15,a,6\n0.3,b,\n0.7,a,8\n"
	cells := func(f Plot) (plot.Panel, plot.Series) {
		f.Kind, f.X, f.Y = HeatPlot, "time", "ev"
		d, _, err := drawnFile(t, f, text)
		if err != nil {
			t.Fatal(err)
		}
		return d.Figure.Panels[0][0], d.Figure.Panels[0][0].Series[0]
	}
	p, s := cells(Plot{Value: "sent", Total: true, XBin: 0.2})
	if !slices.Equal(p.X.TickLabels, []string{"0", "0.2", "0.4", "0.6"}) || !slices.Equal(s.X, []float64{0, 1, 3}) || s.Z[0] != 11 || s.Z[2] != 8 || !math.IsNaN(s.Z[1]) {
		t.Errorf("totals: %q, %+v", p.X.TickLabels, s)
	}
	if p, s = cells(Plot{Value: "rows", XBin: 0.2}); p.ZLabel != "Rows" || !slices.Equal(s.Z, []float64{2, 1, 1}) {
		t.Errorf("numbers of rows: %q, %+v", p.ZLabel, s)
	}
	if _, s = cells(Plot{Value: "sent"}); !slices.Equal(s.X, []float64{0, 1, 2, 3}) || s.Z[1] != 6 {
		t.Errorf("cells of one row: %+v", s)
	}
	many := "a,b,v\n"
	for i := range 501 {
		many += fmt.Sprintf("%d,%d,1\n", i, i)
	}
	for _, c := range []struct {
		f          Plot
		text, want string
	}{
		{Plot{X: "time", Y: "ev", Value: "sent", XBin: 0.2}, text, "several rows have time = 0.1"},
		{Plot{X: "a", Y: "b", Value: "v"}, many, "501 values of a by 501 of b are 251001 cells, more than 250000"},
		{Plot{X: "time", Y: "ev", Value: "sent", XBin: 1e-8, Total: true}, text, "more than 250000"},
	} {
		c.f.Kind = HeatPlot
		if _, _, err := drawnFile(t, c.f, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.f, err, c.want)
		}
	}
}
