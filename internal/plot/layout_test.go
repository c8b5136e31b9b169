package plot

import (
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
	"os"
)

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scale  Scale
		lo, hi float64 // data units
		most   int
		labels string
	}{
		{"unit", Linear, 0, 1.06, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{"negative", Linear, -1.1, 1.1, 6, "-1.0 -0.5 0.0 0.5 1.0"},
		{"quarter", Linear, 0, 1.1, 5, "0.00 0.25 0.50 0.75 1.00"},
		{"thousands", Linear, 0, 42000, 6, "0 10000 20000 30000 40000"},
		{"large", Linear, 0, 3.2e9, 6, "0 1×10^{9} 2×10^{9} 3×10^{9}"},
		{"small", Linear, 0, 4.4e-5, 6, "0 1×10^{-5} 2×10^{-5} 3×10^{-5} 4×10^{-5}"},
		{"decades", Log10, 0.5, 2e4, 8, "10^{0} 10^{1} 10^{2} 10^{3} 10^{4}"},
		{"narrow log", Log10, 4, 300, 7, "5 10 20 50 100 200"},
		{"within a decade", Log10, 2.2, 8.8, 5, "3 4 5 6 7 8"},
		{"powers of two", Log2, 16, 256, 8, "16 32 64 128 256"},
		{"to 65536", Log2, 1024, 65536, 8, "1024 2048 4096 8192 16384 32768 65536"},
		{"large powers", Log2, 1 << 14, 1 << 18, 8, "2^{14} 2^{15} 2^{16} 2^{17} 2^{18}"},
		{"fractions", Log2, 0.25, 4, 8, "2^{-2} 2^{-1} 2^{0} 2^{1} 2^{2}"},
	} {
		sets := Axis{Scale: tt.scale}.tickSets(tt.scale.forward(tt.lo), tt.scale.forward(tt.hi), tt.most)
		got := strings.Join(sets[0].labels, " ")
		if got != tt.labels {
			t.Errorf("%s: labels %s, want %s", tt.name, got, tt.labels)
		}
		for _, v := range sets[0].values {
			if v < tt.lo*(1-1e-9)-1e-300 && tt.lo >= 0 || v > tt.hi*(1+1e-9) {
				t.Errorf("%s: tick %v outside [%v, %v]", tt.name, v, tt.lo, tt.hi)
			}
		}
	}
	sets := Axis{Scale: Log10}.tickSets(0, 2, 8)
	if got := strings.Join(sets[0].labels, " "); len(sets[0].short) != 12 || got != "1 2 5 10 20 50 100" {
		t.Errorf("two decades have %d minor ticks beside %s, want 12", len(sets[0].short), got)
	}
	for label, ticks := range map[string][]float64{"1 3 10": {1, 3, 10}, "10^{0} 10^{1} 10^{2}": {1, 10, 100}} {
		fixed := Axis{Scale: Log10, Ticks: ticks}.tickSets(0, 2, 8)
		if got := strings.Join(fixed[0].labels, " "); got != label {
			t.Errorf("fixed labels %s, want %s", got, label)
		}
	}
}

