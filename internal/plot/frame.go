package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws p on a page: captions and numbers, the data, the frame with ticks that point inward, the
// labels of rules and the legend. (The library draws axes at two sides only, with ticks that point
// outward.)
func (p *panel) draw(page draw.Canvas) {
	for _, c := range []caption{p.title, p.x.label, p.y.label, p.z.label} {
		page.FillText(c.style, c.at, c.text)
	}
	c := draw.Canvas{Canvas: page.Canvas, Rectangle: p.inner}
	x, y := p.plot.Transforms(&c)
	for _, t := range p.x.ticks {
		page.FillText(p.x.style, vg.Point{X: x(t.Value), Y: c.Min.Y - xTickPad}, t.Label)
	}
	for _, t := range p.y.ticks {
		page.FillText(p.y.style, vg.Point{X: c.Min.X - tickPad, Y: y(t.Value)}, t.Label)
	}
	for _, d := range p.data {
		d.Plot(c, p.plot)
	}
	line := draw.LineStyle{Color: ink, Width: frameWidth}
	cells := p.Series[0].Mark == Cells
	categories := cells || p.x.TickLabels != nil && len(p.bars().series) > 0
	for _, t := range p.x.ticks {
		if !categories { // between bars ticks would look like data
			c.StrokeLine2(line, x(t.Value), c.Min.Y, x(t.Value), c.Min.Y+lengthOf(t))
		}
	}
	for _, t := range p.y.ticks {
		if !cells {
			c.StrokeLine2(line, c.Min.X, y(t.Value), c.Min.X+lengthOf(t), y(t.Value))
		}
	}
	c.SetLineStyle(line)
	c.Stroke(c.Rectangle.Path())
	p.drawBreaks(c)
	p.drawColorBar(page)
	label := p.style(smallSize)
	label.Color, label.XAlign, label.YAlign = ruleText, text.XCenter, text.YCenter
	for _, l := range p.labels {
		if l.covers {
			c.SetColor(color.White)
			c.Fill(l.box.Path())
		}
		label.Rotation = 0
		if l.upright {
			label.Rotation = math.Pi / 2
		}
		c.FillText(label, l.box.Min.Add(l.box.Max).Scale(0.5), l.text)
	}
	label.Rotation = 0
	if p.empty {
		c.FillText(label, c.Center(), "no data")
	}
	if p.legend != nil {
		p.legend.draw(c)
	}
}

// drawBreaks marks two kinds of axes with a break: linear axes that do not begin at their origin, so that
// lengths must not be compared, and logarithmic axes with a 0.
func (p *panel) drawBreaks(c draw.Canvas) {
	const gap = breakGap / 2
	if off, broken := p.y.breakAt(c.Size().Y); broken && (p.Origin == 0 || p.y.hasZero) {
		drawBreak(c, vg.Point{X: c.Min.X, Y: c.Min.Y + off}, vg.Point{X: tickLength, Y: gap})
	}
	if off, broken := p.x.breakAt(c.Size().X); broken && p.x.TickLabels == nil {
		c.Push()
		c.Translate(vg.Point{X: c.Min.X + off, Y: c.Min.Y})
		c.Rotate(-math.Pi / 2)
		drawBreak(c, vg.Point{}, vg.Point{X: tickLength, Y: gap})
		c.Pop()
	}
}

// breakAt returns the distance of the break from the lower end of an axis of the given length. On a
// logarithmic scale the break is above the 0.
func (a *axis) breakAt(length vg.Length) (off vg.Length, broken bool) {
	if a.hasZero {
		return vg.Length(a.ends.Norm((a.zero+a.positive)/2)) * length, true
	}
	return 0.75 * smallSize, a.cut()
}

// cut reports whether a linear axis of numbers above its origin begins far from the origin.
func (a *axis) cut() bool {
	off := a.ends.Min - a.Origin
	return a.Scale == Linear && off > 0.1*(a.ends.Max-a.Origin) && off > 0
}

// lengthOf returns the length of a tick.
func lengthOf(t plot.Tick) vg.Length {
	if t.IsMinor() {
		return minorTick
	}
	return tickLength
}
