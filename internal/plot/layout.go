package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is one rendering of a plot.
type sheet struct {
	fig           Plot
	m             metrics
	width, height vg.Length
	rows, cols    int
	panels        []*panel
	shared        *legend
}

// newSheet prepares the panels of f: styles and plotters.
func newSheet(f Plot, style Style, outlines bool) (*sheet, error) {
	s := &sheet{fig: f, m: style.metrics(), rows: len(f.Panels)}
	s.width = s.m.single
	if f.Columns == Double {
		s.width = s.m.double
	}
	for _, row := range f.Panels {
		s.cols = max(s.cols, len(row))
	}
	set, names := newTypesetter(outlines), &styleNames{known: make(map[string]int)}
	for r, row := range f.Panels {
		for c := range row {
			p := &panel{Panel: &row[c], row: r, col: c, where: panelName(r, c, row[c].Title), m: s.m, set: set}
			p.styles = names.of(p.Series)
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

// styleNames gives every name of a plot its style.
type styleNames struct {
	known map[string]int
	next  int
}

// of returns the styles of the series of a panel.
func (n *styleNames) of(series []Series) []int {
	var out []int
	unnamed := 0
	for _, s := range series {
		k, known := n.known[s.Name]
		switch {
		case s.Color > AutoColor:
			k = int(s.Color - Blue)
		case s.Name == "":
			k = unnamed
			unnamed++
		case !known:
			k = n.next
			n.next++
		}
		if s.Name != "" && !known {
			n.known[s.Name] = k
		}
		out = append(out, k)
	}
	return out
}

// arrange places frames, ticks, texts and legends. Ticks depend on the lengths of
// axes, those on the widths of tick labels and on legends above frames; a few
// passes settle them.
func (s *sheet) arrange() error {
	frame, err := s.frameHeight()
	if err != nil {
		return err
	}
	for range 24 {
		before := s.panels[0].inner
		for _, p := range s.panels {
			p.setTicks()
		}
		if err := s.placeFrames(frame); err != nil {
			return err
		}
		const tiny = 1e-3 // points
		if d := s.panels[0].inner.Size().Sub(before.Size()); math.Hypot(float64(d.X), float64(d.Y)) > tiny {
			continue
		}
		changed := false
		for _, p := range s.panels {
			p.placeLabels()
			changed = !s.fig.SharedLegend && p.placeLegend() || changed
		}
		if !changed {
			break
		}
	}
	return nil
}

// frameHeight returns the height of frames, or 0 if that of the page is given.
func (s *sheet) frameHeight() (vg.Length, error) {
	paper := ACM()
	switch {
	case s.fig.Height == 0:
		return min(0.5*s.width/vg.Length(s.cols), 0.4*s.m.double), nil
	case s.m == paper.metrics():
		s.height = vg.Length(s.fig.Height) * vg.Inch
		return 0, nil
	}
	// Type grows more than widths do from paper to slides, so the frames are scaled.
	small, err := newSheet(s.fig, paper, true)
	if err == nil {
		err = small.arrange()
	}
	if err != nil {
		return 0, err
	}
	return small.panels[0].inner.Size().Y * s.m.double / small.m.double, nil
}

// room is what texts need beside a frame.
type room struct{ left, right, below, above, title vg.Length }

// room returns what the texts of p need.
func (p *panel) room() room {
	r := room{right: p.m.frame, title: p.title.height(p.m.titlePad)}
	p.numbers = vg.Point{}
	for _, t := range p.yTicks {
		if !t.IsMinor() {
			box := p.yTickLabel.Rectangle(t.Label)
			p.numbers.X = max(p.numbers.X, box.Size().X)
			r.above = max(r.above, vg.Length(p.plot.Y.Norm(t.Value)-1)*p.inner.Size().Y+box.Max.Y)
		}
	}
	r.left = p.numbers.X + p.m.tickPad + p.yLabel.height(p.m.labelPad)
	for _, t := range p.xTicks {
		if !t.IsMinor() {
			box, at := p.xTickLabel.Rectangle(t.Label), vg.Length(p.plot.X.Norm(t.Value))
			r.left = max(r.left, -at*p.inner.Size().X-box.Min.X)
			r.right = max(r.right, (at-1)*p.inner.Size().X+box.Max.X)
			p.numbers.Y = max(p.numbers.Y, box.Size().Y)
		}
	}
	r.below = p.numbers.Y + p.m.xTickPad() + p.xLabel.height(p.m.labelPad)
	if p.above {
		r.above = max(r.above, p.legend.box.Size().Y+p.m.titlePad)
	}
	return r
}

// placeFrames places the frames, equally large but for wide ones, and their
// captions. With a height of 0 the frames fill the page, else the page gets the
// height that they need.
func (s *sheet) placeFrames(height vg.Length) error {
	cols, rows := make([]room, s.cols), make([]room, s.rows)
	for _, p := range s.panels {
		r, col, row := p.room(), &cols[p.col], &rows[p.row]
		col.left = max(col.left, r.left)
		end := &cols[s.end(p)]
		end.right = max(end.right, r.right)
		row.below, row.above, row.title = max(row.below, r.below), max(row.above, r.above), max(row.title, r.title)
	}
	across := 2*s.m.edge + s.m.gap*vg.Length(s.cols-1)
	for _, c := range cols {
		across += c.left + c.right
	}
	up, top := 2*s.m.edge+s.m.gap*vg.Length(s.rows-1), s.m.edge
	if l := s.shared; l != nil {
		up, top = up+l.box.Size().Y+s.m.titlePad, top+l.box.Size().Y+s.m.titlePad
	}
	for _, r := range rows {
		up += r.below + r.above + r.title
	}
	size := vg.Point{X: (s.width - across) / vg.Length(s.cols), Y: height}
	if height == 0 {
		size.Y = (s.height - up) / vg.Length(s.rows)
	} else {
		s.height = up + height*vg.Length(s.rows)
	}
	if size.Y < 2*s.m.tickSize {
		return fmt.Errorf("plot: Height (%.2f in) must be larger: text leaves %.2f in for a frame",
			s.height/vg.Inch, max(0, size.Y/vg.Inch))
	}
	if size.X < 3*s.m.tickSize {
		return fmt.Errorf("plot: a width of %.2f in is too little: text leaves %.2f in for a frame",
			s.width/vg.Inch, max(0, size.X/vg.Inch))
	}
	if l := s.shared; l != nil {
		l.moveTo(vg.Point{X: (s.width - l.box.Size().X) / 2, Y: s.height - s.m.edge - l.box.Size().Y})
	}
	lefts, tops := make([]vg.Length, s.cols), make([]vg.Length, s.rows) // of frames
	for x, i := s.m.edge, 0; i < s.cols; i++ {
		lefts[i] = x + cols[i].left
		x = lefts[i] + size.X + cols[i].right + s.m.gap
	}
	for y, i := s.height-top, 0; i < s.rows; i++ {
		tops[i] = y - rows[i].title - rows[i].above
		y = tops[i] - size.Y - rows[i].below - s.m.gap
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

// setTicks chooses ticks for the present frame. Category labels that would touch
// are set obliquely, or upright where they would touch obliquely too.
func (p *panel) setTicks() {
	size := p.inner.Size()
	x := ticker{axis: p.X, set: p.set, size: p.m.tickSize, across: true, length: size.X}
	y := ticker{axis: p.Y, set: p.set, size: p.m.tickSize, length: size.Y}
	axis := &p.plot.X
	p.xTicks, p.yTicks = x.ticks(axis.Min, axis.Max), y.ticks(p.plot.Y.Min, p.plot.Y.Max)
	unit := float64(size.X) / (axis.Max - axis.Min)
	if p.X.TickLabels == nil || size.X == 0 || p.xTickLabel.Rotation != 0 || x.roomy(p.xTicks, unit) {
		return
	}
	const oblique, letters = math.Pi / 5, 0.94 // from the depth of g to the height of capitals
	p.xTickLabel.Rotation, p.xTickLabel.XAlign = oblique, text.XRight
	at := slices.Sorted(slices.Values(p.X.Ticks))
	for i := 1; i < len(at); i++ {
		if (p.X.Scale.forward(at[i])-p.X.Scale.forward(at[i-1]))*unit*math.Sin(oblique) < letters*float64(p.m.tickSize) {
			p.xTickLabel.Rotation, p.xTickLabel.YAlign = math.Pi/2, text.YCenter
		}
	}
}

// placeCaptions places title and axis labels; the title stands above by a distance
// from the frame.
func (p *panel) placeCaptions(above vg.Length) error {
	frame, cell := p.inner, p.cell
	p.title.at.Y = frame.Max.Y + above + p.m.titlePad
	p.xLabel.at.Y = frame.Min.Y - p.m.xTickPad() - p.numbers.Y - p.m.labelPad
	p.yLabel.at.X = frame.Min.X - p.m.tickPad - p.numbers.X - p.m.labelPad
	var err error
	for _, c := range []*caption{&p.title, &p.xLabel} {
		if c.at.X, err = p.fit(c, frame.Min.X, frame.Max.X, cell.Min.X, cell.Max.X); err != nil {
			return err
		}
	}
	p.yLabel.at.Y, err = p.fit(&p.yLabel, frame.Min.Y, frame.Max.Y, cell.Min.Y, cell.Max.Y)
	return err
}

// fit sets a caption smaller where it is long, and returns where it begins to be
// centred on the frame but inside the cell.
func (p *panel) fit(c *caption, from, to, least, most vg.Length) (vg.Length, error) {
	const smallest = 0.65
	width := p.set.width(c.text, p.m.labelSize)
	share := vg.Length(1)
	if width > most-least {
		share = (most - least) / width
	}
	if c == &p.yLabel && width > to-from {
		share = min(share, max(smallest, (to-from)/width)) // a longer one stands beside another row
	}
	if share < smallest {
		return 0, fmt.Errorf("text %q (%.2f in long) must fit into %.2f in", c.text, width/vg.Inch, (most-least)/vg.Inch)
	}
	c.style.Font.Size = share * p.m.labelSize
	width *= share
	return max(least, min(most-width, (from+to-width)/2)), nil
}

// draw draws the plot.
func (s *sheet) draw(c vg.CanvasSizer) {
	page := draw.New(c)
	for _, p := range s.panels {
		p.draw(page)
	}
	if s.shared != nil {
		s.shared.draw(page)
	}
}
