package plot

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
)

// heat is a heat map of two by two cells, one of them blank, with a colour bar.
func heat() Plot {
	s := Series{Mark: Cells, X: []float64{0, 1, 0, 1}, Y: []float64{0, 0, 1, 1}, Z: []float64{1, 10, 1000, math.NaN()}}
	p := Panel{Title: "(a)", XLabel: "EVs", YLabel: "Hosts", ZLabel: "FCT (us)", Series: []Series{s}, Z: Axis{Scale: Log10}}
	p.X.Ticks, p.X.TickLabels = []float64{0, 1}, []string{"16", "256"}
	p.Y.Ticks, p.Y.TickLabels = []float64{0, 1}, []string{"8", "1024"}
	return Plot{Title: "A heat map", Panels: [][]Panel{{p}}}
}

// TestCells: every value is a square that fills its share of the frame, with the value inside. A blank
// cell is not drawn. The colours of the bar beside the frame get darker upwards.
func TestCells(t *testing.T) {
	p := panelOf(t, heat().Panels[0][0])
	strokes, fills, texts := drawnBy(p, p.data...)
	whole := heat().Panels[0][0]
	whole.Series[0].Z[3] = 7
	w := panelOf(t, whole)
	if none, _, _ := drawnBy(w, w.data...); len(strokes) < 20 || len(none) > 0 {
		t.Errorf("%d lines hatch the blank cell, and %d a map without any", len(strokes), len(none))
	}
	for i, low := range [][2]float64{{0, 0}, {50, 0}, {0, 50}} {
		got := fills[i]
		if len(fills) != 3 || float64(got[0].X) != low[0] || float64(got[0].Y) != low[1] || got[2].X-got[0].X != 50 || got[2].Y-got[0].Y != 50 {
			t.Errorf("cell %d: %v, want a square of 50 pt from %v", i, got, low)
		}
	}
	if want := []string{"1", "10", "1000"}; !slices.Equal(texts, want) {
		t.Errorf("values %q, want %q", texts, want)
	}
	p.setTicks()
	if top := p.room().above; top < 0.3*smallSize {
		t.Errorf("%v pt above the frame, where half of the bar's top number, 1000, is", top)
	}
	rec := &sizedRecorder{width: 200, height: 100}
	p.drawColorBar(draw.New(rec))
	if len(rec.Actions) < 2*shades {
		t.Errorf("the bar has %d strokes and fills, want at least %d", len(rec.Actions), 2*shades)
	}
	var before color.RGBA
	for k := range shades {
		c := shade(float64(k) / (shades - 1))
		if k > 0 && (c.R > before.R || c.G > before.G || c.B > before.B || c == before) {
			t.Errorf("shade %d is %v after %v, want a darker one", k, c, before)
		}
		before = c
	}
}

// TestSharedAxes: panels with shared axes have the same ends, which contain the data of both; the title
// stands above all frames.
func TestSharedAxes(t *testing.T) {
	low := Panel{Title: "low", Series: []Series{{X: []float64{1, 2}, Y: []float64{1, 2}}}}
	high := Panel{Title: "high", Series: []Series{{X: []float64{10, 20}, Y: []float64{-5, 50}}}}
	f := Plot{Columns: Double, Title: "Both", Panels: [][]Panel{{low, high}}}
	for _, f.SharedAxes = range []bool{false, true} {
		s, err := newSheet(f, ACM())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.arrange(); err != nil {
			t.Fatal(err)
		}
		a, b := s.panels[0], s.panels[1]
		same := a.x.ends.Min == b.x.ends.Min && a.x.ends.Max == b.x.ends.Max && a.y.ends.Min == b.y.ends.Min && a.y.ends.Max == b.y.ends.Max
		if same != f.SharedAxes || same && (a.x.ends.Min > 1 || a.x.ends.Max < 20 || a.y.ends.Min > -5 || a.y.ends.Max < 50) {
			t.Errorf("shared %v: x %v to %v and %v to %v", f.SharedAxes, a.x.ends.Min, a.x.ends.Max, b.x.ends.Min, b.x.ends.Max)
		}
		if s.title.at.Y < a.title.at.Y+a.title.height(0) || s.title.at.Y+s.title.height(0) > s.height {
			t.Errorf("the title is at %v, the title of a panel at %v, the page %v high", s.title.at, a.title.at, s.height)
		}
	}
}

// TestCellsErrors: only cells have values Z, and their axes must be linear.
func TestCellsErrors(t *testing.T) {
	for want, change := range map[string]func(p *Panel){
		"length of Z (1) must be that of X (4) for Cells": func(p *Panel) { p.Series[0].Z = []float64{1} },
		"length of Z (4) must be that of X (4)":           func(p *Panel) { p.Series[0].Mark = Points },
		"axes of Cells must be linear":                    func(p *Panel) { p.X.Scale = Log2 },
		"Z[2] (0) must be positive on a log axis":         func(p *Panel) { p.Series[0].Z[2] = 0 },
	} {
		f := heat()
		change(&f.Panels[0][0])
		if _, err := f.Render(ACM(), SVG); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	f := heat()
	f.Title = strings.Repeat("long ", 40)
	if _, err := f.Render(ACM(), SVG); err == nil || !strings.Contains(err.Error(), "plot: Title: text") {
		t.Errorf("error %v, want one about the title", err)
	}
}

// TestManyRows: if the labels of rows would touch, some are left out.
func TestManyRows(t *testing.T) {
	for rows, want := range map[int]int{4: 4, 12: 6, 60: 8} {
		f := heat()
		p := &f.Panels[0][0]
		p.Y.Ticks, p.Y.TickLabels = nil, nil
		for i := range rows {
			p.Y.Ticks, p.Y.TickLabels = append(p.Y.Ticks, float64(i)), append(p.Y.TickLabels, "row")
			s := &p.Series[0]
			s.X, s.Y, s.Z = append(s.X, 0), append(s.Y, float64(i)), append(s.Z, 1)
		}
		drawn := panelOf(t, *p)
		drawn.setTicks()
		if got := len(drawn.y.ticks); got != want {
			t.Errorf("%d rows on 100 pt have %d labels, want %d", rows, got, want)
		}
	}
}
