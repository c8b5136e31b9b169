package view

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/plot"
)

// writtenCSV returns the path of a CSV file with the given text.
func writtenCSV(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// drawnFile returns the plot of a CSV file with the given text, and the output on the standard error.
func drawnFile(t *testing.T, f Plot, text string) (*Drawing, string, error) {
	t.Helper()
	var said strings.Builder
	tables, err := f.Read(context.Background(), cases.All(), []string{writtenCSV(t, text)}, &said)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Draw(&f, tables)
	if err == nil {
		_, err = d.Figure.Render(f.Style, plot.SVG)
	}
	return d, said.String(), err
}

// traceText is a file of fattree --trace: windows of two flows, trimmed packets and sums, and losses, which are 0.
const traceText = "time_us,quantity,number,value\n2,cwnd_packets,0,10\n2,cwnd_packets,1,20\n2,trimmed,,1000\n2,lost,,0\n2,sent,,7\n" +
	"4,cwnd_packets,0,11\n4,cwnd_packets,1,\n4,trimmed,,3000\n4,lost,,0\n4,sent,,8\n"

// TestPlotTrace: a trace has a panel for each quantity that is not always 0, except sums. Panels are stacked, each
// with its own vertical axis, and share the horizontal axis. There is a line for each number, and the line of the
// whole network has no name. If --where chooses a quantity, there is one panel, and its axis has the quantity's
// name.
func TestPlotTrace(t *testing.T) {
	d, said, err := drawnFile(t, Plot{Kind: LinePlot, X: "time_us", Y: "value"}, traceText)
	if err != nil {
		t.Fatal(err)
	}
	f := d.Figure
	if f.SharedAxes || !f.SharedX || f.Columns != plot.Single || len(f.Panels) != 2 || len(f.Panels[0]) != 1 {
		t.Fatalf("%+v", f)
	}
	window, trimmed := f.Panels[0][0], f.Panels[1][0]
	if window.Title != "Window (packets)" || trimmed.Title != "Trimmed (packets)" || window.YLabel != "" || window.XLabel != "" || trimmed.XLabel != "Time (µs)" {
		t.Errorf("titles %q and %q, labels %q, %q and %q", window.Title, trimmed.Title, window.YLabel, window.XLabel, trimmed.XLabel)
	}
	if len(window.Series) != 2 || window.Series[1].Name != "flow 1" || trimmed.Series[0].Name != "" || !slices.Equal(trimmed.Series[0].Y, []float64{1000, 3000}) {
		t.Errorf("%+v, %+v", window.Series, trimmed.Series)
	}
	if !strings.Contains(said, "no panel for what is 0 all the time: lost") || !strings.Contains(said, "no panel by default for sent:") {
		t.Errorf("said %q", said)
	}
	d, said, err = drawnFile(t, Plot{Kind: LinePlot, X: "time_us", Y: "value", Where: []string{"quantity=cwnd_packets"}}, traceText)
	if err != nil || said != "" || len(d.Figure.Panels) != 1 || d.Figure.Panels[0][0].Title != "" || d.Figure.Panels[0][0].YLabel != "Window (packets)" || len(d.Figure.Panels[0][0].Series) != 2 {
		t.Errorf("of one quantity: %+v, %q, %v", d.Figure, said, err)
	}
	d, _, err = drawnFile(t, Plot{Kind: LinePlot, X: "time_us", Y: "value", Where: []string{"quantity=cwnd_packets", "quantity=sent"}}, traceText)
	if err != nil || len(d.Figure.Panels) != 2 || !d.Stack {
		t.Errorf("of two quantities: %+v, %v", d.Figure, err)
	}
}

// TestPlotTraceOfMany: ports of a tier and flows have a line each if they are few. Otherwise they have two lines: their
// mean and the largest of them. --by number draws each.
func TestPlotTraceOfMany(t *testing.T) {
	text := "time_us,quantity,number,value\n"
	for _, time := range []int{2, 4} {
		for port := range 9 {
			text += fmt.Sprintf("%d,port_queue_packets,tor%d:up%d,%d\n%[1]d,port_queue_packets,spine%[2]d:down%[3]d,%[5]d\n", time, port/3, port%3, port*time, time)
		}
		for flow := range 5 {
			text += fmt.Sprintf("%d,cwnd_packets,%d,%d\n", time, flow, 10+flow)
		}
	}
	names := func(f Plot) (list []string) {
		f.Kind, f.X, f.Y = LinePlot, "time_us", "value"
		d, said, err := drawnFile(t, f, text)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(said, "drawn as their mean and largest") != strings.Contains(fmt.Sprint(d.lines), "largest") {
			t.Errorf("said %q", said)
		}
		for _, p := range slices.Concat(d.Figure.Panels...) {
			for _, s := range p.Series {
				list = append(list, fmt.Sprint(p.Title, p.YLabel, ": ", s.Name, " ", s.Y))
			}
		}
		return list
	}
	ports := []string{": tor:up, mean [8 16]", ": tor:up, largest [16 32]", ": spine:down, mean [2 4]", ": spine:down, largest [2 4]"}
	for i := range ports {
		ports[i] = "Port queue (packets)" + ports[i]
	}
	flows := []string{"Window (packets): flows, mean [12 12]", "Window (packets): flows, largest [14 14]"}
	if got := names(Plot{}); !slices.Equal(got, append(ports, flows...)) {
		t.Errorf("several quantities: %q", got)
	}
	if got := names(Plot{Where: []string{"quantity=port_queue_packets"}}); !slices.Equal(got, ports) {
		t.Errorf("ports: %q", got)
	}
	if got := names(Plot{Where: []string{"quantity=cwnd_packets"}}); len(got) != 5 || got[4] != "Window (packets): flow 4 [14 14]" {
		t.Errorf("flows: %q", got)
	}
	if got := names(Plot{By: "number"}); len(got) != 2*9+5 || got[22] != "Window (packets): Number = 4 [14 14]" {
		t.Errorf("by number: %q", got)
	}
}

// TestPlotByKeys: --by with several keys has a line for each combination that rows have, with the names of its values.
// The lines of a balancer have shades of its colour. --legend renames the values of each key.
func TestPlotByKeys(t *testing.T) {
	const text = "x,lb,evs,y\n1,ops,16,1\n1,ops,64,2\n1,reps,16,3\n1,reps,64,4\n2,reps,64,5\n"
	d, _, err := drawnFile(t, Plot{Kind: LinePlot, X: "x", Y: "y", By: "lb, evs", Legend: "ops=OPS", Colors: "64=red,reps=blue"}, text)
	if err != nil {
		t.Fatal(err)
	}
	p, ops := d.Figure.Panels[0][0], plot.BalancerColor("ops")
	red, _ := plot.InkNamed("red")
	for i, name := range []string{"OPS, EVs = 16", "OPS, EVs = 64", "reps, EVs = 16", "reps, EVs = 64"} {
		if len(p.Series) != 4 || p.Series[i].Name != name {
			t.Fatalf("line %d: %+v, want %s", i, p.Series, name)
		}
	}
	if p.Series[0].Color != ops || p.Series[1].Color != ops.Hollow().WithInk(red) || !slices.Equal(p.Series[3].Y, []float64{4, 5}) {
		t.Errorf("%+v", p.Series)
	}
	if !slices.Equal(p.X.Few, []float64{1, 2}) {
		t.Errorf("values of x %v", p.X.Few)
	}
	d, _, err = drawnFile(t, Plot{Kind: LinePlot, X: "x", Y: "y", By: "lb,evs,file", RatioTo: "ops,16, t", Where: []string{"x=1"}}, text)
	if err != nil || len(d.lines) != 4 || !slices.Equal(d.Figure.Panels[0][0].Series[3].Y, []float64{4}) {
		t.Errorf("relative to a line: %+v, error %v", d, err)
	}
	for by, want := range map[string]string{"lb,lb": "each once", "lb,": "each once", "lb,evz": "did you mean evs?"} {
		if _, err := (&Plot{Kind: LinePlot, X: "x", Y: "y", By: by}).Read(context.Background(), cases.All(), []string{writtenCSV(t, text)}, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--by %s: error %v, want %s", by, err, want)
		}
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