func TestSpan(t *testing.T) {
	up := fit{zero: 0.5, pad: 0.1}
	for _, tt := range []struct {
		name   string
		axis   Axis
		e      extent
		f      fit
		lo, hi float64
		broken bool
	}{
		{"from zero", Axis{}, extent{1, 10}, up, 0, 11, false},
		{"far from zero", Axis{}, extent{90, 100}, up, 89, 101, true},
		{"constant", Axis{}, extent{5, 5}, up, 4.4, 5.6, true},
		{"fixed", Axis{Min: new(-1.0), Max: new(2.0)}, extent{0, 1}, up, -1, 2, false},
		{"one fixed end beyond the data", Axis{Min: new(20.0)}, extent{1, 10}, up, 20, 22, true},
		{"log", Axis{Scale: Log10}, extent{0, 2}, up, -0.2, 2.2, false},
		{"bars", Axis{}, extent{90, 100}, fit{base: true, pad: 0.1}, 0, 110, false},
		{"no data", Axis{}, emptyExtent(), fit{}, 0, 1, false},
		{"slowdowns without an origin", Axis{}, extent{1, 1.6}, fit{zero: 0.1}, 1, 1.6, true},
		{"slowdowns", Axis{Origin: 1}, extent{1.002, 1.6}, fit{zero: 0.1}, 1, 1.6, false},
		{"wide slowdowns", Axis{Origin: 1}, extent{1, 20}, fit{zero: 0.1}, 0, 20, false},
		{"slowdowns far from 1", Axis{Origin: 1}, extent{5, 6}, fit{zero: 0.1}, 5, 6, true},
		{"no slowdown", Axis{Origin: 1}, extent{1, 1}, up, 1, 1.12, false},
		{"below the origin", Axis{Origin: 1}, extent{0.9, 1.2}, up, 0.87, 1.23, false},
	} {
		lo, hi, err := tt.axis.span(tt.e, tt.f)
		if err != nil || math.Abs(lo-tt.lo) > 1e-9 || math.Abs(hi-tt.hi) > 1e-9 {
			t.Errorf("%s: span [%v, %v], %v, want [%v, %v]", tt.name, lo, hi, err, tt.lo, tt.hi)
		}
		drawn := axis{Axis: tt.axis, ends: &plot.New().X}
		drawn.ends.Min, drawn.ends.Max = lo, hi
		if drawn.cut() != tt.broken {
			t.Errorf("%s: an axis break is %v, want %v", tt.name, drawn.cut(), tt.broken)
		}
	}
}

func TestText(t *testing.T) {
	set := newTypesetter()
	for s, want := range map[string]string{
		"-1.5":          "\u22121.5",
		"REPS-32":       "REPS-32",
		"[-1, 1]":       "[\u22121, 1]",
		"2020-01-02":    "2020-01-02",
		"--lb":          "--lb",
		"rounds_mean^2": "rounds_mean^2",
		"n - 3/2":       "n \u2212 3/2",
		"W - d":         "W \u2212 d",
		"PLB - slow":    "PLB - slow",
		"FCT (us)":      "FCT (µs)",
		"max fct us":    "max fct µs",
		"20us, bus":     "20µs, bus",
		"packets/us":    "packets/µs",
		"max_fct_us":    "max_fct_us",
	} {
		line, err := set.set(s)
		if err != nil || len(line.runs) != 1 || line.runs[0].text != want {
			t.Errorf("set(%q) = %v, %v, want %q", s, line, err, want)
		}
	}
	plain, err := set.set("103")
	if err != nil {
		t.Fatal(err)
	}
	raised, err := set.set("10^{3}")
	if err != nil || !(raised.width < plain.width) || raised.runs[1].y != scriptRaise {
		t.Errorf("10^{3}: %+v, error %v; 103 is %v wide", raised, err, plain.width)
	}
	if _, err := set.set("αβγδεζηθλμνξπρστφχψω ΓΔΘΛΞΠΣΦΨΩ −×±≤≥≈≠∞°·µ–—…→"); err != nil {
		t.Errorf("common signs: %v", err)
	}
	// Letters stay within the box that the library lays out, whatever the angle.
	const s, size = "10^{3}gp^{i}", 8
	sty := text.Style{Font: sans(size), Rotation: math.Pi / 2, XAlign: text.XRight, YAlign: text.YTop, Handler: set}
	var rec recorder.Canvas
	at := vg.Point{X: 100, Y: 50}
	set.Draw(&rec, s, sty, at)
	page := grown(sty.Rectangle(s).Add(at), 0.1)
	if stray := strays(set, &rec, page); len(stray) != 0 || len(rec.Actions) == 0 {
		t.Errorf("%v outside %v, %d actions", stray, page, len(rec.Actions))
	}
}

// sizedRecorder records what is drawn on a page.
type sizedRecorder struct {
	recorder.Canvas
	width, height vg.Length
}

