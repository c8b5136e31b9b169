package ballsbins

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/internal/elementary"
	"repslab/internal/mctest"
)

// TestStationaryAgainstReference compares every row of an independent
// computation to the digits it is given to.
func TestStationaryAgainstReference(t *testing.T) {
	rows := mctest.Reference(t, "testdata/mean_field.csv")
	if len(rows) != 45 {
		t.Fatalf("%d rows in the reference, want 45", len(rows))
	}
	for _, row := range rows {
		lambda, bins := row.Number(t, "lambda"), int(row.Number(t, "n"))
		law, err := StationaryPoisson(lambda)
		if strings.HasPrefix(row["arrivals"], "binomial") {
			law, err = StationaryBinomial(bins, lambda)
		}
		if err != nil {
			t.Fatal(err)
		}
		// Half a unit of the last of eight and of six digits.
		digits := func(name string, got, want, relative float64) {
			if math.Abs(got-want) > relative*want {
				t.Errorf("lambda=%v n=%d %s: %s %v, want %v", lambda, bins, row["arrivals"], name, got, want)
			}
		}
		digits("mean load", law.Mean(), row.Number(t, "mean_load"), 6e-8)
		digits("expected maximum", law.MeanMax(bins), row.Number(t, "E_max_independent_bins"), 5e-6)
		if got, want := law.MedianMax(bins), int(row.Number(t, "median_max")); got != want {
			t.Errorf("lambda=%v n=%d %s: median maximum %d, want %d", lambda, bins, row["arrivals"], got, want)
		}
		if row["decay_rate_theta"] != "" {
			digits("decay rate", law.decayRate(), row.Number(t, "decay_rate_theta"), 5e-6)
		}
	}
}

// TestStationaryIsNormalised holds the recursion against its closed forms: total
// mass 1, the mean, and the decay of the tail, up to the largest lambda; there without
// REPSLAB_LONG=1 for 7 bins only.
func TestStationaryIsNormalised(t *testing.T) {
	t.Parallel()
	for _, lambda := range []float64{1e-3, 0.3, 0.9, 0.999, MaxStationaryLambda} {
		for _, bins := range []int{1, 2, 7, 1 << 20} {
			if lambda == MaxStationaryLambda && bins != 7 && !mctest.Long() {
				continue
			}
			law, err := StationaryBinomial(bins, lambda)
			if err != nil {
				t.Fatal(err)
			}
			bound := float64(len(law.law)) * 64 * 0x1p-53
			if math.Abs(law.tail[0]-1) > bound {
				t.Errorf("lambda=%v n=%d: mass %v", lambda, bins, law.tail[0])
			}
			// A sum over tails is the mean, and the maximum of one bin.
			if got, want := law.MeanMax(1), law.Mean(); math.Abs(got-want) > bound*want {
				t.Errorf("lambda=%v n=%d: mean of the law %v, closed form %v", lambda, bins, got, want)
			}
			k := len(law.law) * 3 / 4
			if bins == 1 || lambda < 0.3 {
				continue // too short a law to see its decay
			}
			if got, want := math.Log(law.Probability(k)/law.Probability(k+1)), law.decayRate(); math.Abs(got-want) > 1e-9*want+bound {
				t.Errorf("lambda=%v n=%d: decay %v at load %d, want %v", lambda, bins, got, k, want)
			}
		}
	}
}

// decayRate returns θ > 0 with P[load >= k] ~ constant · exp(-θ k) for large k:
// exact, as the positive root of the kernel equation
//
//	E[exp(θ A)] = exp(θ),   n ln(1 + (λ/n)(exp(θ) - 1)) = θ   or   λ (exp(θ) - 1) = θ.
//
// It tends to 2 (1-λ) / (1 - 1/n) as λ tends to 1. +Inf for one bin, whose load
// is at most 1. Relative error below 2^-48/(1-λ). O(1).
func (s *Stationary) decayRate() float64 {
	if s.bins == 1 {
		return math.Inf(1)
	}
	// The excess of θ over the logarithm of E[exp(θ A)] is concave, 0 at θ = 0 and
	// positive up to the root.
	excess := func(theta float64) float64 {
		gain := float64(s.lambda * elementary.Expm1(theta))
		if math.IsInf(s.bins, 1) {
			return theta - gain
		}
		return theta - float64(s.bins*elementary.Log1p(gain/s.bins))
	}
	return root(excess, 1-s.lambda, 2*(1-s.lambda))
}

// root returns the root above low of a function that is positive from low up to it and
// negative beyond, to the last bit. high is a guess above low.
func root(side func(x float64) float64, low, high float64) float64 {
	for side(high) > 0 {
		low, high = high, 2*high
	}
	for {
		middle := low + float64((high-low)/2)
		if middle <= low || middle >= high {
			return middle
		}
		if side(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
}

// TestDecayRateOfTwoBins: the kernel equation for n = 2 is a quadratic in
// exp(θ) with the roots 1 and ((2-λ)/λ)².
func TestDecayRateOfTwoBins(t *testing.T) {
	for _, lambda := range []float64{1e-6, 0.5, 0.9, 1 - 1e-5} {
		law, err := StationaryBinomial(2, lambda)
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * math.Log1p(2*(1-lambda)/lambda)
		if got := law.decayRate(); math.Abs(got-want) > want*0x1p-48/(1-lambda) {
			t.Errorf("lambda=%v: decay rate %v, want %v", lambda, got, want)
		}
	}
	one, err := StationaryBinomial(1, 0.5)
	if err != nil || !math.IsInf(one.decayRate(), 1) || one.MeanMax(1) != 0.5 || one.Tail(2) != 0 {
		t.Errorf("one bin: decay %v, mean %v, P[load >= 2] = %v, error %v", one.decayRate(), one.MeanMax(1), one.Tail(2), err)
	}
}

// TestStationaryIsTheLimit runs the law of one bin round by round until it
// stands still; every probability must equal the stationary law's.
func TestStationaryIsTheLimit(t *testing.T) {
	transient, err := NewOneBinLaw(Config{Bins: 5, Lambda: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		transient.Step()
	}
	law, err := StationaryBinomial(5, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range transient.law {
		if got := law.Probability(k); math.Abs(got-p) > 1e-12*p+1e-18 {
			t.Errorf("P[load = %d] = %v, after 2000 rounds %v", k, got, p)
		}
	}
	if law.Probability(-1) != 0 || law.Tail(-1) != 1 || law.Tail(1e6) != 0 || law.Probability(1e6) != 0 {
		t.Error("probabilities outside the law")
	}
}

func TestStationaryDomain(t *testing.T) {
	for _, lambda := range []float64{0, -1, 1, math.NaN()} {
		if _, err := StationaryPoisson(lambda); err == nil || !strings.Contains(err.Error(), "must be in (0, 0.99999]") {
			t.Errorf("lambda=%v: error %v", lambda, err)
		}
	}
	law, err := StationaryBinomial(4, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func(){
		"MeanMax: bins (-3) must be at least 1":  func() { law.MeanMax(-3) },
		"MedianMax: bins (0) must be at least 1": func() { law.MedianMax(0) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("panic %q, want %q", text, want)
				}
			}()
			call()
		}()
	}
	if _, err := StationaryBinomial(0, 0.5); err == nil || !strings.Contains(err.Error(), "bins (0) must be in [1, 16777216]") {
		t.Errorf("error %v", err)
	}
}
