package evsimbalance

import (
	"math"
	"testing"

	"repslab/mc"
)

// TestBinomialChooses: each way of drawing is taken where it is said to be valid
// or cheaper, up to the very bounds.
func TestBinomialChooses(t *testing.T) {
	for _, c := range []struct {
		way  string
		draw func(*mc.Rand, int, float64) int
		n    int
		p    float64
	}{
		{"heads", func(r *mc.Rand, n int, _ float64) int { return heads(r, n) }, 2048, 0.5},
		{"rejection", reject, 2049, 0.5},
		{"inversion", invert, 39, 0.25},
		{"rejection", reject, 40, 0.25},
	} {
		a := mc.NewStream(1, mc.Algorithm, 0).Rand()
		b := a
		for range 20 {
			if got, want := binomial(&a, c.n, c.p), c.draw(&b, c.n, c.p); got != want || a != b {
				t.Fatalf("n=%d p=%v: %d, want %d by %s", c.n, c.p, got, want, c.way)
			}
		}
	}
}

// TestHeadsTakesWholeWords: as many words as 64 coins each fill.
func TestHeadsTakesWholeWords(t *testing.T) {
	for n, words := range map[int]int{0: 0, 1: 1, 63: 1, 64: 1, 65: 2, 128: 2, 129: 3} {
		a := mc.NewStream(1, mc.Algorithm, 0).Rand()
		b := a
		heads(&a, n)
		for range words {
			b.Uint64()
		}
		if a != b {
			t.Errorf("%d coins do not take %d words", n, words)
		}
	}
}

// TestSpreadStopsEarly: a part that cannot beat the largest load so far is not
// split, and draws nothing.
func TestSpreadStopsEarly(t *testing.T) {
	for _, c := range []struct {
		balls, bins, most, want int
		draws                   bool
	}{
		{5, 4, 5, 5, false}, {5, 4, 9, 9, false}, {5, 1, 2, 5, false}, {0, 8, 0, 0, false}, {5, 4, 4, 0, true}, {1, 2, 0, 1, true},
	} {
		r := mc.NewStream(1, mc.Algorithm, 0).Rand()
		before := r
		got := spread(&r, c.balls, c.bins, c.most)
		if c.want > 0 && got != c.want || got < c.most || got > max(c.balls, c.most) || (r != before) != c.draws {
			t.Errorf("%d balls in %d bins, at least %d: %d, drawn %v; want %d, %v", c.balls, c.bins, c.most, got, r != before, c.want, c.draws)
		}
	}
}

// TestLargestLaws: the most balls and bins that are allowed have a law, and every
// limit of a configuration is its last value.
func TestLargestLaws(t *testing.T) {
	for _, c := range []struct{ balls, bins int }{{maxExactBallsFewBins, fewBins - 1}, {maxExactBallsFewBins + 1, fewBins}, {maxExactBalls, 1}} {
		if err := validateLaw(c.balls, c.bins, mostExactBalls(c.bins)); err != nil {
			t.Error(err)
		}
	}
	if err := validateLaw(1, maxExactBins, mostExactBalls(maxExactBins)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		cfg  Config
		good bool
	}{
		{Config{Flows: MaxFlows, EVS: 1}, true}, {Config{Flows: MaxFlows + 1, EVS: 1}, false}, {Config{Flows: 1, EVS: 1, Uplinks: 1}, true},
		{Config{Uplinks: MaxUplinks}, true}, {Config{Uplinks: -1}, false},
	} {
		if err := c.cfg.Validate(); (err == nil) != c.good {
			t.Errorf("%+v: error %v", c.cfg, err)
		}
	}
	if _, err := NewWeightedMaxLaw(maxExactBallsFewBins+1, []int{1, 1}); err == nil {
		t.Error("more balls than allowed on weighted bins")
	}
}

// TestLawOfOneBall: whatever the bins, the maximum of one ball is 1.
func TestLawOfOneBall(t *testing.T) {
	for _, bins := range []int{1, 2, 3, 100, 4096} {
		law, err := NewMaxLaw(1, bins)
		if err != nil {
			t.Fatal(err)
		}
		if law.first != 1 || math.Abs(law.Mean()-1) > 1e-14 || law.Quantile(0.5) != 1 || law.CDF(0) != 0 || math.Abs(law.CDF(1)-1) > 1e-14 || law.CDF(2) != 1 {
			t.Errorf("%d bins: first %d, %v", bins, law.first, law.cdf)
		}
	}
}

// TestNormalise: probabilities are divided by the last one and ascend; loads at
// both ends that have none are dropped.
func TestNormalise(t *testing.T) {
	l := &MaxLaw{first: 3, cdf: []float64{1e-19, -1e-20, 0.5, 0.4, 2, 2.0000000001, 2}}
	l.normalise()
	if l.first != 5 || len(l.cdf) != 3 || l.cdf[0] != 0.25 || l.cdf[1] != 0.25 || l.cdf[2] != 1 {
		t.Errorf("from %d: %v", l.first, l.cdf)
	}
	l = &MaxLaw{first: 3, cdf: []float64{2}}
	if l.normalise(); l.first != 3 || len(l.cdf) != 1 || l.cdf[0] != 1 {
		t.Errorf("from %d: %v", l.first, l.cdf)
	}
}
