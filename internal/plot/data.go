package plot

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// element is a part of a series that has a thumbnail in the legend.
type element interface {
	plot.Plotter
	plot.Thumbnailer
}

// addData makes the plotters: bands first, then bars, rules, lines and error
// bars, glyphs and short bars, and the values of bars that leave the axis.
func (p *panel) addData() {
	var bands, bars, rules, lines, markers, cuts []plot.Plotter
	sides := p.dodges()
	above, below := &bounds{name: "lower bound", up: 1}, &bounds{name: "upper bound", up: -1}
	for i := range p.Series {
		s, c, side := &p.Series[i], p.colors[i], sides[i]
		e := entry{name: s.Name}
		add := func(layer *[]plot.Plotter, part element) {
			*layer, e.parts = append(*layer, part), append(e.parts, part)
		}
		points := p.curves(s, s.Y)
		switch {
		case s.Mark == Cells:
			bars = append(bars, &cells{p, s})
		case s.Mark == Bars:
			chart, whiskers := p.barChart(i, c)
			if p.dots() {
				whiskers.Color = c.rgb()
				add(&lines, whiskers)
				add(&markers, &glyphs{plotter.Scatter{XYs: chart.tops(), GlyphStyle: c.glyphStyle()}, side})
			} else {
				add(&bars, chart)
				lines = append(lines, whiskers)
				markers = append(markers, shortBars{chart, c.glyphStyle()})
			}
			cuts = append(cuts, cutBars{chart})
		case s.hasBand():
			add(&bands, p.band(s, c))
		case s.Lo != nil:
			errors := p.whiskers(s, c.rgb())
			errors.side = side
			add(&lines, errors)
		}
		up, down := p.bounds(i, c, side)
		above.list, below.list = append(above.list, up...), append(below.list, down...)
		if s.hasBand() {
			side = dodge{} // only the bounds of a series with a band are moved
		}
		if s.hasLine() {
			add(&lines, &trace{plotter.Line{LineStyle: c.lineStyle(s)}, points, side})
		}
		if s.hasGlyphs() {
			scatter := plotter.Scatter{XYs: s.marked(slices.Concat(points...)), GlyphStyle: c.glyphStyle()}
			add(&markers, &glyphs{scatter, side})
		}
		p.entries = append(p.entries, e)
	}
	for _, r := range p.References {
		w := 0.7 * lineWidth
		line := &plotter.Line{XYs: p.ruleEnds(r), LineStyle: draw.LineStyle{Color: ruleInk, Width: w, Dashes: r.Dash.lengths(w)}}
		if r.Dash == AutoDash {
			line.Dashes = []vg.Length{3 * w, 2 * w}
		}
		if rules = append(rules, line); r.InLegend {
			p.entries = append(p.entries, entry{r.Label, []element{line}})
		}
	}
	for _, b := range []*bounds{above, below} {
		if len(b.list) > 0 {
			lines = append(lines, b)
			p.entries = append(p.entries, entry{b.name, []element{b}})
		}
	}
	p.data = slices.Concat(bands, bars, rules, lines, markers, cuts)
}

// at returns the place of a point in scale coordinates.
func (p *panel) at(x, y float64) plotter.XY {
	return plotter.XY{X: p.x.place(x), Y: p.y.place(y)}
}

// curves returns the line through (s.X, y), split at missing points. For Steps the pieces are staircases,
// since the library clips steps wrongly.
func (p *panel) curves(s *Series, y []float64) (parts []plotter.XYs) {
	joined := false
	for i := range s.X {
		if !finite(s.X[i]) || !finite(y[i]) {
			joined = false
			continue
		}
		if !joined {
			parts, joined = append(parts, nil), true
		}
		part, at := &parts[len(parts)-1], p.at(s.X[i], y[i])
		if s.Mark == Steps && len(*part) > 0 {
			*part = append(*part, plotter.XY{X: at.X, Y: (*part)[len(*part)-1].Y})
		}
		*part = append(*part, at)
	}
	return parts
}

// marked returns the points that get a glyph: all points, or about 32 of a line.
func (s *Series) marked(points plotter.XYs) plotter.XYs {
	if s.Mark != LinePoints {
		return points
	}
	var some plotter.XYs
	for i := 0; i < len(points); i += 1 + len(points)/33 {
		some = append(some, points[i])
	}
	return some
}

// ruleEnds returns the line of r from end to end of its axis.
func (p *panel) ruleEnds(r ReferenceLine) plotter.XYs {
	x, y := p.x.ends, p.y.ends
	if r.Vertical {
		u := p.x.place(r.At)
		return plotter.XYs{{X: u, Y: y.Min}, {X: u, Y: y.Max}}
	}
	u := p.y.place(r.At)
	return plotter.XYs{{X: x.Min, Y: u}, {X: x.Max, Y: u}}
}

