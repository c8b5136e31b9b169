package ballsbins

import (
	"math"

	"repslab/faults"
	"repslab/internal/elementary"
	"repslab/mc"
)

// MeanLoad returns the expected load of one bin after a round, in balls, at λ = 1 under the uniform policy from empty
// bins, served before arrivals. It is exact, with a relative error below 1e-12:
//
//	E[load(t)] = 1 + (1 - 1/n) · Σ P[Binomial(n j, 1/n) = j] over j = 1, ..., t-1.   (5)
//
// The load after service is a reflected walk with steps A-1. Its mean is the mean of the largest of the sums
// S_0, ..., S_(t-1), which is Σ E[max(0, S_j)]/j [Spitzer56], and for S_j + j ~ Binomial(n j, 1/n) each term is
// (1 - 1/n) P[S_j = 0] (de Moivre). [Brownian.MeanLoad] is the expansion for many rounds. It returns a
// [*faults.FieldError] for bins outside [1, MaxBins] and rounds outside [1, mc.MaxRounds]. O(round).
func MeanLoad(bins, round int) (float64, error) {
	bad := faults.List{Package: "ballsbins"}
	bad.In("bins", bins, 1, MaxBins)
	bad.In("round", round, 1, mc.MaxRounds)
	if err := bad.Err(); err != nil {
		return math.NaN(), err
	}
	n := float64(bins)
	if bins == 1 {
		return 1, nil
	}
	sum := 0.0
	for j := round - 1; j > 0; j-- { // the smallest terms first
		sum += atMean(n, float64(j))
	}
	return 1 + float64((1-1/n)*sum), nil
}

// atMean returns P[Binomial(n j, 1/n) = j] by Stirling's formula with its remainders.
func atMean(n, j float64) float64 {
	rest := stirlingRest(n*j) - stirlingRest(j) - stirlingRest((n-1)*j)
	return math.Sqrt(n/(2*math.Pi*j*(n-1))) * elementary.Exp(rest)
}

// stirlingRest is [elementary.StirlingRest] for any x >= 1.
func stirlingRest(x float64) float64 {
	if x >= 16 {
		return elementary.StirlingRest(x)
	}
	return elementary.LogGamma(x) - (float64((x-0.5)*math.Log(x)) - x + float64(math.Log(2*math.Pi)/2))
}
