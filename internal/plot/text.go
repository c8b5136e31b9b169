package plot

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The geometry of text, as parts of the type size.
const (
	ascent      = 0.82 // height of a line, which leaves room for raised digits
	descent     = 0.21 // depth of g, p, y and parentheses
	middle      = 0.35 // half the height of digits
	scriptSize  = 0.70 // size of raised text
	scriptRaise = 0.32
)

// run is a stretch of text on the baseline, or raised and smaller. Lengths are parts of the
// type size, from the left end of the baseline.
type run struct {
	text       string
	x, y, size float64
}

// textLine is a line of text.
type textLine struct {
	runs  []run
	width float64
}

// typesetter is the text handler of the plots. (The handlers of the library drop characters that the font
// lacks, and have no superscripts; text.Latex panics on them.) It caches, so it belongs to one rendering.
type typesetter struct {
	face  font.Face
	buf   sfnt.Buffer
	lines map[string]*textLine
}

var _ text.Handler = (*typesetter)(nil)

func newTypesetter() *typesetter {
	return &typesetter{face: font.DefaultCache.Lookup(sans(1), 1), lines: make(map[string]*textLine)}
}

// sans returns the font of all text at a type size.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// Cache implements [text.Handler].
func (t *typesetter) Cache() *font.Cache { return font.DefaultCache }

// Extents implements [text.Handler]. The descent is part of Box only, because the library adds the
// descent given here in some places and not in others.
func (t *typesetter) Extents(f font.Font) font.Extents {
	return font.Extents{Ascent: ascent * f.Size, Height: ascent * f.Size}
}

// Lines implements [text.Handler]: there is one.
func (t *typesetter) Lines(s string) []string { return []string{s} }

// Box implements [text.Handler]. All lines have the same height, so that labels with and without
// superscripts share a baseline.
func (t *typesetter) Box(s string, f font.Font) (width, height, depth vg.Length) {
	return t.width(s, f.Size), ascent * f.Size, descent * f.Size
}

// width returns the width of s at a type size. set must have accepted s.
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
	if err != nil || len(line.runs) == 0 {
		return
	}
	size := sty.Font.Size
	x := vg.Length(sty.XAlign) * vg.Length(line.width) * size
	y := (descent + vg.Length(sty.YAlign)*(ascent+descent)) * size
	if sty.YAlign == text.YCenter {
		y = -middle * size // the middle of digits, not of the box
	}
	c.SetColor(sty.Color)
	from := at.Add(vg.Point{X: x, Y: y})
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Translate(at)
		c.Rotate(sty.Rotation)
		from = vg.Point{X: x, Y: y}
	}
	for _, r := range line.runs {
		words := strings.TrimLeft(r.text, " ") // SVG drops spaces at the ends
		r.x += float64(len(r.text)-len(words)) * t.advance(' ') * r.size
		face := font.Face{Font: sans(vg.Length(r.size) * size), Face: t.face.Face}
		left := from.Add(vg.Point{X: vg.Length(r.x), Y: vg.Length(r.y)}.Scale(size))
		c.FillString(face, left, strings.TrimRight(words, " "))
	}
}

// advance returns the width of a letter, as a part of the type size.
func (t *typesetter) advance(c rune) float64 { return float64(t.face.Width(string(c))) }

// negative finds the '-' that begins a number.
var negative = regexp.MustCompile(`(^|[^\pL\pN_)\]-])-([\pN.∞])`)

// minus finds the '-' of a difference, and micro the "us" of microseconds.
var (
	minus = regexp.MustCompile(` - (\pL\b|[\pN(])`)
	micro = regexp.MustCompile(`(^|[^\pL_])us($|[^\pL\pN_])`)
)

// signs returns s with a true minus in numbers and differences, and a µ in microseconds.
func signs(s string) string {
	s = minus.ReplaceAllString(s, " \u2212 $1")
	return micro.ReplaceAllString(negative.ReplaceAllString(s, "${1}\u2212$2"), "${1}µs$2")
}

// set lays out s with the right [signs]. A character that the font lacks is an error. A '^' without a
// following '{' is an ordinary character.
func (t *typesetter) set(s string) (*textLine, error) {
	if line, ok := t.lines[s]; ok {
		return line, nil
	}
	line := new(textLine)
	for i, part := range strings.Split(s, "^{") {
		if i > 0 {
			raised, rest, closed := strings.Cut(part, "}")
			if !closed {
				return nil, fmt.Errorf("text %q: ^{ must be closed by }, and hold no other", s)
			}
			t.add(line, run{text: strings.ReplaceAll(raised, "-", "\u2212"), y: scriptRaise, size: scriptSize})
			part = rest
		}
		t.add(line, run{text: signs(part), size: 1})
	}
	for _, r := range line.runs {
		for _, c := range r.text {
			if g, err := t.face.Face.GlyphIndex(&t.buf, c); err != nil || g == 0 {
				return nil, fmt.Errorf("text %q: no glyph in Liberation Sans for %q (%U)", s, c, c)
			}
		}
	}
	t.lines[s] = line
	return line, nil
}

// add appends a run that is not empty to a line.
func (t *typesetter) add(line *textLine, r run) {
	if r.text == "" {
		return
	}
	r.x = line.width
	for _, c := range r.text {
		line.width += t.advance(c) * r.size
	}
	line.runs = append(line.runs, r)
}
