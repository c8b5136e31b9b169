package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// Flowlet keeps a flow on one EV, initially the flow's number modulo the size of the set. It draws another EV when
// the flow sends after a gap. A gap is half an unloaded RTT without feedback, if no new EV was drawn within the
// last RTO. As in the authors' simulator, the gap is between arrivals of feedback, not between packets sent. So
// one occurs half an RTT after the start and then whenever the flow stalls.
type Flowlet struct {
	unmeasured
	evs  uint64
	rto  fattree.Picoseconds
	flow []flowletFlow
}

// flowletFlow is the state of a flow.
type flowletFlow struct {
	draw  mc.Rand
	last  fattree.Picoseconds // time of the last feedback
	gap   fattree.Picoseconds // time without feedback that begins a flowlet
	fixed fattree.Picoseconds // no new EV until then
	ev    uint16
}

// NewFlowlet returns a Flowlet that draws from the EVs 0 to evs-1, evs in [1, MaxEVS].
func NewFlowlet(evs int) (*Flowlet, error) {
	return withEVs(evs, &Flowlet{evs: uint64(evs)})
}

// Reset gives each flow its first EV.
func (b *Flowlet) Reset(n *fattree.Network, random mc.Stream) {
	made(b.evs != 0, "NewFlowlet")
	b.rto = transport.OptionsOn(n).RTO
	b.flow = resized(b.flow, n.Flows())
	for i := range b.flow {
		b.flow[i] = flowletFlow{
			draw: random.Child(uint64(i)).Rand(),
			gap:  n.BaseRTT(int32(i)) / 2,
			ev:   uint16(uint64(i) % b.evs),
		}
	}
}

// NextEV returns the flow's EV, a new one after a gap. O(1).
func (b *Flowlet) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flow[flow]
	if now <= f.last+f.gap || now <= f.fixed {
		return f.ev, true
	}
	f.fixed = now + b.rto
	f.ev = uint16(f.draw.Below(b.evs))
	return f.ev, false
}

// Inherit gives a flow the EV of another. O(1).
func (b *Flowlet) Inherit(flow, from int32) { b.flow[flow].ev = b.flow[from].ev }

// Feedback records the time of feedback other than time-outs. O(1).
func (b *Flowlet) Feedback(n transport.Feedback) {
	if n.Kind != transport.TimedOut {
		b.flow[n.Flow].last = n.Now
	}
}