// Size implements [vg.CanvasSizer].
func (r *sizedRecorder) Size() (width, height vg.Length) { return r.width, r.height }

// page returns the page with an allowance for rounding.
func (r *sizedRecorder) page() vg.Rectangle {
	return grown(vg.Rectangle{Max: vg.Point{X: r.width, Y: r.height}}, 1e-6)
}

// strays returns a point of each recorded outline and text that leaves an area. Texts are
// turned only around a place to which the origin is moved.
func strays(set *typesetter, rec *recorder.Canvas, area vg.Rectangle) (list []vg.Point) {
	var moved vg.Point
	sin, cos := 0.0, 1.0
	check := func(points ...vg.Point) {
		for _, p := range points {
			x, y := vg.Length(cos)*p.X-vg.Length(sin)*p.Y, vg.Length(sin)*p.X+vg.Length(cos)*p.Y
			if p = moved.Add(vg.Point{X: x, Y: y}); !inside(vg.Rectangle{Min: p, Max: p}, area) {
				list = append(list, p)
				return
			}
		}
	}
	outline := func(path vg.Path) {
		for _, part := range path {
			if part.Type != vg.CloseComp {
				check(part.Pos)
			}
		}
	}
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Stroke:
			outline(a.Path)
		case *recorder.Fill:
			outline(a.Path)
		case *recorder.Translate:
			moved = a.Point
		case *recorder.Rotate:
			sin, cos = math.Sincos(a.Angle)
		case *recorder.Pop:
			moved, sin, cos = vg.Point{}, 0, 1
		case *recorder.FillString:
			face := plotfont.Face{Font: a.Font, Face: set.face.Face}
			box, _ := font.BoundString(face.FontFace(72), a.String)
			corner := func(x, y fixed.Int26_6) vg.Point {
				return a.Point.Add(vg.Point{X: vg.Length(x) / 64, Y: -vg.Length(y) / 64})
			}
			check(corner(box.Min.X, box.Min.Y), corner(box.Min.X, box.Max.Y), corner(box.Max.X, box.Min.Y), corner(box.Max.X, box.Max.Y))
		}
	}
	return list
}

// TestNothingIsClipped checks that texts, frames and legends are on the page,
// that frames of a grid are aligned, and that automatic legends cover no data.
func TestNothingIsClipped(t *testing.T) {
	long := convergence()
	long.Panels[0][0].X = Axis{Scale: Log2, Ticks: []float64{16, 1024, 65536}, TickLabels: []string{"a very long name", "another long name", "the longest name of all"}}
	corner := convergence()
	corner.Panels[0][0].Y.Max = new(1e14)
	grid := queues()
	grid.SharedLegend, grid.Panels[1] = false, grid.Panels[1][:2]
	grid.Panels[0][1].X.Ticks, grid.Panels[0][1].Title = []float64{0, 1000}, strings.Repeat("long ", 9)
	for name, f := range map[string]Plot{"convergence": convergence(), "queues": queues(), "oblique": long, "corner": corner, "grid": grid, "heat": heat()} {
		for _, style := range []Style{ACM(), Slides()} {
			name := name + "/" + style.String()
			s, err := newSheet(f, style)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.arrange(); err != nil {
				t.Fatal(err)
			}
			rec := &sizedRecorder{width: s.width, height: s.height}
			s.draw(rec)
			if stray := strays(s.panels[0].set, &rec.Canvas, rec.page()); len(stray) != 0 {
				t.Errorf("%s: %v outside the page", name, stray)
			}
			for _, p := range s.panels {
				for _, q := range s.panels {
					dx, dy := p.inner.Min.X-q.inner.Min.X, p.inner.Min.Y-q.inner.Min.Y
					if p.col == q.col && math.Abs(float64(dx)) > 1e-3 || p.row == q.row && math.Abs(float64(dy)) > 1e-3 {
						t.Errorf("%s: frames at %v and %v are not aligned", name, p.inner, q.inner)
					}
				}
				if p.legend == nil {
					continue
				}
				if n := p.picture().overlap(p.legend.box); n != 0 || p.above && name == "corner/acm" || !p.above && name == "convergence/acm" {
					t.Errorf("%s: legend, above %v, covers %d samples of data", name, p.above, n)
				}
			}
		}
	}
}

