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

// appendPoint appends an estimate with its interval to a series.
func appendPoint(s *plot.Series, x float64, e mc.Estimate) {
	s.X = append(s.X, x)
	s.Y = append(s.Y, e.Value)
	s.Lo = append(s.Lo, e.Lo)
	s.Hi = append(s.Hi, e.Hi)
}
