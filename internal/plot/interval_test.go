package plot

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// panelOf returns a panel with its frame of 100 pt by 100 pt from the origin.
func panelOf(t *testing.T, p Panel) *panel {
	t.Helper()
	s, err := newSheet(Plot{Panels: [][]Panel{{p}}}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	s.panels[0].inner = vg.Rectangle{Max: vg.Point{X: 100, Y: 100}}
	return s.panels[0]
}

// drawnBy returns the strokes and fills of plotters in the frame.
func drawnBy(p *panel, parts ...plot.Plotter) (strokes, fills [][]vg.Point, texts []string) {
	rec := &sizedRecorder{width: 100, height: 100}
	for _, part := range parts {
		part.Plot(draw.New(rec), p.plot)
	}
	points := func(path vg.Path) (list []vg.Point) {
		for _, c := range path {
			if c.Type != vg.CloseComp {
				list = append(list, c.Pos)
			}
		}
		return list
	}
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Stroke:
			strokes = append(strokes, points(a.Path))
		case *recorder.Fill:
			fills = append(fills, points(a.Path))
		case *recorder.FillString:
			texts = append(texts, a.String)
		}
	}
	return strokes, fills, texts
}

// TestIntervalsThatLeaveTheAxes: an end beyond the axis is an arrow whose tip is on the frame,
// the other end a cap; nothing is drawn outside.
func TestIntervalsThatLeaveTheAxes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		y      Axis
		lo, hi float64
		tips   []vg.Length // heights of arrows
		caps   []vg.Length
	}{
		{"inside", Axis{Min: new(1.0), Max: new(11.0)}, 2, 10, nil, []vg.Length{10, 90}},
		{"above", Axis{Min: new(1.0), Max: new(11.0)}, 2, 50, []vg.Length{100}, []vg.Length{10}},
		{"both", Axis{Min: new(1.0), Max: new(11.0)}, -3, 50, []vg.Length{0, 100}, nil},
		{"a bound without a logarithm", Axis{Scale: Log10, Min: new(1.0), Max: new(100.0)}, -1, 10, []vg.Length{0},
			[]vg.Length{50}},
		{"not below 0", Axis{Min: new(0.0), Max: new(10.0)}, -5, 9, nil, []vg.Length{0, 90}},
	} {
		p := panelOf(t, Panel{Y: tt.y, Series: []Series{{Mark: ErrorBars, X: []float64{1}, Y: []float64{5},
			Lo: []float64{tt.lo}, Hi: []float64{tt.hi}}}})
		strokes, fills, _ := drawnBy(p, p.whiskers(&p.Series[0], ink))
		var caps, tips []vg.Length
		for _, s := range strokes {
			if s[0].Y < -1e-9 || s[1].Y > 100+1e-9 {
				t.Errorf("%s: stroke %v leaves the frame", tt.name, s)
			}
			if s[0].Y == s[1].Y {
				caps = append(caps, vg.Length(math.Round(float64(s[0].Y))))
			}
		}
		for _, f := range fills {
			tips = append(tips, f[0].Y)
		}
		if !slices.Equal(caps, tt.caps) || !slices.Equal(tips, tt.tips) {
			t.Errorf("%s: caps at %v, arrows at %v; want %v, %v", tt.name, caps, tips, tt.caps, tt.tips)
		}
	}
}

// TestErrorBarsAreDodged: overlapping error bars of several series are moved apart around their points,
// and others stay in place.
func TestErrorBarsAreDodged(t *testing.T) {
	series := func(y float64) Series {
		return Series{Mark: ErrorBars, X: []float64{1, 2}, Y: []float64{y, y}, Lo: []float64{y - 3, y - 3},
			Hi: []float64{y + 3, y + 3}}
	}
	places := func(list ...Series) (out []vg.Length) {
		p := panelOf(t, Panel{X: Axis{Min: new(0.0), Max: new(3.0)}, Series: list})
		frame := draw.New(&sizedRecorder{width: 100, height: 100})
		for _, d := range p.dodges() {
			out = append(out, d.points(frame, p.plot))
		}
		return out
	}
	if got := places(series(10), series(20)); !slices.Equal(got, []vg.Length{0, 0}) {
		t.Errorf("error bars that do not meet are moved by %v", got)
	}
	got := places(series(10), series(12), series(14))
	if got[0] != -got[2] || got[1] != 0 || got[2] < capWidth || got[2] > 0.5*100/3 {
		t.Errorf("three that meet are moved by %v, want more than their caps of %v", got, capWidth)
	}
	p := panelOf(t, Panel{X: Axis{Min: new(0.0), Max: new(3.0)}, Series: []Series{series(10), series(12)}})
	var xs []vg.Length // x of the error bar and of the glyph of one point
	for _, part := range p.entries[1].parts {
		strokes, fills, _ := drawnBy(p, part)
		if w, ok := part.(*whiskers); ok && len(w.list) > 0 {
			xs = append(xs, strokes[0][0].X)
		}
		if _, ok := part.(*glyphs); ok {
			xs = append(xs, centre(fills[0]))
		}
	}
	if len(xs) != 2 || math.Abs(float64(xs[0]-xs[1])) > 1e-6 || xs[0] <= 100.0/3 {
		t.Errorf("error bar and glyph at %v, want both at one place right of 33.3", xs)
	}
}

