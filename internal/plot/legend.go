package plot

import (
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is a block of entries in columns, filled row by row. (The library's legend has a single column.)
type legend struct {
	entries []entry
	style   text.Style
	widths  []vg.Length // widths of the columns, without gaps
	box     vg.Rectangle
}

// entry is a series in a legend.
type entry struct {
	name  string
	parts []element
}

// The geometry of legends.
const (
	sampleWidth   = 2.2 * smallSize // width of the sample of a series beside its name
	sampleHeight  = 0.7 * smallSize
	nameGap       = 0.55 * smallSize // between sample and name
	columnGap     = 1.3 * smallSize
	legendLeading = 1.32 * smallSize
	legendMargin  = 0.55 * smallSize
)

// named returns the entries of the panels with a name, each name once.
func named(panels ...*panel) []entry {
	var out []entry
	for _, p := range panels {
		for _, e := range p.entries {
			if e.name != "" && !slices.ContainsFunc(out, func(other entry) bool { return other.name == e.name }) {
				out = append(out, e)
			}
		}
	}
	return out
}

// newLegend arranges entries, at least one, in columns at the origin.
func newLegend(entries []entry, style text.Style, columns int) *legend {
	columns = min(columns, len(entries))
	rows := (len(entries) + columns - 1) / columns
	l := &legend{entries: entries, style: style, widths: make([]vg.Length, columns)}
	for k, e := range entries {
		l.widths[k%columns] = max(l.widths[k%columns], sampleWidth+nameGap+style.Width(e.name))
	}
	l.box.Max = vg.Point{X: columnGap * vg.Length(columns-1), Y: legendLeading * vg.Length(rows)}
	for _, w := range l.widths {
		l.box.Max.X += w
	}
	return l
}

// fitLegend returns the legend with the fewest rows that is at most width wide.
func fitLegend(entries []entry, style text.Style, width vg.Length) *legend {
	for rows := 1; rows < len(entries); rows++ {
		if l := newLegend(entries, style, (len(entries)+rows-1)/rows); l.box.Max.X <= width {
			return l
		}
	}
	return newLegend(entries, style, 1)
}

// moveTo puts the lower left corner of l at a point.
func (l *legend) moveTo(x, y vg.Length) {
	at := vg.Point{X: x, Y: y}
	l.box = vg.Rectangle{Min: at, Max: at.Add(l.box.Size())}
}

// moveToCorner moves l into a corner of the frame.
func (l *legend) moveToCorner(place LegendPlace, frame vg.Rectangle) {
	frame, size := grown(frame, -legendMargin), l.box.Size()
	at := frame.Min
	if place == TopRight || place == BottomRight {
		at.X = frame.Max.X - size.X
	}
	if place == TopLeft || place == TopRight {
		at.Y = frame.Max.Y - size.Y
	}
	l.moveTo(at.X, at.Y)
}

// draw draws l.
func (l *legend) draw(c draw.Canvas) {
	at := vg.Point{X: l.box.Min.X, Y: l.box.Max.Y - (legendLeading+(ascent+descent)*smallSize)/2}
	for k, e := range l.entries {
		column := k % len(l.widths)
		if column == 0 && k > 0 {
			at = vg.Point{X: l.box.Min.X, Y: at.Y - legendLeading}
		}
		low := at.Add(vg.Point{Y: (descent+middle)*smallSize - sampleHeight/2})
		box := vg.Rectangle{Min: low, Max: low.Add(vg.Point{X: sampleWidth, Y: sampleHeight})}
		for _, part := range e.parts {
			part.Thumbnail(&draw.Canvas{Canvas: c, Rectangle: box})
		}
		c.FillText(l.style, at.Add(vg.Point{X: sampleWidth + nameGap}), e.name)
		at.X += l.widths[column] + columnGap
	}
}

// placeLegend puts the legend of p inside the frame if it overlaps nothing there, otherwise above the
// frame. It reports whether the room above the frame has changed.
func (p *panel) placeLegend() bool {
	entries := named(p)
	if len(entries) == 0 || p.Legend == None {
		return false
	}
	if p.Legend != Above && !p.above && p.legendInside(entries) {
		return false
	}
	old := vg.Length(0)
	if p.above && p.legend != nil {
		old = p.legend.box.Size().Y
	}
	p.above = true
	left := p.cell.Min.X
	if y := &p.y.label; y.text != "" && y.at.Y+y.style.Width(y.text) > p.inner.Max.Y { // beside the legend
		left = y.at.X + labelPad
	}
	p.legend = fitLegend(entries, p.style(smallSize), p.cell.Max.X-left)
	size := p.legend.box.Size()
	x := max(left, min((p.inner.Min.X+p.inner.Max.X-size.X)/2, p.cell.Max.X-size.X))
	p.legend.moveTo(x, p.inner.Max.Y+titlePad)
	return size.Y != old
}

// legendInside puts a legend in the corner that the panel prefers or, if the legend overlaps something
// there, in a corner with room around it. It reports whether there is such a corner.
func (p *panel) legendInside(entries []entry) bool {
	data := p.picture()
	fits := func(place LegendPlace, columns int, around vg.Length) bool {
		l := newLegend(entries, p.style(smallSize), columns)
		l.moveToCorner(place, p.inner)
		box := grown(l.box, around)
		if !inside(box, p.inner) || data.overlap(box) > 0 {
			return false
		}
		p.legend = l
		return true
	}
	if p.Legend != Auto && fits(p.Legend, 1, 0) {
		return true
	}
	for columns := 1; columns <= len(entries); columns++ {
		for _, place := range []LegendPlace{TopRight, TopLeft, BottomRight, BottomLeft} {
			if fits(place, columns, legendMargin/2) {
				return true
			}
		}
	}
	return false
}
