package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// trace is a line of which only what can be seen is drawn: the ends and the two
// extremes of every stretch as long as the line is wide. The library writes all
// points of a queue's history.
type trace struct{ plotter.Line }

// Plot implements [plot.Plotter]. A line of one point, which the library leaves
// out, becomes a dot.
func (t *trace) Plot(c draw.Canvas, p *plot.Plot) {
	if len(t.XYs) == 1 {
		dot := draw.GlyphStyle{Color: t.Color, Radius: 0.8 * t.Width, Shape: draw.CircleGlyph{}}
		(&plotter.Scatter{XYs: t.XYs, GlyphStyle: dot}).Plot(c, p)
		return
	}
	line := t.Line
	line.XYs = thinned(t.XYs, (p.X.Max-p.X.Min)*float64(t.Width/c.Size().X))
	line.Plot(c, p)
}

// thinned returns line with its ends and the two extremes of every cell of its
// width. Lines that are short or that turn back are returned as they are.
func thinned(line plotter.XYs, cell float64) plotter.XYs {
	last := len(line) - 1
	if last < 256 {
		return line
	}
	out := plotter.XYs{line[0]}
	for i := 1; i < last; {
		j, lo, hi := i, i, i
		for column := math.Floor(line[i].X / cell); j < last && math.Floor(line[j].X/cell) == column; j++ {
			if line[j+1].X < line[j].X {
				return line
			}
			if line[j].Y < line[lo].Y {
				lo = j
			}
			if line[j].Y > line[hi].Y {
				hi = j
			}
		}
		out = append(out, line[min(lo, hi)])
		if lo != hi {
			out = append(out, line[max(lo, hi)])
		}
		i = j
	}
	return append(out, line[last])
}
