package congestion

import (
	"math/rand/v2"

	"repslab/fattree"
)

// Constants of the control for oversubscribed networks.
const (
	eqdsMuchMarked = 0.3  // marked fraction above which the rate shrinks
	eqdsStep       = 0.01 // by which it grows
	eqdsLeast      = 0.9  // smallest rate, times the oversubscription
)

// eqdsLoad is what a receiver knows of the network.
type eqdsLoad struct {
	random                      rand.PCG
	end                         fattree.Picoseconds // of the period
	packets, marked, cut, inNet int32               // of the period; cut: trimmed, inNet: before the last hop
	congestion, rate            float64             // g and rate
	growth                      float64             // 0.01 times 2^k
}

// resetLoads prepares all receivers for a run, if they watch the network.
func (c *EQDS) resetLoads(n *fattree.Network) {
	c.loads = nil
	if c.Oversubscription <= 1 {
		return
	}
	c.period = n.LongestRTT() * 3 / 2
	c.loads = make([]eqdsLoad, len(c.pacers))
	for i := range c.loads {
		c.loads[i] = eqdsLoad{random: *rand.NewPCG(0, uint64(i)), rate: 1, growth: eqdsStep}
		c.loads[i].end = c.nextPeriod(&c.loads[i])
	}
}

// nextPeriod draws the length of a period.
func (c *EQDS) nextPeriod(l *eqdsLoad) fattree.Picoseconds {
	half := float64(float64(l.random.Uint64()>>11) / (1 << 54)) // uniform in [0, 1/2)
	return fattree.Picoseconds((0.75 + half) * float64(c.period))
}

// Observe counts a packet. O(1), and a step for each period that has ended.
func (c *EQDS) Observe(host fattree.Host, a fattree.Arrival) {
	if c.loads == nil {
		return
	}
	l := &c.loads[host]
	c.endPeriods(l, a.Now)
	l.packets++
	switch {
	case a.Marked:
		l.marked++
	case a.Trimmed:
		l.cut++
		if !a.LastHop {
			l.inNet++
		}
	}
}

// paced returns the time between two pulls of a receiver.
func (c *EQDS) paced(host fattree.Host, now fattree.Picoseconds) fattree.Picoseconds {
	if c.loads == nil {
		return c.interval
	}
	l := &c.loads[host]
	c.endPeriods(l, now)
	return fattree.Picoseconds(float64(c.interval) / l.rate)
}

// endPeriods moves the rate for all periods that have ended.
func (c *EQDS) endPeriods(l *eqdsLoad, now fattree.Picoseconds) {
	for ; l.end <= now; l.end += c.nextPeriod(l) {
		l.adjust(eqdsLeast / c.Oversubscription)
	}
}

// adjust moves the rate at the end of a period.
func (l *eqdsLoad) adjust(least float64) {
	fraction := 0.0
	if whole := l.packets - l.cut; whole > 0 {
		fraction = float64(l.marked) / float64(whole)
	}
	l.congestion = float64(l.congestion/2) + float64(fraction/2)
	shrinks := l.inNet > 0 || l.congestion > eqdsMuchMarked
	if l.inNet > 0 {
		l.rate -= float64(l.inNet) / float64(l.packets)
	}
	if l.congestion > eqdsMuchMarked {
		l.rate *= 1 - float64((l.congestion-eqdsMuchMarked)/2)
	}
	switch {
	case shrinks:
		l.growth = eqdsStep
	case l.marked == 0:
		l.rate += l.growth
		l.growth = min(2*l.growth, 1)
	default:
		l.rate += eqdsStep
		l.growth = min(2*l.growth, 1)
	}
	l.rate = min(max(l.rate, least), 1)
	l.packets, l.marked, l.cut, l.inNet = 0, 0, 0, 0
}
