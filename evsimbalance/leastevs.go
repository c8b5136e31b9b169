package evsimbalance

import "repslab/mc"

// LeastEVs returns the least number of EVs per flow with which the mean imbalance of flows that
// spray without replacement stays at most imbalance, a positive number, over whole blocks; exact
// up to the errors of [MaxLaw]. The mean falls with the EVs: of m+1 balls, one taken away at random
// leaves E[max_m] >= E[max_(m+1)] m / (m+1). The error names an argument out of range, or an
// imbalance that MaxEVS EVs, or as many as [NewMaxLaw] allows, do not reach. O(log evs) laws.
func LeastEVs(flows, uplinks int, imbalance float64) (int, error) {
	faults := mc.Faults{Package: "evsimbalance"}
	faults.In("flows", flows, 1, MaxFlows)
	faults.In("uplinks", uplinks, 1, MaxUplinks)
	faults.Check(imbalance > 0, "imbalance", imbalance, "must be positive")
	if err := faults.Err(); err != nil {
		return 0, err
	}
	enough := func(evs int) (bool, error) {
		law, err := NewMaxLaw(flows*evs, uplinks)
		return err == nil && law.Imbalance(law.Mean()) <= imbalance, err
	}
	limit := min(MaxEVS, mostExactBalls(uplinks)/flows)
	least, most := 0, 1
	for ; ; least, most = most, min(2*most, limit) {
		if ok, err := enough(most); err != nil {
			return 0, err
		} else if ok {
			break
		}
		if most == limit {
			return 0, mc.NewFieldError("evsimbalance", "imbalance", imbalance, "is not reached by %d EVs", limit)
		}
	}
	for most-least > 1 {
		evs := least + (most-least)/2
		if ok, err := enough(evs); err != nil {
			return 0, err
		} else if ok {
			most = evs
		} else {
			least = evs
		}
	}
	return most, nil
}
