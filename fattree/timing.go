package fattree

// setTimer makes sure that a packet just sent is looked at when its RTO is over.
// A packet sent again has a timer of its own. New packets of a flow share one, so
// it is not called if that is set: it stands at the time-out of a packet that was
// the oldest one outstanding, and moves on from there, so no packet's time-out
// comes late.
func (r *Run) setTimer(flow, psn int32, f *sender, again bool) {
	entry := newPacket(flow, psn, 0)
	if !again {
		f.timed = true
		entry |= requestBit
	}
	r.timers.put(r.slot+r.timeout, entry)
}

// expire looks at the timers that are due.
func (r *Run) expire() {
	due := r.timers.at(r.slot)
	for _, entry := range due {
		flow := entry.flow()
		if entry.marked() {
			r.renewRequest(flow)
			continue
		}
		f := &r.senders[flow]
		if f.received == f.total {
			f.timed = false
			continue
		}
		if entry.requested() {
			r.expireOldest(flow, f)
		} else if psn := entry.psn(); r.outstanding(f, psn) && r.age(f, psn) == r.timeout {
			r.declareLost(flow, psn, r.sent[f.first*64+psn].ev, TimedOut)
		}
	}
	r.timers.empty(r.slot)
}

// expireOldest declares the new packets lost whose RTO is over, and sets the
// flow's timer to the oldest one that is left.
func (r *Run) expireOldest(flow int32, f *sender) {
	for ; f.oldest < f.next; f.oldest++ {
		psn := f.oldest
		if !r.outstanding(f, psn) || r.groups[f.first+psn/64].resent>>(uint32(psn)%64)&1 == 1 {
			continue
		}
		if left := r.timeout - r.age(f, psn); left > 0 {
			r.timers.put(r.slot+left, newPacket(flow, psn, 0)|requestBit)
			return
		}
		r.declareLost(flow, psn, r.sent[f.first*64+psn].ev, TimedOut)
	}
	f.timed = false
}

// age returns the slots since an outstanding packet was sent; it is at most the
// RTO, which is below 2^16.
func (r *Run) age(f *sender, psn int32) int32 {
	return int32(uint16(r.slot) - r.sent[f.first*64+psn].slot)
}

// outstanding reports whether a packet was sent and is neither acknowledged nor
// declared lost, as far as its sender knows.
func (r *Run) outstanding(f *sender, psn int32) bool {
	g := &r.groups[f.first+psn/64]
	return psn >= f.complete && (g.acked|g.lost)>>(uint32(psn)%64)&1 == 0
}
