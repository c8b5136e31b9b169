package recycled

import (
	"math"

	"repslab/ballsbins"
	"repslab/mc"
)

// ClosedEmptyShare returns the asymptotic share of empty bins of repeated balls into bins,
// after the throws, in stationarity, with ballsPerBin = m/n = a and n to infinity:
//
//	1 - r = sqrt(1 + a²) - a,
//
// 0.414 at a = 1 and nearly 1/(2a) for large a. By propagation of chaos [Cancrini19] a bin
// is a queue with Poisson(r) arrivals a round, where r is the share of non-empty bins, the
// mean load of which must be a = r + r²/(2(1-r)). At finite n the share is smaller: 0.41175
// at n = m = 100. ballsPerBin >= 0; NaN otherwise. O(1).
func ClosedEmptyShare(ballsPerBin float64) float64 {
	if !(ballsPerBin >= 0) {
		return math.NaN()
	}
	return 1 / (math.Sqrt(1+float64(ballsPerBin*ballsPerBin)) + ballsPerBin) // without cancellation
}

// ClosedMeanField returns the asymptotic law of the load of one bin of repeated balls into
// bins, see [ClosedEmptyShare]. Its MeanMax(n) is an estimate of the expected largest load.
// ballsPerBin is positive and so small that the share of non-empty bins is at most
// [ballsbins.MaxStationaryLambda]: below 49,999. O(ballsPerBin).
func ClosedMeanField(ballsPerBin float64) (*ballsbins.Stationary, error) {
	busy := 1 - ClosedEmptyShare(ballsPerBin)
	if !(busy > 0 && busy <= ballsbins.MaxStationaryLambda) {
		return nil, mc.NewFieldError("recycled", "ballsPerBin", ballsPerBin, "must be in (0, 49999) for a mean field")
	}
	return ballsbins.StationaryPoisson(busy)
}
