package figures

import (
	"math"
	"slices"

	"repslab/internal/plot"
)

// pooled returns a number of every flow of all complete runs, ascending.
func pooled[R any, T int64 | float64](runs []R, of func(R) []T) []T {
	var all []T
	for _, r := range runs {
		all = append(all, of(r)...)
	}
	slices.Sort(all)
	return all
}

func fctsOf(r Run) []int64 { return r.FCTs }

// microsecondsOfFlows returns the FCTs in microseconds.
func microsecondsOfFlows(r Run) []float64 {
	var list []float64
	for _, fct := range r.FCTs {
		list = append(list, float64(fct)/Microseconds)
	}
	return list
}

func slowdownsOf(r Run) []float64 { return r.Slowdowns }

// rank returns the p-quantile of ascending values by nearest rank, NaN if there
// are none.
func rank[T int64 | float64](sorted []T, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return float64(sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)])
}

// meanValue returns the mean of numbers.
func meanValue(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// shareCurve returns the distribution of ascending numbers.
func shareCurve(sorted []float64) plot.Series {
	var s plot.Series
	for k := range 201 {
		s.X, s.Y = append(s.X, rank(sorted, float64(k)/200)), append(s.Y, float64(k)/200)
	}
	return s
}
