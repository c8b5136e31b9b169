package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is one rendering of a figure.
type sheet struct {
	fig           Plot
	m             metrics
	width, height vg.Length
	rows, cols    int
	panels        []*panel
	shared        *legend
	// Room left of the first and of other columns, for labels of horizontal
	// axes: the library makes room for them at the right only.
	first, other vg.Length
}

// newSheet prepares the panels of f: looks and plots.
func newSheet(f Plot, style Style, outlines bool) (*sheet, error) {
	s := &sheet{fig: f, m: style.metrics(), rows: len(f.Panels)}
	s.width = s.m.single
	if f.Columns == Double {
		s.width = s.m.double
	}
	for _, row := range f.Panels {
		s.cols = max(s.cols, len(row))
	}
	set, look := newTypesetter(outlines), make(lookbook)
	for r, row := range f.Panels {
		for c := range row {
			p := &panel{Panel: &row[c], row: r, col: c, where: panelName(r, c, row[c].Title), m: s.m, set: set}
			p.looks = look.of(p.Series)
			if err := p.build(); err != nil {
				return nil, err
			}
			s.panels = append(s.panels, p)
		}
	}
	if entries := samples(s.panels...); f.SharedLegend && len(entries) > 0 {
		s.shared = fitLegend(entries, s.width-2*s.m.edge)
	}
	return s, nil
}

// lookbook gives every name of a figure its look.
type lookbook map[string]int

// of returns the looks of the series of a panel.
func (b lookbook) of(series []Series) []int {
	var out []int
	unnamed := 0
	for _, s := range series {
		k, known := b[s.Name]
		switch {
		case s.Color > 0:
			k = s.Color - 1
		case s.Name == "":
			k = unnamed
			unnamed++
		case !known:
			k = b[""] // the empty name counts
			b[""]++
		}
		if s.Name != "" && !known {
			b[s.Name] = k
		}
		out = append(out, k)
	}
	return out
}

// tolerance is how much the frames of a figure without a height may be off, in points.
const tolerance = 0.2

// arrange places frames, ticks, texts and legends.
func (s *sheet) arrange() error {
	rows := vg.Length(s.rows)
	high := min(0.5*s.width/vg.Length(s.cols), 0.4*s.m.double) // of a frame
	base := ACM().metrics()
	auto := s.fig.Height == 0 || s.m != base
	s.height = vg.Length(s.fig.Height) * vg.Inch
	if auto && s.fig.Height != 0 {
		// Type grows more than widths do, so it is the frames that are scaled.
		paper, err := newSheet(s.fig, ACM(), true)
		if err == nil {
			err = paper.arrange()
		}
		if err != nil {
			return err
		}
		high = paper.panels[0].inner.Size().Y * s.m.double / base.double
	}
	if auto {
		s.height = 2 * rows * high
	}
	// Ticks depend on the lengths of axes, those on the widths of tick labels
	// and on legends above frames; a few passes settle them.
	step, last := rows, vg.Length(0)
	for range 24 {
		s.align()
		if miss := high - s.panels[0].inner.Size().Y; auto && math.Abs(float64(miss)) > tolerance {
			if miss*last < 0 {
				step /= 2 // labels longer than frames make these grow faster than the page
			}
			last = miss
			s.height += step * miss
			s.align()
		}
		for _, p := range s.panels {
			// The negations catch NaN: the library divides by zero without room.
			size := p.inner.Size()
			if !(size.Y >= 2*s.m.tickSize) {
				return fmt.Errorf("report: Height (%.2f in) must be larger: text leaves %.2f in for a frame", s.height/vg.Inch, max(0, size.Y/vg.Inch))
			}
			if !(size.X >= 3*s.m.tickSize) {
				return fmt.Errorf("report: figure of %.2f in is too narrow: text leaves %.2f in for a frame", s.width/vg.Inch, max(0, size.X/vg.Inch))
			}
			if err := p.setTexts(s.cell(p)); err != nil {
				return p.fault(err)
			}
		}
		if !s.adapt() {
			break
		}
	}
	s.align()
	s.levelTitles()
	return nil
}

