package figures

import (
	"fmt"
	"math"

	"repslab/internal/plot"
	"repslab/mc"
)

// withBounds formats an estimate with its interval, if it has one.
func withBounds(e mc.Estimate, format string) string {
	if math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0) {
		return fmt.Sprintf(format+" (no interval)", e.Value)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", e.Value, e.Lo, e.Hi)
}

// appendPoint appends an estimate to a series, with its interval if that is drawn.
func appendPoint(s *plot.Series, x float64, e mc.Estimate) {
	if e.N < plot.LeastRuns {
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

// from returns a linear axis with a lower end, and an upper one where it is given.
func from(ends ...float64) plot.Axis { return onScale(plot.Linear, ends...) }

// onScale returns an axis of a scale with a lower end and an upper one, where they are given.
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

// atPowersOf2 returns an axis with ticks at powers of two, labelled so.
func atPowersOf2(a plot.Axis, exponents ...int) plot.Axis {
	a = ticked(a, "2^{%d}", exponents...)
	for i, e := range exponents {
		a.Ticks[i] = float64(int(1) << e)
	}
	return a
}

// level returns a horizontal line of reference.
func level(y float64, label string) []plot.ReferenceLine {
	return []plot.ReferenceLine{{At: y, Label: label}}
}
