package proofs

import (
	"math"
	"slices"
)

// facts holds the sentences about the process by their keys in steps.txt. A fact reports the rounds that
// refute the sentence. Loads are taken after the throws of a round.
var facts = map[string]fact{
	// Once a bin is non-empty it remains non-empty.
	"staysFull": {violated: func(y *system, r *round) bool {
		return r.anyBin(func(i int) bool { return r.before[i] > 0 && r.after[i] == 0 })
	}},
	// Phase two, once begun, does not end.
	"staysFilled": {violated: func(y *system, r *round) bool { return r.filled && slices.Min(r.after) == 0 }},
	// M is constant once no bin has been empty.
	"ballsConstant": {violated: func(y *system, r *round) bool { return r.filled && sum(r.after) != sum(r.before) }},
	// A load rises only by fresh balls.
	"growsByFresh": {violated: func(y *system, r *round) bool {
		return r.anyBin(func(i int) bool { return r.after[i] > r.before[i]+r.fresh[i] })
	}},
	// A bin holds at most as many balls as it received fresh balls.
	"loadAtMostFresh": {violated: func(y *system, r *round) bool {
		return r.anyBin(func(i int) bool { return r.after[i] > y.fresh[i] })
	}, fresh: true},
	// A bin has the holes that its fresh balls alone would leave, and is empty exactly
	// if it received none.
	"holesByThrows": {violated: func(y *system, r *round) bool {
		return r.anyBin(func(i int) bool {
			return max(0, y.threshold-r.after[i]) != max(0, y.threshold-y.fresh[i]) || (r.after[i] == 0) != (y.fresh[i] == 0)
		})
	}, fresh: true},
	// While a bin is empty every round throws a fresh ball.
	"freshWhileEmpty": {violated: func(y *system, r *round) bool {
		return slices.Min(r.before) == 0 && sum(r.fresh) == 0
	}},
	// With no bin empty the fresh balls are the balls of the K overfull bins.
	"freshAreOverfull": {violated: func(y *system, r *round) bool {
		return slices.Min(r.before) > 0 && sum(r.fresh) != r.overfull
	}},
	// With no bin empty, all loads at most τ and all colours distinct,
	// loads stay at most τ.
	"settledStays": {violated: func(y *system, r *round) bool {
		return r.settled && slices.Max(r.after) > y.threshold
	}},
	// After a state with no bin empty, all loads at most τ and all colours distinct, nothing is thrown at
	// random.
	"settledConverged": {violated: func(y *system, r *round) bool { return r.settled && sum(r.fresh) > 0 }},
	// At most one ball of a colour when phase one ends.
	"uniqueAfterPhaseOne": {violated: func(y *system, r *round) bool {
		return !r.filled && slices.Min(r.after) > 0 && y.twins()
	}, allowed: 1. / MinBins},
	// Two balls of a colour only if more than b balls came to one bin
	// in one round.
	"twinsNeedManyArrivals": {violated: func(y *system, r *round) bool { return y.twins() && !y.manyArrived }},
	// Y rises by at most n in a round.
	"excessRisesByN": {violated: func(y *system, r *round) bool {
		return excess(r.after, y.threshold)-excess(r.before, y.threshold) > y.bins
	}},
	// With no bin empty and Y > 0 the expected change of Y is at most
	// -1/32.
	"driftsDown": {violated: func(y *system, r *round) bool {
		return slices.Min(r.after) > 0 && slices.Max(r.after) > y.threshold && y.drift().Lo > -1./32
	}},
	// The n balls of a round are all thrown at random, so that a
	// bin receives a binomial number of them.
	"binomialArrivals": {violated: func(y *system, r *round) bool { return sum(r.fresh) < y.bins }},
	// With no bin empty the excess of a bin is at most its excess in a batched process: one less, plus
	// the fresh balls.
	"belowBatched": {violated: func(y *system, r *round) bool {
		return slices.Min(r.before) > 0 && r.anyBin(func(i int) bool {
			return max(0, r.after[i]-y.threshold) > max(0, max(0, r.before[i]-y.threshold)-1)+r.fresh[i]
		})
	}},
	// With no bin empty Y falls by exactly the fresh balls that found a bin
	// below τ, and the holes are n τ - M + Y.
	"absorbs": {violated: func(y *system, r *round) bool {
		if slices.Min(r.before) == 0 {
			return false
		}
		holes, absorbed := 0, 0
		for i, before := range r.before {
			room := max(0, y.threshold-before)
			holes += room
			absorbed += min(room, r.fresh[i])
		}
		before := excess(r.before, y.threshold)
		return excess(r.after, y.threshold) != before-absorbed || holes != y.bins*y.threshold-sum(r.before)+before
	}},
}

// fewBalls: at most 2 n ln n + n balls when phase one ends.
var fewBalls = fact{violated: func(y *system, r *round) bool {
	n := float64(y.bins)
	return !r.filled && slices.Min(r.after) > 0 && float64(sum(r.after)) > float64(2*n*math.Log(n))+n
}}

// uniqueColors: never two balls of a colour.
var uniqueColors = fact{violated: func(y *system, r *round) bool { return y.repeated }}

// excessNeverRises: with no bin empty Y never rises.
var excessNeverRises = fact{violated: func(y *system, r *round) bool {
	return slices.Min(r.before) > 0 && excess(r.after, y.threshold) > excess(r.before, y.threshold)
}}

// unevenForever: all colours remember a bin, no bin was ever overfull, so that nothing was forgotten, and
// too many colours remember some bin.
var unevenForever = fact{violated: func(y *system, r *round) bool {
	owners := make([]int, y.bins)
	for _, bin := range y.memory {
		if bin == 0 {
			return false
		}
		owners[bin-1]++
	}
	return slices.Max(owners) > y.colors
}}

// fitsThreshold: at most n τ balls, without which a run never converges.
var fitsThreshold = fact{violated: func(y *system, r *round) bool { return sum(r.after) > y.bins*y.threshold }}
