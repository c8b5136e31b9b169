package plot

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cells are the coloured squares of a series. (Heat maps of the library need a grid without holes and
// with equal steps.)
type cells struct {
	panel  *panel
	series *Series
}

// darkest is the colour at the upper end of a colour axis. For lower values it is mixed with white.
var darkest = color.RGBA{0, 52, 96, 255}

// shade returns the colour at a fraction of a colour axis, 0 <= part <= 1.
func shade(part float64) color.RGBA { return tint(darkest, 0.1+0.9*max(0, min(1, part))) }

// Plot implements [plot.Plotter]. A value stands in its cell if it fits.
func (s *cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	s.hatch(&c, p)
	z, sty := &s.panel.z, s.panel.style(0.85*smallSize)
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	write := shortNumber
	if !slices.ContainsFunc(s.series.Z, func(v float64) bool { return finite(v) && v != math.Trunc(v) }) { // counts
		write = func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	}
	for i, v := range s.series.Z {
		at := plotter.XY{X: s.series.X[i], Y: s.series.Y[i]}
		if !finite(v) || !finite(at.X) || !finite(at.Y) {
			continue
		}
		box := vg.Rectangle{
			Min: vg.Point{X: x(at.X - 0.5), Y: y(at.Y - 0.5)}, Max: vg.Point{X: x(at.X + 0.5), Y: y(at.Y + 0.5)},
		}
		part := z.ends.Norm(z.place(v))
		c.SetColor(shade(part))
		c.Fill(box.Path())
		sty.Color = ink
		if part > 0.5 {
			sty.Color = color.White
		}
		value := write(v)
		if size := box.Size(); sty.Width(value) < size.X-0.3*smallSize && size.Y > 1.2*smallSize {
			c.FillText(sty, vg.Point{X: x(at.X), Y: y(at.Y)}, value)
		}
	}
}

// hatch draws grey lines across the frame, which show through where there is no cell. It draws nothing if
// there are cells everywhere.
func (s *cells) hatch(c *draw.Canvas, p *plot.Plot) {
	left := (p.X.Max - p.X.Min) * (p.Y.Max - p.Y.Min)
	for _, v := range s.series.Z {
		if finite(v) {
			left--
		}
	}
	if left < 0.5 {
		return
	}
	const step = smallSize / 2
	size := c.Size()
	for at := step; at < size.X+size.Y; at += step {
		from := vg.Point{X: c.Min.X + min(at, size.X), Y: c.Min.Y + max(0, at-size.X)}
		to := vg.Point{X: c.Min.X + max(0, at-size.Y), Y: c.Min.Y + min(at, size.Y)}
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{Y: 205}, Width: frameWidth / 2}, from.X, from.Y, to.X, to.Y)
	}
}

// The geometry of the colour bar.
const (
	barGap   = 0.8 * smallSize // from the frame
	barWidth = smallSize
	shades   = 64
)

// barRoom returns the room that the colour bar needs beside the frame, 0 without a bar.
func (p *panel) barRoom() vg.Length {
	if p.ZLabel == "" {
		return 0
	}
	numbers := vg.Length(0)
	for _, t := range p.z.ticks {
		numbers = max(numbers, p.z.style.Width(t.Label))
	}
	return barGap + barWidth + tickPad + numbers + p.z.label.height(labelPad)
}

// drawColorBar draws the colour bar and its numbers.
func (p *panel) drawColorBar(c draw.Canvas) {
	if p.ZLabel == "" {
		return
	}
	left, high := p.inner.Max.X+barGap, p.inner.Size().Y
	bar := vg.Rectangle{Min: vg.Point{X: left, Y: p.inner.Min.Y}, Max: vg.Point{X: left + barWidth, Y: p.inner.Max.Y}}
	for k := range shades {
		part := bar
		part.Min.Y += high * vg.Length(k) / shades // up to the top, so that no gap is left
		c.SetColor(shade(float64(k) / (shades - 1)))
		c.Fill(part.Path())
	}
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: frameWidth})
	c.Stroke(bar.Path())
	for _, t := range p.z.ticks {
		y := bar.Min.Y + vg.Length(p.z.ends.Norm(t.Value))*high
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: frameWidth}, bar.Max.X-lengthOf(t), y, bar.Max.X, y)
		c.FillText(p.z.style, vg.Point{X: bar.Max.X + tickPad, Y: y}, t.Label)
	}
}
