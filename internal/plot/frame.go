package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws p on a page: captions and numbers, the data, the frame with ticks
// that point inward, the labels of rules and the legend. The library's axes are at
// two sides only, and their ticks point outward.
func (p *panel) draw(page draw.Canvas) {
	for _, c := range []caption{p.title, p.xLabel} {
		page.FillText(c.style, c.at, c.text)
	}
	c := draw.Canvas{Canvas: page.Canvas, Rectangle: p.inner}
	x, y := p.plot.Transforms(&c)
	for _, t := range p.xTicks {
		page.FillText(p.xTickLabel, vg.Point{X: x(t.Value), Y: c.Min.Y - p.m.xTickPad()}, t.Label)
	}
	page.FillText(p.yLabel.style, p.yLabel.at, p.yLabel.text)
	for _, t := range p.yTicks {
		page.FillText(p.yTickLabel, vg.Point{X: c.Min.X - p.m.tickPad, Y: y(t.Value)}, t.Label)
	}
	for _, d := range p.data {
		d.Plot(c, p.plot)
	}
	line := draw.LineStyle{Color: ink(), Width: p.m.frame}
	for _, t := range p.xTicks {
		c.StrokeLine2(line, x(t.Value), c.Min.Y, x(t.Value), c.Min.Y+p.m.tickLength(t))
	}
	for _, t := range p.yTicks {
		c.StrokeLine2(line, c.Min.X, y(t.Value), c.Min.X+p.m.tickLength(t), y(t.Value))
	}
	c.SetLineStyle(line)
	c.Stroke(c.Rectangle.Path())
	label := p.style(p.m.legendSize)
	label.Color, label.XAlign, label.YAlign = ruleText(), text.XCenter, text.YCenter
	for _, l := range p.labels {
		c.FillText(label, l.box.Min.Add(l.box.Max).Scale(0.5), l.text)
	}
	if p.empty {
		c.FillText(label, c.Center(), "no data")
	}
	if p.legend != nil {
		p.legend.draw(c)
	}
}

// tickLength returns the length of a tick.
func (m metrics) tickLength(t plot.Tick) vg.Length {
	if t.IsMinor() {
		return m.minorTick
	}
	return m.tick
}

// xTickPad returns the distance from the frame to the labels below it. These leave
// room for raised digits, which few have.
func (m metrics) xTickPad() vg.Length { return m.tickPad - (ascent-0.72)*m.tickSize }
