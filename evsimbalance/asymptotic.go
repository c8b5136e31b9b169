package evsimbalance

import (
	"math"

	"repslab/internal/elementary"
)

// GonnetMean returns Γ^-1(n) - 3/2, the asymptotic expected maximum load, in
// balls, of n balls in n bins: the expectation less this tends to 0 for large n
// but for a small oscillation [Gonnet81]; it is within 0.25 of it for n from 16 to
// 2^24 (test). By Stirling's formula it grows as ln n / ln ln n. bins must be at
// least 1; otherwise it is NaN. O(1).
func GonnetMean(bins int) float64 {
	if bins < 1 {
		return math.NaN()
	}
	// Γ increases from Γ(2) = 1 on; n < 2^63 < Γ(22).
	low, high, target := 2.0, 22.0, math.Log(float64(bins))
	for range 60 {
		middle := (low + high) / 2
		if elementary.LogGamma(middle) < target {
			low = middle
		} else {
			high = middle
		}
	}
	return float64((low+high)/2) - 1.5
}
