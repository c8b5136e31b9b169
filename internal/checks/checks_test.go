package checks

import (
	"context"
	"strings"
	"testing"
)

// TestRounds: as many rounds as documented are accepted and no more, and they ascend
// from 1 to MaxRounds.
func TestRounds(t *testing.T) {
	most := make([]int, MaxObservations)
	for i := range most {
		most[i] = i + 1
	}
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
		if err := Rounds("p", "R", c.rounds); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d rounds: error %v, want %q", len(c.rounds), err, c.want)
		}
	}
}

// TestEvery: a loop looks at its context about every 2^20 balls, and at least every round.
func TestEvery(t *testing.T) {
	for cost, want := range map[int]int{0: 1 << 20, 1: 1 << 20, 64: 1 << 14, 1 << 20: 1, 1 << 30: 1} {
		if got := Every(cost); got != want {
			t.Errorf("cost %d: every %d rounds, want %d", cost, got, want)
		}
	}
}

// TestContext: a missing context is a fault of the package that needs it.
func TestContext(t *testing.T) {
	var none context.Context
	if err := Context("p", none); err == nil || !strings.HasPrefix(err.Error(), "p: ctx (<nil>) must not be nil") {
		t.Errorf("error %v", err)
	}
	if err := Context("p", context.Background()); err != nil {
		t.Error(err)
	}
}
