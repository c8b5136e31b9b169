package plot

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style sets the sizes of a plot, its type and its lines. The zero value is [ACM];
// [ACM], [Slides] and [ParseStyle] return styles.
type Style struct {
	slides bool
}

// ACM returns the style of a two-column paper: 3.33 and 7 in wide, labels
// 8 pt, ticks and legends 7 pt.
func ACM() Style { return Style{} }

// Slides returns the style of a projected page: 10 and 12.5 in wide, labels
// 20 pt, ticks and legends 18 pt.
func Slides() Style { return Style{slides: true} }

// ParseStyle returns the style called s, "acm" or "slides".
func ParseStyle(s string) (Style, error) {
	for _, style := range []Style{ACM(), Slides()} {
		if s == style.String() {
			return style, nil
		}
	}
	return Style{}, fmt.Errorf("plot: style (%q) must be one of %v", s, []Style{ACM(), Slides()})
}

// String returns the name that [ParseStyle] accepts.
func (s Style) String() string {
	if s.slides {
		return "slides"
	}
	return "acm"
}

// metrics holds the sizes of a style, in points.
type metrics struct {
	single, double                   vg.Length // widths of plots
	labelSize, tickSize, legendSize  vg.Length // type; titles have labelSize
	line, frame, glyph               vg.Length // stroke widths; glyph radius
	tick, minorTick                  vg.Length // tick lengths
	tickPad, labelPad, titlePad, gap vg.Length // frame to tick label, label to label, title to frame, panel to panel
	edge                             vg.Length // blank border of the page
}

// metrics returns the sizes of s.
func (s Style) metrics() metrics {
	const in = vg.Inch
	if s.slides {
		return metrics{
			single: 10 * in, double: 12.5 * in,
			labelSize: 20, tickSize: 18, legendSize: 18,
			line: 2.4, frame: 1.2, glyph: 5,
			tick: 8, minorTick: 4.5,
			tickPad: 7, labelPad: 7, titlePad: 8, gap: 18, edge: 5,
		}
	}
	return metrics{
		single: 3.33 * in, double: 7 * in,
		labelSize: 8, tickSize: 7, legendSize: 7,
		line: 1, frame: 0.5, glyph: 1.9,
		tick: 3, minorTick: 1.7,
		tickPad: 3, labelPad: 2.5, titlePad: 3.5, gap: 8, edge: 1.5,
	}
}

// styles is the number of styles of series: each has a colour, dashes and a glyph
// of its own.
const styles = 8

// okabeIto returns colour k of the Okabe-Ito palette, those with the best
// contrast on white first.
func okabeIto(k int) color.RGBA {
	return [styles]color.RGBA{
		{0, 114, 178, 255},   // blue
		{213, 94, 0, 255},    // vermillion
		{0, 158, 115, 255},   // bluish green
		{204, 121, 167, 255}, // reddish purple
		{230, 159, 0, 255},   // orange
		{86, 180, 233, 255},  // sky blue
		{0, 0, 0, 255},       // black
		{240, 228, 66, 255},  // yellow
	}[k%styles]
}

// autoDash returns the pattern of style k. From the ninth style on, colours meet
// other patterns.
func autoDash(k int) Dash {
	return [styles]Dash{Solid, Dashed, Dotted, DashDot, LongDash, DashDotDot, ShortDash, LongDashDot}[(k+k/styles)%styles]
}

// dashes returns the lengths of a pattern drawn with a line of the given width.
func dashes(d Dash, width vg.Length) []vg.Length {
	pattern := [...][]vg.Length{
		Dashed: {4, 1.8}, Dotted: {1.1, 1.4}, DashDot: {5, 1.6, 1.1, 1.6}, LongDash: {8, 2},
		DashDotDot: {5, 1.5, 1.1, 1.5, 1.1, 1.5}, ShortDash: {2.4, 1.4}, LongDashDot: {9, 1.6, 1.1, 1.6},
	}[d]
	for i := range pattern {
		pattern[i] *= width
	}
	return pattern
}

// tint returns c mixed with white; amount 1 is c itself. The result is opaque.
func tint(c color.RGBA, amount float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - amount*(255-float64(v)) + 0.5) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// The colours that are not data.
func ink() color.RGBA      { return color.RGBA{0, 0, 0, 255} }
func ruleInk() color.RGBA  { return color.RGBA{110, 110, 110, 255} }
func ruleText() color.RGBA { return color.RGBA{70, 70, 70, 255} }

// shape is the glyph of a style, a regular polygon. The library's outlines are
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

// glyphStyle returns the glyph of style k.
func (m metrics) glyphStyle(k int) draw.GlyphStyle {
	w := 0.8 * m.line
	s := [styles]shape{
		{24, 0, 1, 0}, {4, 0.5, 1.25, 0}, {3, 1, 1.3, 0}, {4, 0, 1.3, 0},
		{3, -1, 1.3, 0}, {24, 0, 0.95, w}, {4, 0.5, 1.2, w}, {4, 0, 1.2, w},
	}[(k+k/styles)%styles]
	return draw.GlyphStyle{Color: okabeIto(k), Radius: m.glyph, Shape: s}
}

// lineStyle returns the pen of a series of style k.
func (m metrics) lineStyle(s *Series, k int) draw.LineStyle {
	width := m.line
	if s.dense() {
		width *= 0.65
	}
	return draw.LineStyle{Color: okabeIto(k), Width: width, Dashes: dashes(s.dash(k), width)}
}

// barStyle returns the outline and the fill of bars of style k. Light
// and dark fills alternate, to differ in grey. From the ninth style on, bars are
// hollow.
func (m metrics) barStyle(k int) plotter.Polygon {
	if k >= styles {
		return plotter.Polygon{Color: color.White, LineStyle: draw.LineStyle{Color: okabeIto(k), Width: 0.8 * m.line}}
	}
	amount := [styles]float64{1, 0.55, 1, 0.4, 0.75, 0.4, 0.8, 0.6}[k%styles]
	return plotter.Polygon{Color: tint(okabeIto(k), amount), LineStyle: draw.LineStyle{Color: ink(), Width: 0.4 * m.line}}
}

// bandStyle returns the outline and the fill of the interval band of style k.
// The fill is opaque, because transparency is wrong in the library's PDF; the
// thin outline shows it below other bands.
func (m metrics) bandStyle(k int) plotter.Polygon {
	c := okabeIto(k)
	return plotter.Polygon{Color: tint(c, 0.22), LineStyle: draw.LineStyle{Color: tint(c, 0.5), Width: 0.25 * m.line}}
}
