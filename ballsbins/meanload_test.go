package ballsbins_test

import (
	"math"
	"testing"

	"repslab/ballsbins"
)

// meanLoad returns the exact load after one round.
func meanLoad(t *testing.T, bins, round int) float64 {
	t.Helper()
	list, err := ballsbins.MeanLoads(bins, []int{round})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// TestMeanLoadIsTheLaw: the closed form is the mean of the exact law, round by round, and the expansion for many rounds
// comes near it.
func TestMeanLoadIsTheLaw(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 17, 32, 1000} {
		law, err := ballsbins.NewOneBinLaw(ballsbins.Config{Bins: n})
		if err != nil {
			t.Fatal(err)
		}
		rounds := make([]int, 300)
		for i := range rounds {
			rounds[i] = i + 1
		}
		got, err := ballsbins.MeanLoads(n, rounds)
		if err != nil {
			t.Fatal(err)
		}
		for i, round := range rounds {
			law.Step()
			if want := law.Mean(); math.Abs(got[i]-want) > 1e-11*want {
				t.Fatalf("%d bins, round %d: %v, want %v", n, round, got[i], want)
			}
		}
		if n == 1 {
			continue
		}
		expansion, err := ballsbins.NewBrownian(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, round := range []int{100, 10_000, 1_000_000} {
			if got, want := meanLoad(t, n, round), expansion.MeanLoad(round); math.Abs(got-want) > 0.14/math.Sqrt(float64(round)) {
				t.Errorf("%d bins, round %d: %v, expansion %v", n, round, got, want)
			}
		}
	}
}

// TestMeanLoadHere: the values beside which the published sqrt((1 - 1/n) 2 m/π) is 0.41 and 0.34 packets too small,
// and the next order, 1/3 + 1/(3n), explains all but 0.01.
func TestMeanLoadHere(t *testing.T) {
	for _, c := range []struct {
		bins int
		want float64
	}{{4, 11.466}, {32, 12.901}} {
		n, got := float64(c.bins), meanLoad(t, c.bins, 256)
		missing := got - math.Sqrt((1-1/n)*2*256/math.Pi)
		if math.Abs(got-c.want) > 0.0005 || math.Abs(missing-1.0/3-1/(3*n)) > 0.01 {
			t.Errorf("n = %d: %v, want %v; missing %v", c.bins, got, c.want, missing)
		}
	}
}

// TestMeanLoadRefuses: bins and rounds out of range are errors. 2^24 rounds are not; one bin has a ball after each.
func TestMeanLoadRefuses(t *testing.T) {
	if x, err := ballsbins.MeanLoads(1, []int{1 << 24}); err != nil || x[0] != 1 {
		t.Errorf("MeanLoads(1, 2^24) = %v, error %v", x, err)
	}
	for bins, rounds := range map[int][]int{0: {1}, ballsbins.MaxBins + 1: {1}, 2: {0}, 3: {1<<24 + 1}, 4: {5, 3}} {
		if x, err := ballsbins.MeanLoads(bins, rounds); err == nil {
			t.Errorf("MeanLoads(%d, %v) = %v", bins, rounds, x)
		}
	}
}
