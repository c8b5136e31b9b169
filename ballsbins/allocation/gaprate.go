package allocation

import (
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// GapRate returns a lower bound on the rate at which the gap grows, in multiples of the average load W/S,
// for any rule that puts each ball into one of d samples. A group of bins is chosen; probability is its
// share of the law of a sample, speed its share of the total speed:
//
//	probability^d / speed - 1, or 0 if that is negative.
//
// All d samples are in the group with probability^d, and the group must then take the ball. For d choices
// the gap is the rate times W/S plus a term that grows more slowly with m. Examples at d = 2, n = 1000, m
// = 100 n and 400 n: with [Half] and a = 0.5 probability is (1+a)/2 = 0.75 and speed 1/2; gaps of 15.6
// and 53.1 were measured, and the bound is 12.5 and 50. With uniform samples and half of the bins four
// times as fast, probability is 1/2 and speed 1/5 for the slow half: 12.9 and 42.9 were measured, and the
// bound is 10 and 40. It panics unless both shares are in (0, 1] and choices is at least 1. O(1).
func GapRate(probability, speed float64, choices int) float64 {
	share := func(x float64) bool { return x > 0 && x <= 1 }
	must.Be(share(probability) && share(speed), "allocation: GapRate", "probability and speed must be in (0, 1]")
	must.BeAtLeast("allocation: GapRate", "choices", choices, 1)
	return max(0, float64(elementary.Pow(probability, float64(choices))/speed)-1)
}