// band returns the area between the bounds of s.
func (p *panel) band(s *Series, c Color) *plotter.Polygon {
	lo, hi := slices.Clone(s.Lo), slices.Clone(s.Hi)
	for i := range lo {
		if !s.hasInterval(i) {
			lo[i], hi[i] = math.NaN(), math.NaN()
		}
	}
	area := c.bandStyle()
	area.XYs = p.curves(s, hi)
	for i, lower := range p.curves(s, lo) {
		slices.Reverse(lower)
		area.XYs[i] = append(area.XYs[i], lower...)
	}
	return &area
}

// trace is the line of a series, in parts. Only the visible points are drawn: the ends and the two
// extremes of every stretch as long as the line is wide. (The library would write all points of the
// history of a queue.)
type trace struct {
	plotter.Line
	parts []plotter.XYs
	side  dodge
}

// Plot implements [plot.Plotter]. A line of one point, which the library leaves
// out, becomes a dot.
func (t *trace) Plot(c draw.Canvas, p *plot.Plot) {
	for _, part := range t.parts {
		part = t.side.moved(part, c, p)
		if len(part) == 1 {
			dot := draw.GlyphStyle{Color: t.Color, Radius: 0.8 * t.Width, Shape: shape{corners: 24, size: 1}}
			(&plotter.Scatter{XYs: part, GlyphStyle: dot}).Plot(c, p)
			continue
		}
		line := t.Line
		line.XYs = thinned(part, (p.X.Max-p.X.Min)*float64(t.Width/c.Size().X))
		line.Plot(c, p)
	}
}

// thinned returns line with its ends and the two extremes of every cell of its
// width. Lines that are short or that turn back are returned as they are.
func thinned(line plotter.XYs, cell float64) plotter.XYs {
	if len(line) < 256 || !slices.IsSortedFunc(line, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) }) {
		return line
	}
	out := plotter.XYs{line[0]}
	for i := 0; i < len(line); {
		lo, hi := i, i
		for column := math.Floor(line[i].X / cell); i < len(line) && math.Floor(line[i].X/cell) == column; i++ {
			if line[i].Y < line[lo].Y {
				lo = i
			}
			if line[i].Y > line[hi].Y {
				hi = i
			}
		}
		out = append(out, line[min(lo, hi)], line[max(lo, hi)])
	}
	return append(out, line[len(line)-1])
}

// bound returns 1 if only a lower bound of the i-th point of s is known, -1 if only an upper bound is
// known, and 0 otherwise.
func (s *Series) bound(i int) int {
	if s.Lo == nil || finite(s.Y[i]) || finite(s.Lo[i]) == finite(s.Hi[i]) {
		return 0
	}
	if finite(s.Lo[i]) {
		return 1
	}
	return -1
}

// known returns the i-th Y of s or, if only a bound is known, the bound.
func (s *Series) known(i int) float64 {
	switch s.bound(i) {
	case 1:
		return s.Lo[i]
	case -1:
		return s.Hi[i]
	}
	return s.Y[i]
}

// hasInterval reports whether the i-th point of s has bounds to draw.
func (s *Series) hasInterval(i int) bool {
	return s.Lo != nil && finite(s.Lo[i]) && finite(s.Hi[i])
}

// unfinished reports whether the i-th point of s is an unfinished bar without a bound.
func (s *Series) unfinished(i int) bool {
	return s.Mark == Bars && math.IsInf(s.Y[i], 1) && s.bound(i) == 0
}

// hasBand reports whether the interval of s is drawn as a band.
func (s *Series) hasBand() bool {
	return s.Lo != nil && (s.Mark == Line || s.Mark == LinePoints || s.Mark == Steps)
}

// hasErrorBars reports whether the intervals of s are drawn as error bars that may have to be moved
// sideways.
func (s *Series) hasErrorBars() bool {
	return s.Lo != nil && s.Mark != Bars && s.Mark != Cells && !s.hasBand()
}

// hasLine reports whether the points of s are joined.
func (s *Series) hasLine() bool { return s.Mark != Points && s.Mark != Bars && s.Mark != Cells }

// hasGlyphs reports whether points of s are drawn as glyphs.
func (s *Series) hasGlyphs() bool {
	return s.Mark == Points || s.Mark == LinePoints || s.Mark == ErrorBars
}

// dense reports whether s has too many points for dashes to be visible: more than 300 that go up and down
// (unlike the points of a distribution).
func (s *Series) dense() bool {
	return len(s.X) > 300 && !slices.IsSorted(s.Y) && !slices.IsSortedFunc(s.Y, func(a, b float64) int { return cmp.Compare(b, a) })
}
