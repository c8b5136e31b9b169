package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// panel is a Panel on its way to the page.
type panel struct {
	*Panel
	row, col int
	where    string  // its name in errors
	colors   []Color // of the series
	set      *typesetter
	plot     *plot.Plot // the ends of the axes
	x, y     axis
	title    caption
	data     []plot.Plotter // what is drawn in the frame
	entries  []entry        // of a legend
	empty    bool           // no data at all

	inner, cell vg.Rectangle // the frame; the part of the page that belongs to it
	above       bool         // the legend stands above the frame
	legend      *legend      // nil without one
	labels      []ruleLabel
}

// axis is an Axis on its way to the page.
type axis struct {
	Axis
	across  bool       // the axis is horizontal
	ends    *plot.Axis // in scale coordinates
	ticks   []plot.Tick
	style   text.Style // of the tick labels
	numbers vg.Length  // height of tick labels below the frame, width of those beside it
	label   caption
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

// fault says which panel err is about.
func (p *panel) fault(err error) error {
	return fmt.Errorf("plot: %s: %w", p.where, err)
}

// style returns the style of black text at a type size.
func (p *panel) style(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: sans(size), Handler: p.set}
}

// build checks the texts, sets the ends of the axes and makes the plotters.
func (p *panel) build() error {
	texts := slices.Concat([]string{p.Title, p.XLabel, p.YLabel}, p.X.TickLabels, p.Y.TickLabels)
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
	if err := p.span(); err != nil {
		return p.fault(err)
	}
	p.addData()
	return nil
}

// span sets the ends of both axes, in scale coordinates, because the library's
// logarithmic scale panics at zero and its lines are straight in data units.
func (p *panel) span() (err error) {
	x, y := nothing(), nothing()
	across, up := fit{zero: 0.1}, fit{zero: 0.5, pad: 0.06}
	slots := p.bars()
	if len(slots.series) > 0 {
		across.zero, up.base = 0, true
	}
	for i := range p.Series {
		s := &p.Series[i]
		if s.hasGlyphs() {
			across.pad = max(across.pad, 0.04)
		}
		if s.hasErrorBars() {
			across.pad += 0.02 // they may be moved
		}
		for j := range s.X {
			if !finite(s.X[j]) || !finite(s.Y[j]) {
				continue
			}
			u := p.X.Scale.forward(s.X[j])
			x.add(u)
			if s.Mark == Bars {
				x.add(u - slots.slot/2)
				x.add(u + slots.slot/2)
			}
			y.add(p.Y.forward(s.Y[j]))
			if s.hasInterval(j) {
				y.add(p.Y.forward(s.Lo[j]))
				y.add(p.Y.forward(s.Hi[j]))
			}
		}
	}
	p.empty = x == nothing()
	for _, r := range p.References {
		if r.Vertical {
			x.add(p.X.Scale.forward(r.At))
		} else {
			y.add(p.Y.Scale.forward(r.At))
		}
	}
	if p.x.ends.Min, p.x.ends.Max, err = p.X.span(x, across); err != nil {
		return err
	}
	p.y.ends.Min, p.y.ends.Max, err = p.Y.span(y, up)
	return err
}

// place maps v to the axis, within 10^6 lengths of it; a value without a logarithm is
// at the lower end.
func (a *axis) place(v float64) float64 {
	u := a.forward(v)
	if math.IsInf(u, -1) {
		return a.ends.Min
	}
	far := 1e6 * (a.ends.Max - a.ends.Min)
	return max(a.ends.Min-far, min(a.ends.Max+far, u))
}
