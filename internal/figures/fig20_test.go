package figures

import (
	"context"
	"fmt"
	"testing"

	"repslab/coalescing"
	"repslab/internal/mctest"
	"repslab/mc"
)

// TestObliviousIsNoAck: OPS is ACK coalescing before the first acknowledgement, so
// the two agree within 4 standard errors; and the mean maxima are those of an
// independent program, 34.1 and 75.3, given to one decimal from as many runs.
func TestObliviousIsNoAck(t *testing.T) {
	rounds, plan := []int{200, 1000}, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 1000}
	ops, err := fig20Oblivious(context.Background(), 32, rounds, plan)
	if err != nil {
		t.Fatal(err)
	}
	none, err := coalescing.Simulate(context.Background(),
		coalescing.Config{Bins: 32, Ratio: 1001, Variant: coalescing.EveryRthRound, Rounds: rounds}, plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{34.1, 75.3} {
		got, other := ops[i], none.Observations[i]
		mctest.Agree(t, fmt.Sprintf("round %d: mean maximum", got.Round), got.MaxLoad, other.MaxLoad.Value,
			other.MaxLoad.StdErr, 0)
		mctest.Agree(t, fmt.Sprintf("round %d: mean total", got.Round), got.TotalLoad, other.TotalLoad.Value,
			other.TotalLoad.StdErr, 0)
		mctest.Agree(t, fmt.Sprintf("round %d: mean maximum", got.Round), got.MaxLoad, want, got.MaxLoad.StdErr, 0.05)
	}
}

// TestFig20Rounds: the rounds that the rules speak of are observed, and the two
// passes do not overlap.
func TestFig20Rounds(t *testing.T) {
	seen := map[int]int{}
	last := 0
	for _, r := range append(logRounds(0, fig20Middle), logRounds(fig20Middle, fig20Long)...) {
		seen[r]++
		if r <= last {
			t.Errorf("round %d after %d", r, last)
		}
		last = r
	}
	for _, r := range []int{1, fig20Short, 1000, fig20Middle, fig20Long} {
		if seen[r] != 1 {
			t.Errorf("round %d is observed %d times", r, seen[r])
		}
	}
}
