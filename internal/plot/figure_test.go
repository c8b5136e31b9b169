package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// convergence is a single-column figure: six lines with bands on log axes.
func convergence() Plot {
	r := rand.New(rand.NewPCG(1, 2))
	p := Panel{
		XLabel: "Bins n", YLabel: "Rounds, τ = 3 ln n",
		X: Axis{Scale: Log2}, Y: Axis{Scale: Log10},
		References: []ReferenceLine{{At: 1e5, Label: "10^{5} rounds"}, {Vertical: true, At: 1024}},
	}
	for k, name := range []string{"ECMP", "OPS", "REPS", "PLB", "BitMap", "Adaptive RoCE"} {
		s := Series{Name: name, Mark: []Mark{LinePoints, Line}[k%2]}
		for i := 4; i <= 16; i++ {
			n := math.Exp2(float64(i))
			y := n * math.Log(n) * (0.5 + float64(k*k)) * (1 + 0.1*r.Float64())
			s.X, s.Y = append(s.X, n), append(s.Y, y)
			s.Lo, s.Hi = append(s.Lo, 0.8*y), append(s.Hi, 1.25*y)
		}
		p.Series = append(p.Series, s)
	}
	return Plot{Panels: [][]Panel{{p}}}
}

// queues is a double-column grid of noisy traces and bars.
func queues() Plot {
	r := rand.New(rand.NewPCG(1, 2))
	f := Plot{Columns: Double, SharedLegend: true}
	for row := range 2 {
		var panels []Panel
		for col := range 3 {
			p := Panel{Title: fmt.Sprintf("(%c) n = 5, OPS", 'a'+3*row+col), XLabel: "Time (µs)", YLabel: "Queue (KiB)"}
			s := Series{Name: "uplink"}
			for i := range 1000 {
				s.X, s.Y = append(s.X, float64(i)), append(s.Y, 50*r.Float64())
			}
			s.Y[500] = math.NaN()
			x := []float64{100, 400, 700}
			bars := Series{Name: "mean", Mark: Bars, X: x, Y: []float64{10, 20, 30}, Lo: []float64{9, 18, 27}, Hi: []float64{11, 22, 33}}
			p.Series = append(p.Series, bars, s,
				Series{Name: "steps", Mark: Steps, X: x, Y: []float64{5, 45, 5}},
				Series{Name: "cloud", Mark: Points, X: x, Y: []float64{15, 25, 35}})
			panels = append(panels, p)
		}
		f.Panels = append(f.Panels, panels)
	}
	return f
}

