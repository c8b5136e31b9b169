package ballsbins

import (
	"context"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestLeakyConstants records the constants and where they were fitted: bins from
// 4 to 65,536 and lambda from 0.5 to 0.9999. The ranges of single lambdas show
// what the constants hide.
func TestLeakyConstants(t *testing.T) {
	t.Parallel()
	bins := []int{4, 16, 64, 256, 1024, 4096, 65536}
	round := func(x float64) float64 { return math.Round(1e4*x) / 1e4 }
	for _, c := range []struct {
		lambdas []float64
		want    LeakyConstants
	}{
		{[]float64{0.5}, LeakyConstants{0.4033, 0.4263}},
		{[]float64{0.9}, LeakyConstants{0.4218, 0.5094}},
		{[]float64{0.99}, LeakyConstants{0.3705, 0.5244}},
		{[]float64{0.9999}, LeakyConstants{0.2874, 0.526}},
		{[]float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999}, LeakyConstants{0.4291, 0.4263}},
	} {
		got, err := FitLeaky(bins, c.lambdas)
		if err != nil {
			t.Fatal(err)
		}
		if got = (LeakyConstants{round(got.Upper), round(got.Lower)}); got != c.want {
			t.Errorf("lambda %v: constants %v, want %v", c.lambdas, got, c.want)
		}
	}
	if _, err := FitLeaky([]int{4}, []float64{1}); err == nil {
		t.Error("lambda 1 has constants")
	}
	for _, c := range []struct {
		bins    []int
		lambdas []float64
		want    string
	}{
		{nil, []float64{0.5}, "bins ([]) must not be empty"},
		{[]int{4}, nil, "lambdas ([]) must not be empty"},
		{[]int{4, 1}, []float64{0.5}, "bins[1] (1) must be at least 2"},
	} {
		if _, err := FitLeaky(c.bins, c.lambdas); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// TestLeakyShapesHoldTheProcess: with the fitted constants the simulated
// stationary mean maximum lies between the bounds, and its 95 % quantile below
// twice the upper one. The mean of 400 replicas has a standard error of 2 %, and lies 5 % or more inside.
func TestLeakyShapesHoldTheProcess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bins   int
		lambda float64
	}{{4, 0.8}, {32, 0.8}, {32, 0.9}, {128, 0.7}} {
		rounds := int(20 / (1 - c.lambda) / (1 - c.lambda))
		result, err := Simulate(context.Background(), Config{Bins: c.bins, Lambda: c.lambda, Rounds: []int{rounds}}, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 400})
		if err != nil {
			t.Fatal(err)
		}
		o := result.Observations[0]
		low, up := fittedLower*leakyLowerShape(c.bins, c.lambda), fittedUpper*leakyUpperShape(c.bins, c.lambda)
		t.Logf("n=%d lambda=%v: %.2f <= %.2f <= %.2f, 95 %% quantile %v", c.bins, c.lambda, low, o.MaxLoad.Value, up, o.MaxLoadP95.Value)
		if o.MaxLoad.Value < low || o.MaxLoad.Value > up || o.MaxLoadP95.Value > 2*up {
			t.Errorf("n=%d lambda=%v: mean maximum %v not in [%v, %v]", c.bins, c.lambda, o.MaxLoad.Value, low, up)
		}
	}
}

// The constants of the whole range of TestLeakyConstants.
const fittedUpper, fittedLower = 0.4291, 0.4263
