package ballsbins

import (
	"math"
	"testing"

	"repslab/mc"
)

// TestNearlyFull: a packed kernel says that it is nearly full if and only if a
// lane has 7/8 of its range or more after a service, whatever its neighbours.
func TestNearlyFull(t *testing.T) {
	t.Run("8 bits", func(t *testing.T) { checkNearlyFull(t, newPacked[uint8](20, Uniform), 1<<8) })
	t.Run("16 bits", func(t *testing.T) { checkNearlyFull(t, newPacked[uint16](20, Uniform), 1<<16) })
}

func checkNearlyFull[T lane](t *testing.T, p *packed[T], size int64) {
	for bin := range 20 {
		for _, neighbours := range []int64{0, 1, 2, 3, size/8 + 3, size*7/8 - 1} {
			for _, load := range []int64{0, 1, size / 2, size * 3 / 4, size*7/8 - 1, size * 7 / 8, size*7/8 + 1, size - 2} {
				p.reset()
				for other := range 20 {
					p.setLoad(other, neighbours+1) // which the service takes
				}
				p.setLoad(bin, load+1)
				if full := p.serveAll() != 0; full != (load >= size*7/8) {
					t.Fatalf("%d balls in bin %d, %d in the others: full is %v", load, bin, neighbours, full)
				}
				for other := range 20 {
					want := neighbours
					if other == bin {
						want = load
					}
					if got := p.load(other); got != want {
						t.Fatalf("bin %d has %d balls after the service, want %d", other, got, want)
					}
				}
				if !p.sound() {
					t.Fatal("not sound")
				}
			}
		}
	}
}

// TestStationaryOfRareBalls: where two balls hardly ever meet, the bin has the
// probability λ of holding one.
func TestStationaryOfRareBalls(t *testing.T) {
	for _, lambda := range []float64{1e-12, 1e-30, 1e-45, 1e-100} {
		poisson, err := StationaryPoisson(lambda)
		if err != nil {
			t.Fatal(err)
		}
		binomial, err := StationaryBinomial(100, lambda)
		if err != nil {
			t.Fatal(err)
		}
		for _, law := range []*Stationary{poisson, binomial} {
			if got := law.Probability(1); math.Abs(got-lambda) > 4*lambda*lambda+1e-14*lambda || law.Probability(0) != 1-lambda {
				t.Errorf("lambda=%v: P[load = 1] = %v", lambda, got)
			}
			if got := law.Tail(1); math.Abs(got-lambda) > 4*lambda*lambda+1e-14*lambda || law.MedianMax(1) != 0 {
				t.Errorf("lambda=%v: P[load >= 1] = %v, median %d", lambda, got, law.MedianMax(1))
			}
		}
	}
}

// TestWeightsOfBalls: under the weighted variant a ball weighs lambda to 1e-9, and
// that is the least.
func TestWeightsOfBalls(t *testing.T) {
	for lambda, good := range map[float64]bool{1e-9: true, 0.9e-9: false, 1: true} {
		if err := (Config{Bins: 3, Lambda: lambda, Variant: Weighted}).Validate(); (err == nil) != good {
			t.Errorf("lambda %v: error %v", lambda, err)
		}
	}
	b, err := New(Config{Bins: 1, Lambda: 1e-9, Variant: Weighted})
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(mc.NewStream(1, mc.Algorithm, 0))
	b.Advance(100)
	if got := b.Load(0); got != 0 {
		t.Errorf("a bin that serves a thousand million times what it gets holds %v", got)
	}
}