// centre returns the mean x of corners.
func centre(corners []vg.Point) (x vg.Length) {
	for _, c := range corners {
		x += c.X / vg.Length(len(corners))
	}
	return x
}

// TestCutBars: a bar that leaves the axis has a break and its value, others have none.
func TestCutBars(t *testing.T) {
	bars := func(y Axis, values ...float64) (texts []string) {
		s := Series{Mark: Bars}
		for i, v := range values {
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, v)
		}
		p := panelOf(t, Panel{Y: y, Series: []Series{s}})
		chart, _ := p.barChart(0, Blue)
		strokes, _, texts := drawnBy(p, cutBars{chart})
		if y.Scale == Linear && len(strokes) != 2*len(texts) {
			t.Errorf("%d strokes of breaks for %d values", len(strokes), len(texts))
		}
		return texts
	}
	linear := Axis{Min: new(0.0), Max: new(2.0)}
	if got := bars(linear, 1, 12.34, 0, 1234.5, 2); !slices.Equal(got, []string{"12.3", "1234"}) {
		t.Errorf("values at cut bars: %q", got)
	}
	logarithmic := Axis{Scale: Log10, Min: new(10.0), Max: new(100.0)}
	if got := bars(logarithmic, 0.5, 20, 500); !slices.Equal(got, []string{"0.500", "500"}) {
		t.Errorf("values at bars beyond a logarithmic axis: %q", got)
	}
}

// TestOriginOfBars: bars of ratios begin at 1; bars without a natural beginning are points, and a cross
// marks the place of an unfinished bar.
func TestOriginOfBars(t *testing.T) {
	s := Series{Mark: Bars, X: []float64{0, 1, 2}, Y: []float64{0.5, 2, math.Inf(1)}}
	ratios := panelOf(t, Panel{Y: Axis{Scale: Log2}, Origin: 1, Series: []Series{s}})
	chart, _ := ratios.barChart(0, Blue)
	for i, top := range []float64{-1, 1} {
		if bar := chart.XYs[i]; bar[0].Y != 0 || bar[1].Y != top {
			t.Errorf("bar %d from %v to %v, want from 0 to %v", i, bar[0].Y, bar[1].Y, top)
		}
	}
	strokes, _, texts := drawnBy(ratios, cutBars{chart})
	if len(chart.XYs) != 2 || len(strokes) != 2 || !slices.Equal(texts, []string{"not finished"}) {
		t.Errorf("%d bars, %d strokes and %q, want 2, the 2 of a cross and its words", len(chart.XYs), len(strokes), texts)
	}
	times := panelOf(t, Panel{Y: Axis{Scale: Log10}, Series: []Series{s}})
	for _, part := range times.data {
		if _, bars := part.(*barChart); bars {
			t.Error("bars on a logarithmic axis begin at its end")
		}
	}
}

// TestShortBars: a bar that ends within 0.7 glyph radii of its origin (1.33 pt, 0.0266 here) also has a glyph, at its
// end; longer bars, bars that leave the axis, and missing ones have none. The glyphs are part of the panel.
func TestShortBars(t *testing.T) {
	s := Series{Mark: Bars, X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: []float64{1, 1.02, 0.98, 1.03, 1.5, 9, math.NaN()}}
	p := panelOf(t, Panel{Y: Axis{Min: new(0.0), Max: new(2.0)}, Origin: 1, Series: []Series{s}})
	var ends []float64 // of bars with a glyph
	for _, part := range p.data {
		if short, ok := part.(shortBars); ok {
			_, fills, _ := drawnBy(p, short)
			for _, corners := range fills {
				var sum vg.Length
				for _, corner := range corners {
					sum += corner.Y
				}
				ends = append(ends, math.Round(float64(sum)/float64(len(corners))))
			}
		}
	}
	if !slices.Equal(ends, []float64{50, 51, 49}) {
		t.Errorf("glyphs at heights %v, want 50, 51 and 49", ends)
	}
}

