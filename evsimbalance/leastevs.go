package evsimbalance

import (
	"sort"

	"repslab/faults"
)

// LeastEVs returns the least number of EVs per flow for which the mean imbalance over whole blocks, of
// flows that spray without replacement, is at most imbalance (positive). It is exact up to the errors of
// [MaxLaw]. The mean falls as EVs are added: taking a random ball away from m+1 balls shows that E[max_m]
// >= E[max_(m+1)] m / (m+1). The error names an argument out of range, or an imbalance that is not
// reached with MaxEVS EVs or with as many as [NewMaxLaw] allows. It computes O(log evs) laws.
func LeastEVs(flows, uplinks int, imbalance float64) (int, error) {
	return leastEVs(flows, uplinks, imbalance, func(law *MaxLaw) bool { return law.Imbalance(law.Mean()) <= imbalance })
}

// SureEVs returns a number of EVs per flow for which the imbalance is at most imbalance with at least this probability,
// in (0, 1), and with one EV less it is not: found by bisection. Loads are whole numbers, so the probability rises with
// the EVs in a sawtooth. Where uplinks hold 20 EVs or more on average, in tests all numbers above 1.2 times the
// returned one do as well, and none below 0.6 times it do. Errors and cost are as for [LeastEVs].
func SureEVs(flows, uplinks int, imbalance, probability float64) (int, error) {
	if !(probability > 0 && probability < 1) {
		return 0, faults.New("evsimbalance", "probability", probability, "must be in (0, 1)")
	}
	return leastEVs(flows, uplinks, imbalance, func(law *MaxLaw) bool { return law.within(imbalance) >= probability })
}

// within is AtMost for a number that stands for a fraction, such as 0.1: a load at the limit counts in spite of
// rounding.
func (l *MaxLaw) within(imbalance float64) float64 {
	return l.AtMost(imbalance + float64(1e-12*(1+imbalance)))
}

// leastEVs returns the least number of EVs per flow with enough, if larger numbers have it too.
func leastEVs(flows, uplinks int, imbalance float64, enough func(*MaxLaw) bool) (int, error) {
	bad := faults.List{Package: "evsimbalance"}
	bad.In("flows", flows, 1, MaxFlows)
	bad.In("uplinks", uplinks, 1, MaxUplinks)
	bad.Check(imbalance > 0, "imbalance", imbalance, "must be positive")
	if err := bad.Err(); err != nil {
		return 0, err
	}
	limit := min(MaxEVS, mostExactBalls(uplinks)/flows)
	evs := leastFrom(1, limit+1, func(evs int) bool {
		law, _ := NewMaxLaw(flows*evs, uplinks) // no error: both are in range
		return enough(law)
	})
	if evs > limit {
		return 0, faults.New("evsimbalance", "imbalance", imbalance, "is not reached by %d EVs", limit)
	}
	return evs, nil
}

// leastFrom returns the least number from first on that is enough, or most if none below most is. Numbers above one
// that is enough are enough.
func leastFrom(first, most int, enough func(int) bool) int {
	for step := 1; ; step *= 2 {
		if last := min(first+step-1, most-1); enough(last) {
			return first + sort.Search(last-first, func(i int) bool { return enough(first + i) })
		} else if first = last + 1; first == most {
			return most
		}
	}
}
