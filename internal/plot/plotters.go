package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bare hides all but the Plot method of a plotter. The library would range the
// axes by its data alone (plot.DataRanger), and move the frame away from the
// tick labels to make room for its glyphs (plot.GlyphBoxer).
type bare struct{ plot.Plotter }

// trace is a line of which only what can be seen is drawn: the ends and the two
// extremes of every stretch as long as the line is wide. The library writes all
// points of a queue's history.
type trace struct{ plotter.Line }

// Plot implements [plot.Plotter]. A line of one point, which the library leaves
// out, becomes a dot.
func (t *trace) Plot(c draw.Canvas, p *plot.Plot) {
	if len(t.XYs) == 1 {
		dot := draw.GlyphStyle{Color: t.Color, Radius: 0.8 * t.Width, Shape: draw.CircleGlyph{}}
		(&plotter.Scatter{XYs: t.XYs, GlyphStyle: dot}).Plot(c, p)
		return
	}
	line := t.Line
	line.XYs = thinned(t.XYs, (p.X.Max-p.X.Min)*float64(t.Width/c.Size().X))
	line.Plot(c, p)
}

// thinned returns line with its ends and the two extremes of every cell of its
// width. Lines that are short or that turn back are returned as they are.
func thinned(line plotter.XYs, cell float64) plotter.XYs {
	last := len(line) - 1
	if last < 256 {
		return line
	}
	out := plotter.XYs{line[0]}
	for i := 1; i < last; {
		j, lo, hi := i, i, i
		for column := math.Floor(line[i].X / cell); j < last && math.Floor(line[j].X/cell) == column; j++ {
			if line[j+1].X < line[j].X {
				return line
			}
			if line[j].Y < line[lo].Y {
				lo = j
			}
			if line[j].Y > line[hi].Y {
				hi = j
			}
		}
		out = append(out, line[min(lo, hi)])
		if lo != hi {
			out = append(out, line[max(lo, hi)])
		}
		i = j
	}
	return append(out, line[last])
}

// shape is the glyph of a look, a regular polygon. The library's outlines are
// transparent and 0.5 pt wide in every style, and there is no diamond.
type shape struct {
	corners int
	turn    float64 // of the first corner, in quarter turns from the right
	size    vg.Length
	hollow  vg.Length // width of the outline; 0 is filled
}

// DrawGlyph implements [draw.GlyphDrawer].
func (s shape) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	corners := make([]vg.Point, s.corners)
	for i := range corners {
		sin, cos := math.Sincos(math.Pi/2*s.turn + 2*math.Pi*float64(i)/float64(s.corners))
		corners[i] = at.Add(vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}.Scale(s.size * sty.Radius))
	}
	if s.hollow == 0 {
		c.FillPolygon(sty.Color, corners)
		return
	}
	c.FillPolygon(color.White, corners)
	c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: s.hollow}, append(corners, corners[:2]...))
}

// glyphStyle returns the glyph of a look.
func (m metrics) glyphStyle(look int) draw.GlyphStyle {
	w := 0.8 * m.line
	s := [looks]shape{
		{24, 0, 1, 0}, {4, 0.5, 1.25, 0}, {3, 1, 1.3, 0}, {4, 0, 1.3, 0},
		{3, -1, 1.3, 0}, {24, 0, 0.95, w}, {4, 0.5, 1.2, w}, {4, 0, 1.2, w},
	}[(look+look/looks)%looks]
	return draw.GlyphStyle{Color: okabeIto(look), Radius: m.glyph, Shape: s}
}

// lineStyle returns the pen of a series with the given look.
func (m metrics) lineStyle(s *Series, look int) draw.LineStyle {
	width := m.line
	if s.dense() {
		width *= 0.65
	}
	return draw.LineStyle{Color: okabeIto(look), Width: width, Dashes: dashes(s.dash(look), width)}
}

// barStyle returns the outline and the fill of bars with the given look. Light
// and dark fills alternate, to differ in grey. From the ninth look on, bars are
// hollow.
func (m metrics) barStyle(look int) plotter.Polygon {
	if look >= looks {
		return plotter.Polygon{Color: color.White, LineStyle: draw.LineStyle{Color: okabeIto(look), Width: 0.8 * m.line}}
	}
	amount := [looks]float64{1, 0.55, 1, 0.4, 0.75, 0.4, 0.8, 0.6}[look%looks]
	return plotter.Polygon{Color: tint(okabeIto(look), amount), LineStyle: draw.LineStyle{Color: ink(), Width: 0.4 * m.line}}
}

// bandStyle returns the outline and the fill of the interval band of a look.
// The fill is opaque, because transparency is wrong in the library's PDF; the
// thin outline shows it below other bands.
func (m metrics) bandStyle(look int) plotter.Polygon {
	c := okabeIto(look)
	return plotter.Polygon{Color: tint(c, 0.22), LineStyle: draw.LineStyle{Color: tint(c, 0.5), Width: 0.25 * m.line}}
}

// frame draws what lies over the data: a full frame with inward ticks, which
// the library has not (its axes are at two sides, ticks point outward), the
// labels of rules, and the legend.
type frame struct{ *panel }

// GlyphBoxes implements [plot.GlyphBoxer]: the room beside and above the frame.
func (f frame) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	boxes := []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: f.m.frame}}}}
	if f.above {
		room := f.legend.height + f.m.titlePad
		boxes = append(boxes, plot.GlyphBox{Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: room}}})
	}
	return boxes
}

// Plot implements [plot.Plotter].
func (f frame) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := draw.LineStyle{Color: ink(), Width: f.m.frame}
	length := func(t plot.Tick) vg.Length {
		if t.IsMinor() {
			return f.m.minorTick
		}
		return f.m.tick
	}
	for _, t := range f.x.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(sty, x(t.Value), c.Min.Y, x(t.Value), c.Min.Y+length(t))
	}
	for _, t := range f.y.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(sty, c.Min.X, y(t.Value), c.Min.X+length(t), y(t.Value))
	}
	c.SetLineStyle(sty)
	c.Stroke(c.Rectangle.Path())
	label := f.style(f.m.legendSize)
	label.Color, label.XAlign, label.YAlign = ruleText(), text.XCenter, text.YCenter
	for _, l := range f.labels {
		c.FillText(label, l.box.Min.Add(l.box.Max).Scale(0.5), l.text)
	}
	if f.empty {
		c.FillText(label, c.Center(), "no data")
	}
	if f.legend != nil {
		f.legend.draw(c)
	}
}
