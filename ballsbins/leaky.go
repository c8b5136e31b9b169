package ballsbins

import (
	"fmt"
	"math"

	"repslab/faults"
	"repslab/internal/must"
)

// leakyUpperShape returns the shape, without its constant, of the upper bound on
// the maximum load of the batched process with λ < 1, in balls:
//
//	ln(n/(1-λ)) / (1-λ).
//
// Some multiple c1 of it is an upper bound with high probability at any round
// ([Berenbrink18]; the paper's section 5.1). The theorem gives no usable
// constant; [FitLeaky] takes one from computed values. It panics unless bins
// is at least 1 and lambda in (0, 1). O(1).
func leakyUpperShape(bins int, lambda float64) float64 {
	must.BeAtLeast("ballsbins: LeakyUpperShape", "bins", bins, 1)
	must.Be(lambda > 0 && lambda < 1, "ballsbins: LeakyUpperShape", "lambda must be in (0, 1)")
	return math.Log(float64(bins)/(1-lambda)) / (1 - lambda)
}

// leakyLowerShape returns the shape, without its constant, of the lower bound on
// the maximum load of the batched process with λ < 1, in balls:
//
//	ln(n) / (1-λ).
//
// Some multiple c2 of it is a lower bound with probability tending to 1, once the process has run for
// long ([Berenbrink18]; the paper's section 5.1). λ must be bounded away from 0: as λ -> 0 the loads
// become the loads of balls thrown once, and their maximum has a smaller order in n. It panics unless bins is
// at least 2 and lambda in (0, 1). O(1).
func leakyLowerShape(bins int, lambda float64) float64 {
	must.BeAtLeast("ballsbins: LeakyLowerShape", "bins", bins, 2)
	must.Be(lambda > 0 && lambda < 1, "ballsbins: LeakyLowerShape", "lambda must be in (0, 1)")
	return math.Log(float64(bins)) / (1 - lambda)
}

// LeakyConstants turn the shapes into bounds at given points.
type LeakyConstants struct {
	Upper float64 // c1: smallest with E[maximum] <= c1 leakyUpperShape at all points
	Lower float64 // c2: largest with E[maximum] >= c2 leakyLowerShape at all points
}

// FitLeaky returns the tightest constants for the stationary expected maximum of the mean field
// ([Stationary.MeanMax] with binomial arrivals) at all pairs of the given bins and lambdas: exact at
// these points, an estimate elsewhere. The lower constant also holds there for the process itself, since
// the expected maximum of the mean field is at most the expected maximum of the process. As n grows at
// fixed λ the expected maximum is (ln n)/θ + O(1) with P[load >= k] ~ constant · exp(-θ k), so both
// ratios tend to (1-λ)/θ: 0.40 at λ = 0.5, 1/2 as λ tends to 1. Over n from 4 to 65,536 and λ from 0.5 to
// 0.9999 the constants are c1 = 0.4291 and c2 = 0.4263. It returns an error if a slice is empty or a
// number of bins is below 2, and the errors of [StationaryBinomial].
func FitLeaky(bins []int, lambdas []float64) (LeakyConstants, error) {
	bad := faults.List{Package: "ballsbins"}
	bad.Check(len(bins) > 0, "bins", bins, "must not be empty")
	bad.Check(len(lambdas) > 0, "lambdas", lambdas, "must not be empty")
	for i, n := range bins {
		bad.Check(n >= 2, fmt.Sprintf("bins[%d]", i), n, "must be at least 2")
	}
	if err := bad.Err(); err != nil {
		return LeakyConstants{}, err
	}
	fit := LeakyConstants{Lower: math.Inf(1)}
	for _, lambda := range lambdas {
		for _, n := range bins {
			law, err := StationaryBinomial(n, lambda)
			if err != nil {
				return LeakyConstants{}, err
			}
			mean := law.MeanMax(n)
			fit.Upper = max(fit.Upper, mean/leakyUpperShape(n, lambda))
			fit.Lower = min(fit.Lower, mean/leakyLowerShape(n, lambda))
		}
	}
	return fit, nil
}