func render(t testing.TB, f Plot, s Style, format ImageFormat) []byte {
	t.Helper()
	data, err := f.Render(s, format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRenderIsReproducible: an image rendered alone, in the default style, has the bytes of the image that
// was rendered with all others in the ACM style.
func TestRenderIsReproducible(t *testing.T) {
	for name, f := range map[string]Plot{"convergence": convergence(), "queues": queues()} {
		all, err := f.RenderAll(ACM())
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range ImageFormats() {
			t.Run(name+"/"+string(format), func(t *testing.T) {
				t.Parallel()
				if alone := render(t, f, Style{}, format); !bytes.Equal(alone, all[format]) {
					t.Errorf("two renderings differ")
				}
			})
		}
	}
}

func TestEncodings(t *testing.T) {
	f := convergence()
	pdf := render(t, f, ACM(), PDF)
	if !bytes.HasPrefix(pdf, []byte("%PDF")) || len(pdf) > 100_000 {
		t.Errorf("PDF begins %q and has %d bytes, want %%PDF and at most 100000", pdf[:4], len(pdf))
	}
	if n := bytes.Count(pdf, []byte("/FontFile")); n != 1 {
		t.Errorf("PDF embeds %d fonts, want 1", n)
	}

	d := xml.NewDecoder(bytes.NewReader(render(t, f, ACM(), SVG)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("SVG: %v", err)
		}
	}

	for _, tt := range []struct {
		style  Style
		column ColumnWidth
		width  int
		height int
	}{{ACM(), Single, 999, 450}, {ACM(), Double, 2100, 450}, {Slides(), Single, 3000, 990},
		{ACM().Sized(4, 2, 11), Single, 1200, 600}, {Slides().Sized(5, 0, 9), Double, 1500, 990}} {
		f.Columns, f.Height = tt.column, 1.5
		c, err := png.DecodeConfig(bytes.NewReader(render(t, f, tt.style, PNG)))
		if err != nil || c.Width != tt.width || c.Height != tt.height {
			t.Errorf("%v: PNG of %d x %d pixels, want %d x %d, error %v", tt.style, c.Width, c.Height, tt.width, tt.height, err)
		}
	}

}

func TestFigureErrors(t *testing.T) {
	one := func(s Series, x, y Axis) Plot {
		return Plot{Panels: [][]Panel{{{Title: "(a)", X: x, Y: y, Series: []Series{s}}}}}
	}
	good := Series{Name: "OPS", X: []float64{1, 2}, Y: []float64{3, 4}}
	log := Axis{Scale: Log10}
	const where = `plot: panel (row 1, column 1) "(a)": `
	for _, tt := range []struct {
		name string
		fig  Plot
		want string
	}{
		{"empty", Plot{}, "plot: there must be at least one panel"},
		{"no series", Plot{Panels: [][]Panel{{{}}}}, "plot: panel (row 1, column 1): must have at least one series"},
		{"lengths", one(Series{Name: "OPS", X: []float64{1}, Y: []float64{1, 2}}, Axis{}, Axis{}),
			where + `series "OPS": lengths of X (1) and Y (2) must be equal and not zero`},
		{"band", one(Series{X: []float64{1}, Y: []float64{1}, Lo: []float64{1}}, Axis{}, Axis{}),
			where + "series 1: lengths of Lo (1) and Hi (0) must be that of Y (1)"},
		{"log", one(Series{Name: "REPS", X: []float64{1, 2}, Y: []float64{1, -1}}, log, log),
			where + `series "REPS": Y[1] (-1) must be 0 or more on a log axis`},
		{"bar at log zero", one(Series{Name: "REPS", Mark: Bars, X: []float64{1, 0}, Y: []float64{1, 0}}, log, log),
			where + `series "REPS": X[1] (0) must be positive on a log axis`},
		{"ends", one(good, Axis{}, Axis{Min: new(3.0), Max: new(3.0)}), where + "Y: Min (3) must be below Max (3)"},
		{"labels", one(good, Axis{Ticks: []float64{1, 2}, TickLabels: []string{"a"}}, Axis{}),
			where + "X: TickLabels (1) must be as many as Ticks (2)"},
		{"glyph", Plot{Panels: [][]Panel{{{Title: "(a)", XLabel: "時", Series: []Series{good}}}}},
			where + "text \"時\": no glyph in Liberation Sans for '時' (U+6642)"},
		{"markup", Plot{Panels: [][]Panel{{{Title: "(a)", XLabel: "10^{3", Series: []Series{good}}}}},
			where + `text "10^{3": ^{ must be closed by }`},
		{"low", Plot{Height: 0.3, Panels: [][]Panel{{{Series: []Series{good}}}}},
			"so there is no room for a frame: the page must be higher or the type smaller"},
		{"wide", Plot{Panels: [][]Panel{{{Title: "(a)", Wide: true, Series: []Series{good}}, {Series: []Series{good}}}}}, where + "Wide must be only of the last panel of a row"},
		{"long", Plot{Panels: [][]Panel{{{Title: "(a)", XLabel: strings.Repeat("long ", 30), Series: []Series{good}}}}},
			"in long) must fit into 3.29 in"},
	} {
		_, err := tt.fig.Render(ACM(), PDF)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := ParseStyle("poster"); err == nil || err.Error() != `plot: style ("poster") must be one of [acm slides]` {
		t.Errorf("style poster: %v", err)
	}
	if err := one(Series{X: []float64{1}, Y: []float64{math.NaN()}}, log, log).validate(); err != nil {
		t.Errorf("a missing point is not a fault: %v", err)
	}
	if _, err := one(Series{X: []float64{1}, Y: []float64{math.NaN()}}, log, log).Render(ACM(), PDF); err != nil {
		t.Errorf("a figure without data: %v", err)
	}
}

func BenchmarkRender(b *testing.B) {
	f := convergence()
	for _, format := range ImageFormats() {
		b.Run("format="+string(format), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				render(b, f, ACM(), format)
			}
		})
	}
}

// TestColors: after the last colour, hollow variants follow.
func TestColors(t *testing.T) {
	if NthColor(0) != Indigo || NthColor(8) != Indigo.Hollow() || NthColor(7) != Black {
		t.Errorf("colours %d, %d, %d", NthColor(0), NthColor(8), NthColor(7))
	}
}
