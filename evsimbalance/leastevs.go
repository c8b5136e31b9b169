package evsimbalance

import "repslab/faults"

// LeastEVs returns the least number of EVs per flow for which the mean imbalance over whole blocks, of
// flows that spray without replacement, is at most imbalance (positive). It is exact up to the errors of
// [MaxLaw]. The mean falls as EVs are added: taking a random ball away from m+1 balls shows that E[max_m]
// >= E[max_(m+1)] m / (m+1). The error names an argument out of range, or an imbalance that is not
// reached with MaxEVS EVs or with as many as [NewMaxLaw] allows. It computes O(log evs) laws.
func LeastEVs(flows, uplinks int, imbalance float64) (int, error) {
	bad := faults.List{Package: "evsimbalance"}
	bad.In("flows", flows, 1, MaxFlows)
	bad.In("uplinks", uplinks, 1, MaxUplinks)
	bad.Check(imbalance > 0, "imbalance", imbalance, "must be positive")
	if err := bad.Err(); err != nil {
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
			return 0, faults.New("evsimbalance", "imbalance", imbalance, "is not reached by %d EVs", limit)
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