// TestSlotsOfBars: bars at the same place share it, a bar alone at its place is centred, and a single
// group of bars leaves room at its sides.
func TestSlotsOfBars(t *testing.T) {
	bar := func(x ...float64) Series { return Series{Mark: Bars, X: x, Y: make([]float64, len(x))} }
	p := panelOf(t, Panel{Series: []Series{bar(0), bar(1), bar(2, 3), bar(3)}})
	b := p.bars()
	if b.width != 0.4 || b.left(0, 0) != -0.2 || b.left(2, 3) != 2.6 || b.left(3, 3) != 3 {
		t.Errorf("width %v, bars from %v, %v, %v", b.width, b.left(0, 0), b.left(2, 3), b.left(3, 3))
	}
	if b := panelOf(t, Panel{Series: []Series{bar(0), bar(0)}}).bars(); b.width != 0.25 {
		t.Errorf("two bars in one group are %v wide, want half of the axis together", b.width)
	}
	b = panelOf(t, Panel{Series: []Series{bar(0, 1), bar(0, 1), bar(0, 1)}}).bars()
	for k := range 3 {
		if got, want := BarCentre(k, 3), b.left(k, 1)+b.width/2-1; math.Abs(got-want) > 1e-12 {
			t.Errorf("the middle of bar %d of 3 is %v from its group, want %v", k, got, want)
		}
	}
}

// TestZeroOnALogarithmicAxis: 0 has a place and a tick of its own below all positive numbers, also if
// another panel that shares the axis has the 0, and also beyond a fixed end.
func TestZeroOnALogarithmicAxis(t *testing.T) {
	with := Panel{X: Axis{Scale: Log2}, Y: Axis{Scale: Log10, Min: new(1.0)},
		Series: []Series{{Mark: LinePoints, X: []float64{0, 16, 64}, Y: []float64{100, 0, 10}}}}
	without := Panel{X: Axis{Scale: Log2}, Y: Axis{Scale: Log10, Min: new(1.0)}, Series: []Series{{X: []float64{16, 64}, Y: []float64{2, 10}}}}
	s, err := newSheet(Plot{Panels: [][]Panel{{with, without}}, SharedAxes: true}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.arrange(); err != nil {
		t.Fatal(err)
	}
	for i, p := range s.panels {
		for name, a := range map[string]*axis{"x": &p.x, "y": &p.y} {
			zeros := 0
			for _, tick := range a.ticks {
				if tick.Label == "0" {
					zeros++
				}
				if (tick.Label == "0") != (tick.Value < a.positive) || tick.Value < a.ends.Min {
					t.Errorf("panel %d: tick %+v of %s, whose positive numbers begin at %v", i, tick, name, a.positive)
				}
			}
			if _, broken := a.breakAt(100); zeros != 1 || !broken {
				t.Errorf("panel %d: %d ticks at 0 of %s, break %v", i, zeros, name, broken)
			}
		}
	}
	p := s.panels[0]
	want := []plotter.XY{{X: p.x.zero, Y: 2}, {X: 4, Y: p.y.zero}, {X: 6, Y: 1}}
	if got := p.curves(&p.Series[0], p.Series[0].Y)[0]; !slices.Equal(got, want) {
		t.Errorf("points at %v, want %v", got, want)
	}
}

// TestBounds: a value with only one known bound is an arrow from the bound towards the possible values; a
// bar reaches up to the bound. The legend explains it, and arrows at one place stand side by side.
func TestBounds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	series := func(m Mark) Series {
		return Series{Name: "OPS", Mark: m, X: []float64{1, 2, 3, 4}, Y: []float64{5, nan, nan, nan},
			Lo: []float64{4, 8, -inf, -inf}, Hi: []float64{6, inf, 4, inf}}
	}
	axes := Panel{X: Axis{Min: new(0.0), Max: new(5.0)}, Y: Axis{Min: new(0.0), Max: new(10.0)}}
	for _, m := range []Mark{Line, Points, LinePoints, Steps, ErrorBars, Bars} {
		panel := axes
		panel.Series = []Series{series(m)}
		p := panelOf(t, panel)
		if m == Bars {
			chart, _ := p.barChart(0, Blue)
			tops := slices.Collect(func(yield func(float64) bool) {
				for _, top := range chart.tops() {
					yield(top.Y)
				}
			})
			if _, _, texts := drawnBy(p, cutBars{chart}); len(texts) != 0 || !slices.Equal(chart.signs, []string{"", "> ", "< "}) {
				t.Errorf("values %q at bars in the frame, signs %q", texts, chart.signs)
			}
			if !slices.Equal(tops, []float64{5, 8, 4}) || chart.unfinished != nil {
				t.Errorf("bars end at %v, unfinished %v; want 5, 8, 4, none", tops, chart.unfinished)
			}
		}
		if len(p.entries) != 3 || p.entries[1].name != "lower bound" || p.entries[2].name != "upper bound" {
			t.Fatalf("mark %d: legend %+v", m, p.entries)
		}
		for i, want := range []vg.Point{{X: 40, Y: min(100, 80+boundLength)}, {X: 60, Y: 40 - boundLength}} {
			_, heads, _ := drawnBy(p, p.entries[i+1].parts[0])
			if len(heads) != 1 || math.Hypot(float64(heads[0][0].X-want.X), float64(heads[0][0].Y-want.Y)) > 1e-9 {
				t.Errorf("mark %d: arrow %d has the head %v, want its tip at %v", m, i, heads, want)
			}
		}
	}
	axes.Series = []Series{series(LinePoints), series(LinePoints)}
	p := panelOf(t, axes)
	if line := p.entries[0].parts[1].(*trace); line.side != (dodge{}) {
		t.Errorf("a line in a band is moved by %+v", line.side)
	}
	strokes, heads, _ := drawnBy(p, p.entries[2].parts[0])
	if len(heads) != 2 || heads[1][0].X-heads[0][0].X < capWidth || strokes[0][0].X != heads[0][0].X {
		t.Errorf("arrows of two lines at one place: heads %v", heads)
	}
}

