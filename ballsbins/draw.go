package ballsbins

import (
	"math"

	"repslab/mc"
)

// arrivals draws the number of offered balls that arrive in a round.
type arrivals struct {
	offered int
	lambda  float64
	logLoss float64 // ln λ
	wait    float64 // offered balls before the next lost ball
}

// newArrivals returns the arrivals of n offered balls, which each arrive with probability λ in (0, 1].
func newArrivals(n int, lambda float64) arrivals {
	return arrivals{offered: n, lambda: lambda, logLoss: math.Log(lambda)}
}

// reset begins a run.
func (a *arrivals) reset(rng *mc.Rand) {
	if a.lambda < 1 {
		a.wait = a.gap(rng)
	}
}

// next returns the number of arrivals of a round: Binomial(n, λ), independent from round to round. The
// number of balls between two lost balls is geometric, so a round costs O(1 + n (1-λ)).
func (a *arrivals) next(rng *mc.Rand) int {
	if a.lambda == 1 {
		return a.offered
	}
	arrived, left := a.offered, float64(a.offered)
	for a.wait < left {
		left -= a.wait + 1
		arrived--
		a.wait = a.gap(rng)
	}
	a.wait -= left
	return arrived
}

// gap draws the number of balls that arrive before the next lost ball: k or more with probability λ^k, up
// to the 2^-53 resolution of a uniform number.
func (a *arrivals) gap(rng *mc.Rand) float64 {
	return math.Floor(math.Log(1-rng.Float64()) / a.logLoss)
}
