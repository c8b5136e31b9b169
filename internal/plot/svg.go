package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// svgCanvas writes SVG. The library's canvas writes style attributes, which the
// security policy of a page refuses, absolute coordinates, which take twice the
// room, and the outline of a letter each time it occurs, which was two thirds of
// a file; here each letter is outlined once.
type svgCanvas struct {
	width, height vg.Length
	body          bytes.Buffer
	states        []svgState
	letters       map[sfnt.GlyphIndex]string // outlines in units of the font
}

// svgState is what Push saves.
type svgState struct {
	color      color.Color
	lineWidth  vg.Length
	dashes     []vg.Length
	dashOffset vg.Length
	// The transform: x' = xx x + xy y + x0, y' = yx x + yy y + y0.
	xx, xy, x0, yx, yy, y0 float64
}

var _ vg.CanvasWriterTo = (*svgCanvas)(nil)

// newSVGCanvas returns an empty page.
func newSVGCanvas(width, height vg.Length) *svgCanvas {
	c := &svgCanvas{width: width, height: height, states: []svgState{{xx: 1, yy: 1}}, letters: map[sfnt.GlyphIndex]string{}}
	vg.Initialize(c)
	return c
}

// svgBelow returns the SVG canvas that a canvas of the library draws on, or nil.
func svgBelow(c vg.Canvas) *svgCanvas {
	for {
		switch d := c.(type) {
		case *svgCanvas:
			return d
		case *draw.Canvas:
			c = d.Canvas
		case draw.Canvas:
			c = d.Canvas
		default:
			return nil
		}
	}
}

func (c *svgCanvas) now() *svgState { return &c.states[len(c.states)-1] }

// Size implements [vg.CanvasSizer].
func (c *svgCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// SetLineWidth implements [vg.Canvas].
func (c *svgCanvas) SetLineWidth(w vg.Length) { c.now().lineWidth = w }

// SetLineDash implements [vg.Canvas].
func (c *svgCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.now().dashes, c.now().dashOffset = slices.Clone(pattern), offset
}

// SetColor implements [vg.Canvas].
func (c *svgCanvas) SetColor(ink color.Color) {
	if ink == nil {
		ink = color.Black
	}
	c.now().color = ink
}

// Rotate implements [vg.Canvas].
func (c *svgCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	s := c.now()
	s.xx, s.xy = s.xx*cos+s.xy*sin, s.xy*cos-s.xx*sin
	s.yx, s.yy = s.yx*cos+s.yy*sin, s.yy*cos-s.yx*sin
}

// Translate implements [vg.Canvas].
func (c *svgCanvas) Translate(p vg.Point) { s := c.now(); s.x0, s.y0 = s.at(p) }

// Scale implements [vg.Canvas].
func (c *svgCanvas) Scale(x, y float64) {
	s := c.now()
	s.xx, s.xy, s.yx, s.yy = s.xx*x, s.xy*y, s.yx*x, s.yy*y
}

// Push implements [vg.Canvas].
func (c *svgCanvas) Push() { c.states = append(c.states, *c.now()) }

// Pop implements [vg.Canvas].
func (c *svgCanvas) Pop() { c.states = c.states[:len(c.states)-1] }

// at returns a point of the page, from its lower left corner.
func (s *svgState) at(p vg.Point) (x, y float64) {
	px, py := float64(p.X), float64(p.Y)
	return s.xx*px + s.xy*py + s.x0, s.yx*px + s.yy*py + s.y0
}

// FillString implements [vg.Canvas]. All text comes as outlines, from a
// [typesetter].
func (c *svgCanvas) FillString(font.Face, vg.Point, string) {
	panic("report: text past the typesetter")
}

// DrawImage implements [vg.Canvas]. No figure has pictures.
func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image) { panic("report: a picture in a figure") }

// Stroke implements [vg.Canvas].
func (c *svgCanvas) Stroke(path vg.Path) {
	s := c.now()
	if s.lineWidth <= 0 {
		return
	}
	fmt.Fprintf(&c.body, `<path fill="none" stroke="%s" stroke-width="%s"`, hex(s.color), decimal(float64(s.lineWidth)))
	for i, d := range s.dashes {
		c.body.WriteString([]string{` stroke-dasharray="`, " "}[min(i, 1)] + decimal(float64(d)))
	}
	if len(s.dashes) > 0 {
		c.body.WriteString(`"`)
	}
	if s.dashOffset != 0 && len(s.dashes) > 0 {
		fmt.Fprintf(&c.body, ` stroke-dashoffset="%s"`, decimal(float64(s.dashOffset)))
	}
	fmt.Fprintf(&c.body, " d=\"%s\"/>\n", c.path(path))
}

