package transport

import "repslab/fattree"

// sleek is the state of a Run whose senders recover lost packets by SLEEK, the loss recovery of
// [UEC-htsim] for networks without trimming; see [Options.Sleek]. With R the least RTT of a flow so far,
// at first the unloaded one across the network, which is D too, and W its window, each ACK
//
//  1. sets the time of the next probe to now + R + D, or, if the flow has new packets to send, now + 3R. A
//     probe is a packet without data that waits in queues as data do; another one follows 5R later;
//  2. ends a recovery if all packets sent until it began have arrived, and begins one if a packet is
//     missing below more than max(5, min(1.5 W, Most)) later ones, or if it answers the last probe
//     within R + D;
//  3. in a recovery declares those missing packets lost, once each, that are among the next W from
//     the first missing one on. They are sent again whatever the window is, which does not shrink.
//
// In a recovery a time-out only makes step 3 begin once more at its packet, also past missing ones below.
type sleek struct {
	flows    []recovery
	segments float64             // the size of a packet by its payload
	target   fattree.Picoseconds // D
}

// recovery is the state of a flow.
type recovery struct {
	base      fattree.Picoseconds // R
	until     int32               // the packet behind the highest one sent when the recovery began
	mark      int32               // packets below were declared lost in the recovery, or were acknowledged
	due       int32               // slot of the next probe, or 0
	scheduled int32               // slot of the entry of the agenda that looks at due, or 0
	sent      int32               // slot of the last probe
	ev        uint16              // of it
}

// probePSN stands for the number of a packet in a probe. No packet of a flow has it, as Validate sees to.
const probePSN = fattree.MaxPacketsPerFlow - 1

// newSleek returns the state of a run, which reuses that of the run before, or nil.
func (f *flows) newSleek() *sleek {
	spec := &f.spec
	if !f.options.Sleek || f.grants != nil || f.split != nil {
		return nil
	}
	s := f.sleek
	if s == nil {
		s = &sleek{flows: make([]recovery, len(f.senders))}
	}
	s.segments, s.target = float64(spec.MTU)/float64(spec.PayloadBytes()), f.net.LongestRTT()
	for i := range s.flows {
		s.flows[i] = recovery{base: s.target}
	}
	return s
}

// recover does the steps of SLEEK for an ACK that has been taken in, with an RTT unless that is 0,
// which reports how many packets arrived ahead of a missing one.
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

// keepProbing sends a flow's probe if it is due, or looks again when it is.
func (h *hosts) keepProbing(flow int32, f *sender) {
	r := &h.sleek.flows[flow]
	if h.Slot != r.scheduled {
		return // another entry has taken this one's place
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
	h.noteSent(EventProbe, flow, ev, origin, f)
	r.sent, r.ev = h.Slot, ev
	h.Probes++
	host := h.source(flow) - h.First
	h.SendEmpty(host, fattree.NewPacket(flow, probePSN, ev))
	h.probeAt(flow, r, 5*r.base)
}

// putOff reports whether SLEEK already handles a packet whose time-out has come, because the packet's flow recovers.
// The time-out then does nothing.
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

// answerProbe lets a receiver answer a probe by an ACK that is not for a packet.
func (h *hosts) answerProbe(c fattree.Crossing) {
	h.Answered++
	h.Delivered--
	f := &h.receivers[c.Packet.Flow()]
	at := h.ReportPlace()
	h.reports[at] = report{received: f.received, complete: f.complete}
	h.sendHeader(fattree.NewHeader(c.Packet&^fattree.RequestBit, fattree.NewNote(0, at), c.Phase()))
}

// takeProbed takes in the answer to a probe.
func (h *hosts) takeProbed(c fattree.Crossing) {
	p, flow := c.Packet, c.Packet.Flow()
	f, r := &h.senders[flow], &h.sleek.flows[flow]
	if f.received == f.total {
		return
	}
	says := &h.reports[c.Note.Number()]
	f.complete = max(f.complete, says.complete)
	h.noteAround(f, sack{})
	rtt := fattree.Picoseconds(h.Slot-r.sent) * h.slotTime
	way := h.net.Way(flow)
	last := p.EV() == r.ev && rtt >= way.RTT-way.Rounding
	if !h.learn(flow, f, p, says.received, rtt, !last) {
		h.recover(flow, f, 0, says.received-says.complete, last && rtt-r.base < h.sleek.target)
		h.offer(flow, f)
	}
}
