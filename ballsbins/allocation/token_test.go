package allocation

import (
	"fmt"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestTokensGatherBelowTheLimit holds the equation of the package comment that bounds the gap of
// tokens: while bin 7 alone is below the limit it keeps every token that it gets, so only b/p_7
// balls are random on average, however long the run, and b p_i/p_7 of them go to bin i. Of a run
// of 400 batches all but a part (1-p_7)^400 of these balls are thrown. Another 400 batches are
// then without random balls: the gap falls by b/n in each.
func TestTokensGatherBelowTheLimit(t *testing.T) {
	const batch, batches, high = 16, 400, 100_000
	p, err := New(Config{Bins: 8, Rule: Token, Information: Batched, Batch: batch, Offset: 1,
		Sampling: Sampling{Law: Half, Parameter: 0.5}, Start: []int{high, high, high, high, high, high, high}})
	if err != nil {
		t.Fatal(err)
	}
	const likely, unlikely = 1.5 / 8, 0.5 / 8 // probabilities of bins 0 to 3 and 4 to 7
	if left := math.Pow(1-unlikely, batches); left > 1e-9 {
		t.Fatalf("a part %v of the random balls is still to come", left)
	}
	var gained [7]mc.Moments
	for replica := range uint64(2000) {
		p.Reset(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, replica))
		p.Advance(batches * batch)
		for i := range gained {
			gained[i].Add(int64(p.Load(i)) - high)
		}
		before := p.Gap()
		p.Advance(batches * batch)
		if fell := before - p.Gap(); fell != batches*batch/8 {
			t.Fatalf("replica %d: the gap falls by %v in %d batches, want by %d", replica, fell, batches, batches*batch/8)
		}
	}
	for i := range gained {
		want := batch * unlikely / unlikely
		if i < 4 {
			want = batch * likely / unlikely
		}
		mctest.Agree(t, fmt.Sprintf("random balls of bin %d", i), gained[i].Mean(mc.DefaultConfidence), want, 0, 0)
	}
}

// TestRandomThrowsCanOutrunTokens: if a bin gets more than its share of the balls that use no
// token, the gap grows at that rate at least.
func TestRandomThrowsCanOutrunTokens(t *testing.T) {
	const eta, bias, balls = 0.2, 0.5, 100_000
	p, err := New(Config{Bins: 8, Rule: Token, Information: Batched, Batch: 16, Offset: 1, Eta: eta,
		Sampling: Sampling{Law: Half, Parameter: bias}})
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(mctest.Seed(t, 2), mc.Algorithm, 0))
	p.Advance(balls)
	const share = (1 - eta) * (1 + bias) / 8 // of the balls, in a likely bin and at random
	if rate, scatter := share-1./8, 5*math.Sqrt(share/balls); p.Gap() < (rate-scatter)*balls {
		t.Errorf("the gap is %v after %d balls, want at least %v", p.Gap(), balls, rate*balls)
	}
}