// Fill implements [vg.Canvas].
func (c *svgCanvas) Fill(path vg.Path) {
	fmt.Fprintf(&c.body, "<path fill=\"%s\" d=\"%s\"/>\n", hex(c.now().color), c.path(path))
}

// path returns a path's data: steps of 1/100 pt, relative, the errors of
// rounding not added up.
func (c *svgCanvas) path(path vg.Path) string {
	s := c.now()
	pen := svgPen{unit: 0.01}
	place := func(p vg.Point) (x, y float64) {
		x, y = s.at(p)
		return x, float64(c.height) - y
	}
	for _, part := range path {
		x, y := place(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			pen.move(x, y)
		case vg.LineComp:
			pen.line(x, y)
		case vg.ArcComp:
			sin, cos := math.Sincos(part.Start)
			pen.line(place(part.Pos.Add(vg.Point{X: part.Radius * vg.Length(cos), Y: part.Radius * vg.Length(sin)})))
			// Halves, as an arc that ends where it began is none.
			for half := 1; half <= 2; half++ {
				sin, cos = math.Sincos(part.Start + part.Angle*float64(half)/2)
				x, y = place(part.Pos.Add(vg.Point{X: part.Radius * vg.Length(cos), Y: part.Radius * vg.Length(sin)}))
				pen.arc(float64(part.Radius)*math.Hypot(s.xx, s.yx), part.Angle > 0, x, y)
			}
		case vg.CurveComp:
			var points []float64
			for _, p := range append(slices.Clone(part.Control), part.Pos) {
				px, py := place(p)
				points = append(points, px, py)
			}
			pen.curve(points)
		case vg.CloseComp:
			pen.close()
		}
	}
	return pen.data.String()
}

// text draws glyphs that are placed relative to a point, in parts of a type size.
func (c *svgCanvas) text(t *typesetter, glyphs []placedGlyph, at vg.Point, angle float64, size vg.Length) {
	x, y := c.now().at(at)
	y = float64(c.height) - y
	last := placedGlyph{}
	for i, g := range glyphs {
		if _, known := c.letters[g.index]; !known {
			c.letters[g.index] = t.outline(g.index)
		}
		if i == 0 || g.size != last.size || g.y != last.y {
			if i > 0 {
				c.body.WriteString("</g>\n")
			}
			turn := ""
			if angle != 0 {
				turn = " rotate(" + decimal(-angle*180/math.Pi) + ")"
			}
			scale := strconv.FormatFloat(g.size*float64(size)/t.unitsPerEm(), 'g', 5, 64)
			fmt.Fprintf(&c.body, `<g fill="%s" transform="translate(%s %s)%s scale(%s)">`, hex(c.now().color), decimal(x), decimal(y), turn, scale)
		}
		last = g
		if c.letters[g.index] == "" {
			continue // a space
		}
		units := t.unitsPerEm() / g.size
		fmt.Fprintf(&c.body, `<use xlink:href="#s%d" x="%.0f"`, g.index, g.x*units)
		if g.y != 0 {
			fmt.Fprintf(&c.body, ` y="%.0f"`, -g.y*units)
		}
		c.body.WriteString("/>")
	}
	if len(glyphs) > 0 {
		c.body.WriteString("</g>\n")
	}
}

// WriteTo implements [io.WriterTo].
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var out bytes.Buffer
	width, height := decimal(float64(c.width)), decimal(float64(c.height))
	fmt.Fprintf(&out, "<?xml version=\"1.0\"?>\n<svg width=\"%spt\" height=\"%spt\" viewBox=\"0 0 %s %s\" xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n<defs>\n", width, height, width, height)
	for _, index := range slices.Sorted(maps.Keys(c.letters)) {
		if outline := c.letters[index]; outline != "" {
			fmt.Fprintf(&out, "<path id=\"s%d\" d=\"%s\"/>\n", index, outline)
		}
	}
	// Mitred joins overshoot at every peak of a noisy line.
	out.WriteString("</defs>\n<g stroke-linejoin=\"round\">\n")
	out.Write(c.body.Bytes())
	out.WriteString("</g>\n</svg>\n")
	return out.WriteTo(w)
}

// hex returns a colour as SVG has it. Figures have opaque colours only.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// decimal returns v with at most two decimals.
func decimal(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64)
}
