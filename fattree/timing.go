package fattree

import "math"

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
	what packet // the flow, a packet, and in place of its EV the kind of the entry
}

// before reports whether an entry is dealt with before another one.
func (a appointment) before(b appointment) bool {
	return a.slot < b.slot || a.slot == b.slot && a.what < b.what
}

// agenda is a heap of what is to be done at the flows of a tile at given slots, the first on top.
type agenda []appointment

// next returns the slot of the first entry.
func (a agenda) next() int32 {
	if len(a) == 0 {
		return math.MaxInt32
	}
	return a[0].slot
}

// add puts an entry on the agenda.
func (a *agenda) add(slot int32, what packet) {
	*a = append(*a, appointment{slot, what})
	h := *a
	for i := len(h) - 1; i > 0 && h[i].before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

// pop takes the first entry off the agenda.
func (a *agenda) pop() packet {
	h := *a
	top, last := h[0].what, len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && h[child+1].before(h[child]) {
			child++
		}
		if child >= last || !h[child].before(h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*a = h
	return top
}

// keepAgenda does what is to be done by this slot.
func (t *tile) keepAgenda() {
	for t.agenda.next() <= t.slot {
		entry := t.agenda.pop()
		flow, psn := entry.flow(), entry.psn()
		f := &t.senders[flow]
		switch ended := f.received == f.total; {
		case entry.ev() == beginFlow:
			t.begin(flow)
		case entry.ev() == expireRequest:
			t.expireRequest(flow, psn, f)
		case entry.ev() == renewRequest:
			if psn == 1 || t.grants.asking[flow] {
				t.grants.asking[flow] = false
				t.requestPull(flow, f)
			}
		case entry.ev() == sendProbe:
			t.keepProbing(flow, f)
		case ended:
			f.timed = f.timed && entry.ev() != expireOldest
		case entry.ev() == expireOldest:
			t.expireOldest(flow, f)
		case entry.ev() == expireResent:
			if t.outstanding(f, psn) && t.age(f, psn) == t.timeout && !t.putOff(flow, psn, f) {
				t.declareLost(flow, psn, t.sent[f.first*64+psn].ev, TimedOut, 0)
			}
		}
	}
}

// setTimer makes sure that a packet just sent is looked at when its RTO is over.
// A packet sent again has a timer of its own. New packets of a flow share one, so
// it is not called if that is set: it stands at the time-out of a packet that was
// the oldest one outstanding, and moves on from there, so no packet's time-out
// comes late.
func (t *tile) setTimer(flow, psn int32, f *sender, again bool) {
	entry := newPacket(flow, psn, expireResent)
	if !again {
		f.timed = true
		entry = newPacket(flow, psn, expireOldest)
	}
	t.agenda.add(t.slot+t.timeout, entry)
}

// expireOldest declares the new packets lost whose RTO is over, and sets the
// flow's timer to the oldest one that is left.
func (t *tile) expireOldest(flow int32, f *sender) {
	for ; f.oldest < f.next; f.oldest++ {
		psn := f.oldest
		if !t.outstanding(f, psn) || t.groups[f.first+psn/64].resent>>(uint32(psn)%64)&1 == 1 {
			continue
		}
		if left := t.timeout - t.age(f, psn); left > 0 {
			t.agenda.add(t.slot+left, newPacket(flow, psn, expireOldest))
			return
		}
		if t.putOff(flow, psn, f) {
			return
		}
		t.declareLost(flow, psn, t.sent[f.first*64+psn].ev, TimedOut, 0)
	}
	f.timed = false
}

// age returns the slots since an outstanding packet was sent; it is at most the
// RTO, which is below 2^16.
func (t *tile) age(f *sender, psn int32) int32 {
	return int32(uint16(t.slot) - t.sent[f.first*64+psn].slot)
}

// outstanding reports whether a packet was sent and is neither acknowledged nor
// declared lost, as far as its sender knows.
func (t *tile) outstanding(f *sender, psn int32) bool {
	g := &t.groups[f.first+psn/64]
	return psn >= f.complete && (g.acked|g.lost)>>(uint32(psn)%64)&1 == 0
}
