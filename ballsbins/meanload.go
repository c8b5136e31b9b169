package ballsbins

import (
	"math"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/internal/elementary"
)

// maxMeanRounds bounds the rounds of [MeanLoads], which then takes a second.
const maxMeanRounds = 1 << 24

// MeanLoads returns the expected load of one bin after each of some rounds, in balls, at λ = 1 under the uniform
// policy and [ServeThenArrive] from empty bins. It is exact, with a relative error below 1e-10:
//
//	E[load(t)] = 1 + (1 - 1/n) · Σ P[Binomial(n j, 1/n) = j] over j = 1, ..., t-1.   (5)
//
// The load after service is a reflected walk with steps A-1. Its mean is the mean of the largest of the sums
// S_0, ..., S_(t-1), which is Σ E[max(0, S_j)]/j [Spitzer56]. As S_j + j is Binomial(n j, 1/n), each term is
// (1 - 1/n) P[S_j = 0] (de Moivre). [Brownian.MeanLoad] is the expansion for many rounds. It returns a
// [*faults.FieldError] for bins outside [1, MaxBins], and rounds that are not ascending in [1, 2^24].
// O(last round).
func MeanLoads(bins int, rounds []int) ([]float64, error) {
	bad := faults.List{Package: "ballsbins"}
	bad.In("bins", bins, 1, MaxBins)
	bad.Add(checks.Rounds("ballsbins", "rounds", rounds))
	for _, round := range rounds {
		bad.In("rounds", round, 1, maxMeanRounds)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	n, sum, j := float64(bins), 0.0, 1
	loads := make([]float64, len(rounds))
	for i, round := range rounds {
		for ; j < round && bins > 1; j++ {
			sum += atMean(n, float64(j))
		}
		loads[i] = 1 + float64((1-1/n)*sum)
	}
	return loads, nil
}

// atMean returns P[Binomial(n j, 1/n) = j] for n >= 2 by Stirling's formula with its remainders.
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
