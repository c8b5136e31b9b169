package mc_test

import (
	"reflect"
	"testing"

	"repslab/mc"
)

// TestKeptObservations: estimates from kept runs equal estimates from the moments of the same numbers,
// and the numbers are their basis. Runs without a partner do not count in a ratio.
func TestKeptObservations(t *testing.T) {
	number := func(x int64) int64 { return x }
	runs, others := []int64{30, 50, 40, 70}, []int64{20, 20, 50}
	var m mc.Moments
	var p mc.PairedMoments
	for i, x := range runs {
		m.Add(x)
		if i < len(others) {
			p.Add(x, others[i])
		}
	}
	mean, ratio := m.Mean(mc.DefaultConfidence), p.RatioOfFew(mc.DefaultConfidence)
	mean.Basis.Values = []float64{30, 50, 40, 70}
	ratio.Basis = mc.Basis{Values: []float64{3, 5, 4}, Over: []float64{2, 2, 5}}
	if got := mc.MeanOf(runs, number); !reflect.DeepEqual(got, mean) {
		t.Errorf("mean %+v, want %+v", got, mean)
	}
	if got := mc.RatioOf(runs, number, others, number, 10); !reflect.DeepEqual(got, ratio) {
		t.Errorf("ratio %+v, want %+v", got, ratio)
	}
	if got := mc.MeanOf(nil, number); got.N != 0 || got.Basis.Values != nil {
		t.Errorf("mean of no runs %+v", got)
	}
}