// levelTitles puts the titles of a row on one line. The library puts each as near
// to its frame as a raised digit beside it lets it. Frames stay where they are.
func (s *sheet) levelTitles() {
	for _, p := range s.panels {
		top := p.tile.Max.Y
		for _, q := range s.panels {
			if q.row == p.row && q.Title != "" {
				top = max(top, q.tile.Max.Y)
			}
		}
		if p.Title != "" {
			p.plot.Title.Padding += top - p.tile.Max.Y
			p.tile.Max.Y = top
		}
	}
}

// align computes the frames; they are equally large but for wide ones. The
// library's Align takes the room beside a frame to be the same whatever the
// frame's size, and so leaves frames off their line; here a few passes settle it.
func (s *sheet) align() {
	m := s.m
	legendRoom := vg.Length(0)
	if l := s.shared; l != nil {
		l.at = vg.Point{X: (s.width - l.width) / 2, Y: s.height - m.edge - l.height}
		legendRoom = l.height + m.titlePad
	}
	across := span{from: m.edge + s.first, to: s.width - m.edge, gap: m.gap + s.other, cells: make([]room, s.cols)}
	up := span{from: m.edge, to: s.height - m.edge - legendRoom, gap: m.gap, cells: make([]room, s.rows)}
	cell := vg.Point{X: (across.to - across.from) / vg.Length(s.cols), Y: (up.to - up.from) / vg.Length(s.rows)}
	for _, p := range s.panels {
		p.tile = draw.Canvas{Rectangle: vg.Rectangle{Max: cell}}
		p.inner = p.plot.DataCanvas(p.tile).Rectangle
	}
	for range 6 {
		clear(across.cells)
		clear(up.cells)
		for _, p := range s.panels {
			across.cells[p.col].widen(p.inner.Min.X-p.tile.Min.X, p.tile.Max.X-p.inner.Max.X)
			up.cells[s.rows-1-p.row].widen(p.inner.Min.Y-p.tile.Min.Y, p.tile.Max.Y-p.inner.Max.Y)
		}
		for _, p := range s.panels {
			left, right := across.frame(p.col)
			low, high := up.frame(s.rows - 1 - p.row)
			p.tile.Rectangle = vg.Rectangle{
				Min: vg.Point{X: left - (p.inner.Min.X - p.tile.Min.X), Y: low - (p.inner.Min.Y - p.tile.Min.Y)},
				Max: vg.Point{X: right + (p.tile.Max.X - p.inner.Max.X), Y: high + (p.tile.Max.Y - p.inner.Max.Y)},
			}
			p.inner = p.plot.DataCanvas(p.tile).Rectangle
		}
	}
	_, right := across.frame(s.cols - 1)
	for _, p := range s.panels {
		if p.Wide {
			p.tile.Max.X += right - p.inner.Max.X
			p.inner.Max.X = right
		}
	}
}

// room is what texts need before and after a frame.
type room struct{ before, after vg.Length }

// widen makes a room at least so large.
func (r *room) widen(before, after vg.Length) {
	r.before, r.after = max(r.before, before), max(r.after, after)
}

// span is a length that equal frames share, with room for texts and gaps.
type span struct {
	from, to, gap vg.Length
	cells         []room
}

// frame returns the ends of the k-th frame.
func (s span) frame(k int) (from, to vg.Length) {
	n := vg.Length(len(s.cells))
	size := s.to - s.from - (n-1)*s.gap
	for _, c := range s.cells {
		size -= c.before + c.after
	}
	size /= n
	from = s.from + vg.Length(k)*(s.gap+size)
	for _, c := range s.cells[:k] {
		from += c.before + c.after
	}
	from += s.cells[k].before
	return from, from + size
}

// cell returns the rectangle that belongs to p, from gap to gap.
func (s *sheet) cell(p *panel) vg.Rectangle {
	box := p.tile.Rectangle
	box.Min.X -= s.other
	if p.col == 0 {
		box.Min.X = s.m.edge
	}
	return box
}

