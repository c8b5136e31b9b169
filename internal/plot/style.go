package plot

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"repslab/internal/table"
)

// Style is the size of a figure and of everything in it. The zero value is
// [ACM]. Styles are made by [ACM], [Slides] and [ParseStyle].
type Style struct {
	name styleName
}

type styleName string

const (
	acm    styleName = "acm"
	slides styleName = "slides"
)

// ACM returns the style of a two-column paper: 3.33 and 7 in wide, labels
// 8 pt, ticks and legends 7 pt.
func ACM() Style { return Style{acm} }

// Slides returns the style of a projected page: 10 and 12.5 in wide, labels
// 20 pt, ticks and legends 18 pt.
func Slides() Style { return Style{slides} }

// ParseStyle returns the style called s, "acm" or "slides".
func ParseStyle(s string) (Style, error) {
	name, err := table.ParseName("style", s, []styleName{acm, slides})
	return Style{name}, err
}

// String returns the name that [ParseStyle] accepts.
func (s Style) String() string {
	if s.name == "" {
		return string(acm)
	}
	return string(s.name)
}

// metrics are the sizes of a style, in points.
type metrics struct {
	single, double                   vg.Length // figure widths
	labelSize, tickSize, legendSize  vg.Length // type; titles have labelSize
	line, frame, glyph               vg.Length // stroke widths; glyph radius
	tick, minorTick                  vg.Length // tick lengths
	tickPad, labelPad, titlePad, gap vg.Length // frame to tick label, label to label, title to frame, panel to panel
	edge                             vg.Length // blank border of the figure
}

// metrics returns the sizes of s.
func (s Style) metrics() metrics {
	const in = vg.Inch
	if s.name == slides {
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

// looks is how many looks differ in colour, dashes and glyph.
const looks = 8

// okabeIto returns colour i of the Okabe-Ito palette, those with the best
// contrast on white first.
func okabeIto(i int) color.RGBA {
	return [looks]color.RGBA{
		{0, 114, 178, 255},   // blue
		{213, 94, 0, 255},    // vermillion
		{0, 158, 115, 255},   // bluish green
		{204, 121, 167, 255}, // reddish purple
		{230, 159, 0, 255},   // orange
		{86, 180, 233, 255},  // sky blue
		{0, 0, 0, 255},       // black
		{240, 228, 66, 255},  // yellow
	}[i%looks]
}

// autoDash returns the pattern of look i. From the ninth look on, colours meet
// other patterns.
func autoDash(i int) Dash {
	return [looks]Dash{Solid, Dashed, Dotted, DashDot, LongDash, DashDotDot, ShortDash, LongDashDot}[(i+i/looks)%looks]
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
