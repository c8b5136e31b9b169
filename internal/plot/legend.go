package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is a block of entries in columns, filled row by row. The library's has
// a single column.
type legend struct {
	entries []sample
	sample  vg.Length   // width of the samples
	widths  []vg.Length // of the columns, without gaps
	box     vg.Rectangle
}

// The geometry of legends, as parts of the type size.
const (
	sampleLength  = 2.7 // of lines
	barSample     = 1.8
	glyphSample   = 1.2
	columnGap     = 1.4
	legendLeading = 1.32
	legendMargin  = 0.55
)

// sample is a legend entry: a piece of a series, and its name.
type sample struct {
	panel  *panel
	series *Series
	style  int
}

// draw draws the piece of the series in the middle of a canvas.
func (t sample) draw(c *draw.Canvas) {
	m, s := t.panel.m, t.series
	half := 0.32 * m.legendSize
	mid := vg.Point{X: c.Center().X, Y: c.Min.Y + (descent+middle)*m.legendSize}
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: mid.Y - half}, Max: vg.Point{X: c.Max.X, Y: mid.Y + half}}
	if s.Mark == Bars {
		box.Min.X, box.Max.X = mid.X-barSample/2*m.legendSize, mid.X+barSample/2*m.legendSize
		bar := m.barStyle(t.style)
		bar.Thumbnail(&draw.Canvas{Canvas: c, Rectangle: box})
		return
	}
	if s.hasBand() {
		band := m.bandStyle(t.style)
		band.Width = 0
		band.Thumbnail(&draw.Canvas{Canvas: c, Rectangle: box})
	}
	if s.hasLine() {
		c.StrokeLine2(m.lineStyle(s, t.style), c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	if s.Lo != nil && !s.hasBand() {
		sty := draw.LineStyle{Color: okabeIto(t.style), Width: 0.7 * m.line}
		c.StrokeLine2(sty, mid.X, mid.Y-1.3*half, mid.X, mid.Y+1.3*half)
		for _, y := range []vg.Length{mid.Y - 1.3*half, mid.Y + 1.3*half} {
			c.StrokeLine2(sty, mid.X-0.9*m.glyph, y, mid.X+0.9*m.glyph, y)
		}
	}
	if s.hasGlyphs() {
		c.DrawGlyphNoClip(m.glyphStyle(t.style), mid)
	}
}

// samples returns the legend entries of the panels, every name once.
func samples(panels ...*panel) []sample {
	seen := make(map[string]bool)
	var out []sample
	for _, p := range panels {
		for i := range p.Series {
			if s := &p.Series[i]; s.Name != "" && !seen[s.Name] {
				seen[s.Name] = true
				out = append(out, sample{p, s, p.styles[i]})
			}
		}
	}
	return out
}

// newLegend arranges entries, at least one, in columns at the origin.
func newLegend(entries []sample, columns int) *legend {
	size, set := entries[0].panel.m.legendSize, entries[0].panel.set
	l := &legend{entries: entries, widths: make([]vg.Length, min(columns, len(entries)))}
	for _, e := range entries {
		part := vg.Length(sampleLength)
		switch e.series.Mark {
		case Bars:
			part = barSample
		case Points:
			part = glyphSample
		}
		l.sample = max(l.sample, part*size)
	}
	columns = len(l.widths)
	for k, e := range entries {
		l.widths[k%columns] = max(l.widths[k%columns], l.sample+set.width("  "+e.series.Name, size))
	}
	l.box.Max.X = columnGap * size * vg.Length(columns-1)
	for _, w := range l.widths {
		l.box.Max.X += w
	}
	l.box.Max.Y = legendLeading * size * vg.Length((len(entries)+columns-1)/columns)
	return l
}

// fitLegend returns the legend with the fewest rows that is at most width wide.
func fitLegend(entries []sample, width vg.Length) *legend {
	for columns := len(entries); columns > 1; columns-- {
		rows := (len(entries) + columns - 1) / columns
		even := (len(entries) + rows - 1) / rows
		if l := newLegend(entries, even); l.box.Max.X <= width {
			return l
		}
	}
	return newLegend(entries, 1)
}

// moveTo puts the lower left corner of l at a point.
func (l *legend) moveTo(at vg.Point) {
	l.box = vg.Rectangle{Min: at, Max: at.Add(l.box.Size())}
}

// moveToCorner moves l into a corner of the frame.
func (l *legend) moveToCorner(place LegendPlace, frame vg.Rectangle, margin vg.Length) {
	at := frame.Min.Add(vg.Point{X: margin, Y: margin})
	if place == TopRight || place == BottomRight {
		at.X = frame.Max.X - margin - l.box.Size().X
	}
	if place == TopLeft || place == TopRight {
		at.Y = frame.Max.Y - margin - l.box.Size().Y
	}
	l.moveTo(at)
}

// draw draws l.
func (l *legend) draw(c draw.Canvas) {
	p := l.entries[0].panel
	size := p.m.legendSize
	leading, height := legendLeading*size, (ascent+descent)*size
	at := vg.Point{X: l.box.Min.X, Y: l.box.Max.Y - (leading+height)/2}
	for k, e := range l.entries {
		column := k % len(l.widths)
		if column == 0 && k > 0 {
			at = vg.Point{X: l.box.Min.X, Y: at.Y - leading}
		}
		e.draw(&draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: l.sample, Y: height})}})
		c.FillText(p.style(size), at.Add(vg.Point{X: l.sample + p.set.width("  ", size)}), e.series.Name)
		at.X += l.widths[column] + columnGap*size
	}
}

// placeLegend puts the legend of p inside its frame where it overlaps nothing,
// else above it. It reports whether the room above the frame has changed.
func (p *panel) placeLegend() bool {
	entries := samples(p)
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
	p.legend = fitLegend(entries, p.cell.Size().X)
	width := p.legend.box.Size().X
	x := max(p.cell.Min.X, min((p.inner.Min.X+p.inner.Max.X-width)/2, p.cell.Max.X-width))
	p.legend.moveTo(vg.Point{X: x, Y: p.inner.Max.Y + p.m.titlePad})
	return p.legend.box.Size().Y != old
}

// legendInside puts a legend in the corner that the panel asks for, or else in
// one with some room around it, and reports whether there is one.
func (p *panel) legendInside(entries []sample) bool {
	data, margin := p.drawn(), legendMargin*p.m.legendSize
	fits := func(place LegendPlace, columns int, around vg.Length) bool {
		l := newLegend(entries, columns)
		l.moveToCorner(place, p.inner, margin)
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
			if fits(place, columns, margin/2) {
				return true
			}
		}
	}
	return false
}
