package plot

import (
	"fmt"
	"image/color"
	"math"
	"regexp"

	"golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// What a reader of print stumbles over.
const (
	smallestType = 6.0  // points, scripts apart
	leastOverlap = 0.15 // of the type size, of the boxes of two texts, across and up
	// leastContrast of two lines of one pattern, by luminance, so that they are
	// told apart in grey; black on white is 21.
	leastContrast = 1.25
)

// Inspect returns what a reader of the figure in a style, at the size of print,
// would stumble over, in words: what is cut off by the page's edge; texts that
// are too small or stand on each other; frames of a row that are not on one line;
// series of a panel that nothing but colour tells apart, and that are alike in
// grey. It returns none for a figure fit for print. (Legends cover no data, see
// [LegendPlace], and a '-' before a number is a minus sign.) Errors are those of
// [Figure.Render].
func (f Plot) Inspect(style Style) ([]string, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	s, err := newSheet(f, style, false)
	if err != nil {
		return nil, err
	}
	if err := s.arrange(); err != nil {
		return nil, err
	}
	page := &sizedRecorder{width: s.width, height: s.height}
	set := s.panels[0].set // all panels have the same
	set.watch = func(t placedText) { page.texts = append(page.texts, t) }
	s.draw(page)
	set.watch = nil
	faults := page.faults()
	for _, p := range s.panels {
		for _, q := range s.panels {
			if q.row == p.row && q.col < p.col && math.Abs(float64(p.inner.Min.Y-q.inner.Min.Y)) > 1e-3 {
				faults = append(faults, p.where+": its frame is not on the line of "+q.where)
			}
		}
		for _, fault := range p.inspect() {
			faults = append(faults, p.where+": "+fault)
		}
	}
	return faults, nil
}

// placedText is a text on the page.
type placedText struct {
	text string
	size vg.Length
	box  vg.Rectangle
}

// sizedRecorder records what is drawn on a page.
type sizedRecorder struct {
	recorder.Canvas
	width, height vg.Length
	texts         []placedText
}

// Size implements [vg.CanvasSizer].
func (r *sizedRecorder) Size() (width, height vg.Length) { return r.width, r.height }

// page returns the page, with what rounding adds.
func (r *sizedRecorder) page() vg.Rectangle {
	return grown(vg.Rectangle{Max: vg.Point{X: r.width, Y: r.height}}, 1e-6)
}

// strays returns a point of each outline that leaves an area.
func strays(rec *recorder.Canvas, area vg.Rectangle) []vg.Point {
	var list []vg.Point
	for _, a := range rec.Actions {
		var path vg.Path
		switch a := a.(type) {
		case *recorder.Stroke:
			path = a.Path
		case *recorder.Fill:
			path = a.Path
		}
		for _, part := range path {
			if part.Type != vg.CloseComp && !inside(vg.Rectangle{Min: part.Pos, Max: part.Pos}, area) {
				list = append(list, part.Pos)
				break
			}
		}
	}
	return list
}

// faults returns what is wrong with the page as a whole.
func (r *sizedRecorder) faults() []string {
	var faults []string
	page := r.page()
	for _, at := range strays(&r.Canvas, page) {
		faults = append(faults, fmt.Sprintf("drawn at (%.1f, %.1f) pt, off the page of %.1f x %.1f", at.X, at.Y, r.width, r.height))
	}
	for i, a := range r.texts {
		if a.size < smallestType {
			faults = append(faults, fmt.Sprintf("text %q has %.1f pt", a.text, a.size))
		}
		if !inside(a.box, page) {
			faults = append(faults, fmt.Sprintf("text %q is cut off", a.text))
		}
		for _, b := range r.texts[:i] {
			across := min(a.box.Max.X, b.box.Max.X) - max(a.box.Min.X, b.box.Min.X)
			up := min(a.box.Max.Y, b.box.Max.Y) - max(a.box.Min.Y, b.box.Min.Y)
			if least := leastOverlap * min(a.size, b.size); across > least && up > least {
				faults = append(faults, fmt.Sprintf("texts %q and %q overlap by %.1f x %.1f pt", b.text, a.text, across, up))
			}
		}
	}
	return faults
}

// inkBox returns the smallest box around the letters of a line. At an angle other
// than a right one, and for blanks, there is none.
func (t *typesetter) inkBox(line *textLine, origin vg.Point, angle float64, size vg.Length) (vg.Rectangle, bool) {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, g := range line.glyphs {
		b, _, err := t.face.Face.GlyphBounds(&t.buf, g.index, t.em, font.HintingNone)
		if err != nil || b.Empty() {
			continue
		}
		scale := g.size / float64(t.em)
		left, right = min(left, g.x+float64(b.Min.X)*scale), max(right, g.x+float64(b.Max.X)*scale)
		low, high = min(low, g.y-float64(b.Max.Y)*scale), max(high, g.y-float64(b.Min.Y)*scale)
	}
	if left > right {
		return vg.Rectangle{}, false
	}
	at := func(x, y float64) vg.Point {
		return origin.Add(vg.Point{X: vg.Length(x) * size, Y: vg.Length(y) * size})
	}
	switch angle {
	case 0:
		return vg.Rectangle{Min: at(left, low), Max: at(right, high)}, true
	case math.Pi / 2:
		return vg.Rectangle{Min: at(-high, left), Max: at(-low, right)}, true
	}
	return vg.Rectangle{}, false
}

// saw tells the watcher, if there is one, of a text that is drawn.
func (t *typesetter) saw(s string, line *textLine, origin vg.Point, sty text.Style) {
	if t.watch == nil {
		return
	}
	if box, straight := t.inkBox(line, origin, sty.Rotation, sty.Font.Size); straight {
		t.watch(placedText{s, sty.Font.Size, box})
	}
}

// inspect returns what is wrong inside a panel.
func (p *panel) inspect() []string {
	var faults []string
	for i := range p.Series {
		for k := range i {
			if p.alike(k, i) {
				faults = append(faults, fmt.Sprintf("series %q and %q are alike in grey", p.Series[k].Name, p.Series[i].Name))
			}
		}
	}
	return faults
}

var digits = regexp.MustCompile(`\d+`)

// alike says whether two named series can hardly be told apart without colours:
// bars of nearly one grey side by side keep their order, but lines need another
// pattern or glyph. Series whose names differ in a number only, as uplinks do,
// show a crowd, in which none is looked for.
func (p *panel) alike(i, k int) bool {
	a, b := &p.Series[i], &p.Series[k]
	if a.Name == "" || b.Name == "" || digits.ReplaceAllString(a.Name, "") == digits.ReplaceAllString(b.Name, "") || a.Mark == Bars || b.Mark == Bars || a.hasLine() != b.hasLine() || a.hasGlyphs() != b.hasGlyphs() {
		return false
	}
	lookA, lookB := p.looks[i], p.looks[k]
	if a.hasGlyphs() && lookA%looks != lookB%looks || a.hasLine() && a.dash(lookA) != b.dash(lookB) {
		return false
	}
	return contrast(okabeIto(lookA), okabeIto(lookB)) < leastContrast
}

// contrast returns the ratio of luminances that WCAG defines, from 1 to 21.
func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		linear := func(v uint8) float64 {
			s := float64(v) / 255
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	la, lb := light(a), light(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}