// TestCoincidingPoints: points of two series with error bars are moved apart if their glyphs would
// overlap.
func TestCoincidingPoints(t *testing.T) {
	nan := []float64{math.NaN(), math.NaN()}
	points := func(y float64) Series {
		return Series{Mark: ErrorBars, X: []float64{1, 2}, Y: []float64{y, 90}, Lo: nan, Hi: nan}
	}
	for other, apart := range map[float64]bool{50: true, 51: true, 60: false} {
		p := panelOf(t, Panel{Y: Axis{Min: new(0.0), Max: new(100.0)}, Series: []Series{points(50), {Mark: ErrorBars,
			X: []float64{1}, Y: []float64{other}, Lo: nan[:1], Hi: nan[:1]}}})
		if got := p.dodges()[0].of == 2; got != apart {
			t.Errorf("points at 50 and %v are apart: %v", other, got)
		}
	}
}

// TestNamedLines: reference lines with labels in the legend have no label beside them, and lines with the
// same label share an entry.
func TestNamedLines(t *testing.T) {
	line := func(at float64) ReferenceLine {
		return ReferenceLine{Vertical: true, At: at, Label: "failure", InLegend: true, Dash: Dotted}
	}
	p := panelOf(t, Panel{References: []ReferenceLine{line(1), line(2)}, Series: []Series{{X: []float64{0, 3}, Y: []float64{0, 1}}}})
	if p.placeLabels(); len(p.labels) != 0 {
		t.Errorf("labels %+v", p.labels)
	}
	if got := named(p); len(got) != 1 || got[0].name != "failure" {
		t.Errorf("legend %+v", got)
	}
}

// TestLabelsAvoidData: if a horizontal line has data on both sides everywhere, its label stands beside
// the frame, and the page has room for it.
func TestLabelsAvoidData(t *testing.T) {
	noise := Series{X: make([]float64, 100), Y: make([]float64, 100)}
	for i := range noise.X {
		noise.X[i], noise.Y[i] = float64(i), float64(i%2)
	}
	s, err := newSheet(Plot{Panels: [][]Panel{{{Series: []Series{noise}, References: []ReferenceLine{{At: 0.5, Label: "Kmin"}}}}}}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.arrange(); err != nil {
		t.Fatal(err)
	}
	p := s.panels[0]
	if l := p.labels[0]; l.box.Min.X < p.inner.Max.X || l.box.Max.X > s.width || l.covers {
		t.Errorf("label at %v; the frame ends at %v, the page at %v", l.box, p.inner.Max.X, s.width)
	}
}

// TestCutAxes: only axes of numbers that begin far from 0 are marked.
func TestCutAxes(t *testing.T) {
	for _, tt := range []struct {
		axis Axis
		cut  bool
	}{
		{Axis{Min: new(150.0), Max: new(250.0)}, true},
		{Axis{Min: new(1.0), Max: new(250.0)}, false},
		{Axis{Min: new(0.0), Max: new(250.0)}, false},
		{Axis{Min: new(-5.0), Max: new(250.0)}, false},
		{Axis{Scale: Log10, Min: new(150.0), Max: new(250.0)}, false},
	} {
		p := panelOf(t, Panel{Y: tt.axis, Series: []Series{{X: []float64{1, 2}, Y: []float64{200, 210}}}})
		if p.y.cut() != tt.cut {
			t.Errorf("axis from %v to %v: cut is %v", p.y.ends.Min, p.y.ends.Max, p.y.cut())
		}
	}
}
