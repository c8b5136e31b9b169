package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Style sets the widths of a plot and enlarges its type and its lines. The zero value is
// [ACM]; [ACM], [Slides], [ParseStyle] and [Style.Sized] return styles.
type Style struct {
	slides             bool
	wide, high, labels vg.Length // 0 for the value of the style
}

// ACM returns the style of a two-column paper: 3.33 and 7 in wide, labels
// 8 pt, ticks and legends 7 pt.
func ACM() Style { return Style{} }

// Slides returns the style of a projected page: 10 and 12.5 in wide, labels
// 20 pt, ticks and legends 17.5 pt.
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

// Sized returns the style with the given width and height of the page, in inches, and the given size of
// labels, in points. Ticks, legends and lines are scaled in proportion to the labels. An argument of 0
// keeps the value of the style, or of the plot.
func (s Style) Sized(width, height, points float64) Style {
	return Style{s.slides, vg.Length(width) * vg.Inch, vg.Length(height) * vg.Inch, vg.Length(points)}
}

// String returns the name that [ParseStyle] accepts.
func (s Style) String() string {
	if s.slides {
		return "slides"
	}
	return "acm"
}

// zoom returns the factor by which the style enlarges all lengths of this package.
func (s Style) zoom() vg.Length {
	if s.slides {
		return cmp.Or(s.labels, 2.5*labelSize) / labelSize
	}
	return cmp.Or(s.labels, labelSize) / labelSize
}

// width returns the width of a plot before it is enlarged.
func (s Style) width(w ColumnWidth) vg.Length {
	inches := [...]vg.Length{Single: 3.33, Double: 7}[w]
	if s.slides {
		inches = [...]vg.Length{Single: 10, Double: 12.5}[w]
	}
	return cmp.Or(s.wide, inches*vg.Inch) / s.zoom()
}

// height returns the height of a plot before it is enlarged, for a height in [ACM]. Slides
// are 1.8 times as wide, but 2.2 times as high, because text takes more of the height.
func (s Style) height(inches float64) vg.Length {
	if s.slides {
		inches *= 2.2
	}
	return cmp.Or(s.high, vg.Length(inches)*vg.Inch) / s.zoom()
}

// The sizes of texts and lines, in points of [ACM].
const (
	labelSize vg.Length = 8 // type of titles and axis labels
	smallSize vg.Length = 7 // type of tick labels, legends and reference lines

	lineWidth   vg.Length = 1
	frameWidth  vg.Length = 0.5
	glyphRadius vg.Length = 1.9
	tickLength  vg.Length = 3
	minorTick   vg.Length = 1.7

	tickPad  vg.Length = 3                                 // distance from the frame to tick labels
	xTickPad vg.Length = tickPad - (ascent-0.72)*smallSize // less, since raised digits are rare
	labelPad vg.Length = 2.5                               // distance from tick labels to an axis label
	titlePad vg.Length = 3.5                               // distance from the frame to the title
	panelGap vg.Length = 8
	edge     vg.Length = 1.5 // blank border of the page
)

// inks holds the named colours: eight near the Okabe-Ito palette for load balancers, and eight near Paul
// Tol's muted palette for other series. The colours of one palette differ in grey and for the
// colour-blind.
var inks = [...]color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {194, 108, 158, 255},
	{240, 172, 10, 255}, {86, 180, 233, 255}, {90, 50, 20, 255}, {240, 228, 66, 255},
	{51, 34, 136, 255}, {80, 185, 165, 255}, {136, 34, 85, 255}, {160, 60, 150, 255},
	{204, 102, 119, 255}, {221, 204, 119, 255}, {125, 125, 20, 255}, {0, 0, 0, 255},
}

// look is the appearance of a colour apart from its ink.
type look struct {
	dash  Dash
	glyph shape
}

// looks holds the appearances of the colours of a palette, in their order.
var looks = [...]look{
	{Solid, shape{corners: 24, size: 1}},
	{Dashed, shape{corners: 4, turn: 0.5, size: 1.25}},
	{Dotted, shape{corners: 3, turn: 1, size: 1.3}},
	{DashDot, shape{corners: 4, size: 1.3}},
	{LongDash, shape{corners: 3, turn: -1, size: 1.3}},
	{DashDotDot, shape{corners: 24, size: 0.95, hollow: true}},
	{ShortDash, shape{corners: 4, turn: 0.5, size: 1.2, hollow: true}},
	{LongDashDot, shape{corners: 4, size: 1.2, hollow: true}},
}

// hollows holds the glyphs of shades, in the order of looks.
var hollows = [len(looks)]shape{
	{corners: 24, size: 0.95, hollow: true},
	{corners: 4, turn: 0.5, size: 1.2, hollow: true},
	{corners: 3, turn: 1, size: 1.3, hollow: true},
	{corners: 4, size: 1.2, hollow: true},
	{corners: 3, turn: -1, size: 1.3, hollow: true},
	{corners: 4, size: 1.5, hollow: true, star: true},
	{corners: 3, turn: 0, size: 1.3, hollow: true},
	{corners: 3, turn: 2, size: 1.3, hollow: true},
}

// inkBits is the number of bits of a Color below its own ink. They hold the number of its look. The first
// bit of the ink is always 1.
const inkBits = 16

// WithInk returns the colour with an ink of its own, opaque; dashes and glyph stay.
func (c Color) WithInk(ink color.RGBA) Color {
	return c.look() | Color(1<<24|uint32(ink.R)<<16|uint32(ink.G)<<8|uint32(ink.B))<<inkBits
}

