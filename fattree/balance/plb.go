package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// plb is the balancer of [NewPLB].
type plb struct {
	evs  uint64
	k    float64
	rto  fattree.Picoseconds
	flow []plbFlow
}

// plbFlow is the state of a flow.
type plbFlow struct {
	draw      mc.Rand
	roundEnd  fattree.Picoseconds
	rtt       fattree.Picoseconds
	deaf      fattree.Picoseconds // time-outs until then are ignored
	heard     int32               // ACKs and NACKs of the round
	bad       int32               // NACKs and marked ACKs of the round
	congested int32               // congested rounds in a row
	ev        uint16
}

// NewPLB returns a balancer that keeps a flow on one of the EVs 0 to evs-1, evs in [1, MaxEVS]. It draws
// another one after a time-out or after two congested rounds in a row. The first round ends with the first
// ACK or NACK. Each other round ends with the first ACK or NACK that comes later than an unloaded RTT after
// the start of the round. A round is congested if more than a fraction k, in [0, 1), of its ACKs and NACKs
// were NACKs or marked. A time-out counts once per RTO.
//
// The authors mean k = 0.25 but run k = 0, because their variable is an integer: one mark makes a round
// congested ([Bonato26-artifact]).
func NewPLB(evs int, k float64) (transport.Balancer, error) {
	if !(k >= 0 && k < 1) {
		return nil, faults.New("balance", "k", k, "must be in [0, 1)")
	}
	return withEVs(evs, &plb{evs: uint64(evs), k: k})
}

// Reset draws the first EV of each flow.
func (b *plb) Reset(n *fattree.Network, random mc.Stream) {
	made(b.evs != 0, "NewPLB")
	b.rto = transport.OptionsOn(n).RTO
	b.flow = resized(b.flow, n.Flows())
	for i := range b.flow {
		f := plbFlow{draw: random.Child(uint64(i)).Rand(), rtt: n.BaseRTT(int32(i)), deaf: -1}
		f.ev = uint16(f.draw.Below(b.evs))
		b.flow[i] = f
	}
}

// NextEV returns the flow's EV, which is new after two congested rounds. O(1).
func (b *plb) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flow[flow]
	if f.congested < 2 {
		return f.ev, true
	}
	f.move(b.evs)
	return f.ev, false
}

// move draws a new EV.
func (f *plbFlow) move(evs uint64) {
	f.congested = 0
	f.ev = uint16(f.draw.Below(evs))
}

// Traits says that it learns from carried EVs and trims, and that a flow can continue with the EV of another.
func (b *plb) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, UsesCarried: true, UsesTrims: true, Inherit: b.Inherit}
}

// Inherit gives a flow the EV of another. O(1).
func (b *plb) Inherit(flow, from int32) { b.flow[flow].ev = b.flow[from].ev }

// Feedback counts ACKs and NACKs of the round, or draws a new EV after a time-out. O(1).
func (b *plb) Feedback(n transport.Feedback) {
	f := &b.flow[n.Flow]
	if n.Kind == transport.TimedOut {
		if n.Now > f.deaf {
			f.deaf = n.Now + b.rto
			f.move(b.evs)
		}
		return
	}
	f.heard++
	if n.Kind != transport.Good {
		f.bad++
	}
	if n.Now <= f.roundEnd {
		return
	}
	if float64(f.bad) > b.k*float64(f.heard) {
		f.congested++
	} else {
		f.congested = 0
	}
	f.heard, f.bad = 0, 0
	f.roundEnd = n.Now + f.rtt
}
