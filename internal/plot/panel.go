package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a Panel on its way to the page.
type panel struct {
	*Panel
	row, col int
	where    string // its name in errors
	styles   []int  // of the series
	m        metrics
	set      *typesetter
	plot     *plot.Plot     // the ends of the axes, in scale coordinates
	data     []plot.Plotter // what is drawn in the frame
	empty    bool           // no data at all

	inner, cell            vg.Rectangle // the frame; the part of the page that belongs to it
	above                  bool         // the legend stands above the frame
	legend                 *legend      // nil without one
	labels                 []ruleLabel
	xTicks, yTicks         []plot.Tick
	xTickLabel, yTickLabel text.Style
	numbers                vg.Point // width of those beside the frame, height of those below
	title, xLabel, yLabel  caption
}

// caption is a title or the label of an axis.
type caption struct {
	text  string
	style text.Style
	at    vg.Point
}

// height returns the height of c with some room beside it, or 0 for no text.
func (c *caption) height(pad vg.Length) vg.Length {
	if c.text == "" {
		return 0
	}
	return (ascent+descent)*c.style.Font.Size + pad
}

// fault says which panel err is about.
func (p *panel) fault(err error) error {
	return fmt.Errorf("plot: %s: %w", p.where, err)
}

// style returns the style of black text at a type size.
func (p *panel) style(size vg.Length) text.Style {
	return text.Style{Color: ink(), Font: sans(size), Handler: p.set}
}

// build checks the texts, sets the ends of the axes and makes the plotters.
func (p *panel) build() error {
	texts := slices.Concat([]string{p.Title, p.XLabel, p.YLabel}, p.X.TickLabels, p.Y.TickLabels)
	for i := range p.Series {
		texts = append(texts, p.Series[i].Name)
	}
	for _, r := range p.References {
		texts = append(texts, r.Label)
	}
	for _, s := range texts {
		if _, err := p.set.set(s); err != nil {
			return p.fault(err)
		}
	}
	label := p.style(p.m.labelSize)
	p.title, p.xLabel = caption{text: p.Title, style: label}, caption{text: p.XLabel, style: label}
	p.xLabel.style.YAlign = text.YTop
	label.Rotation = math.Pi / 2
	p.yLabel = caption{text: p.YLabel, style: label}
	p.xTickLabel, p.yTickLabel = p.style(p.m.tickSize), p.style(p.m.tickSize)
	p.xTickLabel.XAlign, p.xTickLabel.YAlign = text.XCenter, text.YTop
	p.yTickLabel.XAlign, p.yTickLabel.YAlign = text.XRight, text.YCenter
	p.plot = plot.New()
	if err := p.span(); err != nil {
		return p.fault(err)
	}
	p.addData()
	return nil
}

// bars returns how many series are bars, the width of the slot they share and
// that of one bar, in scale coordinates of the horizontal axis.
func (p *panel) bars() (count int, slot, width float64) {
	var xs []float64
	for i := range p.Series {
		if p.Series[i].Mark != Bars {
			continue
		}
		count++
		for _, x := range p.Series[i].X {
			if finite(x) {
				xs = append(xs, p.X.Scale.forward(x))
			}
		}
	}
	slices.Sort(xs)
	slot = math.Inf(1)
	for i := 1; i < len(xs); i++ {
		if d := xs[i] - xs[i-1]; d > 1e-9*math.Abs(xs[i]) {
			slot = min(slot, d)
		}
	}
	if math.IsInf(slot, 1) {
		slot = 1
	}
	return count, slot, 0.8 * slot / float64(max(1, count))
}

// extents returns the ranges that automatic axes must show, in scale
// coordinates.
func (p *panel) extents() (x, y extent) {
	_, slot, _ := p.bars()
	for i := range p.Series {
		s := &p.Series[i]
		for j := range s.X {
			if !finite(s.X[j]) || !finite(s.Y[j]) {
				continue
			}
			u := p.X.Scale.forward(s.X[j])
			x.add(u)
			if s.Mark == Bars {
				x.add(u - slot/2)
				x.add(u + slot/2)
			}
			y.add(p.Y.Scale.forward(s.Y[j]))
			if s.hasInterval(j) {
				y.add(p.Y.Scale.forward(s.Lo[j]))
				y.add(p.Y.Scale.forward(s.Hi[j]))
			}
		}
	}
	p.empty = !x.some
	for _, r := range p.References {
		if r.Vertical {
			x.add(p.X.Scale.forward(r.At))
		} else {
			y.add(p.Y.Scale.forward(r.At))
		}
	}
	return x, y
}