// InkNamed returns the ink of one of SVG's names or of #rrggbb, and false for other texts.
func InkNamed(name string) (color.RGBA, bool) {
	rgb, err := strconv.ParseUint(strings.TrimPrefix(name, "#"), 16, 24)
	if err == nil && len(name) == 7 && name[0] == '#' {
		return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}, true
	}
	ink, known := colornames.Map[strings.ToLower(name)]
	return ink, known
}

// look returns the colour without an ink of its own.
func (c Color) look() Color { return c & (1<<inkBits - 1) }

// tones is the number of tones of a named ink: itself, dark, light. Further shades have these again, with other
// patterns.
const tones = 3

// rgb returns the ink of c: its own, or a tone of a named one.
func (c Color) rgb() color.RGBA {
	if own := c >> inkBits; own > 0 {
		return color.RGBA{uint8(own >> 16), uint8(own >> 8), uint8(own), 255}
	}
	k, n := c-Blue, Color(len(inks))
	ink, tone := inks[k%n], k/n%tones
	switch {
	case tone == 0:
		return ink
	case ink == inks[Black-Blue]:
		return tint(ink, 0.6/float64(tone))
	case tone == 2:
		return tint(ink, 0.6)
	}
	return color.RGBA{ink.R / 5 * 3, ink.G / 5 * 3, ink.B / 5 * 3, 255}
}

// pattern returns the dashes and the glyph of c. Shades have hollow glyphs. Each shade begins two patterns before the
// last one. Dark inks are near each other; shifted, most of them have different dashes and glyphs.
func (c Color) pattern() look {
	k, n, m := c.look()-Blue, Color(len(inks)), Color(len(looks))
	shade := k / n
	i := ((k-2*shade)%m + m) % m
	l := looks[i]
	if shade > 0 {
		l.glyph = hollows[i]
	}
	return l
}

// Resembles reports whether people may take c for the other colour: the inks are near each other, and dashes or glyphs
// are the same. Neither may be AutoColor.
func (c Color) Resembles(other Color) bool {
	const near = 60
	a, b, l, m := c.rgb(), other.rgb(), c.pattern(), other.pattern()
	square := func(x, y uint8) float64 { return (float64(x) - float64(y)) * (float64(x) - float64(y)) }
	apart := math.Sqrt(square(a.R, b.R) + square(a.G, b.G) + square(a.B, b.B))
	return apart < near && (l.dash == m.dash || l.glyph == m.glyph)
}

// lengths returns the lengths of a pattern drawn with a line of the given width.
func (d Dash) lengths(width vg.Length) []vg.Length {
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
var (
	ink      = color.RGBA{0, 0, 0, 255}
	ruleInk  = color.RGBA{110, 110, 110, 255}
	ruleText = color.RGBA{70, 70, 70, 255}
)

// shape is the glyph of a colour, a regular polygon. (Outlines of the library are transparent and 0.5 pt
// wide, and it has no diamond.)
type shape struct {
	corners int
	turn    float64 // direction of the first corner, in quarter turns from the right
	size    vg.Length
	hollow  bool
	star    bool // with corners between that are nearer to the centre
}

// DrawGlyph implements [draw.GlyphDrawer].
func (s shape) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	count := s.corners
	if s.star {
		count *= 2
	}
	corners := make([]vg.Point, count)
	for i := range corners {
		sin, cos := math.Sincos(math.Pi/2*s.turn + 2*math.Pi*float64(i)/float64(count))
		radius := s.size * sty.Radius
		if s.star && i%2 == 1 {
			radius *= 0.4
		}
		corners[i] = at.Add(vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}.Scale(radius))
	}
	if !s.hollow {
		c.FillPolygon(sty.Color, corners)
		return
	}
	c.FillPolygon(color.White, corners)
	c.StrokeLines(draw.LineStyle{Color: sty.Color, Width: 0.8 * lineWidth}, append(corners, corners[:2]...))
}

// glyphStyle returns the glyph of a series of colour c.
func (c Color) glyphStyle() draw.GlyphStyle {
	return draw.GlyphStyle{Color: c.rgb(), Radius: glyphRadius, Shape: c.pattern().glyph}
}

// lineStyle returns the pen of a series of colour c.
func (c Color) lineStyle(s *Series) draw.LineStyle {
	width, dash := lineWidth, s.Dash
	if s.dense() {
		width *= 0.65
	}
	if dash == AutoDash && !s.dense() {
		dash = c.pattern().dash
	}
	return draw.LineStyle{Color: c.rgb(), Width: width, Dashes: dash.lengths(width)}
}

// barStyle returns the outline and the fill of bars of colour c. Bars of shades are pale, not white,
// since white bars look missing.
func (c Color) barStyle() plotter.Polygon {
	if c.look() >= Blue.Hollow() {
		return plotter.Polygon{Color: tint(c.rgb(), 0.4), LineStyle: draw.LineStyle{Color: c.rgb(), Width: 0.8 * lineWidth}}
	}
	line := draw.LineStyle{Color: ink, Width: 0.4 * lineWidth}
	return plotter.Polygon{Color: c.rgb(), LineStyle: line}
}

// bandStyle returns the outline and the fill of the interval band of colour c. The fill is transparent, so that it does
// not hide other bands.
func (c Color) bandStyle() plotter.Polygon {
	ink := c.rgb()
	line := draw.LineStyle{Color: tint(ink, 0.5), Width: 0.25 * lineWidth}
	return plotter.Polygon{Color: color.NRGBA{ink.R, ink.G, ink.B, 56}, LineStyle: line}
}
