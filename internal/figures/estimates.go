package figures

import (
	"fmt"
	"math"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// withBounds formats an estimate with its interval if it has one, or as a bound if it has no value. If all runs
// are equal, there is no interval.
func withBounds(e mc.Estimate, format string) string {
	switch {
	case math.IsNaN(e.Value) && !math.IsInf(e.Lo, 0):
		return fmt.Sprintf("more than "+format, e.Lo)
	case math.IsNaN(e.Value) && !math.IsInf(e.Hi, 0):
		return fmt.Sprintf("less than "+format, e.Hi)
	case math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0):
		if e.N < plot.LeastRuns {
			return fmt.Sprintf(format+" (no interval)", e.Value)
		}
		return fmt.Sprintf(format+" (identical in %d of %d runs)", e.Value, e.N, e.N)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", e.Value, e.Lo, e.Hi)
}

// appendPoint appends an estimate to a series, with its interval if one is drawn, or as a bound if it has no
// value.
func appendPoint(s *plot.Series, x float64, e mc.Estimate) {
	bound := math.IsNaN(e.Value) || math.IsInf(e.Value, 0)
	if !bound && (e.N < plot.LeastRuns || math.IsInf(e.Hi-e.Lo, 1)) {
		e.Lo, e.Hi = math.NaN(), math.NaN()
	}
	appendBand(s, x, e.Value, e.Lo, e.Hi)
}

// appendBand appends a number and the ends of a band, such as quantiles, to a series.
func appendBand(s *plot.Series, x, y, lo, hi float64) {
	appendXY(s, x, y)
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
}

// appendXY appends a number without a band to a series.
func appendXY(s *plot.Series, x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// from returns a linear axis with the given lower end, and optionally the given upper end.
func from(ends ...float64) plot.Axis { return onScale(plot.Linear, ends...) }

// onScale returns an axis of a scale, optionally with a lower end, or with a lower and an upper end.
func onScale(scale plot.Scale, ends ...float64) plot.Axis {
	a := plot.Axis{Scale: scale}
	if len(ends) > 0 {
		a.Min = &ends[0]
	}
	if len(ends) > 1 {
		a.Max = &ends[1]
	}
	return a
}

// ticked returns an axis with ticks at the given values, labelled by a format.
func ticked[X int | float64](a plot.Axis, format string, xs ...X) plot.Axis {
	for _, x := range xs {
		a.Ticks, a.TickLabels = append(a.Ticks, float64(x)), append(a.TickLabels, fmt.Sprintf(format, x))
	}
	return a
}

// atPowersOf2 returns an axis with ticks at powers of two, labelled as powers.
func atPowersOf2(a plot.Axis, exponents ...int) plot.Axis {
	a = ticked(a, "2^{%d}", exponents...)
	for i, e := range exponents {
		a.Ticks[i] = float64(int(1) << e)
	}
	return a
}

// level returns a horizontal reference line.
func level(y float64, label string) []plot.ReferenceLine {
	return []plot.ReferenceLine{{At: y, Label: label}}
}

// over adds an estimate for each x to a series.
func over[X int | float64](s plot.Series, xs []X, y func(X) mc.Estimate) plot.Series {
	for _, x := range xs {
		appendPoint(&s, float64(x), y(x))
	}
	return s
}

// barsOf adds an estimate for each item to a series, at 0, 1, 2 and so on.
func barsOf[X any](s plot.Series, items []X, y func(X) mc.Estimate) plot.Series {
	for i, x := range items {
		appendPoint(&s, float64(i), y(x))
	}
	return s
}

// labelled returns an axis with labels at 0, 1, 2 and so on.
func labelled[X any](items []X, label func(X) string) plot.Axis {
	var axis plot.Axis
	for i, x := range items {
		axis.Ticks, axis.TickLabels = append(axis.Ticks, float64(i)), append(axis.TickLabels, label(x))
	}
	return axis
}

// barAxis returns a labelled axis with room for wide bars at its ends.
func barAxis[X any](items []X, label func(X) string) plot.Axis {
	axis := labelled(items, label)
	axis.Min, axis.Max = new(-0.6), new(float64(len(items))-0.4)
	return axis
}

// itself returns an estimate as it is.
func itself(e mc.Estimate) mc.Estimate { return e }

// rule collects the parts of a rule and the words about them.
type rule struct {
	parts []claims.Part
	words []string
}

// add adds a part without a name. Without a format it adds no words.
func (r *rule) add(c claims.Condition, format string, args ...any) { r.part("", c, format, args...) }

// part adds a part with a name.
func (r *rule) part(name string, c claims.Condition, format string, args ...any) {
	r.parts = append(r.parts, claims.Part{Name: name, Condition: c})
	if format != "" {
		r.words = append(r.words, fmt.Sprintf(format, args...))
	}
}

// holds returns the condition that all parts hold.
func (r *rule) holds() claims.Condition {
	return claims.All(lists.Map(r.parts, func(p claims.Part) claims.Condition { return p.Condition })...)
}

// all returns the finding of a rule that holds if all its parts hold. The words of the parts stand between intro
// and note.
func (r *rule) all(claim, intro, separator, note string) claims.Finding {
	return claims.Judged(claim, r.holds(), intro+strings.Join(r.words, separator), note)
}

// inParts returns the finding of a rule with named parts, each with a grade of its own.
func (r *rule) inParts(claim, intro, separator, note string) claims.Finding {
	return claims.InParts(claim, r.parts, intro+strings.Join(r.words, separator), note)
}
