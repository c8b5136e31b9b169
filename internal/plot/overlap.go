package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// drawn holds points of what a frame shows, at most drawnStep apart, so that text
// can be placed where it overlaps little. The library places legends and labels
// blindly.
type drawn []vg.Point

const drawnStep = 1.5 // points

// drawn returns what p draws in its frame, found by drawing it on a recorder.
func (p *panel) drawn() drawn {
	var rec recorder.Canvas
	c := draw.Canvas{Canvas: &rec, Rectangle: p.inner}
	for _, d := range p.data {
		d.Plot(c, p.plot)
	}
	var out drawn
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.Stroke:
			out = append(out, along(a.Path)...)
		case *recorder.Fill:
			// Chords between opposite points of the outline fill bands and bars.
			edge := along(a.Path)
			for i := range len(edge) / 2 {
				out = appendSteps(out, edge[i], edge[len(edge)-1-i])
			}
		}
	}
	for _, l := range p.labels {
		out = append(out, along(l.box.Path())...)
	}
	return out
}

// along returns points along a path. Arcs, which only small glyphs have, count
// as their centres.
func along(path vg.Path) drawn {
	var out drawn
	for i, s := range path {
		switch {
		case s.Type == vg.CloseComp:
		case s.Type == vg.LineComp && i > 0:
			out = appendSteps(out, path[i-1].Pos, s.Pos)
		default:
			out = append(out, s.Pos)
		}
	}
	return out
}

// appendSteps appends points from a to b.
func appendSteps(out drawn, a, b vg.Point) drawn {
	d := b.Sub(a)
	n := math.Ceil(math.Hypot(float64(d.X), float64(d.Y)) / drawnStep)
	for k := range int(n) + 1 {
		out = append(out, a.Add(d.Scale(vg.Length(float64(k)/max(1, n)))))
	}
	return out
}

// overlap returns how many points are in b.
func (d drawn) overlap(b vg.Rectangle) int {
	n := 0
	for _, p := range d {
		if p.X >= b.Min.X && p.X <= b.Max.X && p.Y >= b.Min.Y && p.Y <= b.Max.Y {
			n++
		}
	}
	return n
}

// grown returns b with every side moved out by d.
func grown(b vg.Rectangle, d vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: b.Min.Sub(vg.Point{X: d, Y: d}), Max: b.Max.Add(vg.Point{X: d, Y: d})}
}

// inside reports whether a is in b.
func inside(a, b vg.Rectangle) bool {
	return a.Min.X >= b.Min.X && a.Min.Y >= b.Min.Y && a.Max.X <= b.Max.X && a.Max.Y <= b.Max.Y
}

// ruleLabel is the text beside a reference line.
type ruleLabel struct {
	text string
	box  vg.Rectangle
}

// placeLabels puts the label of every rule at the end and side of its line
// where it overlaps least.
func (p *panel) placeLabels() {
	p.labels = nil
	frame, size := draw.Canvas{Rectangle: p.inner}, p.m.legendSize
	x, y := p.plot.Transforms(&frame)
	for _, r := range p.Rules {
		ends := p.ruleEnds(r)
		from, to := vg.Point{X: x(ends[0].X), Y: y(ends[0].Y)}, vg.Point{X: x(ends[1].X), Y: y(ends[1].Y)}
		if r.Label == "" || !frame.Contains(from) || !frame.Contains(to) {
			continue
		}
		data, least := p.drawn(), math.MaxInt
		var best vg.Rectangle
		for _, b := range p.labelBoxes(r, from, to) {
			n := data.overlap(grown(b, 0.15*size))
			if !inside(b, p.inner) {
				n += 1000
			}
			if n < least {
				least, best = n, b
			}
		}
		p.labels = append(p.labels, ruleLabel{r.Label, best})
	}
}

// labelBoxes returns the places for the label of a rule, the best first: both
// sides of five parts of the line.
func (p *panel) labelBoxes(r ReferenceLine, from, to vg.Point) []vg.Rectangle {
	size := p.m.legendSize
	off, end := 0.25*size, 0.3*size+p.m.tick
	box := vg.Point{X: p.set.width(r.Label, size), Y: (ascent + descent) * size}
	var out []vg.Rectangle
	for _, part := range []vg.Length{0, 1, 0.25, 0.5, 0.75} { // from the far end
		for _, side := range []vg.Length{0, 1} {
			at := vg.Point{X: to.X - end - box.X + part*(from.X-to.X+2*end+box.X), Y: to.Y + off - side*(2*off+box.Y)}
			if r.Vertical {
				at = vg.Point{X: to.X + off - side*(2*off+box.X), Y: to.Y - end - box.Y + part*(from.Y-to.Y+2*end+box.Y)}
			}
			out = append(out, vg.Rectangle{Min: at, Max: at.Add(box)})
		}
	}
	return out
}
