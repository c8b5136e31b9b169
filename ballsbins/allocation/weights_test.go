package allocation

import (
	"testing"

	"repslab/mc"
)

// TestStreamsOfARun: samples, weights and coins of a run are drawn from three streams, so that none of the first 1,000
// words of one is a word of another.
func TestStreamsOfARun(t *testing.T) {
	p, err := New(Config{Bins: 10, Information: SigmaFormal, Sigma: 2, Weights: Weights{Law: ExponentialWeights}, Balls: []int{10}})
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	of := map[uint64]string{}
	for name, rng := range map[string]mc.Rand{"samples": p.samples.rng, "weights": p.weigher.rng, "coins": p.coins} {
		for range 1000 {
			word := rng.Uint64()
			if other, known := of[word]; known {
				t.Fatalf("%s and %s have the word %#x", name, other, word)
			}
			of[word] = name
		}
	}
}
