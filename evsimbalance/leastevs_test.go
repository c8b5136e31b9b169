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