// span sets the ends of both axes, in scale coordinates, because the library's
// logarithmic scale panics at zero and its lines are straight in data units.
func (p *panel) span() error {
	x, y := p.extents()
	across := fit{zero: 0.1}
	up := fit{zero: 0.5, pad: 0.06}
	for i := range p.Series {
		switch p.Series[i].Mark {
		case Bars:
			up.base = true
		case Points, LinePoints, ErrorBars:
			across.pad = 0.04
		}
	}
	if up.base {
		across.zero = 0
	}
	var err error
	if p.plot.X.Min, p.plot.X.Max, err = p.X.span(x, across); err != nil {
		return err
	}
	p.plot.Y.Min, p.plot.Y.Max, err = p.Y.span(y, up)
	return err
}

// place maps v to an axis, within 10^6 lengths of it; a value without a logarithm is
// at the lower end.
func place(a *plot.Axis, s Scale, v float64) float64 {
	u := s.forward(v)
	if math.IsInf(u, -1) {
		return a.Min
	}
	far := 1e6 * (a.Max - a.Min)
	return max(a.Min-far, min(a.Max+far, u))
}

// curves returns the line through (s.X, y), split at missing points. For Steps the
// pieces are staircases; the library's steps are wrong where they are clipped.
func (p *panel) curves(s *Series, y []float64) []plotter.XYs {
	var out []plotter.XYs
	var part plotter.XYs
	for i := range s.X {
		if !finite(s.X[i]) || !finite(y[i]) {
			if len(part) > 0 {
				out = append(out, part)
			}
			part = nil
			continue
		}
		at := plotter.XY{X: place(&p.plot.X, p.X.Scale, s.X[i]), Y: place(&p.plot.Y, p.Y.Scale, y[i])}
		if s.Mark == Steps && len(part) > 0 {
			part = append(part, plotter.XY{X: at.X, Y: part[len(part)-1].Y})
		}
		part = append(part, at)
	}
	if len(part) > 0 {
		out = append(out, part)
	}
	return out
}

// addData makes the plotters: bands first, then bars, rules, lines and error
// bars, and glyphs last.
func (p *panel) addData() {
	var bands, bars, rules, lines, glyphs []plot.Plotter
	for i := range p.Series {
		s, k := &p.Series[i], p.styles[i]
		points := p.curves(s, s.Y)
		if s.hasBand() {
			bands = append(bands, p.band(s, k))
		}
		if s.Mark == Bars {
			chart, whiskers := p.barChart(s, k, len(bars))
			bars, lines = append(bars, chart), append(lines, whiskers)
		} else if s.Lo != nil && !s.hasBand() {
			lines = append(lines, p.whiskers(s, okabeIto(k), 0))
		}
		if s.hasLine() {
			for _, part := range points {
				lines = append(lines, &trace{plotter.Line{XYs: part, LineStyle: p.m.lineStyle(s, k)}})
			}
		}
		if s.hasGlyphs() {
			dots := &plotter.Scatter{XYs: slices.Concat(points...), GlyphStyle: p.m.glyphStyle(k)}
			if all := dots.XYs; s.Mark == LinePoints {
				dots.XYs = nil
				for i := 0; i < len(all); i += 1 + len(all)/33 {
					dots.XYs = append(dots.XYs, all[i])
				}
			}
			glyphs = append(glyphs, dots)
		}
	}
	for _, r := range p.References {
		w := 0.7 * p.m.line
		sty := draw.LineStyle{Color: ruleInk(), Width: w, Dashes: []vg.Length{3 * w, 2 * w}}
		rules = append(rules, &plotter.Line{XYs: p.ruleEnds(r), LineStyle: sty})
	}
	p.data = slices.Concat(bands, bars, rules, lines, glyphs)
}

