package plot

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// picture is a small picture of the contents of a frame, with which text can be placed where it overlaps
// little. (The library places legends and labels blindly.)
type picture struct {
	image image.Image
	frame vg.Rectangle
}

const pictureScale = 3 // pixels per point: a label stands 0.7 pt from its line

// picture returns the picture of the contents of p's frame.
func (p *panel) picture() picture {
	size := p.inner.Size()
	canvas := vgimg.NewWith(vgimg.UseWH(size.X, size.Y), vgimg.UseDPI(int(pictureScale*vg.Inch)))
	c := draw.New(canvas)
	for _, d := range p.data {
		d.Plot(c, p.plot)
	}
	for _, l := range p.labels {
		box := vg.Rectangle{Min: l.box.Min.Sub(p.inner.Min), Max: l.box.Max.Sub(p.inner.Min)}
		c.SetColor(ink)
		c.Fill(box.Path())
	}
	return picture{canvas.Image(), p.inner}
}

// overlap returns how many pixels of b are not white.
func (d picture) overlap(b vg.Rectangle) int {
	n, height := 0, d.image.Bounds().Dy()
	low, high := b.Min.Sub(d.frame.Min).Scale(pictureScale), b.Max.Sub(d.frame.Min).Scale(pictureScale)
	box := image.Rect(int(low.X)+1, height-int(high.Y), int(high.X), height-int(low.Y)-1).Intersect(d.image.Bounds())
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if color.GrayModel.Convert(d.image.At(x, y)).(color.Gray).Y < 250 {
				n++
			}
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
	text    string
	box     vg.Rectangle
	upright bool // the text runs upwards
	covers  bool // it stands on data
}

// placeLabels places the labels of reference lines. It puts the label of a horizontal line at the end and
// side of the line where it overlaps least, or beside the frame if it would cover data everywhere. All
// labels of vertical lines get the same height and side, where together they overlap least: on the right
// if there is room, and upright if one of them has no room across. placeLabels reports whether the room
// beside the frame has changed.
func (p *panel) placeLabels() (changed bool) {
	p.labels = nil
	if !slices.ContainsFunc(p.References, func(r ReferenceLine) bool { return r.Label != "" && !r.InLegend }) {
		return false // drawing the data takes most of the time of a plot
	}
	before := p.beside
	least, best, upright := math.MaxInt, 0, false
	data := p.picture()
	for _, turned := range []bool{false, true} {
		for place := 0; place < labelPlaces && least > 0; place++ {
			n := p.labelsOverlap(data, turned, place)
			if n < least {
				least, best, upright = n, place, turned
			}
		}
	}
	p.labelsOverlap(data, upright, best)
	for _, l := range p.labels {
		p.beside = max(p.beside, l.box.Max.X-p.inner.Max.X)
	}
	return p.beside != before
}

// labelsOverlap places the labels and returns the overlap of the labels of vertical lines with anything.
// These are upright if upright is set, and at the given place of [panel.labelBoxes].
func (p *panel) labelsOverlap(data picture, upright bool, place int) (overlap int) {
	p.labels = nil
	frame := draw.Canvas{Rectangle: p.inner}
	x, y := p.plot.Transforms(&frame)
	for _, r := range p.References {
		ends := p.ruleEnds(r)
		from, to := vg.Point{X: x(ends[0].X), Y: y(ends[0].Y)}, vg.Point{X: x(ends[1].X), Y: y(ends[1].Y)}
		if r.Label == "" || r.InLegend || !frame.Contains(from) || !frame.Contains(to) {
			continue
		}
		least := math.MaxInt
		best := ruleLabel{text: r.Label, upright: upright && r.Vertical}
		boxes := p.labelBoxes(r, best.upright, from, to)
		if r.Vertical {
			boxes = boxes[place : place+1]
		}
		for _, b := range boxes {
			n := data.overlap(grown(b, 0.1*smallSize))
			for _, other := range p.labels {
				if b.Min.X < other.box.Max.X && other.box.Min.X < b.Max.X && b.Min.Y < other.box.Max.Y && other.box.Min.Y < b.Max.Y {
					n += 1000
				}
			}
			if !inside(b, p.inner) {
				n += offFrame
			}
			if n < least {
				least, best.box = n, b
			}
		}
		if r.Vertical {
			overlap += least
		}
		if !r.Vertical && least > 0 && p.ZLabel == "" {
			size := best.box.Size()
			best.box.Min = vg.Point{X: p.inner.Max.X + tickPad, Y: to.Y - size.Y/2}
			best.box.Max = best.box.Min.Add(size)
		}
		best.covers = data.overlap(best.box) > 0
		p.labels = append(p.labels, best)
	}
	return overlap
}

// labelPlaces is the number of places for a label; every other place is on the right. offFrame is the
// overlap that counts for a label that leaves the frame.
const labelPlaces, offFrame = 10, 1000 * pictureScale * pictureScale

// labelBoxes returns the places for the label of a line, the best first: both sides at five points of the
// line.
func (p *panel) labelBoxes(r ReferenceLine, upright bool, from, to vg.Point) []vg.Rectangle {
	const off, end = 0.25 * smallSize, 0.3*smallSize + tickLength
	box := vg.Point{X: p.set.width(r.Label, smallSize), Y: (ascent + descent) * smallSize}
	if upright {
		box.X, box.Y = box.Y, box.X
	}
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
