package transport

import "repslab/fattree"

// sleek holds the state of a Run with SLEEK, the loss recovery of [UEC-htsim] for networks without trimming; see
// [Options.Sleek]. D is the unloaded RTT across the network. R is the least RTT of a flow so far, at first D. W is
// the flow's window. Each ACK
//
//  1. sets the time of the next probe to now + R + D, or to now + 3R if the flow has new packets to send. A probe is
//     a packet without data that waits in queues like data packets; another probe follows 5R later;
//  2. ends a recovery if all packets sent before the recovery began have arrived. It begins a recovery if at least
//     max(5, min(1.5 W, Most)) packets have arrived ahead of a missing one, or if it answers the last probe within
//     R + D;
//  3. in a recovery declares missing packets lost, once each: all among the W packets that begin with the first
//     missing one. They are sent again whatever the window is, and the window does not shrink.
//
// In a recovery a time-out only restarts step 3 at the packet that timed out, past missing packets below it.
type sleek struct {
	flows    []recovery
	segments float64             // size of a packet in payloads
	target   fattree.Picoseconds // D
}

// recovery is the SLEEK state of a flow.
type recovery struct {
	base      fattree.Picoseconds // R
	until     int32               // number after the highest packet sent when the recovery began
	mark      int32               // packets below were acknowledged, or declared lost in this recovery
	due       int32               // slot of the next probe, or 0
	scheduled int32               // slot of the agenda's entry that checks due, or 0
	sent      int32               // slot of the last probe
	ev        uint16              // EV of the last probe
}

// probePSN is the packet number of a probe. Validate ensures that no packet of a flow has it.
const probePSN = fattree.MaxPacketsPerFlow - 1

// newSleek returns the state of a run with SLEEK, or nil. It reuses the memory of the run before.
func (f *flows) newSleek() *sleek {
	spec := &f.spec
	if !f.options.Sleek || f.grants != nil || f.split != nil {
		return nil
	}
	s := f.sleek
	if s == nil {
		s = &sleek{flows: make([]recovery, len(f.senders))}
	}
	s.segments, s.target = float64(spec.MTU)/float64(spec.PayloadBytes()), f.Net.LongestRTT()
	for i := range s.flows {
		s.flows[i] = recovery{base: s.target}
	}
	return s
}

// recover does the steps of SLEEK for an ACK that has been taken in. rtt is 0 if the ACK has none. ahead is the
// number of packets that arrived ahead of a missing one, and probed says that the ACK answers the last probe in
// time.
func (h *hosts) recover(flow int32, f *sender, rtt fattree.Picoseconds, ahead int32, probed bool) {
	r := &h.sleek.flows[flow]
	if rtt > 0 {
		r.base = min(r.base, rtt)
	}
	wait := r.base + h.sleek.target
	if f.next < f.total {
		wait = 3 * r.base
	}
	h.probeAt(flow, r, wait)
	segments := h.sleek.segments
	switch {
	case probed:
		f.recovering, r.until, r.mark = true, f.next, f.complete
	case f.complete >= r.until:
		f.recovering = false
	}
	threshold := max(5, int32(min(1.5*f.window.Packets, f.window.Most)*segments))
	if !f.recovering && ahead >= threshold && f.lost == 0 {
		f.recovering, r.until = true, f.next
	}
	if !f.recovering {
		return
	}
	r.mark = max(r.mark, f.complete)
	for end := min(r.until, f.complete+int32(f.window.Packets*segments)); r.mark < end; r.mark++ {
		if h.outstanding(f, r.mark) {
			h.putUp(f, r.mark)
		}
	}
}

// probeAt sets the time of a flow's next probe.
func (h *hosts) probeAt(flow int32, r *recovery, wait fattree.Picoseconds) {
	r.due = h.Slot + int32(wait/h.slotTime)
	if r.scheduled == 0 || r.due < r.scheduled {
		r.scheduled = r.due
		h.agenda.add(r.due, fattree.NewPacket(flow, 0, sendProbe))
	}
}

// keepProbing sends a flow's probe if it is due, or else waits until it is due.
func (h *hosts) keepProbing(flow int32, f *sender) {
	r := &h.sleek.flows[flow]
	if h.Slot != r.scheduled {
		return // another entry has replaced this one
	}
	r.scheduled = 0
	if r.due == 0 {
		return // all has arrived
	}
	if r.due > h.Slot {
		h.probeAt(flow, r, fattree.Picoseconds(r.due-h.Slot)*h.slotTime)
		return
	}
	origin := h.watch.next(flow)
	ev, _ := h.balance.NextEV(flow, h.Now)
	h.emitSent(EventProbe, flow, ev, origin, f)
	r.sent, r.ev = h.Slot, ev
	h.Probes++
	host := h.source(flow) - h.First
	h.SendEmpty(host, fattree.NewPacket(flow, probePSN, ev))
	h.probeAt(flow, r, 5*r.base)
}

// putOff reports whether SLEEK already handles a packet that has timed out, because the packet's flow is in
// recovery. The time-out is then ignored.
func (h *hosts) putOff(flow, psn int32, f *sender) bool {
	if !f.recovering {
		return false
	}
	if h.groups[f.first+psn/64].resent>>(uint32(psn)%64)&1 == 0 {
		h.agenda.add(h.Slot+h.timeout, fattree.NewPacket(flow, psn, expireOldest))
	} else {
		h.sleek.flows[flow].mark = psn
	}
	return true
}

// answerProbe lets a receiver answer a probe with an ACK that is not for a packet.
func (h *hosts) answerProbe(c fattree.Crossing) {
	h.Answered++
	h.Delivered--
	f := &h.Receivers[c.Packet.Flow()]
	at := h.ReportPlace()
	h.reports[at] = report{received: f.Received, complete: f.Complete}
	h.sendHeader(fattree.NewHeader(c.Packet&^fattree.RequestBit, fattree.NewNote(0, at), c.Phase()))
}

// receiveProbed takes in the answer to a probe.
func (h *hosts) receiveProbed(c fattree.Crossing) {
	p, flow := c.Packet, c.Packet.Flow()
	f, r := &h.senders[flow], &h.sleek.flows[flow]
	if f.received == f.total {
		return
	}
	says := &h.reports[c.Note.Number()]
	f.complete = max(f.complete, says.complete)
	h.markAround(f, sack{})
	rtt := fattree.Picoseconds(h.Slot-r.sent) * h.slotTime
	way := h.Net.Way(flow)
	last := p.EV() == r.ev && rtt >= way.RTT-way.Rounding
	if !h.learn(flow, f, p, says.received, rtt, !last) {
		h.recover(flow, f, 0, says.received-says.complete, last && rtt-r.base < h.sleek.target)
		h.offer(flow, f)
	}
}
