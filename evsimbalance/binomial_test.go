package evsimbalance

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"repslab/internal/mctest"
	"repslab/mc"
)

// falseAlarm is the rate at which a chi-square test of correct code fails under
// a fresh seed; under the fixed seeds it passes.
const falseAlarm = 1e-9

// chiSquare fails unless the counts of draws agree with a law, given as P[k] for
// k in [first, first + len(law)); neighbouring values are put together until 10
// draws are expected. With c classes and d draws an error of the law is seen if
// its own chi-square distance times d is above some 6 sqrt(2c) + 36.
func chiSquare(t *testing.T, what string, counts map[int]int, first int, law []float64) {
	t.Helper()
	draws := 0
	for _, n := range counts {
		draws += n
	}
	var statistic, expected, mass float64
	observed, seen, classes := 0, 0, 0
	settle := func() {
		d := float64(observed) - expected
		statistic += d * d / expected
		classes++
		observed, expected = 0, 0
	}
	for i, p := range law {
		mass += p
		expected += p * float64(draws)
		observed += counts[first+i]
		seen += counts[first+i]
		if rest := (1 - mass) * float64(draws); expected >= 10 && rest >= 10 {
			settle()
		}
	}
	observed += draws - seen // outside of the law
	expected += (1 - mass) * float64(draws)
	settle()
	if classes < 2 {
		t.Fatalf("%s: all draws are in one class", what)
	}
	if p := (distuv.ChiSquared{K: float64(classes - 1)}).Survival(statistic); p < falseAlarm {
		t.Errorf("%s: chi-square %.1f with %d degrees of freedom, probability %.2g", what, statistic, classes-1, p)
	}
}

// binomialMasses returns P[Binomial(n, p) = k] for k = first, first + 1, ...
// within 9 standard deviations of the mean, by the logarithm of the gamma
// function, which nothing in the sampler of many trials uses.
func binomialMasses(n int, p float64) (first int, law []float64) {
	mean, reach := float64(n)*p, 9*math.Sqrt(float64(n)*p*(1-p))+20
	first = max(0, int(mean-reach))
	log := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	for k := first; k <= min(n, int(mean+reach)); k++ {
		law = append(law, math.Exp(log(n)-log(k)-log(n-k)+float64(k)*math.Log(p)+float64(n-k)*math.Log1p(-p)))
	}
	return first, law
}

// TestBinomial draws by every way that there is, at its ends and in between:
// 60,000 draws, so a shift of the mean by 0.05 standard deviations is
// seen; with REPSLAB_LONG=1 a million by rejection.
func TestBinomial(t *testing.T) {
	for _, c := range []struct {
		way  string
		draw func(*mc.Rand, int, float64) int
		n    int
		p    float64
	}{
		{"heads", binomial, 1, 0.5}, {"heads", binomial, 63, 0.5}, {"heads", binomial, 64, 0.5}, {"heads", binomial, 65, 0.5}, {"heads", binomial, mostCoins, 0.5},
		{"invert", invert, 1, 0.3}, {"invert", invert, 19, 0.5}, {"invert", binomial, 29, 1.0 / 3}, {"invert", binomial, 50, 1.0 / 9}, {"invert", binomial, 100_000, 9.9e-5},
		{"reject", reject, 20, 0.5}, {"reject", reject, 21, 0.5}, {"reject", binomial, 31, 1.0 / 3}, {"reject", reject, 200, 0.5}, {"reject", binomial, mostCoins + 1, 0.5},
		{"reject", binomial, 1000, 0.01}, {"reject", binomial, 1 << 16, 0.5}, {"reject", binomial, 1 << 21, 0.5}, {"reject", binomial, 1 << 21, 16.0 / 33}, {"reject", binomial, 1 << 22, 1e-5},
	} {
		t.Run(fmt.Sprintf("%s/n=%d/p=%.3g", c.way, c.n, c.p), func(t *testing.T) {
			draws := 60_000
			if c.way == "reject" && mctest.Long() {
				draws = 1_000_000 // the squeeze decides on a few per cent of the draws
			}
			r := mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, 0).Rand()
			counts := map[int]int{}
			for range draws {
				counts[c.draw(&r, c.n, c.p)]++
			}
			first, law := binomialMasses(c.n, c.p)
			chiSquare(t, "draws", counts, first, law)
		})
	}
	r := mc.NewStream(1, mc.Algorithm, 0).Rand()
	if got := binomial(&r, 0, 0.5) + binomial(&r, 0, 0.3); got != 0 {
		t.Errorf("no trials have %d successes", got)
	}
}

// TestBinomialOfManyTrials: at 2^30 trials, the most that a configuration can
// ask for, the law is normal to 1e-4. Mean and variance of 100,000 draws, so an
// error of 2 % in the standard deviation is seen.
func TestBinomialOfManyTrials(t *testing.T) {
	const trials, draws = 1 << 30, 100_000
	for _, p := range []float64{0.5, 1.0 / 3} {
		r := mc.NewStream(mctest.Seed(t, 2), mc.Algorithm, 0).Rand()
		var shift, square mc.Moments
		deviation := math.Sqrt(trials * p * (1 - p))
		for range draws {
			d := (float64(binomial(&r, trials, p)) - trials*p) / deviation
			shift.Add(int64(math.Round(d * 1e6)))
			square.Add(int64(math.Round(d * d * 1e6)))
		}
		mctest.Agree(t, "mean", shift.Mean(mc.DefaultConfidence).Per(1e6), 0, 0, 0)
		mctest.Agree(t, "variance", square.Mean(mc.DefaultConfidence).Per(1e6), 1, 0, 0)
	}
}

// TestHat: rejection is exact if no mass is above the hat; and no mass is below the squeeze where that decides
// alone, at numbers that exist. Draws would not show a hat that is too narrow by 2 %.
func TestHat(t *testing.T) {
	const steps = 5_000
	for _, n := range []float64{20, 31, 200, 5000, 1 << 20, 1 << 30} {
		for _, p := range []float64{10 / n, 0.1, 0.3, 0.5} {
			if n*p < leastRejected {
				continue
			}
			h, mode := newHat(n, p), logMass(n, p, math.Floor((n+1)*p))
			for i := 1; i < 2*steps; i++ {
				u := float64(i)/(2*steps) - 0.5
				us := 0.5 - math.Abs(u)
				k := h.place(u, us)
				exists := k >= 0 && k <= n
				if us >= squeezed && !exists {
					t.Fatalf("n=%v p=%v: %v, which does not exist, is not looked at", n, p, k)
				}
				if !exists {
					continue
				}
				mass := math.Exp(logMass(n, p, k) - mode)
				if mass > h.share(1, us) || us >= squeezed && mass < h.share(h.squeeze, us) {
					t.Fatalf("n=%v p=%v: %v has the mass %v, the hat is %v, the squeeze %v", n, p, k, mass, h.share(1, us), h.share(h.squeeze, us))
				}
			}
		}
	}
}

// TestLogMass compares the deviance form with the gamma function, ends included.
func TestLogMass(t *testing.T) {
	for _, n := range []int{20, 33, 1000} {
		for _, p := range []float64{0.5, 1.0 / 3} {
			whole := stirlingRest(float64(n)) - 0.5*math.Log(2*math.Pi)
			for k := range n + 1 {
				exact := (distuv.Binomial{N: float64(n), P: p}).LogProb(float64(k))
				if got := logMass(float64(n), p, float64(k)) + whole; math.Abs(got-exact) > 1e-10 {
					t.Errorf("n=%d p=%v k=%d: %v, want %v", n, p, k, got, exact)
				}
			}
		}
	}
}
