package transport

import (
	"repslab/fattree"
	"repslab/internal/heap"
)

// The entries of an agenda, in the place of a packet's EV.
const (
	beginFlow    = iota
	expireOldest // the new packet of a flow that is looked at when its RTO may be over
	expireResent // a packet that was sent again
	renewRequest // of a flow to its receiver, see requestPull; 1 as a packet: one that was answered
	expireRequest
	sendProbe // see sleek
)

// appointment is an entry of an agenda.
type appointment struct {
	slot int32
	what fattree.Packet // the flow, a packet, and in place of its EV the kind of the entry
}

// Before reports whether an entry is dealt with before another one.
func (a appointment) Before(b appointment) bool {
	return a.slot < b.slot || a.slot == b.slot && a.what < b.what
}

// agenda holds what is to be done at the flows of a tile at given slots.
type agenda struct{ heap.Heap[appointment] }

// next returns the slot of the first entry.
func (a *agenda) next() int32 {
	if len(a.Heap) == 0 {
		return fattree.Never
	}
	return a.Heap[0].slot
}

// add puts an entry on the agenda.
func (a *agenda) add(slot int32, what fattree.Packet) { a.Push(appointment{slot, what}) }

// keepAgenda does what is to be done by this slot.
func (h *hosts) keepAgenda() {
	for h.agenda.next() <= h.Slot {
		entry := h.agenda.Pop().what
		flow, psn := entry.Flow(), entry.Number()
		f := &h.senders[flow]
		switch ended := f.received == f.total; {
		case entry.EV() == beginFlow:
			h.begin(flow)
		case entry.EV() == expireRequest:
			h.expireRequest(flow, psn, f)
		case entry.EV() == renewRequest:
			if psn == 1 || h.grants.asking[flow] {
				h.grants.asking[flow] = false
				h.requestPull(flow, f)
			}
		case entry.EV() == sendProbe:
			h.keepProbing(flow, f)
		case ended:
			f.timed = f.timed && entry.EV() != expireOldest
		case entry.EV() == expireOldest:
			h.expireOldest(flow, f)
		case entry.EV() == expireResent:
			if h.outstanding(f, psn) && h.age(f, psn) == h.timeout && !h.putOff(flow, psn, f) {
				h.declareLost(flow, psn, h.sent[f.first*64+psn].ev, TimedOut, 0)
			}
		}
	}
}

// setTimer makes sure that a packet just sent is looked at when its RTO is over.
// A packet sent again has a timer of its own. New packets of a flow share one, so
// it is not called if that is set: it stands at the time-out of a packet that was
// the oldest one outstanding, and moves on from there, so no packet's time-out
// comes late.
func (h *hosts) setTimer(flow, psn int32, f *sender, again bool) {
	entry := fattree.NewPacket(flow, psn, expireResent)
	if !again {
		f.timed = true
		entry = fattree.NewPacket(flow, psn, expireOldest)
	}
	h.agenda.add(h.Slot+h.timeout, entry)
}

// expireOldest declares the new packets lost whose RTO is over, and sets the
// flow's timer to the oldest one that is left.
func (h *hosts) expireOldest(flow int32, f *sender) {
	for ; f.oldest < f.next; f.oldest++ {
		psn := f.oldest
		if !h.outstanding(f, psn) || h.groups[f.first+psn/64].resent>>(uint32(psn)%64)&1 == 1 {
			continue
		}
		if left := h.timeout - h.age(f, psn); left > 0 {
			h.agenda.add(h.Slot+left, fattree.NewPacket(flow, psn, expireOldest))
			return
		}
		if h.putOff(flow, psn, f) {
			return
		}
		h.declareLost(flow, psn, h.sent[f.first*64+psn].ev, TimedOut, 0)
	}
	f.timed = false
}

// age returns the slots since an outstanding packet was sent, which are at most the RTO, to 2^coarse slots.
func (h *hosts) age(f *sender, psn int32) int32 {
	return int32(h.clock()-h.sent[f.first*64+psn].slot) << h.coarse
}

// clock returns the slot as senders note it.
func (h *hosts) clock() uint16 { return uint16(h.Slot >> h.coarse) }

// outstanding reports whether a packet was sent and is neither acknowledged nor
// declared lost, as far as its sender knows.
func (h *hosts) outstanding(f *sender, psn int32) bool {
	g := &h.groups[f.first+psn/64]
	return psn >= f.complete && (g.acked|g.lost)>>(uint32(psn)%64)&1 == 0
}
