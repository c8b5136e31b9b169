package transport

import (
	"repslab/fattree"
	"repslab/internal/heap"
)

// The kinds of entries of an agenda. The word of an entry has its kind in place of an EV.
const (
	beginFlow    = iota
	expireOldest // checks the oldest new packet of a flow when its RTO may be over
	expireResent // checks a retransmitted packet
	renewRequest // renews a flow's request for a pull, see requestPull; packet number 1 is a request that was answered
	expireRequest
	sendProbe // see sleek
)

// appointment is an entry of an agenda.
type appointment struct {
	slot int32
	what fattree.Packet // flow and packet number, with the kind of the entry in place of the EV
}

// Before reports whether entry a is handled before entry b.
func (a appointment) Before(b appointment) bool {
	return a.slot < b.slot || a.slot == b.slot && a.what < b.what
}

// agenda holds the tasks of a tile's flows by slot.
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

// keepAgenda does the tasks that are due in this slot.
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
			if psn == 1 || h.grants.requested[flow] {
				h.grants.requested[flow] = false
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

// setTimer makes sure that a packet just sent is checked when its RTO is over. A retransmitted packet has a timer
// of its own. The new packets of a flow share one timer. It is set to the time-out of the oldest outstanding
// packet and moves on from there, so no time-out comes late; setTimer is not called for a new packet if it is set.
func (h *hosts) setTimer(flow, psn int32, f *sender, again bool) {
	entry := fattree.NewPacket(flow, psn, expireResent)
	if !again {
		f.timed = true
		entry = fattree.NewPacket(flow, psn, expireOldest)
	}
	h.agenda.add(h.Slot+h.timeout, entry)
}

// expireOldest declares new packets lost if their RTO is over, and sets the flow's timer to the oldest one left.
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

// age returns the slots since an outstanding packet was sent, to a precision of 2^coarse slots. It is at most the
// RTO.
func (h *hosts) age(f *sender, psn int32) int32 {
	return int32(h.clock()-h.sent[f.first*64+psn].slot) << h.coarse
}

// clock returns the slot in the units of sending.slot.
func (h *hosts) clock() uint16 { return uint16(h.Slot >> h.coarse) }

// outstanding reports whether a packet was sent and is neither acknowledged nor declared lost, as far as its
// sender knows.
func (h *hosts) outstanding(f *sender, psn int32) bool {
	g := &h.groups[f.first+psn/64]
	return psn >= f.complete && (g.acked|g.lost)>>(uint32(psn)%64)&1 == 0
}
