package congestion

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// Constants of the control for oversubscribed networks.
const (
	muchMarked = 0.3  // marked fraction above which a rate shrinks
	rateStep   = 0.01 // step by which a rate grows
	leastRate  = 0.9  // smallest rate, times the oversubscription
)

// loads lets receivers pace their pulls more slowly if the network is congested, as described at [EQDS].
type loads struct {
	all    []load              // by host; empty if receivers do not change their rate
	period fattree.Picoseconds // 1.5 RTTs
	last   fattree.Picoseconds // no time of a run is later
	least  float64             // smallest rate
}

// load is a receiver's view of the network.
type load struct {
	random                      mc.Rand
	end                         fattree.Picoseconds // end of the period
	packets, marked, cut, inNet int32               // packets of the period; cut: trimmed, inNet: trimmed before the last hop
	congestion, rate            float64             // g and rate
	growth                      float64             // 0.01 times 2^k
}

// reset prepares all receivers for a run. If least is above 0, they adapt their rates after periods that each draws
// from a stream of its own.
func (l *loads) reset(n *fattree.Network, random mc.Stream, least float64) {
	l.all, l.period, l.least, l.last = nil, n.LongestRTT()*3/2, least, n.Spec().Horizon+n.LongestRTT()
	if least == 0 {
		return
	}
	l.all = make([]load, n.Hosts())
	for i := range l.all {
		one := &l.all[i]
		*one = load{rate: 1, growth: rateStep, random: random.Child(uint64(i)).Rand()}
		one.end = l.nextPeriod(one)
	}
}

// nextPeriod draws the length of a period.
func (l *loads) nextPeriod(one *load) fattree.Picoseconds {
	return fattree.Picoseconds((0.75 + float64(one.random.Float64()/2)) * float64(l.period))
}

// observe counts a packet. O(1), and a step for each period that has ended.
func (l *loads) observe(host fattree.Host, a transport.Arrival) {
	if l.all == nil {
		return
	}
	one := &l.all[host]
	l.endPeriods(one, a.Now)
	one.packets++
	switch {
	case a.Marked:
		one.marked++
	case a.Trimmed:
		one.cut++
		if !a.LastHop {
			one.inNet++
		}
	}
}

// stretch returns how long a pull occupies its receiver's pacer, if it takes the given time at rate 1.
func (l *loads) stretch(host fattree.Host, now, time fattree.Picoseconds) fattree.Picoseconds {
	if l.all == nil {
		return time
	}
	one := &l.all[host]
	l.endPeriods(one, now)
	return fattree.Picoseconds(float64(time) / one.rate)
}

// endPeriods adjusts the rate for each period that has ended. It panics if the time is after every run's end.
func (l *loads) endPeriods(one *load, now fattree.Picoseconds) {
	if now > l.last { // a call with arguments for every packet would allocate
		refuseUnless(false, "now", int64(now), "must be at most %d ps, the end of the run", int64(l.last))
	}
	for ; one.end <= now; one.end += l.nextPeriod(one) {
		one.adjust(l.least)
	}
}

// adjust updates the rate at the end of a period.
func (l *load) adjust(least float64) {
	fraction := 0.0
	if whole := l.packets - l.cut; whole > 0 {
		fraction = float64(l.marked) / float64(whole)
	}
	l.congestion = float64(l.congestion/2) + float64(fraction/2)
	shrinks := l.inNet > 0 || l.congestion > muchMarked
	if l.inNet > 0 {
		l.rate -= float64(l.inNet) / float64(l.packets)
	}
	if l.congestion > muchMarked {
		l.rate *= 1 - float64((l.congestion-muchMarked)/2)
	}
	switch {
	case shrinks:
		l.growth = rateStep
	case l.marked == 0:
		l.rate += l.growth
		l.growth = min(2*l.growth, 1)
	default:
		l.rate += rateStep
		l.growth = min(2*l.growth, 1)
	}
	l.rate = min(max(l.rate, least), 1)
	l.packets, l.marked, l.cut, l.inNet = 0, 0, 0, 0
}
