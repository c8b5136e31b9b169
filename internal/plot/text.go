package plot

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The geometry of text, as parts of the type size.
const (
	ascent      = 0.82 // height of a line, which leaves room for raised digits
	descent     = 0.21 // depth of g, p, y and parentheses
	middle      = 0.35 // half the height of digits
	scriptSize  = 0.70 // size of raised and lowered text
	scriptRaise = 0.32
	scriptDrop  = 0.14
)

// run is a stretch of text on one level: 0 on the baseline, +1 raised, -1
// lowered.
type run struct {
	text  string
	level int
}

// textLine is a line of text at a type size of one point. Lengths are relative
// to the left end of the baseline.
type textLine struct {
	runs   []run
	width  float64
	glyphs []placedGlyph
}

// placedGlyph is one glyph of a line and its type size.
type placedGlyph struct {
	index      sfnt.GlyphIndex
	x, y, size float64
}

// typesetter is the text handler of the plots. The library's own handlers write
// a PDF's text as mojibake and embed 220 KB of font, drop characters that the
// font lacks, and know no scripts (text.Latex panics on them); this one fills
// the outlines of Liberation Sans, or hands LaTeX to a [texCanvas]. It caches,
// so it belongs to one rendering.
type typesetter struct {
	face  font.Face
	buf   sfnt.Buffer
	em    fixed.Int26_6
	lines map[string]*textLine
	tex   bool
	watch func(placedText) // is told of every text drawn; nil for nobody
}

var _ text.Handler = (*typesetter)(nil)

// newTypesetter returns a handler that draws outlines, or LaTeX.
func newTypesetter(tex bool) *typesetter {
	face := font.DefaultCache.Lookup(sans(1), 1)
	return &typesetter{face: face, em: fixed.I(int(face.Face.UnitsPerEm())), lines: make(map[string]*textLine), tex: tex}
}

// sans is the font of all text at a type size.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// Cache implements [text.Handler].
func (t *typesetter) Cache() *font.Cache { return font.DefaultCache }

// Extents implements [text.Handler]. The descent is in Box alone, because the
// library adds the one given here in some places and not in others.
func (t *typesetter) Extents(f font.Font) font.Extents {
	return font.Extents{Ascent: ascent * f.Size, Height: ascent * f.Size}
}

// Lines implements [text.Handler]: there is one.
func (t *typesetter) Lines(s string) []string { return []string{s} }

// Box implements [text.Handler]. All lines are equally high, so that labels
// with and without scripts share a baseline.
func (t *typesetter) Box(s string, f font.Font) (width, height, depth vg.Length) {
	return t.width(s, f.Size), ascent * f.Size, descent * f.Size
}

// width returns the width of s, which was checked by set, at a type size.
func (t *typesetter) width(s string, size vg.Length) vg.Length {
	line, err := t.set(s)
	if err != nil {
		return 0
	}
	return vg.Length(line.width) * size
}

// Draw implements [text.Handler]. Text that set rejects is not drawn.
func (t *typesetter) Draw(c vg.Canvas, s string, sty text.Style, at vg.Point) {
	line, err := t.set(s)
	if err != nil || len(line.glyphs) == 0 {
		return
	}
	size := sty.Font.Size
	x := vg.Length(sty.XAlign) * vg.Length(line.width) * size
	y := (descent + vg.Length(sty.YAlign)*(ascent+descent)) * size
	if sty.YAlign == text.YCenter {
		y = -middle * size // the middle of digits, not of the box
	}
	c.SetColor(sty.Color)
	if t.tex {
		c.Push()
		c.Translate(at)
		c.Rotate(sty.Rotation)
		drawTeX(c, font.Face{Font: sty.Font, Face: t.face.Face}, line, sty.XAlign, y)
		c.Pop()
		return
	}
	sin, cos := math.Sincos(sty.Rotation)
	origin := at.Add(vg.Point{X: x*vg.Length(cos) - y*vg.Length(sin), Y: x*vg.Length(sin) + y*vg.Length(cos)})
	t.saw(s, line, origin, sty)
	if page := svgBelow(c); page != nil {
		page.text(t, line.glyphs, origin, sty.Rotation, size)
		return
	}
	var path vg.Path
	for _, g := range line.glyphs {
		segments, err := t.face.Face.LoadGlyph(&t.buf, g.index, t.em, nil)
		if err != nil {
			continue // set has read it before
		}
		scale := g.size / float64(t.em)
		path = appendOutline(path, segments, func(q fixed.Point26_6) vg.Point {
			px := float64(x) + (g.x+float64(q.X)*scale)*float64(size)
			py := float64(y) + (g.y-float64(q.Y)*scale)*float64(size)
			return at.Add(vg.Point{X: vg.Length(px*cos - py*sin), Y: vg.Length(px*sin + py*cos)})
		})
	}
	if len(path) > 0 {
		c.Fill(path)
	}
}

