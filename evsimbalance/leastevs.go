package evsimbalance

import "repslab/mc"

// LeastEVs returns the least number of EVs per flow for which the mean imbalance over whole blocks, of
// flows that spray without replacement, is at most imbalance (positive). It is exact up to the errors of
// [MaxLaw]. The mean falls as EVs are added: taking a random ball away from m+1 balls shows that E[max_m]
// >= E[max_(m+1)] m / (m+1). The error names an argument out of range, or an imbalance that is not
// reached with MaxEVS EVs or with as many as [NewMaxLaw] allows. It computes O(log evs) laws.
func LeastEVs(flows, uplinks int, imbalance float64) (int, error) {
	faults := mc.Faults{Package: "evsimbalance"}
	faults.In("flows", flows, 1, MaxFlows)
	faults.In("uplinks", uplinks, 1, MaxUplinks)
	faults.Check(imbalance > 0, "imbalance", imbalance, "must be positive")
	if err := faults.Err(); err != nil {
		return 0, err
	}
	mean := func(evs int) (float64, error) {
		law, err := NewMaxLaw(flows*evs, uplinks)
		if err != nil {
			return 0, err
		}
		return law.Imbalance(law.Mean()), nil
	}
	limit := min(MaxEVS, mostExactBalls(uplinks)/flows)
	b := bracket{most: 1}
	for ; ; b.most = min(2*b.most, limit) {
		var err error
		if b.enough, err = mean(b.most); err != nil {
			return 0, err
		}
		if b.enough <= imbalance {
			break
		}
		if b.most == limit {
			return 0, mc.NewFieldError("evsimbalance", "imbalance", imbalance, "is not reached by %d EVs", limit)
		}
		b.least, b.tooMuch = b.most, b.enough
	}
	for probe := 0; b.most-b.least > 1; probe++ {
		evs := b.least + (b.most-b.least)/2
		if probe%4 < 3 {
			evs = b.guess(imbalance)
		}
		if got, err := mean(evs); err != nil {
			return 0, err
		} else if got <= imbalance {
			b.most, b.enough = evs, got
		} else {
			b.least, b.tooMuch = evs, got
		}
	}
	return b.most, nil
}

// bracket holds numbers of EVs with mean imbalances above and at most the one that is sought.
type bracket struct {
	least, most     int
	tooMuch, enough float64
}

// guess returns a number of EVs between the ends: 1/imbalance² is nearly linear in it, as for a
// normal law.
func (b bracket) guess(imbalance float64) int {
	if b.least == 0 {
		return b.most / 2
	}
	inverse := func(x float64) float64 { return 1 / (x * x) }
	low := inverse(b.tooMuch)
	share := (inverse(imbalance) - low) / (inverse(b.enough) - low)
	evs := b.least + int(share*float64(b.most-b.least))
	return max(b.least+1, min(evs, b.most-1))
}
