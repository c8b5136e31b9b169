package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is one rendering of a plot, before it is enlarged.
type sheet struct {
	width, height vg.Length // height is 0 if the frames determine it
	rows, cols    int
	title         caption
	panels        []*panel
	shared        *legend // one legend for all panels, which then have none
}

// newSheet prepares the panels of f: colours and plotters.
func newSheet(f Plot, style Style) (*sheet, error) {
	s := &sheet{width: style.width(f.Columns), height: style.height(f.Height), rows: len(f.Panels)}
	for _, row := range f.Panels {
		s.cols = max(s.cols, len(row))
	}
	set, names := newTypesetter(), newColorNames(f)
	for r, row := range f.Panels {
		for c := range row {
			p := &panel{Panel: &row[c], row: r, col: c, where: panelName(r, c, row[c].Title), set: set}
			p.colors = names.of(p.Series)
			if err := p.prepare(); err != nil {
				return nil, err
			}
			s.panels = append(s.panels, p)
		}
	}
	if _, err := set.set(f.Title); err != nil {
		return nil, fmt.Errorf("plot: Title: %w", err)
	}
	s.title = caption{text: f.Title, style: s.panels[0].style(labelSize)}
	if f.SharedX {
		share(s.panels, 1)
	}
	if f.SharedAxes {
		share(s.panels, 3)
	}
	for _, p := range s.panels {
		if err := p.build(); err != nil {
			return nil, err
		}
	}
	if entries := named(s.panels...); f.SharedLegend {
		for _, p := range s.panels {
			p.entries = nil
		}
		if len(entries) > 0 {
			s.shared = fitLegend(entries, s.panels[0].style(smallSize), s.width-2*edge)
		}
	}
	return s, nil
}

// colorNames gives every name of a plot its colour.
type colorNames struct {
	known map[string]Color
	taken map[Color]bool // colours that series have
	next  int            // next colour in the order of NthColor
}

// newColorNames notes the colours that series of a plot have of their own.
func newColorNames(f Plot) *colorNames {
	n := &colorNames{known: make(map[string]Color), taken: make(map[Color]bool)}
	for _, panel := range slices.Concat(f.Panels...) {
		for _, s := range panel.Series {
			n.taken[s.own()] = true
		}
	}
	return n
}

// own returns the colour that is set for s or that it has as a load balancer.
func (s *Series) own() Color {
	return cmp.Or(s.Color, BalancerColor(strings.ToLower(s.Name)))
}

// free returns the next colour that is not taken and, unless it is late in the order, resembles none that is.
func (n *colorNames) free() Color {
	const late = 96 // all inks with all patterns
	for n.taken[NthColor(n.next)] || n.next < late && n.resembled(NthColor(n.next)) {
		n.next++
	}
	n.next++
	n.taken[NthColor(n.next-1)] = true
	return NthColor(n.next - 1)
}

// resembled reports whether a colour resembles one that is taken.
func (n *colorNames) resembled(c Color) bool {
	for taken := range n.taken {
		if taken.look() != AutoColor && c.Resembles(taken) {
			return true
		}
	}
	return false
}

// of returns the colours of the series of a panel.
func (n *colorNames) of(series []Series) (colors []Color) {
	unnamed := 0
	for _, s := range series {
		c, known := n.known[s.Name]
		switch own := s.own(); {
		case own.look() != AutoColor:
			c = own
		case s.Name == "":
			c = own | NthColor(unnamed)
			unnamed++
		case !known:
			c = own | n.free()
		}
		if s.Name != "" && !known {
			n.known[s.Name] = c
		}
		colors = append(colors, c)
	}
	return colors
}

// arrange places frames, ticks, texts and legends. Ticks depend on the lengths of axes, and these depend
// on the widths of tick labels and on legends above frames. A few passes settle them; if ticks keep
// alternating, the last ones stay.
func (s *sheet) arrange() error {
	frame := vg.Length(0) // height of a frame, if the page has no height
	if s.height == 0 {
		frame = min(0.5*s.width/vg.Length(s.cols), 2.8*vg.Inch)
	}
	for pass := range 24 {
		before := s.panels[0].inner.Size()
		for _, p := range s.panels {
			p.setTicks()
		}
		if err := s.placeFrames(frame); err != nil {
			return err
		}
		const tiny = 1e-3 // points
		if d := s.panels[0].inner.Size().Sub(before); pass%8 < 7 && math.Hypot(float64(d.X), float64(d.Y)) > tiny {
			continue
		}
		changed := false
		for _, p := range s.panels {
			labels, legend := p.placeLabels(), p.placeLegend()
			changed = labels || legend || changed
		}
		if !changed {
			break
		}
	}
	return nil
}

