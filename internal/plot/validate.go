package plot

import (
	"errors"
	"fmt"
	"math"
)

// faults collects errors about one place.
type faults struct {
	where string // put before each error
	errs  []error
}

// need records an error unless ok.
func (f *faults) need(ok bool, format string, args ...any) {
	if !ok {
		f.errs = append(f.errs, errors.New(f.where+fmt.Sprintf(format, args...)))
	}
}

// validate reports all faults of f that do not depend on a style: an empty plot, unequal lengths, values
// that an axis cannot show. Each fault names the panel and the series.
func (f Plot) validate() error {
	v := faults{where: "plot: "}
	v.need(f.Height >= 0 && finite(f.Height), "Height (%v in) must be finite and not negative", f.Height)
	panels := 0
	for r, row := range f.Panels {
		for c := range row {
			panels++
			v.where = "plot: " + panelName(r, c, row[c].Title) + ": "
			v.need(!row[c].Wide || c == len(row)-1, "Wide must be only of the last panel of a row")
			row[c].validate(&v)
		}
	}
	v.where = "plot: "
	v.need(panels > 0, "there must be at least one panel")
	return errors.Join(v.errs...)
}

// panelName returns the name of a panel in errors.
func panelName(r, c int, title string) string {
	s := fmt.Sprintf("panel (row %d, column %d)", r+1, c+1)
	if title != "" {
		s += fmt.Sprintf(" %q", title)
	}
	return s
}

// validate adds the faults of p.
func (p *Panel) validate(v *faults) {
	v.need(len(p.Series) > 0, "must have at least one series")
	p.X.validate(v, "X")
	p.Y.validate(v, "Y")
	p.Z.validate(v, "Z")
	for i, r := range p.References {
		scale := p.Y.Scale
		if r.Vertical {
			scale = p.X.Scale
		}
		v.need(scale.shows(r.At), "rule %d: At (%v) must be finite, and positive on a log axis", i+1, r.At)
	}
	where := v.where
	for i := range p.Series {
		v.where = fmt.Sprintf("%sseries %d: ", where, i+1)
		if s := p.Series[i].Name; s != "" {
			v.where = fmt.Sprintf("%sseries %q: ", where, s)
		}
		p.Series[i].validate(v, p)
	}
}

// shows reports whether an axis of the scale can show v.
func (s Scale) shows(v float64) bool { return finite(v) && (s == Linear || v > 0) }

// validate adds the faults of the axis called name.
func (a Axis) validate(v *faults, name string) {
	const must = "must be finite, and positive on a log axis"
	if a.Min != nil {
		v.need(a.Scale.shows(*a.Min), "%s: Min (%v) %s", name, *a.Min, must)
	}
	if a.Max != nil {
		v.need(a.Scale.shows(*a.Max), "%s: Max (%v) %s", name, *a.Max, must)
	}
	if a.Min != nil && a.Max != nil {
		v.need(*a.Min < *a.Max, "%s: Min (%v) must be below Max (%v)", name, *a.Min, *a.Max)
	}
	for _, at := range a.Ticks {
		v.need(a.Scale.shows(at), "%s: tick (%v) %s", name, at, must)
	}
	v.need(a.TickLabels == nil || len(a.TickLabels) == len(a.Ticks),
		"%s: TickLabels (%d) must be as many as Ticks (%d)", name, len(a.TickLabels), len(a.Ticks))
}

// validate adds the faults of s in a panel.
func (s *Series) validate(v *faults, p *Panel) {
	v.need(len(s.X) > 0 && len(s.X) == len(s.Y),
		"lengths of X (%d) and Y (%d) must be equal and not zero", len(s.X), len(s.Y))
	v.need(s.Lo == nil && s.Hi == nil || len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y),
		"lengths of Lo (%d) and Hi (%d) must be that of Y (%d)", len(s.Lo), len(s.Hi), len(s.Y))
	cells := s.Mark == Cells
	v.need(len(s.Z) == 0 && !cells || len(s.Z) == len(s.X) && cells,
		"length of Z (%d) must be that of X (%d) for Cells, else 0", len(s.Z), len(s.X))
	v.need(!cells || p.X.Scale == Linear && p.Y.Scale == Linear, "axes of Cells must be linear")
	shown := func(name string, axis Axis, values []float64, zero bool) {
		must := "positive"
		if zero {
			must = "0 or more"
		}
		for i, at := range values {
			if finite(at) && !axis.Scale.shows(at) && !(zero && at == 0) {
				v.need(false, "%s[%d] (%v) must be %s on a log axis", name, i, at, must)
				return
			}
		}
	}
	shown("X", p.X, s.X, s.Mark != Bars)
	shown("Y", p.Y, s.Y, true)
	shown("Z", p.Z, s.Z, false)
}

// finite reports whether v is a number.
func finite(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}