// unitsPerEm is the font's grid: a type size has so many units.
func (t *typesetter) unitsPerEm() float64 { return float64(t.face.Face.UnitsPerEm()) }

// outline returns a glyph as the data of an SVG path, in units of the font, y
// downwards. It is exact, and empty for a space.
func (t *typesetter) outline(index sfnt.GlyphIndex) string {
	segments, err := t.face.Face.LoadGlyph(&t.buf, index, t.em, nil)
	if err != nil {
		return "" // set has read it before
	}
	pen := svgPen{unit: 1}
	units := func(p fixed.Point26_6) (x, y float64) { return float64(p.X) / 64, float64(p.Y) / 64 }
	for i, s := range segments {
		x, y := units(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				pen.close()
			}
			pen.move(x, y)
		case sfnt.SegmentOpLineTo:
			pen.line(x, y)
		case sfnt.SegmentOpQuadTo:
			endX, endY := units(s.Args[1])
			pen.curve([]float64{x, y, endX, endY})
		}
	}
	if len(segments) > 0 {
		pen.close()
	}
	return pen.data.String()
}

// appendOutline appends a glyph of TrueType: lines and quadratic curves, these
// raised to cubic ones, since the library's PDF and PGF canvases draw them wrongly.
func appendOutline(path vg.Path, segments sfnt.Segments, at func(fixed.Point26_6) vg.Point) vg.Path {
	var pen vg.Point
	for i, s := range segments {
		end := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(end)
		case sfnt.SegmentOpLineTo:
			path.Line(end)
		case sfnt.SegmentOpQuadTo:
			c := end
			end = at(s.Args[1])
			path.CubeTo(pen.Add(c.Sub(pen).Scale(2./3)), end.Add(c.Sub(end).Scale(2./3)), end)
		}
		pen = end
	}
	if len(segments) > 0 {
		path.Close()
	}
	return path
}

// set lays out s. A character that the font lacks, or LaTeX where that is
// written, is an error.
func (t *typesetter) set(s string) (*textLine, error) {
	if line, ok := t.lines[s]; ok {
		return line, nil
	}
	runs, err := parseMarkup(s)
	if err != nil {
		return nil, err
	}
	line := &textLine{runs: runs}
	began, before := 0.0, 0
	for _, r := range runs {
		x, y, size := line.width, 0.0, 1.0
		if r.level*before < 0 {
			x = began // _{..}^{..} stand above each other
		}
		began, before = x, r.level
		switch r.level {
		case 1:
			y, size = scriptRaise, scriptSize
		case -1:
			y, size = -scriptDrop, scriptSize
		}
		for _, c := range r.text {
			g, err := t.face.Face.GlyphIndex(&t.buf, c)
			if err != nil || g == 0 {
				return nil, fmt.Errorf("text %q: no glyph in Liberation Sans for %q (%U)", s, c, c)
			}
			line.glyphs = append(line.glyphs, placedGlyph{g, x, y, size})
			x += float64(t.face.Width(string(c))) * size
		}
		line.width = max(line.width, x)
	}
	if t.tex {
		if _, err := latexRuns(runs); err != nil {
			return nil, err
		}
	}
	t.lines[s] = line
	return line, nil
}

// script finds raised and lowered parts, number the '-' that begins a number.
var (
	script = regexp.MustCompile(`[\^_]\{[^{}]*\}`)
	number = regexp.MustCompile(`(^|[^\pL\pN_)\]-])-([\pN.∞])`)
)

// parseMarkup splits s into runs, replacing the '-' of negative numbers. A '^'
// or '_' that no '{' follows stands for itself.
func parseMarkup(s string) ([]run, error) {
	var runs []run
	plain := func(part string) error {
		for _, open := range []string{"^{", "_{"} {
			if strings.Contains(part, open) {
				return fmt.Errorf("text %q: %s must be closed by }, and hold no other", s, open)
			}
		}
		if part != "" {
			runs = append(runs, run{text: number.ReplaceAllString(part, "${1}\u2212$2")})
		}
		return nil
	}
	end := 0
	for _, at := range script.FindAllStringIndex(s, -1) {
		if err := plain(s[end:at[0]]); err != nil {
			return nil, err
		}
		level := 1
		if s[at[0]] == '_' {
			level = -1
		}
		runs = append(runs, run{strings.ReplaceAll(s[at[0]+2:at[1]-1], "-", "\u2212"), level})
		end = at[1]
	}
	return runs, plain(s[end:])
}