// room is the room that texts need beside a frame.
type room struct{ left, right, below, above, title vg.Length }

// room returns the room that the texts of p need.
func (p *panel) room() room {
	r := room{right: frameWidth, title: p.title.height(titlePad)}
	size := p.inner.Size()
	p.x.numbers, p.y.numbers = 0, 0
	for _, t := range p.y.ticks {
		if !t.IsMinor() {
			box := p.y.style.Rectangle(t.Label)
			p.y.numbers = max(p.y.numbers, box.Size().X)
			r.above = max(r.above, vg.Length(p.y.ends.Norm(t.Value)-1)*size.Y+box.Max.Y)
		}
	}
	r.left = p.y.numbers + tickPad + p.y.label.height(labelPad)
	for _, t := range p.x.ticks {
		if !t.IsMinor() {
			box, at := p.x.style.Rectangle(t.Label), vg.Length(p.x.ends.Norm(t.Value))
			p.x.numbers = max(p.x.numbers, box.Size().Y)
			r.left = max(r.left, -at*size.X-box.Min.X)
			r.right = max(r.right, (at-1)*size.X+box.Max.X)
		}
	}
	for _, t := range p.z.ticks {
		r.above = max(r.above, vg.Length(p.z.ends.Norm(t.Value)-1)*size.Y+p.z.style.Rectangle(t.Label).Max.Y)
	}
	r.below = p.x.numbers + xTickPad + p.x.label.height(labelPad)
	if p.above {
		r.above = max(r.above, p.legend.box.Size().Y+titlePad)
	}
	r.right = max(r.right, p.barRoom(), p.beside)
	return r
}

// placeFrames places the frames and their captions. All frames have the same size, except wide ones. With
// a height of 0 the frames fill the page, otherwise the page gets the height that they need.
func (s *sheet) placeFrames(height vg.Length) error {
	cols, rows := make([]room, s.cols), make([]room, s.rows)
	for _, p := range s.panels {
		r, col, end, row := p.room(), &cols[p.col], &cols[s.end(p)], &rows[p.row]
		col.left, end.right = max(col.left, r.left), max(end.right, r.right)
		row.below, row.above, row.title = max(row.below, r.below), max(row.above, r.above), max(row.title, r.title)
	}
	across, up := 2*edge+panelGap*vg.Length(s.cols-1), 2*edge+panelGap*vg.Length(s.rows-1)
	up += s.title.height(titlePad)
	for _, c := range cols {
		across += c.left + c.right
	}
	for _, r := range rows {
		up += r.below + r.above + r.title
	}
	if s.shared != nil {
		up += s.shared.box.Size().Y + titlePad
	}
	size := vg.Point{X: (s.width - across) / vg.Length(s.cols), Y: height}
	if height == 0 {
		size.Y = (s.height - up) / vg.Length(s.rows)
	} else {
		s.height = up + height*vg.Length(s.rows)
	}
	if size.Y < 2*smallSize {
		return fmt.Errorf("plot: text takes %.0f %% of the height, so there is no room for a frame: "+
			"the page must be higher or the type smaller", min(100, 100*up/s.height))
	}
	if size.X < 3*smallSize {
		return fmt.Errorf("plot: text takes %.0f %% of the width, so there is no room for a frame: "+
			"the page must be wider or the type smaller", min(100, 100*across/s.width))
	}
	x, y := edge, s.height-edge-s.title.height(titlePad)
	s.title.at.Y = y + titlePad
	at, err := s.title.fit(0, s.width, edge, s.width-edge)
	if err != nil {
		return fmt.Errorf("plot: Title: %w", err)
	}
	s.title.at.X = at
	if l := s.shared; l != nil {
		y -= l.box.Size().Y
		l.moveTo((s.width-l.box.Size().X)/2, y)
		y -= titlePad
	}
	lefts, tops := make([]vg.Length, s.cols), make([]vg.Length, s.rows) // left and upper edges of frames
	for i, c := range cols {
		lefts[i] = x + c.left
		x = lefts[i] + size.X + c.right + panelGap
	}
	for i, r := range rows {
		tops[i] = y - r.title - r.above
		y = tops[i] - size.Y - r.below - panelGap
	}
	for _, p := range s.panels {
		end, row := s.end(p), rows[p.row]
		p.inner.Min = vg.Point{X: lefts[p.col], Y: tops[p.row] - size.Y}
		p.inner.Max = vg.Point{X: lefts[end] + size.X, Y: tops[p.row]}
		p.cell.Min = p.inner.Min.Sub(vg.Point{X: cols[p.col].left, Y: row.below})
		p.cell.Max = p.inner.Max.Add(vg.Point{X: cols[end].right, Y: row.above + row.title})
		if err := p.placeCaptions(row.above); err != nil {
			return p.fault(err)
		}
	}
	return nil
}

