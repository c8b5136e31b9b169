package ballsbins

import (
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// Limits of a stationary law.
const (
	// MaxStationaryLambda is the largest lambda for which a stationary law is
	// computed: its length grows as 1/(1-λ), to 3.5 million loads here.
	MaxStationaryLambda = 1 - 1e-5
	// stationaryCut is the probability below which a stationary law is cut off.
	stationaryCut = 1e-30
	// arrivalCut is the probability below which numbers of arrivals are dropped.
	arrivalCut = 1e-40
)

// Stationary is the exact law of the load of one bin that receives, in every round
// after its service, an independent number of arrivals with mean λ < 1, in
// stationarity: the stationary mean field, observed after the arrivals as under
// ServeThenArrive. Make it with [StationaryBinomial] or [StationaryPoisson].
//
// It comes from a recursion over loads in which every term is positive, so nothing cancels [Ramaswami88].
// Let U be the load after a service, a_0 the probability of no arrival and T(m) the probability of at
// least m arrivals. In stationarity the flow of U from loads up to k to loads above k equals the flow
// back:
//
//	P[U = k+1] a_0 = sum over j <= k of P[U = j] T(k+2-j),  P[U = 0] = (1-λ)/a_0.   (2)
//
// Exact means up to floating point. With d <= 40 numbers of arrivals, the probability of load k has a
// relative error below (k+2) d 2^-50, and the loads that are cut off have a total probability below
// 1e-28/(1-λ).
type Stationary struct {
	bins      float64 // n for binomial arrivals, +Inf for Poisson
	lambda    float64
	law, tail []float64 // P[load = k], P[load >= k]
}

// StationaryBinomial returns the stationary law for Binomial(n, λ/n) arrivals:
// the exact law of one bin of the batched process with n bins, uniform policy
// and balls of weight 1. bins in [1, MaxBins], lambda in (0,
// MaxStationaryLambda]; otherwise a [*faults.FieldError]. O(d/(1-λ)) time, d <= 40.
func StationaryBinomial(bins int, lambda float64) (*Stationary, error) {
	if bins < 1 || bins > MaxBins {
		return nil, faults.New("ballsbins", "bins", bins, "must be in [1, %d]", MaxBins)
	}
	n := float64(bins)
	p := lambda / n
	none := elementary.Exp(n * elementary.Log1p(-p))
	return newStationary(n, lambda, none, func(k float64) float64 {
		return (n - k + 1) / k * p / (1 - p)
	})
}

// StationaryPoisson returns the stationary law for Poisson(λ) arrivals: the
// limit of [StationaryBinomial] for many bins, and an upper bound on it in the
// convex order of arrivals. lambda in (0, MaxStationaryLambda]; otherwise a [*faults.FieldError].
// O(d/(1-λ)) time, d <= 40.
func StationaryPoisson(lambda float64) (*Stationary, error) {
	return newStationary(math.Inf(1), lambda, elementary.Exp(-lambda), func(k float64) float64 {
		return lambda / k
	})
}

// newStationary runs recursion (2). ratio(k) is P[k arrivals] / P[k-1 arrivals].
func newStationary(bins, lambda, none float64, ratio func(k float64) float64) (*Stationary, error) {
	if !(lambda > 0 && lambda <= MaxStationaryLambda) {
		return nil, faults.New("ballsbins", "lambda", lambda, "must be in (0, %v] for a stationary law", MaxStationaryLambda)
	}
	atLeast := arrivalTails(none, ratio) // T(m) of (2)
	// A load of U beyond 0 is a load of the bin beyond 1, less one ball. The
	// bin is empty with probability 1-λ: it is busy a share λ of the rounds.
	served := []float64{(1 - lambda) / none}
	law := []float64{1 - lambda, (1 - lambda) * atLeast[1] / none}
	// T(2) comes last, as the newest load does.
	descending := slices.Clone(atLeast[min(2, len(atLeast)):])
	slices.Reverse(descending)
	for k := 0; ; k++ {
		var up float64
		recent := served[max(0, len(served)-len(descending)):]
		for i, t := range descending[len(descending)-len(recent):] {
			up += float64(recent[i] * t)
		}
		p := up / none
		if p < stationaryCut {
			break
		}
		served = append(served, p)
		law = append(law, p)
	}
	tail := make([]float64, len(law)+1)
	for k := len(law) - 1; k >= 0; k-- {
		tail[k] = tail[k+1] + law[k]
	}
	return &Stationary{bins: bins, lambda: lambda, law: law, tail: tail}, nil
}

// arrivalTails returns P[at least m arrivals] for m = 0, 1, ..., summed from the
// small probabilities up.
func arrivalTails(none float64, ratio func(k float64) float64) []float64 {
	law := []float64{none}
	for k := 1; ; k++ {
		p := law[k-1] * ratio(float64(k))
		if p < arrivalCut && k > 1 {
			break
		}
		law = append(law, p)
	}
	for k := len(law) - 2; k >= 0; k-- {
		law[k] += law[k+1]
	}
	return law
}

// Probability returns P[load = k], exact up to the errors named at
// [Stationary]; 0 for loads that were cut off. O(1).
func (s *Stationary) Probability(k int) float64 {
	s.mustBeMade()
	if k < 0 || k >= len(s.law) {
		return 0
	}
	return s.law[k]
}

// Tail returns P[load >= k], exact up to the errors named at [Stationary]. O(1).
func (s *Stationary) Tail(k int) float64 {
	s.mustBeMade()
	switch {
	case k <= 0:
		return 1
	case k >= len(s.tail):
		return 0
	default:
		return min(1, s.tail[k])
	}
}

// Mean returns the exact expected load, in balls, in closed form:
//
//	E[load] = λ + E[A(A-1)] / (2 (1-λ)) = λ + λ² (1 - 1/n) / (2 (1-λ))
//
// with n infinite for Poisson arrivals. It follows from the mean of the square of equation (1). Relative
// error below 2^-50. O(1).
func (s *Stationary) Mean() float64 {
	s.mustBeMade()
	return s.lambda + s.lambda*s.lambda*(1-1/s.bins)/(2*(1-s.lambda))
}

// MeanMax returns the expected maximum, in balls, of the given number of independent bins with this law.
// It is exact for independent bins. For the law of [StationaryBinomial] with the same number of bins it
// is a lower bound on the stationary expected maximum of the batched process; see [OneBinLaw.MeanMax].
// The relative error is below 40 K 2^-50 for K loads, and the loads cut off add less than bins ·
// 1e-28/(1-λ)² balls. It panics if bins is below 1. O(1/(1-λ)).
func (s *Stationary) MeanMax(bins int) float64 {
	s.mustBeMade()
	must.BeAtLeast("ballsbins: MeanMax", "bins", bins, 1)
	var mean float64
	for k := len(s.law) - 1; k > 0; k-- {
		mean -= elementary.Expm1(float64(bins) * elementary.Log1p(-s.Tail(k)))
	}
	return mean
}

// mustBeMade panics for the zero value.
func (s *Stationary) mustBeMade() {
	must.BeMade(s.law != nil, "ballsbins: Stationary", "StationaryBinomial or StationaryPoisson")
}