// ruleEnds returns the line of r from end to end of its axis.
func (p *panel) ruleEnds(r ReferenceLine) plotter.XYs {
	x, y := p.plot.X, p.plot.Y
	if r.Vertical {
		u := place(&x, p.X.Scale, r.At)
		return plotter.XYs{{X: u, Y: y.Min}, {X: u, Y: y.Max}}
	}
	u := place(&y, p.Y.Scale, r.At)
	return plotter.XYs{{X: x.Min, Y: u}, {X: x.Max, Y: u}}
}

// band returns the area between the bounds of s.
func (p *panel) band(s *Series, k int) *plotter.Polygon {
	lo, hi := slices.Clone(s.Lo), slices.Clone(s.Hi)
	for i := range lo {
		if !s.hasInterval(i) {
			lo[i], hi[i] = math.NaN(), math.NaN()
		}
	}
	area := p.m.bandStyle(k)
	area.XYs = p.curves(s, hi)
	for i, lower := range p.curves(s, lo) {
		slices.Reverse(lower)
		area.XYs[i] = append(area.XYs[i], lower...)
	}
	return &area
}

// barChart returns the bars of s, the index-th series of bars, from 0, and
// their error bars. The library's bars stand at successive integers and begin at
// zero.
func (p *panel) barChart(s *Series, k, index int) (*plotter.Polygon, *plotter.YErrorBars) {
	count, _, width := p.bars()
	offset := (float64(index) - float64(count)/2) * width
	base := p.plot.Y.Min
	if p.Y.Scale == Linear {
		base = 0
	}
	chart := p.m.barStyle(k)
	for _, at := range slices.Concat(p.curves(s, s.Y)...) {
		x0, x1 := at.X+offset, at.X+offset+width
		chart.XYs = append(chart.XYs, plotter.XYs{{X: x0, Y: base}, {X: x0, Y: at.Y}, {X: x1, Y: at.Y}, {X: x1, Y: base}})
	}
	return &chart, p.whiskers(s, ink(), offset+width/2)
}

// whiskers returns the intervals of s as error bars, moved right by offset. They
// are centred on the middles of the intervals, since the library takes distances
// from a point to be positive. It does not clip them at the sides.
func (p *panel) whiskers(s *Series, c color.Color, offset float64) *plotter.YErrorBars {
	bars := &plotter.YErrorBars{LineStyle: draw.LineStyle{Color: c, Width: 0.7 * p.m.line}, CapWidth: 1.8 * p.m.glyph}
	for i := range s.X {
		if !finite(s.X[i]) || !finite(s.Y[i]) || !s.hasInterval(i) {
			continue
		}
		x := place(&p.plot.X, p.X.Scale, s.X[i]) + offset
		lo, hi := place(&p.plot.Y, p.Y.Scale, s.Lo[i]), place(&p.plot.Y, p.Y.Scale, s.Hi[i])
		if x < p.plot.X.Min || x > p.plot.X.Max {
			continue
		}
		bars.XYs = append(bars.XYs, plotter.XY{X: x, Y: (lo + hi) / 2})
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{(hi - lo) / 2, (hi - lo) / 2})
	}
	return bars
}

// hasInterval reports whether the i-th point of s has bounds to draw.
func (s *Series) hasInterval(i int) bool {
	return s.Lo != nil && finite(s.Lo[i]) && finite(s.Hi[i])
}

// hasBand reports whether the interval of s is drawn as a band.
func (s *Series) hasBand() bool {
	return s.Lo != nil && (s.Mark == Line || s.Mark == LinePoints || s.Mark == Steps)
}

// hasLine reports whether the points of s are joined.
func (s *Series) hasLine() bool {
	return s.Mark == Line || s.Mark == LinePoints || s.Mark == Steps || s.Mark == ErrorBars
}

// hasGlyphs reports whether points of s are drawn as glyphs.
func (s *Series) hasGlyphs() bool {
	return s.Mark == Points || s.Mark == LinePoints || s.Mark == ErrorBars
}

// dense reports whether s has too many points for dashes to be visible.
func (s *Series) dense() bool { return len(s.X) > 300 }

// dash returns the line pattern of s in style k.
func (s *Series) dash(k int) Dash {
	switch {
	case s.Dash != AutoDash:
		return s.Dash
	case s.Mark == LinePoints || s.Mark == ErrorBars || s.dense():
		return Solid
	default:
		return autoDash(k)
	}
}
