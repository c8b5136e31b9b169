package allocation

import (
	"math"

	"repslab/internal/must"
)

// DChoiceGap returns the leading term of the gap of d choices, in balls:
//
//	ln ln n / ln d.
//
// Asymptotic: with high probability the gap is this plus O(1), for m = n [Azar99] and for every m
// [Berenbrink06]. It panics if
// bins is below 3 or choices below 2. O(1).
func DChoiceGap(bins, choices int) float64 {
	must.BeAtLeast("allocation: DChoiceGap", "bins", bins, 3)
	must.BeAtLeast("allocation: DChoiceGap", "choices", choices, 2)
	return math.Log(math.Log(float64(bins))) / math.Log(float64(choices))
}

// OnePlusBetaGap returns the order of the gap of [OnePlusBeta] for every m, in balls, without its
// constant:
//
//	ln n / β.
//
// The gap is Θ of this for β in (0, 1) bounded away from 1 [Peres15]. It panics
// unless bins is at least 2 and beta in (0, 1]. O(1).
func OnePlusBetaGap(bins int, beta float64) float64 {
	must.BeAtLeast("allocation: OnePlusBetaGap", "bins", bins, 2)
	must.Be(beta > 0 && beta <= 1, "allocation: OnePlusBetaGap", "beta must be in (0, 1]")
	return math.Log(float64(bins)) / beta
}

// ThinningGap returns the order of the gap of [MeanThinning] for every m, in balls, without its constant:
// ln n. It is an upper bound [Los22d]. It panics if bins is below 2. O(1).
func ThinningGap(bins int) float64 {
	must.BeAtLeast("allocation: ThinningGap", "bins", bins, 2)
	return math.Log(float64(bins))
}

// BatchedGap returns the order of the gap of two choices in batches of b balls, without its
// constant, in balls:
//
//	ln n / ln ln n   b = n
//	b / n            b >= n ln n
//
// The gap is Θ of this for every m large enough [Los22c, Los23b]; it is the order of the gap of one
// choice with b balls. BatchedGap returns NaN for b below n, where only the upper bound for b = n holds,
// and for b between n and n ln n. It panics if bins is below 3 or batch below 1. O(1).
func BatchedGap(bins, batch int) float64 {
	must.BeAtLeast("allocation: BatchedGap", "bins", bins, 3)
	must.BeAtLeast("allocation: BatchedGap", "batch", batch, 1)
	n, b := float64(bins), float64(batch)
	switch logBins := math.Log(n); {
	case batch == bins:
		return logBins / math.Log(logBins)
	case b >= n*logBins:
		return b / n
	}
	return math.NaN()
}

// BestBatchedGap returns the order of the smallest gap that a rule with two samples reaches in
// batches of b >= n ln n balls, without its constant, and the β with which [OnePlusBeta] reaches
// it [Los23b]:
//
//	sqrt((b/n) ln n),   β = sqrt((n/b) ln n).
//
// The factor is about 0.7 (n = 1000, b = 50 n). It panics if bins is below 2 or batch below 1. O(1).
func BestBatchedGap(bins, batch int) (gap, beta float64) {
	must.BeAtLeast("allocation: BestBatchedGap", "bins", bins, 2)
	must.BeAtLeast("allocation: BestBatchedGap", "batch", batch, 1)
	ratio, logBins := float64(batch)/float64(bins), math.Log(float64(bins))
	return math.Sqrt(ratio * logBins), math.Sqrt(logBins / ratio)
}

// NoisyGap returns the order of the gap of two choices when an adversary decides between loads that
// differ by at most g ([GBounded], [GMyopic]), without its constant, in balls:
//
//	(g / ln g) ln ln n   2 <= g <= ln n
//	g + ln n             other g
//
// For every m and every adversary the gap is O of this; for g in [2, ln n] it is Θ of this for the worst
// adversary [Los22b]. It panics if bins is below 3 or width negative. O(1).
func NoisyGap(bins, width int) float64 {
	must.BeAtLeast("allocation: NoisyGap", "bins", bins, 3)
	must.BeAtLeast("allocation: NoisyGap", "width", width, 0)
	g, logBins := float64(width), math.Log(float64(bins))
	if g >= 2 && g <= logBins {
		return g / math.Log(g) * math.Log(logBins)
	}
	return g + logBins
}
