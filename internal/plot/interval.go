package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// whiskers are error bars, in scale coordinates. (The library does not cut error bars at the frame.)
type whiskers struct {
	draw.LineStyle
	list []interval
	side dodge
}

// interval is an error bar around y.
type interval struct{ x, y, lo, hi float64 }

// capWidth is the width of the ends of error bars.
const capWidth = 1.8 * glyphRadius

// whiskers returns the intervals of s as error bars. An end without a logarithm is below the axis. On a
// linear axis that begins at 0, with values that are not negative, error bars end at 0.
func (p *panel) whiskers(s *Series, c color.Color) *whiskers {
	w := &whiskers{LineStyle: draw.LineStyle{Color: c, Width: 0.7 * lineWidth}}
	for i := range s.X {
		if !finite(s.X[i]) || !finite(s.Y[i]) || !s.hasInterval(i) {
			continue
		}
		at, lo, hi := p.at(s.X[i], s.Y[i]), p.y.place(s.Lo[i]), p.y.place(s.Hi[i])
		switch {
		case p.Y.Scale == Linear && p.y.ends.Min == 0:
			lo = max(lo, 0)
		case math.IsInf(p.Y.Scale.forward(s.Lo[i]), -1) && !(s.Lo[i] == 0 && p.y.hasZero):
			lo = p.y.ends.Min - 1
		}
		w.list = append(w.list, interval{at.X, at.Y, lo, hi})
	}
	return w
}

// Plot implements [plot.Plotter]. Ends beyond the axis are arrows at the frame, except for bars that are
// cut there.
func (w *whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const tiny = 1e-6 // points
	for _, e := range w.list {
		if e.x < p.X.Min || e.x > p.X.Max || e.hi < p.Y.Min || e.lo > p.Y.Max {
			continue
		}
		at, lo, hi := x(e.x)+w.side.points(c, p), y(e.lo), y(e.hi)
		c.StrokeLine2(w.LineStyle, at, max(lo, c.Min.Y), at, min(hi, c.Max.Y))
		if lo < c.Min.Y-tiny {
			w.arrow(c, vg.Point{X: at, Y: c.Min.Y}, -1)
		} else {
			w.end(&c, at, lo)
		}
		switch {
		case hi <= c.Max.Y+tiny:
			w.end(&c, at, hi)
		case e.y <= p.Y.Max:
			w.arrow(c, vg.Point{X: at, Y: c.Max.Y}, 1)
		}
	}
}

// end draws the end of an error bar.
func (w *whiskers) end(c *draw.Canvas, x, y vg.Length) {
	c.StrokeLine2(w.LineStyle, x-capWidth/2, y, x+capWidth/2, y)
}

// arrow draws the head of an arrow, up or down.
func (w *whiskers) arrow(c draw.Canvas, tip vg.Point, up vg.Length) {
	low, half := -1.2*capWidth*up, 0.5*capWidth
	c.FillPolygon(w.Color, []vg.Point{tip, tip.Add(vg.Point{X: -half, Y: low}), tip.Add(vg.Point{X: half, Y: low})})
}

// Thumbnail implements [plot.Thumbnailer], as high as a line of text allows.
func (w *whiskers) Thumbnail(c *draw.Canvas) {
	x := c.Center().X
	c.StrokeLine2(w.LineStyle, x, c.Min.Y, x, c.Max.Y)
	w.end(c, x, c.Min.Y)
	w.end(c, x, c.Max.Y)
}

// dodge moves a series sideways, so that its error bars do not hide the others.
type dodge struct {
	place float64 // in steps from the middle
	of    int     // number of series that are moved
	gap   float64 // smallest distance between two x, in scale coordinates
}

// dodgeStep is the distance between overlapping series, in points, if there is room: one glyph.
const dodgeStep = 2.4 * float64(glyphRadius)

// points returns the distance by which the series is moved to the right.
func (d dodge) points(c draw.Canvas, p *plot.Plot) vg.Length {
	if d.of < 2 {
		return 0
	}
	gap := d.gap * float64(c.Size().X) / (p.X.Max - p.X.Min)
	return vg.Length(d.place * min(dodgeStep, 0.5*gap/float64(d.of)))
}

// moved returns points moved to the right.
func (d dodge) moved(points plotter.XYs, c draw.Canvas, p *plot.Plot) plotter.XYs {
	by := float64(d.points(c, p)) * (p.X.Max - p.X.Min) / float64(c.Size().X)
	if by == 0 {
		return points
	}
	out := slices.Clone(points)
	for i := range out {
		out[i].X += by
	}
	return out
}

// dodges returns the dodge of each series. Series with error bars or bounds are moved if error bars,
// bounds or points of two of them overlap. In series with a band only the bounds are moved.
func (p *panel) dodges() []dodge {
	out := make([]dodge, len(p.Series))
	var moved []int
	var xs []float64
	var seen []interval
	overlap := false
	for i := range p.Series {
		list := p.places(&p.Series[i])
		if list == nil {
			continue
		}
		moved = append(moved, i)
		for _, e := range list {
			xs = append(xs, e.x)
			overlap = overlap || slices.ContainsFunc(seen, e.meets)
		}
		seen = append(seen, list...)
	}
	if !overlap {
		return out
	}
	slices.Sort(xs)
	gap := leastGap(xs)
	for k, i := range moved {
		out[i] = dodge{place: float64(k) - float64(len(moved)-1)/2, of: len(moved), gap: gap}
	}
	return out
}

// places returns the vertical interval that each point of s covers at its x: its glyph or its error bar,
// or everything on one side of a bound. Series with a band only have places for bounds, and bars have
// none.
func (p *panel) places(s *Series) (list []interval) {
	glyph := 1.5 * float64(glyphRadius) / 100 * (p.y.ends.Max - p.y.ends.Min) // if the frame is about 100 pt high
	for i, x := range s.X {
		way := s.bound(i)
		if s.Mark == Bars || !finite(x) || way == 0 && (!s.hasErrorBars() || !finite(s.Y[i])) {
			continue
		}
		at := p.at(x, s.known(i))
		e := interval{at.X, at.Y, at.Y - glyph, at.Y + glyph}
		switch {
		case way > 0:
			e.hi = math.Inf(1)
		case way < 0:
			e.lo = math.Inf(-1)
		case s.hasInterval(i):
			e.lo, e.hi = min(e.lo, p.y.place(s.Lo[i])), max(e.hi, p.y.place(s.Hi[i]))
		}
		list = append(list, e)
	}
	return list
}

// meets reports whether two error bars at one place overlap.
func (e interval) meets(other interval) bool {
	return e.x == other.x && e.lo < other.hi && other.lo < e.hi
}

// glyphs are the markers of a series.
type glyphs struct {
	plotter.Scatter
	side dodge
}

// Plot implements [plot.Plotter].
func (g *glyphs) Plot(c draw.Canvas, p *plot.Plot) {
	moved := g.Scatter
	moved.XYs = g.side.moved(g.XYs, c, p)
	moved.Plot(c, p)
}
