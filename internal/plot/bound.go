package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bounds are the arrows of a series for values with only a lower bound, or only an upper bound.
type bounds struct {
	name string    // in the legend
	up   vg.Length // 1 for lower bounds (arrows point upwards), -1 for upper bounds
	list []bound
}

// bound is the place where an arrow begins, in scale coordinates.
type bound struct {
	plotter.XY
	color color.Color
	side  dodge
}

// boundLength is the length of an arrow.
const boundLength = 1.6 * smallSize

// bounds returns the lower and the upper bounds of the i-th series. Bounds of bars are black and in the
// middle of the bar.
func (p *panel) bounds(i int, c Color, side dodge) (up, down []bound) {
	s, slots := &p.Series[i], p.bars()
	for k, x := range s.X {
		way := s.bound(k)
		if way == 0 || !finite(x) {
			continue
		}
		b := bound{p.at(x, s.known(k)), c.rgb(), side}
		if s.Mark == Bars {
			b.X, b.color = slots.left(i, b.X)+slots.width/2, ink
		}
		if way > 0 {
			up = append(up, b)
		} else {
			down = append(down, b)
		}
	}
	return up, down
}

// Plot implements [plot.Plotter]. An arrow that would leave the frame ends there.
func (b *bounds) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, e := range b.list {
		if e.X < p.X.Min || e.X > p.X.Max {
			continue
		}
		from := max(c.Min.Y, min(c.Max.Y, y(e.Y)))
		to := max(c.Min.Y, min(c.Max.Y, from+b.up*boundLength))
		b.arrow(&c, e.color, x(e.X)+e.side.points(c, p), to-b.up*boundLength, to)
	}
}

// arrow draws an arrow at x from one height to another. Its foot is a stroke, so that it differs from
// triangular glyphs.
func (b *bounds) arrow(c *draw.Canvas, ink color.Color, x, from, to vg.Length) {
	w := whiskers{LineStyle: draw.LineStyle{Color: ink, Width: 0.7 * lineWidth}}
	c.StrokeLine2(w.LineStyle, x, from, x, to-b.up*capWidth)
	w.end(c, x, from)
	w.arrow(*c, vg.Point{X: x, Y: to}, b.up)
}

// Thumbnail implements [plot.Thumbnailer].
func (b *bounds) Thumbnail(c *draw.Canvas) {
	from, to := c.Min.Y, c.Max.Y
	if b.up < 0 {
		from, to = to, from
	}
	b.arrow(c, ink, c.Center().X, from-0.15*b.up*smallSize, to+0.15*b.up*smallSize)
}
