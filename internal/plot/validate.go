package plot

import (
	"errors"
	"fmt"
	"math"
)

// validate reports all faults of f that do not depend on a style: an empty
// figure, unequal lengths, values that an axis cannot show, unknown constants.
// Each names the panel and the series. Render calls it.
func (f Plot) validate() error {
	var errs []error
	if f.Columns > Double {
		errs = append(errs, fmt.Errorf("report: Columns (%d) must be Single or Double", f.Columns))
	}
	if !(f.Height >= 0) || math.IsInf(f.Height, 0) {
		errs = append(errs, fmt.Errorf("report: Height (%v in) must be finite and not negative", f.Height))
	}
	panels := 0
	for r, row := range f.Panels {
		for c := range row {
			panels++
			where := panelName(r, c, row[c].Title)
			for _, err := range row[c].validate() {
				errs = append(errs, fmt.Errorf("report: %s: %w", where, err))
			}
			if row[c].Wide && c < len(row)-1 {
				errs = append(errs, fmt.Errorf("report: %s: Wide must be only of the last panel of a row", where))
			}
		}
	}
	if panels == 0 {
		errs = append(errs, errors.New("report: figure must have at least one panel"))
	}
	return errors.Join(errs...)
}

// panelName is how error texts call the panel in row r and column c.
func panelName(r, c int, title string) string {
	s := fmt.Sprintf("panel (row %d, column %d)", r+1, c+1)
	if title != "" {
		s += fmt.Sprintf(" %q", title)
	}
	return s
}

// validate returns the faults of p.
func (p *Panel) validate() []error {
	var errs []error
	if len(p.Series) == 0 {
		errs = append(errs, errors.New("must have at least one series"))
	}
	if p.Legend > None {
		errs = append(errs, fmt.Errorf("field Legend (%d) must be Auto, a corner, Above or None", p.Legend))
	}
	errs = append(errs, p.X.validate("X")...)
	errs = append(errs, p.Y.validate("Y")...)
	for i := range p.Series {
		name := fmt.Sprintf("series %d", i+1)
		if s := p.Series[i].Name; s != "" {
			name = fmt.Sprintf("series %q", s)
		}
		for _, err := range p.Series[i].validate(p.X.Scale, p.Y.Scale) {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	for i, r := range p.Rules {
		scale := p.Y.Scale
		if r.Vertical {
			scale = p.X.Scale
		}
		if !finite(r.At) || scale != Linear && r.At <= 0 {
			errs = append(errs, fmt.Errorf("rule %d: At (%v) must be finite, and positive on a log axis", i+1, r.At))
		}
	}
	return errs
}

// validate returns the faults of the axis called name.
func (a Axis) validate(name string) []error {
	var errs []error
	if a.Scale > Log10 {
		errs = append(errs, fmt.Errorf("%s: Scale (%d) must be Linear, Log2 or Log10", name, a.Scale))
	}
	bad := func(v float64) bool { return !finite(v) || a.Scale != Linear && v <= 0 }
	if a.Min != nil && bad(*a.Min) {
		errs = append(errs, fmt.Errorf("%s: Min (%v) must be finite, and positive on a log axis", name, *a.Min))
	}
	if a.Max != nil && bad(*a.Max) {
		errs = append(errs, fmt.Errorf("%s: Max (%v) must be finite, and positive on a log axis", name, *a.Max))
	}
	if a.Min != nil && a.Max != nil && !(*a.Min < *a.Max) {
		errs = append(errs, fmt.Errorf("%s: Min (%v) must be below Max (%v)", name, *a.Min, *a.Max))
	}
	for _, v := range a.Ticks {
		if bad(v) {
			errs = append(errs, fmt.Errorf("%s: tick (%v) must be finite, and positive on a log axis", name, v))
		}
	}
	if a.TickLabels != nil && len(a.TickLabels) != len(a.Ticks) {
		errs = append(errs, fmt.Errorf("%s: TickLabels (%d) must be as many as Ticks (%d)", name, len(a.TickLabels), len(a.Ticks)))
	}
	return errs
}

// validate returns the faults of s on axes with the given scales.
func (s *Series) validate(x, y Scale) []error {
	var errs []error
	if len(s.X) == 0 || len(s.X) != len(s.Y) {
		errs = append(errs, fmt.Errorf("lengths of X (%d) and Y (%d) must be equal and not zero", len(s.X), len(s.Y)))
	}
	if (s.Lo != nil || s.Hi != nil) && (len(s.Lo) != len(s.Y) || len(s.Hi) != len(s.Y)) {
		errs = append(errs, fmt.Errorf("lengths of Lo (%d) and Hi (%d) must be that of Y (%d)", len(s.Lo), len(s.Hi), len(s.Y)))
	}
	if s.Mark > ErrorBars {
		errs = append(errs, fmt.Errorf("field Mark (%d) is unknown", s.Mark))
	}
	if s.Dash > LongDashDot {
		errs = append(errs, fmt.Errorf("field Dash (%d) is unknown", s.Dash))
	}
	if s.Color < 0 {
		errs = append(errs, fmt.Errorf("field Color (%d) must not be negative", s.Color))
	}
	check := func(name string, scale Scale, values []float64) {
		if scale == Linear {
			return
		}
		for i, v := range values {
			if finite(v) && v <= 0 {
				errs = append(errs, fmt.Errorf("%s[%d] (%v) must be positive on a log axis", name, i, v))
				return
			}
		}
	}
	check("X", x, s.X)
	check("Y", y, s.Y)
	return errs
}

// finite reports whether v is a number.
func finite(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}
