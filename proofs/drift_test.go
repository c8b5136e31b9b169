package proofs

import (
	"math/big"
	"testing"
)

// TestWorstDriftIsTight: both ends of the enclosure are exact,
// up to rounding: below only the overfull bins and those at τ count, above the
// others by the mean number of subsets of z + 1 fresh balls.
func TestWorstDriftIsTight(t *testing.T) {
	for _, c := range []struct{ n, threshold, balls int }{{3, 3, 9}, {5, 3, 13}, {6, 3, 14}, {7, 4, 17}, {8, 3, 18}, {10, 5, 40}} {
		for k := 1; k*(c.threshold+1)+c.n-k <= c.balls && k <= c.n; k++ {
			low, high := new(big.Rat), new(big.Rat)
			share := big.NewRat(int64(k), int64(c.n))
			for _, load := range worstLoads(c.n, c.threshold, c.balls, k) {
				switch z := c.threshold - load; {
				case z < 0:
					one := new(big.Rat).Sub(share, big.NewRat(1, 1))
					low.Add(low, one)
					high.Add(high, one)
				case z == 0:
					low.Add(low, share)
					high.Add(high, share)
				default:
					subsets := new(big.Int).Binomial(int64(k), int64(z+1))
					high.Add(high, new(big.Rat).SetFrac(subsets, power(c.n, z+1)))
				}
			}
			l, _ := low.Float64()
			h, _ := high.Float64()
			if got := WorstDrift(c.n, c.threshold, c.balls, k); got.Lo > l || got.Hi < h || l-got.Lo > 1e-13 || got.Hi-h > 1e-13 {
				t.Errorf("%+v k=%d: %v, want [%v, %v]", c, k, got, l, h)
			}
		}
	}
}

// worstLoads returns the loads of [WorstDrift].
func worstLoads(n, threshold, balls, k int) []int {
	loads := make([]int, n)
	spare := balls - k*(threshold+1) - (n - k)
	for i := range loads {
		switch {
		case i < k:
			loads[i] = threshold + 1
		default:
			more := min(spare, threshold-1)
			loads[i] = 1 + more
			spare -= more
		}
	}
	return loads
}

// TestLeastBalls: k bins above the threshold and one ball in each other bin are the fewest balls of a drift.
func TestLeastBalls(t *testing.T) {
	const n, threshold, k = 5, 3, 2
	fewest := k*(threshold+1) + n - k
	for balls, fine := range map[int]bool{fewest: true, fewest - 1: false} {
		func() {
			defer func() {
				if refused := recover() != nil; refused == fine {
					t.Errorf("%d balls: refused %v", balls, refused)
				}
			}()
			WorstDrift(n, threshold, balls, k)
		}()
	}
}