// end returns the last column of a panel.
func (s *sheet) end(p *panel) int {
	if p.Wide {
		return s.cols - 1
	}
	return p.col
}

// setTicks chooses ticks for the current frame. Category labels that would touch are set obliquely, or
// upright if oblique labels would touch as well.
func (p *panel) setTicks() {
	size, x := p.inner.Size(), &p.x
	p.y.setTicks(size.Y)
	p.z.setTicks(size.Y)
	unit, roomy := x.setTicks(size.X)
	if x.TickLabels == nil || size.X == 0 || x.style.Rotation != 0 || roomy {
		return
	}
	const oblique, letters = math.Pi / 5, 0.94 // from the depth of g to the height of capitals
	x.style.Rotation, x.style.XAlign = oblique, text.XRight
	at := slices.Sorted(slices.Values(x.Ticks))
	for i := 1; i < len(at); i++ {
		if (x.Scale.forward(at[i])-x.Scale.forward(at[i-1]))*unit*math.Sin(oblique) < float64(letters*smallSize) {
			x.style.Rotation, x.style.YAlign = math.Pi/2, text.YCenter
		}
	}
}

// placeCaptions places title and axis labels. above is the distance of the title from the frame.
func (p *panel) placeCaptions(above vg.Length) (err error) {
	frame, cell, x, y := p.inner, p.cell, &p.x.label, &p.y.label
	p.title.at.Y = frame.Max.Y + above + titlePad
	x.at.Y = frame.Min.Y - xTickPad - p.x.numbers - labelPad
	y.at.X = frame.Min.X - tickPad - p.y.numbers - labelPad
	for _, c := range []*caption{&p.title, x} {
		if c.at.X, err = c.fit(frame.Min.X, frame.Max.X, cell.Min.X, cell.Max.X); err != nil {
			return err
		}
	}
	if y.at.Y, err = y.fit(frame.Min.Y, frame.Max.Y, cell.Min.Y, cell.Max.Y); err != nil {
		return err
	}
	z := &p.z.label
	z.at.X = frame.Max.X + p.barRoom()
	z.at.Y, err = z.fit(frame.Min.Y, frame.Max.Y, cell.Min.Y, cell.Max.Y)
	return err
}

// fit makes a long caption smaller. It returns the place where the caption begins, so that it is centred
// on the frame but stays inside the cell.
func (c *caption) fit(from, to, least, most vg.Length) (vg.Length, error) {
	const smallest = 0.65
	c.style.Font.Size = labelSize
	width, share := c.style.Width(c.text), vg.Length(1)
	if width > most-least {
		share = (most - least) / width
	}
	if upright := c.style.Rotation != 0; upright && width > to-from {
		share = min(share, max(smallest, (to-from)/width)) // a longer caption reaches into another row
	}
	if share < smallest {
		return 0, fmt.Errorf("text %q (%.2f in long) must fit into %.2f in", c.text, width/vg.Inch, (most-least)/vg.Inch)
	}
	c.style.Font.Size *= share
	width *= share
	return max(least, min(most-width, (from+to-width)/2)), nil
}

// draw draws the plot.
func (s *sheet) draw(c vg.CanvasSizer) {
	page := draw.New(c)
	page.FillText(s.title.style, s.title.at, s.title.text)
	for _, p := range s.panels {
		p.draw(page)
	}
	if s.shared != nil {
		s.shared.draw(page)
	}
}