func TestThinned(t *testing.T) {
	var line plotter.XYs
	for i := range 10000 {
		line = append(line, plotter.XY{X: float64(i) / 100, Y: float64(i * 7919 % 1000)})
	}
	line[5000].Y = 5000
	thin := thinned(line, 0.4)
	top := 0.0
	for _, p := range thin {
		top = max(top, p.Y)
	}
	if len(thin) > 502 || top != 5000 || thin[0] != line[0] || thin[len(thin)-1] != line[9999] {
		t.Errorf("thinned: %d points, highest %v, want at most 502 and 5000", len(thin), top)
	}
	line[9000].X = 0
	if n := len(thinned(line, 0.4)); n != len(line) {
		t.Errorf("a line that turns back is thinned to %d points", n)
	}
}

// TestData checks what plotters get: gaps, steps, bounds without a logarithm,
// bars side by side.
func TestData(t *testing.T) {
	nan := math.NaN()
	s, err := newSheet(Plot{Panels: [][]Panel{{{
		Y: Axis{Scale: Log10, Min: new(1.0), Max: new(100.0)},
		Series: []Series{
			{X: []float64{0, 1, 2, 3}, Y: []float64{1, 10, nan, 10}, Mark: Steps, Lo: []float64{-1, 1, 1, nan}, Hi: []float64{10, 10, 10, 10}},
			{X: []float64{0, 1}, Y: []float64{10, 100}, Mark: Bars, Lo: []float64{1, 10}, Hi: []float64{100, 100}},
			{X: []float64{0, 1}, Y: []float64{10, 100}, Mark: Bars},
		},
	}}}}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	p := s.panels[0]
	steps, want := p.curves(&p.Series[0], p.Series[0].Y), []plotter.XYs{{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}}, {{X: 3, Y: 1}}}
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("steps = %v, want %v", steps, want)
	}
	// The third point has no Y but bounds; the fourth has no lower bound.
	band := p.band(&p.Series[0], Blue).XYs
	if first := band[0][len(band[0])-1]; len(band) != 1 || first != (plotter.XY{X: 0, Y: 0}) {
		t.Errorf("band = %v, want one ring that ends at the lower end of the axis", band)
	}
	first, whiskers := p.barChart(1, Blue)
	second, _ := p.barChart(2, Vermilion)
	if a, b := first.XYs[0][2].X, second.XYs[0][0].X; a != 0 || b != 0 {
		t.Errorf("bars at 0 meet at %v and %v", a, b)
	}
	if w := whiskers.list[0]; math.Abs(w.x+0.2) > 1e-12 || w.lo != 0 || w.hi != 2 {
		t.Errorf("error bar %v", w)
	}
}

