package figures

import (
	"repslab/internal/plot"
	"repslab/mc"
)

// AppendPoint appends an estimate with its interval to a series.
func AppendPoint(s *plot.Series, x float64, e mc.Estimate) {
	s.X = append(s.X, x)
	s.Y = append(s.Y, e.Value)
	s.Lo = append(s.Lo, e.Lo)
	s.Hi = append(s.Hi, e.Hi)
}
