package proofs

import (
	"math"
	"slices"
)

// The sentences about the process, as what refutes them. Loads are those after
// the throws of a round, as everywhere.

// staysFull: once a bin is non-empty it remains non-empty.
var staysFull = fact{name: "a non-empty bin stays non-empty", violated: func(y *system, r *round) bool {
	for i, before := range r.before {
		if before > 0 && r.after[i] == 0 {
			return true
		}
	}
	return false
}}

// staysFilled: phase two, once begun, does not end.
var staysFilled = fact{name: "once no bin is empty none is again", violated: func(y *system, r *round) bool {
	return r.filled && slices.Min(r.after) == 0
}}

// ballsConstant: M is constant once no bin has been empty.
var ballsConstant = fact{name: "M is constant once no bin is empty", violated: func(y *system, r *round) bool {
	return r.filled && sum(r.after) != sum(r.before)
}}

// growsByFresh: a load rises only by fresh balls.
var growsByFresh = fact{name: "a load rises only by fresh balls", violated: func(y *system, r *round) bool {
	for i, before := range r.before {
		if r.after[i] > before+r.fresh[i] {
			return true
		}
	}
	return false
}}

// loadAtMostFresh: a bin holds at most as many balls as it received fresh ones.
var loadAtMostFresh = fact{name: "a load is at most the fresh balls received", violated: func(y *system, r *round) bool {
	for i, load := range r.after {
		if load > y.fresh[i] {
			return true
		}
	}
	return false
}, fresh: true}

// freshWhileEmpty: while a bin is empty every round throws a fresh ball.
var freshWhileEmpty = fact{name: "a round that begins with an empty bin throws a fresh ball", violated: func(y *system, r *round) bool {
	return slices.Min(r.before) == 0 && sum(r.fresh) == 0
}}

// freshAreOverfull: with no bin empty the fresh balls are those of the K overfull
// bins.
var freshAreOverfull = fact{name: "with no bin empty K fresh balls are thrown", violated: func(y *system, r *round) bool {
	return slices.Min(r.before) > 0 && sum(r.fresh) != r.overfull
}}

// settledStays: with no bin empty, all loads at most τ and all colours distinct,
// loads stay at most τ.
var settledStays = fact{name: "settled loads stay at most τ", violated: func(y *system, r *round) bool {
	return r.settled && slices.Max(r.after) > y.threshold
}}

// settledConverged: from such a state on nothing is thrown at random.
var settledConverged = fact{name: "from a settled state on nothing is thrown at random", violated: func(y *system, r *round) bool {
	return r.settled && sum(r.fresh) > 0
}}

// uniqueAfterPhaseOne: at most one ball of a colour when phase one ends.
var uniqueAfterPhaseOne = fact{name: "at most one ball of a colour when phase one ends", violated: func(y *system, r *round) bool {
	return !r.filled && slices.Min(r.after) > 0 && y.twins()
}, allowed: 1. / MinBins}

// fewBalls: at most 2 n ln n + n balls when phase one ends.
var fewBalls = fact{name: "at most 2 n ln n + n balls when phase one ends", violated: func(y *system, r *round) bool {
	n := float64(y.bins)
	return !r.filled && slices.Min(r.after) > 0 && float64(sum(r.after)) > float64(2*n*math.Log(n))+n
}}

// uniqueColors: never two balls of a colour.
var uniqueColors = fact{name: "at most one ball of a colour throughout", violated: func(y *system, r *round) bool {
	return y.repeated
}}

// twinsNeedCrowd: two balls of a colour only if more than b balls came to one bin
// in one round.
var twinsNeedCrowd = fact{name: "two balls of a colour only if more than b came to a bin in one round", violated: func(y *system, r *round) bool {
	return y.twins() && !y.crowded
}}

// excessRisesByN: Y rises by at most n in a round.
var excessRisesByN = fact{name: "Y rises by at most n", violated: func(y *system, r *round) bool {
	return excess(r.after, y.threshold)-excess(r.before, y.threshold) > y.bins
}}

// excessNeverRises: with no bin empty Y never rises.
var excessNeverRises = fact{name: "Y never rises with no bin empty", violated: func(y *system, r *round) bool {
	return slices.Min(r.before) > 0 && excess(r.after, y.threshold) > excess(r.before, y.threshold)
}}

// driftsDown: with no bin empty and Y > 0 the expected change of Y is at most
// -1/32.
var driftsDown = fact{name: "E[Y' - Y] <= -1/32 with no bin empty and Y > 0", violated: func(y *system, r *round) bool {
	return slices.Min(r.after) > 0 && slices.Max(r.after) > y.threshold && y.drift().Lo > -1./32
}}

// binomialArrivals: the n balls of a round are all thrown at random, so that a
// bin receives a binomial number of them.
var binomialArrivals = fact{name: "all n balls of a round are random", violated: func(y *system, r *round) bool {
	return sum(r.fresh) < y.bins
}}

// unevenForever: all colours remember a bin and no bin was ever overfull, so that
// nothing is ever forgotten while that lasts, and some bin is remembered by too
// many.
var unevenForever = fact{name: "all colours remember, evenly", violated: func(y *system, r *round) bool {
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
var fitsThreshold = fact{name: "M is at most n τ", violated: func(y *system, r *round) bool {
	return sum(r.after) > y.bins*y.threshold
}}

// belowBatched: with no bin empty the excess of a bin is at most what a batched
// process would leave of it: one less, and the fresh balls.
var belowBatched = fact{name: "a bin's excess is at most a batched bin's load", violated: func(y *system, r *round) bool {
	if slices.Min(r.before) == 0 {
		return false
	}
	for i, before := range r.before {
		if max(0, r.after[i]-y.threshold) > max(0, max(0, before-y.threshold)-1)+r.fresh[i] {
			return true
		}
	}
	return false
}}

// absorbs: with no bin empty Y falls by exactly the fresh balls that found a bin
// below τ, and the holes are n τ - M + Y.
var absorbs = fact{name: "Y falls by the absorbed balls, and holes = n τ - M + Y", violated: func(y *system, r *round) bool {
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
}}
