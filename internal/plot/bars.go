package plot

import (
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"

	"repslab/internal/lists"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barSlots divides the horizontal axis, in scale coordinates, among the series of bars.
type barSlots struct {
	series map[float64][]int // by x: the series with a bar there, NaN or not, in order
	slot   float64           // smallest distance between two x
	width  float64           // width of a bar
}

// bars returns the slots of the bars. A single group of bars leaves room at its sides.
func (p *panel) bars() barSlots {
	b := barSlots{series: map[float64][]int{}}
	most := 1
	for i := range p.Series {
		if p.Series[i].Mark != Bars {
			continue
		}
		for _, x := range p.Series[i].X {
			if finite(x) {
				u := p.X.Scale.forward(x)
				b.series[u] = append(b.series[u], i)
				most = max(most, len(b.series[u]))
			}
		}
	}
	b.slot = leastGap(slices.Sorted(maps.Keys(b.series)))
	share := barShare
	if math.IsInf(b.slot, 1) {
		b.slot, share = 1, 0.5
	}
	b.width = share * b.slot / float64(most)
	return b
}

// leastGap returns the smallest distance between ascending numbers that differ by more than rounding
// errors, or +Inf if there are none.
func leastGap(xs []float64) float64 {
	gap := math.Inf(1)
	for i := 1; i < len(xs); i++ {
		if d := xs[i] - xs[i-1]; d > 1e-9*math.Abs(xs[i]) {
			gap = min(gap, d)
		}
	}
	return gap
}

// barShare is the fraction of the distance between two groups that bars fill.
const barShare = 0.8

// BarCentre returns the offset of the middle of the k-th bar, from 0, from the X of its group of n bars,
// so that a point can be placed over the bar. The groups must be 1 apart on a linear axis.
func BarCentre(k, n int) float64 { return barShare * (float64(k) + 0.5 - float64(n)/2) / float64(n) }

// left returns the left end of the bar that a series has at u.
func (b barSlots) left(series int, u float64) float64 {
	list := b.series[u]
	return u + (float64(slices.Index(list, series))-float64(len(list))/2)*b.width
}

// dots reports whether bars are drawn as points, because they have no natural beginning.
func (p *panel) dots() bool { return p.Y.Scale != Linear && p.Origin == 0 }

// barChart returns the bars of the i-th series, which begin at the origin, and their error bars. (In the
// library, bars stand at successive integers and begin at 0.)
func (p *panel) barChart(i int, c Color) (*barChart, *whiskers) {
	s, slots := &p.Series[i], p.bars()
	base := p.y.place(p.Origin)
	chart := &barChart{Polygon: c.barStyle(), panel: p}
	for k, x := range s.X {
		if s.unfinished(k) {
			left := slots.left(i, p.x.place(x))
			chart.unfinished = append(chart.unfinished, [2]float64{left, left + slots.width})
		}
	}
	tops := slices.Clone(s.Y)
	for k := range tops {
		if tops[k] = s.known(k); finite(tops[k]) && finite(s.X[k]) {
			chart.signs = append(chart.signs, [...]string{"< ", "", "> "}[1+s.bound(k)])
		}
	}
	for _, at := range slices.Concat(p.curves(s, tops)...) {
		x0 := slots.left(i, at.X)
		x1 := x0 + slots.width
		chart.XYs = append(chart.XYs, plotter.XYs{{X: x0, Y: base}, {X: x0, Y: at.Y}, {X: x1, Y: at.Y}, {X: x1, Y: base}})
	}
	w := p.whiskers(s, ink)
	for k := range w.list {
		w.list[k].x = slots.left(i, w.list[k].x) + slots.width/2
	}
	return chart, w
}

// barChart is a set of bars.
type barChart struct {
	plotter.Polygon
	panel      *panel
	signs      []string     // sign before the value of each bar: "<" or ">" for a bound
	unfinished [][2]float64 // left and right ends of the places of unfinished bars
}

// tops returns the middles of the upper ends of the bars.
func (b *barChart) tops() plotter.XYs {
	return lists.Map(b.XYs, func(bar plotter.XYs) plotter.XY { return plotter.XY{X: (bar[0].X + bar[2].X) / 2, Y: bar[1].Y} })
}

// shortBars draws the bars that are too short to be seen as points of the same colour.
type shortBars struct {
	*barChart
	draw.GlyphStyle
}

// Plot implements [plot.Plotter].
func (b shortBars) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	points := plotter.Scatter{GlyphStyle: b.GlyphStyle}
	for i, top := range b.tops() {
		if height := y(top.Y) - y(b.XYs[i][0].Y); max(height, -height) < 0.7*b.Radius {
			points.XYs = append(points.XYs, top)
		}
	}
	points.Plot(c, p)
}

