package fattree

import "slices"

// RoomUser is a Balancer that reports whether it uses Feedback.Room; others are assumed not to. For
// a RoomUser hosts send as soon as an ACK gives room and their link is free, before the slot's later
// ACKs arrive, as two ACKs in one slot would look like room for two packets. By the rules of
// UltraEthernet hosts always do: of two such packets the first would not ask for an ACK, and a
// [Granter]'s first ACK would close a window too late for a packet that leaves before it.
type RoomUser interface {
	UsesRoom() bool
}

// takeInTurn takes in the headers that reach hosts in the slot, in the order of their phases. A host
// whose link is busy since the slot before sends at its own phase, between the ACKs that come before
// and after; one whose link is idle sends at the phase of the ACK that lets it, which becomes its own.
func (t *tile) takeInTurn(headers []crossing) {
	slices.SortStableFunc(headers, func(a, b crossing) int { return int(a.phase()) - int(b.phase()) })
	for _, c := range headers {
		if c.packet.outward() {
			t.takeHeader(c)
			continue
		}
		host := t.ends[c.packet.flow()].source - t.sw.firstHost
		p, line := &t.ports[t.nics+host], &t.hosts[t.sw.firstHost+host]
		busy := t.sentLast.has(host)
		if busy && c.phase() >= p.phase() && line.head != none {
			t.sendEarly(host)
		}
		t.takeHeader(c)
		if !busy && line.head != none && !t.served.has(host) {
			if p.debt < oneSlot {
				p.debt = uint32(c.phase()) << 10
			}
			t.sendEarly(host)
		}
	}
}

// sendEarly lets a host spend its slot.
func (t *tile) sendEarly(host int32) {
	if t.ready.has(host) && !t.served.has(host) {
		t.served.add(host)
		t.serveHost(host)
	}
}

// swapSent notes which hosts have sent in the slot, for the next one.
func (t *tile) swapSent() {
	clear(t.served)
	t.sentLast, t.sentNow = t.sentNow, t.sentLast
	clear(t.sentNow)
}
