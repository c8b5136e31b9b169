package plot

import (
	"fmt"
	"math"
)

// forward maps data to the linear coordinate of the scale. On a logarithmic
// scale a value that is not positive maps to -Inf.
func (s Scale) forward(v float64) float64 {
	switch {
	case s == Linear:
		return v
	case v <= 0:
		return math.Inf(-1)
	case s == Log2:
		return math.Log2(v)
	default:
		return math.Log10(v)
	}
}

// back is the inverse of forward.
func (s Scale) back(u float64) float64 {
	switch s {
	case Log2:
		return math.Exp2(u)
	case Log10:
		return math.Pow(10, u)
	default:
		return u
	}
}

// extent is the range of the values added to it.
type extent struct{ lo, hi float64 }

// emptyExtent returns an empty extent.
func emptyExtent() extent { return extent{math.Inf(1), math.Inf(-1)} }

// add widens e to values; NaN and infinities are ignored.
func (e *extent) add(values ...float64) {
	for _, v := range values {
		if finite(v) {
			e.lo, e.hi = min(e.lo, v), max(e.hi, v)
		}
	}
}

// fit describes how an automatic range surrounds the data.
type fit struct {
	base bool    // include 0 on a linear scale, for bars
	zero float64 // start at 0, or at the origin, if the least distance from there is at most zero times the largest
	pad  float64 // room at both ends, as a fraction of the span
	none bool    // the data have a 0 on a logarithmic scale
}

// addZero makes room for 0 below the positive numbers of a logarithmic axis.
func (a *axis) addZero() {
	a.positive, a.hasZero = a.ends.Min, true
	size := a.ends.Max - a.ends.Min
	a.zero, a.ends.Min = a.positive-0.09*size, a.positive-0.13*size
}

// span returns the ends of the axis, lo < hi, for data of extent e, all in
// scale coordinates.
func (a Axis) span(e extent, f fit) (lo, hi float64, err error) {
	if e.lo > e.hi {
		e = extent{0, 1}
	}
	lo, hi = e.lo, e.hi
	if f.base && a.Scale == Linear {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	from, near := 0.0, func(origin float64) bool { return lo >= origin && lo-origin <= f.zero*(hi-origin) }
	if !near(0) {
		from = a.Origin
	}
	fromOrigin := a.Scale == Linear && near(from) || f.base && lo == 0
	if fromOrigin {
		lo = min(lo, from)
	}
	if lo == hi {
		room := 0.5
		if a.Scale == Linear && lo != 0 {
			room = 0.1 * math.Abs(lo)
		}
		lo, hi = lo-room, hi+room
	}
	pad := f.pad * (hi - lo)
	if !fromOrigin {
		lo -= pad
	}
	if !f.base || hi != 0 {
		hi += pad
	}
	if a.Scale == Linear && e.lo >= from {
		lo = max(lo, from) // padding does not pass the origin
	}
	if a.Min != nil {
		lo = a.Scale.forward(*a.Min)
	}
	if a.Max != nil {
		hi = a.Scale.forward(*a.Max)
	}
	switch { // all data lie beyond the only fixed end
	case lo >= hi && a.Min != nil:
		hi = lo + max(1, 0.1*math.Abs(lo))
	case lo >= hi:
		lo = hi - max(1, 0.1*math.Abs(hi))
	}
	if size := hi - lo; !finite(size) || size <= 1e-12*max(math.Abs(lo), math.Abs(hi)) {
		return 0, 0, fmt.Errorf("range [%v, %v] is too wide or too narrow to draw", a.Scale.back(lo), a.Scale.back(hi))
	}
	return lo, hi, nil
}
