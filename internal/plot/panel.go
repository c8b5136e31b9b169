package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// panel is a Panel while it is laid out and drawn.
type panel struct {
	*Panel
	row, col int
	where    string  // name of the panel in errors
	colors   []Color // of the series
	set      *typesetter
	plot     *plot.Plot // has the ends of the axes
	x, y, z  axis
	title    caption
	data     []plot.Plotter // plotters of the contents of the frame
	entries  []entry        // entries of the legend
	empty    bool           // no data at all
	extents  [3]extent      // extents of the data along x, y and z, in scale coordinates
	fits     [3]fit         // how the ranges fit the extents

	inner, cell vg.Rectangle // the frame; the part of the page that belongs to it
	above       bool         // the legend stands above the frame
	legend      *legend      // nil without one
	labels      []ruleLabel
	beside      vg.Length // room for labels beside the frame
}

// axis is an Axis while it is laid out and drawn.
type axis struct {
	Axis
	across   bool       // the axis is horizontal
	ends     *plot.Axis // in scale coordinates
	ticks    []plot.Tick
	style    text.Style // of the tick labels
	hasZero  bool       // 0 has a place on the logarithmic axis
	zero     float64    // place of 0, in scale coordinates
	positive float64    // place where the positive numbers begin on an axis with 0
	numbers  vg.Length  // height of tick labels below the frame, or width of tick labels beside it
	label    caption
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

// fault adds the name of the panel to err.
func (p *panel) fault(err error) error {
	return fmt.Errorf("plot: %s: %w", p.where, err)
}

// style returns the style of black text at a type size.
func (p *panel) style(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: sans(size), Handler: p.set}
}

// prepare checks the texts, makes the axes and measures the data.
func (p *panel) prepare() error {
	texts := slices.Concat([]string{p.Title, p.XLabel, p.YLabel, p.ZLabel}, p.X.TickLabels, p.Y.TickLabels)
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
	p.plot = plot.New()
	label, small := p.style(labelSize), p.style(smallSize)
	p.title = caption{text: p.Title, style: label}
	p.x = axis{Axis: p.X, across: true, ends: &p.plot.X, style: small, label: caption{text: p.XLabel, style: label}}
	p.x.style.XAlign, p.x.style.YAlign, p.x.label.style.YAlign = text.XCenter, text.YTop, text.YTop
	p.y = axis{Axis: p.Y, ends: &p.plot.Y, style: small, label: caption{text: p.YLabel, style: label}}
	p.y.style.XAlign, p.y.style.YAlign, p.y.label.style.Rotation = text.XRight, text.YCenter, math.Pi/2
	p.z = axis{Axis: p.Z, ends: &plot.New().Y, style: small, label: caption{text: p.ZLabel, style: label}}
	p.z.style.YAlign, p.z.label.style.Rotation = text.YCenter, math.Pi/2
	p.measure()
	return nil
}

// build sets the ends of the axes and makes the plotters. The ends are in scale coordinates,
// because the library's logarithmic scale panics at zero and its lines are straight in data units.
func (p *panel) build() (err error) {
	for i, a := range []*axis{&p.x, &p.y, &p.z} {
		if a.ends.Min, a.ends.Max, err = a.span(p.extents[i], p.fits[i]); err != nil {
			return p.fault(err)
		}
		if p.fits[i].none {
			a.addZero()
		}
	}
	p.addData()
	return nil
}

// measure sets the extents of the data and how ranges fit them.
func (p *panel) measure() {
	x, y, z := emptyExtent(), emptyExtent(), emptyExtent()
	across, up := fit{zero: 0.1}, fit{zero: 0.5, pad: 0.06}
	slots := p.bars()
	if len(slots.series) > 0 {
		across.zero = 0
		if up.base = p.Origin == 0; !up.base {
			y.add(p.Y.Scale.forward(p.Origin))
		}
	}
	for i := range p.Series {
		s := &p.Series[i]
		if s.hasGlyphs() {
			across.pad = max(across.pad, 0.04)
		}
		if s.hasErrorBars() {
			across.pad += 0.02 // series may be moved sideways
		}
		for j := range s.X {
			if !finite(s.X[j]) || !finite(s.known(j)) && !s.unfinished(j) {
				continue
			}
			u := p.X.Scale.forward(s.X[j])
			if s.Mark == Cells {
				across, up = fit{}, fit{}
				x.add(s.X[j]-0.5, s.X[j]+0.5)
				y.add(s.Y[j]-0.5, s.Y[j]+0.5)
				z.add(p.Z.Scale.forward(s.Z[j]))
			}
			x.add(u)
			across.none = across.none || p.X.Scale != Linear && s.X[j] == 0
			up.none = up.none || p.Y.Scale != Linear && s.known(j) == 0
			if s.Mark == Bars {
				x.add(u-slots.slot/2, u+slots.slot/2)
			}
			y.add(p.Y.Scale.forward(s.known(j)))
			if s.bound(j) != 0 {
				up.pad = max(up.pad, 0.15) // for the arrow
			}
			if s.hasInterval(j) {
				y.add(p.Y.Scale.forward(s.Lo[j]), p.Y.Scale.forward(s.Hi[j]))
			}
		}
	}
	p.empty = x == emptyExtent() && !across.none
	for _, r := range p.References {
		if r.Vertical {
			x.add(p.X.Scale.forward(r.At))
		} else {
			y.add(p.Y.Scale.forward(r.At))
		}
	}
	p.extents, p.fits = [3]extent{x, y, z}, [3]fit{across, up, {}}
}

// share gives all panels the extents of all data and the widest fits, along the first axes of x, y and z.
func share(panels []*panel, axes int) {
	for i := range axes {
		all, widest := emptyExtent(), panels[0].fits[i]
		for _, p := range panels {
			all.add(p.extents[i].lo, p.extents[i].hi)
			widest.pad = max(widest.pad, p.fits[i].pad)
			widest.none = widest.none || p.fits[i].none
		}
		for _, p := range panels {
			p.extents[i], p.fits[i] = all, widest
		}
	}
}

// place maps v to scale coordinates, at most 10^6 axis lengths away. A value without a logarithm is at
// the lower end, except that 0 is at its own place if it has one.
func (a *axis) place(v float64) float64 {
	if v == 0 && a.hasZero {
		return a.zero
	}
	u := a.Scale.forward(v)
	if math.IsInf(u, -1) {
		return a.ends.Min
	}
	far := 1e6 * (a.ends.Max - a.ends.Min)
	return max(a.ends.Min-far, min(a.ends.Max+far, u))
}
