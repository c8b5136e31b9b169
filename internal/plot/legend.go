package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend is a block of entries, filled row by row: one [plot.Legend] for each
// column, since the library's has a single one.
type legend struct {
	columns       []plot.Legend
	widths        []vg.Length // of the columns, without gaps
	gap           vg.Length
	width, height vg.Length
	at            vg.Point // lower left corner
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

// sample draws a piece of a series in a legend. Together the thumbnails of the
// library's plotters do so too, but bands and bars as high as the line of text,
// and error bars not at all.
type sample struct {
	panel  *panel
	series *Series
	look   int
}

// Thumbnail implements [plot.Thumbnailer].
func (t sample) Thumbnail(c *draw.Canvas) {
	m, s := t.panel.m, t.series
	half := 0.32 * m.legendSize
	mid := vg.Point{X: c.Center().X, Y: c.Min.Y + (descent+middle)*m.legendSize}
	box := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: mid.Y - half}, Max: vg.Point{X: c.Max.X, Y: mid.Y + half}}
	if s.Mark == Bars {
		box.Min.X, box.Max.X = mid.X-barSample/2*m.legendSize, mid.X+barSample/2*m.legendSize
		bar := m.barStyle(t.look)
		bar.Thumbnail(&draw.Canvas{Canvas: c, Rectangle: box})
		return
	}
	if s.hasBand() {
		band := m.bandStyle(t.look)
		band.Width = 0
		band.Thumbnail(&draw.Canvas{Canvas: c, Rectangle: box})
	}
	if s.hasLine() {
		c.StrokeLine2(m.lineStyle(s, t.look), c.Min.X, mid.Y, c.Max.X, mid.Y)
	}
	if s.Lo != nil && !s.hasBand() {
		sty := draw.LineStyle{Color: okabeIto(t.look), Width: 0.7 * m.line}
		c.StrokeLine2(sty, mid.X, mid.Y-1.3*half, mid.X, mid.Y+1.3*half)
		for _, y := range []vg.Length{mid.Y - 1.3*half, mid.Y + 1.3*half} {
			c.StrokeLine2(sty, mid.X-0.9*m.glyph, y, mid.X+0.9*m.glyph, y)
		}
	}
	if s.hasGlyphs() {
		c.DrawGlyphNoClip(m.glyphStyle(t.look), mid)
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
				out = append(out, sample{p, s, p.looks[i]})
			}
		}
	}
	return out
}

// newLegend arranges entries, at least one, in columns.
func newLegend(entries []sample, columns int) *legend {
	p := entries[0].panel
	size := p.m.legendSize
	length := vg.Length(0)
	for _, e := range entries {
		part := vg.Length(sampleLength)
		switch e.series.Mark {
		case Bars:
			part = barSample
		case Points:
			part = glyphSample
		}
		length = max(length, part*size)
	}
	columns = min(columns, len(entries))
	l := &legend{columns: make([]plot.Legend, columns), widths: make([]vg.Length, columns), gap: columnGap * size}
	for i := range l.columns {
		column := plot.NewLegend()
		column.Top, column.Left = true, true
		column.ThumbnailWidth = length
		column.Padding = (legendLeading - ascent - descent) * size
		column.TextStyle = p.style(size)
		for k := i; k < len(entries); k += columns {
			name := " " + entries[k].series.Name
			column.Add(name, entries[k])
			l.widths[i] = max(l.widths[i], length+p.set.width(" "+name, size))
		}
		l.columns[i] = column
		l.width += l.widths[i]
	}
	l.width += l.gap * vg.Length(columns-1)
	l.height = legendLeading * size * vg.Length((len(entries)+columns-1)/columns)
	return l
}

// fitLegend returns the legend with the fewest rows that is at most width wide.
func fitLegend(entries []sample, width vg.Length) *legend {
	for columns := len(entries); columns > 1; columns-- {
		rows := (len(entries) + columns - 1) / columns
		even := (len(entries) + rows - 1) / rows
		if l := newLegend(entries, even); l.width <= width {
			return l
		}
	}
	return newLegend(entries, 1)
}

// corner moves l into a corner of the frame.
func (l *legend) corner(place LegendPlace, frame vg.Rectangle, margin vg.Length) {
	l.at = frame.Min.Add(vg.Point{X: margin, Y: margin})
	if place == TopRight || place == BottomRight {
		l.at.X = frame.Max.X - margin - l.width
	}
	if place == TopLeft || place == TopRight {
		l.at.Y = frame.Max.Y - margin - l.height
	}
}

// box returns where l stands.
func (l *legend) box() vg.Rectangle {
	return vg.Rectangle{Min: l.at, Max: l.at.Add(vg.Point{X: l.width, Y: l.height})}
}

// draw draws l.
func (l *legend) draw(c draw.Canvas) {
	x := l.at.X
	for i, column := range l.columns {
		box := vg.Rectangle{Min: vg.Point{X: x, Y: l.at.Y}, Max: vg.Point{X: x + l.widths[i], Y: l.at.Y + l.height - column.Padding/2}}
		column.Draw(draw.Canvas{Canvas: c, Rectangle: box})
		x += l.widths[i] + l.gap
	}
}

// placeLegend puts the legend of p inside its frame, or above it within cell.
// It reports whether the room above the frame has changed.
func (p *panel) placeLegend(cell vg.Rectangle) bool {
	entries := samples(p)
	if len(entries) == 0 || p.Legend == None {
		return false
	}
	margin := legendMargin * p.m.legendSize
	if p.Legend != Above && !p.above {
		around := p.crowd()
		if p.Legend != Auto {
			l := newLegend(entries, 1)
			l.corner(p.Legend, p.inner, margin)
			if inside(l.box(), p.inner) && around.count(l.box()) == 0 {
				p.legend = l
				return false
			}
		}
		for columns := 1; columns <= len(entries); columns++ {
			for _, place := range []LegendPlace{TopRight, TopLeft, BottomRight, BottomLeft} {
				l := newLegend(entries, columns)
				l.corner(place, p.inner, margin)
				if b := grown(l.box(), margin/2); inside(b, p.inner) && around.count(b) == 0 {
					p.legend = l
					return false
				}
			}
		}
	}
	old := vg.Length(0)
	if p.above && p.legend != nil {
		old = p.legend.height
	}
	p.above = true
	p.legend = fitLegend(entries, cell.Size().X)
	x := (p.inner.Min.X + p.inner.Max.X - p.legend.width) / 2
	p.legend.at = vg.Point{X: max(cell.Min.X, min(x, cell.Max.X-p.legend.width)), Y: p.inner.Max.Y + p.m.titlePad}
	return p.legend.height != old
}
