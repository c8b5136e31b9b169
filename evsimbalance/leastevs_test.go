package evsimbalance

import (
	"math"
	"testing"
)

// TestLeastEVs: the answer reaches the imbalance, one EV less does not.
func TestLeastEVs(t *testing.T) {
	type question struct {
		flows, uplinks int
		imbalance      float64
	}
	questions := []question{{1, 8, 0.1}, {8, 8, 0.01}, {1, 32, 3}, {1, 8, 100}, {8, 1, 0.5}}
	for imbalance := 0.15; imbalance < 3; imbalance *= 1.1 {
		questions = append(questions, question{3, 2, imbalance}, question{1, 8, imbalance}, question{2, 5, imbalance})
	}
	for _, c := range questions {
		evs, err := LeastEVs(c.flows, c.uplinks, c.imbalance)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []int{evs, evs - 1} {
			if e == 0 {
				continue
			}
			law, err := NewMaxLaw(c.flows*e, c.uplinks)
			if err != nil {
				t.Fatal(err)
			}
			if got := law.Imbalance(law.Mean()); (got <= c.imbalance) != (e == evs) {
				t.Errorf("%+v: least %d, but the imbalance of %d is %v", c, evs, e, got)
			}
		}
	}
	for _, c := range []struct {
		flows, uplinks int
		imbalance      float64
	}{{0, 8, 0.1}, {1, 0, 0.1}, {1, 8, 0}, {1, 8, math.NaN()}, {1, 4096, 1e-9}} {
		if evs, err := LeastEVs(c.flows, c.uplinks, c.imbalance); err == nil {
			t.Errorf("%+v: %d EVs, no error", c, evs)
		}
	}
}

// TestSureEVs: the answer reaches the imbalance with the probability, one EV less does not; half of the EVs do not, and
// twice as many do, where uplinks hold 20 EVs or more. A load at the limit counts: 63 of 360 EVs on 8 uplinks are
// 40 % above the average, although 1.4 * 45 is less than 23 in floating point.
func TestSureEVs(t *testing.T) {
	atMost := func(evs, uplinks int, imbalance float64) float64 {
		law, err := NewMaxLaw(evs, uplinks)
		if err != nil {
			t.Fatal(err)
		}
		return law.CDF(int(float64(evs)/float64(uplinks)*(1+imbalance) + 1e-9))
	}
	for _, flows := range []int{1, 3} {
		for _, uplinks := range []int{1, 2, 8, 33} {
			for _, imbalance := range []float64{0.2, 0.5, 3} {
				for _, p := range []float64{0.5, 0.9, 0.999} {
					evs, err := SureEVs(flows, uplinks, imbalance, p)
					if err != nil {
						t.Fatal(err)
					}
					here, less := atMost(flows*evs, uplinks, imbalance), 0.0
					if evs > 1 {
						less = atMost(flows*(evs-1), uplinks, imbalance)
					}
					if here < p || less >= p {
						t.Errorf("flows %d, uplinks %d, imbalance %v with %v: %d EVs have %v, one less %v", flows, uplinks, imbalance, p, evs, here, less)
					}
					if flows*evs >= 20*uplinks && (atMost(flows*evs/2, uplinks, imbalance) >= p || atMost(2*flows*evs, uplinks, imbalance) < p) {
						t.Errorf("flows %d, uplinks %d, imbalance %v with %v: %d EVs are not near the crossing", flows, uplinks, imbalance, p, evs)
					}
				}
			}
		}
	}
	law, err := NewMaxLaw(360, 8)
	if err != nil || law.within(0.4) != law.CDF(63) || law.within(0.4-1e-9) != law.CDF(62) {
		t.Error("40 % of 360 EVs on 8 uplinks", err)
	}
	for _, p := range []float64{0, 1, -1, math.NaN()} {
		if evs, err := SureEVs(1, 8, 0.1, p); err == nil {
			t.Errorf("probability %v: %d EVs, no error", p, evs)
		}
	}
	if evs, err := SureEVs(1, 4096, 1e-9, 0.9); err == nil {
		t.Errorf("%d EVs for next to no imbalance", evs)
	}
}
