package evsimbalance

import "repslab/faults"

// Coverage returns the probability that evs EVs, each hashed to an independent uniform uplink, reach all uplinks: the
// coupon collector's law evs balls into uplinks bins without an empty bin. uplinks is in [1, MaxUplinks], evs at least
// 0. Where several stages hash independently, a path is uniform among all paths: pass their product as uplinks. The
// probability that an uplink is left out has a relative error below 10^-15 evs, down to 10^-18. It takes at most a
// second.
func Coverage(evs, uplinks int) (float64, error) {
	bad := faults.List{Package: "evsimbalance"}
	bad.In("uplinks", uplinks, 1, MaxUplinks)
	bad.Check(evs >= 0, "evs", evs, "must be at least 0")
	if err := bad.Err(); err != nil {
		return 0, err
	}
	c := newCollector(uplinks)
	for range evs {
		if c.step(); c.missing < 1e-18 {
			break
		}
	}
	if p := c.reached[uplinks]; p < 0.5 {
		return p, nil
	}
	return 1 - c.missing, nil
}

// CoverEVs returns the least number of EVs with a [Coverage] of at least probability, which is in [0, 1). It is
// exact unless a coverage is within its error of probability. The error names an argument out of range. For 4,096
// uplinks and a probability of 0.9 it takes 0.15 s.
func CoverEVs(uplinks int, probability float64) (int, error) {
	bad := faults.List{Package: "evsimbalance"}
	bad.In("uplinks", uplinks, 1, MaxUplinks)
	bad.Check(probability >= 0 && probability < 1, "probability", probability, "must be in [0, 1)")
	if err := bad.Err(); err != nil {
		return 0, err
	}
	c, evs := newCollector(uplinks), 0
	for ; c.missing > 1-probability; evs++ {
		c.step()
	}
	return evs, nil
}

// collector is the law of the number of uplinks that a growing number of EVs has reached. All its terms are positive,
// so none cancel.
type collector struct {
	reached []float64 // P[j uplinks]
	low     int       // the least j of which the probability is not negligible
	missing float64   // P[fewer than all uplinks]
}

// newCollector returns the law without EVs.
func newCollector(uplinks int) *collector {
	c := &collector{reached: make([]float64, uplinks+1), missing: 1}
	c.reached[0] = 1
	return c
}

// step adds an EV. With j uplinks reached it goes to one of them with probability j/n. Probabilities of 10^-40 are left
// out: all of them together contribute less than 10^-30.
func (c *collector) step() {
	n := len(c.reached) - 1
	c.missing = 0
	for j := n; j > c.low; j-- {
		c.reached[j] = (float64(c.reached[j]*float64(j)) + float64(c.reached[j-1]*float64(n-j+1))) / float64(n)
		if j < n {
			c.missing += c.reached[j]
		}
	}
	if c.low < n {
		c.reached[c.low] *= float64(c.low) / float64(n)
		c.missing += c.reached[c.low]
		for c.low < n && c.reached[c.low] < 1e-40 {
			c.low++
		}
	}
}