// cutBars writes the values of bars that leave the axis, on top of everything else.
type cutBars struct{ *barChart }

// Plot implements [plot.Plotter]. A bar that passes the upper end gets a break, with its value below the
// break. If a bar is below the lower end, the value stands there. A cross marks the place of an
// unfinished bar.
func (b cutBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, place := range b.unfinished {
		left, right := x(place[0]), x(place[1])
		at, half := vg.Point{X: (left + right) / 2, Y: c.Min.Y + 0.6*smallSize}, 0.3*smallSize
		for _, up := range []vg.Length{-1, 1} {
			by := vg.Point{X: half, Y: up * half}
			c.StrokeLines(draw.LineStyle{Color: ink, Width: lineWidth}, []vg.Point{at.Sub(by), at.Add(by)})
		}
		b.panel.cutValue(c, "not finished", left, right, at.Y+0.6*smallSize, 1)
	}
	for i, bar := range b.XYs {
		top := bar[1].Y
		if bar[0].X < p.X.Min-1e-9 || bar[2].X > p.X.Max+1e-9 || top >= p.Y.Min && top <= p.Y.Max {
			continue
		}
		left, right := x(bar[0].X), x(bar[2].X)
		value := b.signs[i] + shortNumber(b.panel.Y.Scale.back(top))
		if top > p.Y.Max {
			at := c.Max.Y - 0.7*smallSize
			b.panel.cutValue(c, value, left, right, at-breakGap-0.2*smallSize, -1)
			if b.panel.dots() {
				continue
			}
			drawBreak(c, vg.Point{X: (left + right) / 2, Y: at}, vg.Point{X: (right-left)/2 + breakGap/2, Y: breakGap / 2})
		} else if b.panel.Y.Scale != Linear || top != 0 {
			b.panel.cutValue(c, value, left, right, c.Min.Y+0.3*smallSize, 1)
		}
	}
}

// cutValue writes a value between the sides of a bar, on white, from a height upwards or downwards:
// across the bar if there is room, otherwise along it.
func (p *panel) cutValue(c draw.Canvas, value string, left, right, from vg.Length, up vg.Length) {
	sty := p.style(smallSize)
	size := vg.Point{X: p.set.width(value, smallSize), Y: 2 * middle * smallSize}
	if size.X > right-left-0.3*smallSize {
		sty.Font.Size = max(0.7*smallSize, min(smallSize, (right-left)/(2*middle)))
		sty.Rotation = math.Pi / 2
		size = vg.Point{X: 2 * middle * sty.Font.Size, Y: p.set.width(value, sty.Font.Size)}
	}
	centre := vg.Point{X: (left + right) / 2, Y: from + up*size.Y/2}
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	c.SetColor(color.White)
	c.Fill(grown(vg.Rectangle{Min: centre.Sub(size.Scale(0.5)), Max: centre.Add(size.Scale(0.5))}, 0.08*smallSize).Path())
	c.FillText(sty, centre, value)
}

// shortNumber writes v with three significant digits, without an exponent.
func shortNumber(v float64) string {
	places := 0
	if v != 0 {
		places = max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// breakGap is the distance between the strokes of a break.
const breakGap = 3.2 * frameWidth

// drawBreak draws the sign of a break on a vertical line or bar: a white gap between two slanted strokes.
// It is centred at a point and extends by half to every side, so the strokes rise by twice half.Y.
func drawBreak(c draw.Canvas, at, half vg.Point) {
	corner := func(x, y vg.Length) vg.Point { return at.Add(vg.Point{X: x * half.X, Y: y * half.Y}) }
	lower := []vg.Point{corner(-1, -2), corner(1, 0)}
	upper := []vg.Point{corner(1, 2), corner(-1, 0)}
	c.FillPolygon(color.White, slices.Concat(lower, upper))
	line := draw.LineStyle{Color: ink, Width: frameWidth}
	c.StrokeLines(line, lower, upper)
}
