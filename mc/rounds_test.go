package mc

import (
	"math"
	"slices"
	"testing"
)

// TestRoundsEvery: the last round is observed once, whether or not it is a multiple.
func TestRoundsEvery(t *testing.T) {
	for _, c := range []struct {
		every, last int
		want        []int
	}{
		{0, 10, []int{10}}, {5, 10, []int{5, 10}}, {4, 10, []int{4, 8, 10}}, {50, 3, []int{3}}, {1, 1, []int{1}},
		{MaxRounds, MaxRounds, []int{MaxRounds}}, {-3, 10, []int{10}}, {math.MaxInt/2 + 1, math.MaxInt, []int{math.MaxInt/2 + 1, math.MaxInt}},
	} {
		if got := RoundsEvery(c.every, c.last); !slices.Equal(got, c.want) {
			t.Errorf("RoundsEvery(%d, %d) = %v, want %v", c.every, c.last, got, c.want)
		}
	}
}

// TestRoundsEveryPanics: a run has a last round, and no more observations than documented.
func TestRoundsEveryPanics(t *testing.T) {
	mustPanic(t, "mc: RoundsEvery: last (0) must be at least 1", func() { RoundsEvery(1, 0) })
	mustPanic(t, "mc: RoundsEvery: last (-5) must be at least 1", func() { RoundsEvery(1, -5) })
	mustPanic(t, "mc: RoundsEvery: last/every (100002) must be at most 100001", func() { RoundsEvery(2, 2*MaxObservations+2) })
}