func TestStylesOfSeries(t *testing.T) {
	line := Series{Name: "n = 2", X: []float64{1}, Y: []float64{1}}
	other := line
	other.Name = "n = 1"
	s, err := newSheet(Plot{Panels: [][]Panel{
		{{Series: []Series{other, line}}, {Series: []Series{line}}},
	}}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.panels[0].colors[1], s.panels[1].colors[0]; a != Teal || b != Teal {
		t.Errorf("colours of n = 2 are %d and %d, want %d in every panel", a, b, Teal)
	}
	seen := make(map[color.RGBA]bool)
	for i := range tones * len(looks) {
		if seen[NthColor(i).rgb()] {
			t.Errorf("colour %d repeats an ink", i)
		}
		seen[NthColor(i).rgb()] = true
	}
}

// TestWidePanel: a wide panel has the frame of all columns together, and its row
// is as high as the others.
func TestWidePanel(t *testing.T) {
	series := []Series{{X: []float64{0, 1}, Y: []float64{10, 1000}}}
	narrow := Panel{YLabel: "Queue", Series: series}
	wide := Panel{Series: series, Wide: true}
	s, err := newSheet(Plot{Columns: Double, Panels: [][]Panel{{wide}, {narrow, narrow}}}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.arrange(); err != nil {
		t.Fatal(err)
	}
	all, left, right := s.panels[0].inner, s.panels[1].inner, s.panels[2].inner
	if all.Min.X != left.Min.X || all.Max.X != right.Max.X || math.Abs(float64(all.Size().Y-left.Size().Y)) > 1e-6 {
		t.Errorf("wide frame %v, want it from the left of %v to the right of %v", all, left, right)
	}
}

// TestBarsOfTheNinthStyle: when colours repeat, bars are pale, but not white.
func TestBarsOfTheNinthStyle(t *testing.T) {
	if ninth := Blue.Hollow().barStyle(); ninth.Color != tint(Blue.Hollow().rgb(), 0.4) || ninth.Color == Blue.rgb() || ninth.LineStyle.Color != Blue.Hollow().rgb() {
		t.Errorf("fill %v, outline %v, want a pale fill with an outline of its ink", ninth.Color, ninth.LineStyle.Color)
	}
}

// TestTitlesAreLevel: a raised digit beside a frame, or a legend above it, moves
// no title off the line of its row.
func TestTitlesAreLevel(t *testing.T) {
	line := Series{Name: "REPS", X: []float64{1, 2}, Y: []float64{1, 1000}}
	raised := Panel{Title: "raised", Y: Axis{Scale: Log10, Min: new(1.0), Max: new(1000.0)}, Series: []Series{line}, Legend: None}
	plain := Panel{Title: "plain", Series: []Series{line}, Legend: None}
	under := Panel{Title: "under a legend", Series: []Series{line}, Legend: Above}
	s, err := newSheet(Plot{Columns: Double, Panels: [][]Panel{{raised, plain, under}}}, ACM())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.arrange(); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.panels {
		first := s.panels[0]
		if p.title.at.Y != first.title.at.Y || p.title.at.Y+p.title.height(0) > s.height {
			t.Errorf("title %q at %v, want %v, on a page of %v", p.Title, p.title.at.Y, first.title.at.Y, s.height)
		}
		if p.inner.Min.Y != first.inner.Min.Y || p.inner.Max.Y != first.inner.Max.Y {
			t.Errorf("%q: frame %v is not beside %v", p.Title, p.inner, first.inner)
		}
		if p.legend != nil && p.legend.box.Max.Y > p.title.at.Y {
			t.Errorf("%q at %v stands in the legend %v", p.Title, p.title.at.Y, p.legend.box)
		}
	}
}

// TestLegendWhateverTheTicks: if two choices of ticks alternate, since each makes room for the other, the
// legend and the labels are still drawn. REPSLAB_LONG=1 has five times as many heights.
func TestLegendWhateverTheTicks(t *testing.T) {
	panel := func(lo, hi float64) Panel {
		return Panel{Title: "(a)", XLabel: "Goodput (Gb/s)", YLabel: "Share of flows", X: Axis{Min: &lo, Max: &hi},
			Y: Axis{Min: new(0.0), Max: new(1.02)}, References: []ReferenceLine{{Vertical: true, At: 0.9 * hi, Label: "bound"}},
			Series: []Series{{Name: "OPS", X: []float64{lo, hi}, Y: []float64{0, 1}}}}
	}
	step := 0.1
	if os.Getenv("REPSLAB_LONG") != "" {
		step = 0.02
	}
	for inches := 1.0; inches < 3; inches += step {
		f := Plot{Columns: Double, Height: inches, Panels: [][]Panel{{panel(85, 100), panel(40, 90)}}}
		for _, style := range []Style{ACM(), Slides()} {
			s, err := newSheet(f, style)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.arrange(); err != nil {
				t.Fatal(err)
			}
			for _, p := range s.panels {
				if p.legend == nil || len(p.labels) != 1 {
					t.Errorf("%.2f in, %v: legend %v, %d labels", inches, style, p.legend, len(p.labels))
				}
			}
		}
	}
}
