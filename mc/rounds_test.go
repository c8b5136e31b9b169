package mc

import (
	"math"
	"slices"
	"strings"
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

// TestCheckRounds: as many rounds as documented are accepted and no more, and they ascend
// from 1 to MaxRounds.
func TestCheckRounds(t *testing.T) {
	most := RoundsEvery(1, MaxObservations)
	for _, c := range []struct {
		rounds []int
		want   string // "" none
	}{
		{nil, ""}, {[]int{1}, ""}, {[]int{1, 7, MaxRounds}, ""}, {most, ""},
		{append(most, MaxRounds), "R (100002) must list at most 100001 rounds"},
		{[]int{0}, "R (0) must be in [1, 2147483647]"},
		{[]int{1, 7, MaxRounds + 1}, "R (2147483648) must be in [8, 2147483647]"},
		{[]int{-1}, "R (-1) must be in [1, 2147483647]"},
		{[]int{3, 3}, "R (3) must be in [4, 2147483647], since rounds ascend"},
		{[]int{5, 3}, "R (3) must be in [6, 2147483647]"},
	} {
		if err := CheckRounds("p", "R", c.rounds); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d rounds: error %v, want %q", len(c.rounds), err, c.want)
		}
	}
}
