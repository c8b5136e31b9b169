package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// flowlet is the balancer of [NewFlowlet].
type flowlet struct {
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

// NewFlowlet returns a balancer that keeps a flow on one EV, initially the flow's number modulo evs. It draws
// another of the EVs 0 to evs-1, evs in [1, MaxEVS], when the flow sends after a gap. A gap is half an
// unloaded RTT without feedback, if no new EV was drawn within the last RTO. As in the authors' simulator,
// the gap is between arrivals of feedback, not between packets sent. So one occurs half an RTT after the
// start and then whenever the flow stalls.
func NewFlowlet(evs int) (transport.Balancer, error) {
	return withEVs(evs, &flowlet{evs: uint64(evs)})
}

// Reset gives each flow its first EV.
func (b *flowlet) Reset(n *fattree.Network, random mc.Stream) {
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
func (b *flowlet) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flow[flow]
	if now <= f.last+f.gap || now <= f.fixed {
		return f.ev, true
	}
	f.fixed = now + b.rto
	f.ev = uint16(f.draw.Below(b.evs))
	return f.ev, false
}

// Traits says that it uses no RTTs. A flow inherits nothing: it begins with a gap.
func (b *flowlet) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true} }

// Feedback records the time of feedback other than time-outs. O(1).
func (b *flowlet) Feedback(n transport.Feedback) {
	if n.Kind != transport.TimedOut {
		b.flow[n.Flow].last = n.Now
	}
}
