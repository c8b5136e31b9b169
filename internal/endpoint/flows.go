// Package endpoint has the parts of hosts that packages transport and multipath share: lines of flows that want to
// send, what the receiver of a flow counts and when it answers, headers, and connections that flows inherit.
package endpoint

import (
	"repslab/fattree"
	"repslab/internal/bitset"
)

// Flows is the state of all flows of a run that does not depend on the rules of their senders.
type Flows struct {
	Net       *fattree.Network
	Lines     []Line     // by host
	Receivers []Receiver // by flow
	Received  bitset.Set // by packet, 64 places for each group of the network: packets that the receiver has
}

// NewFlows returns the state of runs of n.
func NewFlows(n *fattree.Network) Flows {
	return Flows{n, make([]Line, n.Hosts()), make([]Receiver, n.Flows()), make(bitset.Set, n.Groups())}
}

// Reset prepares for a run.
func (f *Flows) Reset() {
	for i := range f.Lines {
		f.Lines[i] = Line{Head: None}
	}
	clear(f.Receivers)
	clear(f.Received)
}

// ReceivedOf returns the packets of a flow that the receiver has.
func (f *Flows) ReceivedOf(flow int32) bitset.Set { return f.Received[f.Net.FirstGroup(flow):] }

// PassHeader sends a header by e from one host of its flow to the other.
func (f *Flows) PassHeader(e *fattree.Edge, c fattree.Crossing) {
	host, destination := f.Net.Pair(c.Packet.Flow())
	if !c.Packet.Outward() {
		host = destination
	}
	e.SendHeader(c, f.Lines[host].Head != None)
}

// Receiver is the state of a flow at its destination.
type Receiver struct {
	Received int32  // distinct packets
	Complete int32  // packets without a gap
	Highest  int32  // number of the highest packet received
	Pending  int32  // packets since the last ACK
	asked    bool   // a packet is missing below the last one that requested an ACK
	EV       uint16 // of the last packet; for package multipath, which sets it
}

// Take counts a data packet that reaches its receiver r at e, and reports whether the packet has come before. It tells
// the network that a flow is delivered, but not a message of a connection.
func (f *Flows) Take(e *fattree.Edge, flow, psn int32) (r *Receiver, duplicate bool) {
	r = &f.Receivers[flow]
	g, bit := &f.Received[f.Net.FirstGroup(flow)+psn/64], uint64(1)<<(uint32(psn)%64)
	if *g&bit != 0 {
		e.Duplicates++
		return r, true
	}
	*g |= bit
	r.Received++
	if psn == r.Complete {
		r.Complete = f.ReceivedOf(flow).FirstAbsent(psn, int32(f.Net.Packets(flow)))
	}
	r.CountReordering(e, psn)
	if f.Net.TellsDelivery() && !f.Net.Connects() && r.Received == int32(f.Net.Packets(flow)) {
		e.Deliver(flow, psn)
	}
	return r, false
}

// CountReordering counts how far a packet comes behind the highest packet so far.
func (r *Receiver) CountReordering(e *fattree.Edge, psn int32) {
	depth := r.Highest - psn
	depth &^= depth >> 31 // 0 if negative, without a branch, which would be mispredicted too often
	r.Highest = psn + depth
	e.Reordered(depth)
}

// Answers counts a packet that was taken in, and reports whether an ACK is due: when ratio packets have come, and at
// once if the caller says so, for a marked packet, for a packet that requests an ACK, and for the packet that fills the
// last gap below such a request.
func (r *Receiver) Answers(p fattree.Packet, ratio int, atOnce bool) bool {
	r.Pending++
	r.asked = r.asked || p.Requested()
	filled := r.asked && r.Received == r.Complete
	if int(r.Pending) < ratio && !atOnce && !filled && p&(fattree.MarkBit|fattree.RequestBit) == 0 {
		return false
	}
	r.Pending, r.asked = 0, r.asked && !filled
	return true
}
