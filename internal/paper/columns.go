package paper

import (
	"repslab/internal/report"
	"repslab/mc"
)

// AppendPoint adds an estimate with its interval to a series.
func AppendPoint(s *report.Series, x float64, e mc.Estimate) {
	s.X = append(s.X, x)
	s.Y = append(s.Y, e.Value)
	s.Lo = append(s.Lo, e.Lo)
	s.Hi = append(s.Hi, e.Hi)
}

// Text heads a column of texts.
func Text(key string) report.Column { return report.Column{Key: key, Kind: report.Text} }

// Number heads a column of numbers.
func Number(key string) report.Column { return report.Column{Key: key, Kind: report.Number} }

// Numbers heads several columns of numbers.
func Numbers(keys ...string) []report.Column {
	var list []report.Column
	for _, key := range keys {
		list = append(list, Number(key))
	}
	return list
}