// adapt fits ticks, rooms and legends to the frames. It reports whether the
// frames have to be computed again.
func (s *sheet) adapt() bool {
	const tiny = 1e-3 // points
	changed := false
	for _, p := range s.panels {
		size := p.inner.Size()
		if math.Hypot(float64(p.x.length-size.X), float64(p.y.length-size.Y)) > tiny {
			p.x.length, p.y.length, changed = size.X, size.Y, true
		}
		room := &s.other
		if p.col == 0 {
			room = &s.first
		}
		if p.turnLabels() {
			changed = true
		}
		if over := p.overhang(); over > *room+tiny {
			*room, changed = over, true
		}
	}
	if changed {
		return true
	}
	for _, p := range s.panels {
		p.placeLabels()
		if s.fig.SharedLegend {
			continue
		}
		changed = p.placeLegend(s.cell(p)) || changed
	}
	return changed
}

// turnLabels turns category labels that touch, upright where they would touch
// obliquely too. It reports whether it did.
func (p *panel) turnLabels() bool {
	x := &p.plot.X
	unit := float64(p.inner.Size().X) / (x.Max - x.Min)
	if p.X.TickLabels == nil || x.Tick.Label.Rotation != 0 || p.x.roomy(p.x.Ticks(x.Min, x.Max), unit) {
		return false
	}
	const oblique, letters = math.Pi / 5, 0.94 // from the depth of g to the height of capitals
	x.Tick.Label.Rotation, x.Tick.Label.XAlign = oblique, text.XRight
	at := slices.Sorted(slices.Values(p.X.Ticks))
	for i := 1; i < len(at); i++ {
		if (p.X.Scale.forward(at[i])-p.X.Scale.forward(at[i-1]))*unit*math.Sin(oblique) < letters*float64(p.m.tickSize) {
			x.Tick.Label.Rotation, x.Tick.Label.YAlign = math.Pi/2, text.YCenter
		}
	}
	return true
}

// overhang returns how far the labels of the horizontal axis stand out at the
// left of the tile.
func (p *panel) overhang() vg.Length {
	x := &p.plot.X
	over := vg.Length(0)
	for _, t := range p.x.Ticks(x.Min, x.Max) {
		if !t.IsMinor() {
			at := p.inner.Min.X + vg.Length(x.Norm(t.Value))*p.inner.Size().X
			over = max(over, p.tile.Min.X-at-x.Tick.Label.Rectangle(t.Label).Min.X)
		}
	}
	return over
}

// setTexts centres title and axis labels on the frame but inside the cell, and
// sets them smaller where they are long. The library centres titles on frame
// and labels together, and clips what is too long.
func (p *panel) setTexts(cell vg.Rectangle) error {
	q := p.plot
	middle := p.inner.Min.Add(p.inner.Max).Scale(0.5)
	for _, t := range []struct {
		text                string
		style               *text.Style
		own, middle, lo, hi vg.Length // where the library centres, where we do, and the ends of the room
	}{
		{p.Title, &q.Title.TextStyle, p.tile.Center().X, middle.X, cell.Min.X, cell.Max.X},
		{p.XLabel, &q.X.Label.TextStyle, middle.X, middle.X, cell.Min.X, cell.Max.X},
		{p.YLabel, &q.Y.Label.TextStyle, middle.Y, middle.Y, cell.Min.Y, cell.Max.Y},
	} {
		width, room := p.set.width(t.text, p.m.labelSize), t.hi-t.lo
		if width == 0 {
			continue
		}
		share := min(1, room/width)
		if t.style == &q.Y.Label.TextStyle {
			// One longer than its frame would push the frame off its neighbours' line.
			share = min(share, max(0.65, p.inner.Size().Y/width))
		}
		if share < 0.65 {
			return fmt.Errorf("text %q (%.2f in long) must fit into %.2f in", t.text, width/vg.Inch, room/vg.Inch)
		}
		t.style.Font.Size = share * p.m.labelSize
		width *= share
		left := max(t.lo, min(t.hi-width, t.middle-width/2))
		t.style.XAlign = text.XAlignment((left - t.own) / width)
	}
	return nil
}

// draw draws the figure.
func (s *sheet) draw(c vg.CanvasSizer) {
	page := draw.New(c)
	for _, p := range s.panels {
		p.tile.Canvas = page
		p.plot.Draw(p.tile)
	}
	if s.shared != nil {
		s.shared.draw(page)
	}
}
