package transport

import (
	"math"

	"repslab/fattree"
)

// subflow is the sender state of a part of a flow.
type subflow struct {
	window   Window
	inFlight int32 // packets
	fresh    int32 // packets acknowledged by the current ACK
}

// hasRoom reports whether a packet may be sent.
func (s *subflow) hasRoom() bool { return float64(s.inFlight) < s.window.Packets }

// splitting holds the state of a Run with a Splitter.
type splitting struct {
	Splitter
	first   []int32 // by flow: its first subflow; the last entry is the number of all subflows
	parts   []subflow
	next    []int32  // by flow: its next subflow
	out     []uint64 // by group: packets in flight
	arrived []int32  // by flow, 64 places for each group: its packets in order of arrival
}

// newSplitting returns the state for a splitter, which has been reset, or nil if there is none or it splits no flow. It
// reuses the memory of the run before.
func (f *flows) newSplitting(splitter Splitter) *splitting {
	if splitter == nil {
		return nil
	}
	s := f.split
	if s == nil {
		s = new(splitting)
	}
	s.Splitter = splitter
	s.first = zeroed(s.first, len(f.senders)+1)
	most := int32(0)
	for flow := range f.senders {
		count := splitter.Subflows(int32(flow))
		s.first[flow+1] = s.first[flow] + count
		most = max(most, count)
	}
	if most == 0 {
		return nil
	}
	s.parts = zeroed(s.parts, int(s.first[len(f.senders)]))
	s.next = zeroed(s.next, len(f.senders))
	s.out = zeroed(s.out, len(f.groups))
	s.arrived = zeroed(s.arrived, len(f.sent))
	return s
}

// zeroed returns a slice of n zeros, in the memory of s if it is large enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// cuts reports whether a flow has subflows.
func (s *splitting) cuts(flow int32) bool {
	return s != nil && s.first[flow] < s.first[flow+1]
}

// of returns the subflows of a flow.
func (s *splitting) of(flow int32) []subflow { return s.parts[s.first[flow]:s.first[flow+1]] }

// open prepares the subflows of a flow that begins. They share its window, or take over the windows of the flow
// from, which it inherits from, unless from is none.
func (s *splitting) open(flow, from int32, f *sender) {
	parts := s.of(flow)
	for i := range parts {
		parts[i] = subflow{window: Window{Packets: max(1, f.window.Packets/float64(len(parts))), Most: f.window.Most}}
	}
	if from != none {
		for i, before := range s.of(from) {
			parts[i].window.Packets = before.window.Packets
		}
	}
	s.gate(flow, f)
}

// gate gives the flow's window the room that its subflows have.
func (s *splitting) gate(flow int32, f *sender) {
	room := int32(0)
	for _, p := range s.of(flow) {
		room += max(0, int32(math.Ceil(p.window.Packets))-p.inFlight)
	}
	f.window.Packets = float64(f.inFlight + room)
}

// send returns the EV of the subflow that takes a packet; some subflow must have room. The caller must count the
// packet as in flight for the flow, so that the flow's window still matches.
func (s *splitting) send(flow, psn int32, f *sender) uint16 {
	parts, i := s.of(flow), s.next[flow]
	for !parts[i].hasRoom() {
		i = (i + 1) % int32(len(parts))
	}
	parts[i].inFlight++
	s.next[flow] = (i + 1) % int32(len(parts))
	s.out[f.first+psn/64] |= 1 << (uint32(psn) % 64)
	return s.SubflowEV(flow, i)
}

// acknowledgeSubflows removes the newly acknowledged packets of an ACK from their subflows, and lets the windows
// of these subflows learn. A mark counts for the subflow of the packet that triggered the ACK. ACKs of a split
// flow say which packets the receiver has, so the next ACK makes up for one that was lost or overtaken.
func (h *hosts) acknowledgeSubflows(f *sender, p fattree.Packet, fresh int32, rtt fattree.Picoseconds) {
	split, flow := h.split, p.Flow()
	if !h.sacking && fresh > 0 {
		h.settle(flow, f, p.Number())
	} else {
		for _, psn := range split.arrived[f.first*64:][f.received-fresh : f.received] {
			h.settle(flow, f, psn)
		}
	}
	marked := none
	if p.Marked() {
		marked = int(split.Subflow(flow, p.EV()))
	}
	parts := split.of(flow)
	for i := range parts {
		if part := &parts[i]; part.fresh > 0 {
			before := part.window.Packets
			h.control.Acknowledge(&part.window, Acknowledgement{
				Flow: flow, Packets: part.fresh, Marked: i == marked, Now: h.Now, RTT: rtt, InFlight: part.inFlight,
			})
			h.checkWindow(flow, &part.window, before)
			part.fresh = 0
		}
	}
	split.gate(flow, f)
}

// settle removes an acknowledged packet from the subflow that carries it, or that carried it before it was
// declared lost.
func (h *hosts) settle(flow int32, f *sender, psn int32) {
	at, bit := f.first+psn/64, uint64(1)<<(uint32(psn)%64)
	f.markAcked(&h.groups[at], bit)
	p := &h.split.of(flow)[h.split.Subflow(flow, h.sent[f.first*64+psn].ev)]
	p.fresh++
	if h.split.out[at]&bit != 0 {
		h.split.out[at] &^= bit
		p.inFlight--
	}
}

// loseSubflow removes a lost packet from its subflow.
func (h *hosts) loseSubflow(flow, psn int32, f *sender, loss Loss) {
	p := &h.split.of(flow)[h.split.Subflow(flow, h.sent[f.first*64+psn].ev)]
	out, bit := &h.split.out[f.first+psn/64], uint64(1)<<(uint32(psn)%64)
	if *out&bit != 0 {
		*out &^= bit
		p.inFlight--
	}
	loss.InFlight = p.inFlight
	before := p.window.Packets
	h.control.Lose(&p.window, loss)
	h.checkWindow(flow, &p.window, before)
	h.split.gate(flow, f)
}
