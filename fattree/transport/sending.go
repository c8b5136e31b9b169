package transport

import (
	"fmt"
	"math/bits"

	"repslab/fattree"
	"repslab/internal/endpoint"
)

// receiveAck lets congestion control, the balancer and the flow learn from an ACK.
func (h *hosts) receiveAck(c fattree.Crossing) {
	p := c.Packet
	flow, psn := p.Flow(), p.Number()
	if psn == probePSN && h.sleek != nil {
		h.receiveProbed(c)
		return
	}
	f := &h.senders[flow]
	var says *report
	if h.sacking {
		says = h.consumeReport(flow, f, c.Note.Number())
	}
	if f.received == f.total {
		// The ACK of a duplicate, after the flow's end; or one that reports the last request.
		if h.unfinished(flow) {
			h.finish(flow, f, none)
		}
		return
	}
	unclear := h.again != nil && h.unclear(f, p)
	fresh := h.countAcked(f, psn, says)
	var rtt fattree.Picoseconds
	if h.measuring {
		rtt = h.sinceSent(f, psn)
	}
	kind := kindOf(p)
	if h.insights != nil {
		h.insights.prepare(p, h.insights.origins[f.first*64+psn], h.insights.reported[c.Note.Number()])
	}
	before := f.window.Packets
	if h.split.cuts(flow) {
		h.acknowledgeSubflows(f, p, fresh, rtt)
	} else {
		h.acknowledge(f, Acknowledgement{
			Flow: flow, Packets: fresh, Marked: kind == Marked, Now: h.Now, RTT: rtt, Unclear: unclear, InFlight: f.inFlight,
		})
	}
	h.balance.Feedback(Feedback{
		Flow: flow, EV: p.EV(), Kind: kind, Now: h.Now, RTT: rtt,
		Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
	})
	if h.watch != nil {
		h.emitAnswer(EventAck, flow, psn, p, h.sinceSent(f, psn), f)
	}
	if f.received == f.total {
		h.finish(flow, f, psn)
		return
	}
	if h.messages != nil {
		h.endMessages(flow, f, psn)
	}
	if h.traits.Probe != nil {
		h.probe(flow)
	}
	if h.sleek != nil {
		if unclear {
			rtt = 0
		}
		h.recover(flow, f, rtt, says.received-says.complete, false)
	}
	if psn != f.total-1 {
		f.lastAck = h.Slot
	}
	h.offer(flow, f)
	if h.messages != nil && h.grants != nil {
		h.requestPull(flow, f)
	}
}

// kindOf returns the kind of an ACK.
func kindOf(p fattree.Packet) Kind {
	if p.Marked() {
		return Marked
	}
	return Good
}

// countAcked notes the packets that an ACK acknowledges, and returns how many of them are newly acknowledged. An
// ACK without a report acknowledges one packet.
func (h *hosts) countAcked(f *sender, psn int32, says *report) (fresh int32) {
	g := &h.groups[f.first+psn/64]
	fresh = 1 - int32(g.acked>>(uint32(psn)%64)&1)
	if says != nil {
		// A later ACK may have overtaken this one.
		fresh, f.complete = max(0, says.received-f.received), max(f.complete, says.complete)
	}
	f.received += fresh
	f.inFlight -= fresh
	f.markAcked(g, 1<<(uint32(psn)%64))
	if says != nil {
		h.markAround(f, says.sack)
	}
	return fresh
}

// acknowledge lets congestion control move the window of a flow.
func (h *hosts) acknowledge(f *sender, ack Acknowledgement) {
	before := f.window.Packets
	h.control.Acknowledge(&f.window, ack)
	if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
		h.checkWindow(ack.Flow, w, before)
	}
}

// consumeReport returns the report of an ACK. The balancer learns from the other packets that the ACK covers, which
// are older than the one that triggered it, and the sender learns which requests have arrived.
func (h *hosts) consumeReport(flow int32, f *sender, at int32) *report {
	if h.carrying != nil {
		for _, p := range h.carrying.reported[at] {
			h.balance.Feedback(Feedback{Flow: flow, EV: p.EV(), Kind: Good, Now: h.Now})
			h.emitAnswer(EventAck, flow, p.Number(), p, 0, f)
		}
	}
	if h.requests != nil {
		h.requests.confirmHeard(flow, f, h.requests.reported[at])
	}
	return &h.reports[at]
}

// sinceSent returns the time since a packet was last sent.
func (h *hosts) sinceSent(f *sender, psn int32) fattree.Picoseconds {
	return fattree.Picoseconds(h.age(f, psn)) * h.slotTime
}

// markAcked marks packets of a group as acknowledged. Packets that wait for retransmission need none: they were not
// lost.
func (f *sender) markAcked(g *group, acked uint64) {
	g.acked |= acked
	if wrong := g.lost & acked; wrong != 0 {
		g.lost &^= wrong
		f.lost -= int32(bits.OnesCount64(wrong))
		f.inFlight += int32(bits.OnesCount64(wrong))
	}
}

// markAround marks the other packets that an ACK reports, and the lost packets that its cumulative count covers.
func (h *hosts) markAround(f *sender, s sack) {
	at, shift := f.first+s.base/64, uint32(s.base)%64
	f.markAcked(&h.groups[at], s.received<<shift)
	if above := s.received >> (64 - shift); above != 0 {
		f.markAcked(&h.groups[at+1], above)
	}
	for at := f.lostFrom / 64; f.lost > 0 && at*64 < f.complete; at++ {
		covered := ^uint64(0)
		if left := f.complete - at*64; left < 64 {
			covered >>= 64 - left
		}
		f.markAcked(&h.groups[f.first+at], covered)
	}
}

// receiveNack takes in a NACK: a packet was trimmed.
func (h *hosts) receiveNack(p fattree.Packet, where fattree.HeaderKind) {
	flow, psn := p.Flow(), p.Number()
	if !h.outstanding(&h.senders[flow], psn) {
		return
	}
	h.declareLost(flow, psn, p.EV(), Nacked, where)
}

// declareLost declares a packet lost and queues it for retransmission. A NACK tells where the packet was trimmed.
func (h *hosts) declareLost(flow, psn int32, ev uint16, kind Kind, where fattree.HeaderKind) {
	f := &h.senders[flow]
	h.putUp(f, psn)
	loss := Loss{Flow: flow, Kind: kind, Now: h.Now, InFlight: f.inFlight}
	if kind == Nacked {
		loss.RTT = h.sinceSent(f, psn)
	}
	feedback := Feedback{Flow: flow, EV: ev, Kind: kind, Now: h.Now, RTT: loss.RTT}
	if h.ultra() {
		h.tell(where, &loss, &feedback)
	} else if h.options.LastHopGood {
		feedback.excuse(where)
	}
	if h.split.cuts(flow) {
		h.loseSubflow(flow, psn, f, loss)
	} else {
		before := f.window.Packets
		h.control.Lose(&f.window, loss)
		if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
			h.checkWindow(flow, w, before)
		}
	}
	h.balance.Feedback(feedback)
	if h.watch != nil {
		h.emitLost(flow, psn, ev, kind, f)
	}
	if h.grants != nil && kind == TimedOut {
		h.requestPull(flow, f)
	}
	waits := f.turn != 0
	h.offer(flow, f)
	if h.doubles != nil && kind == TimedOut && waits && f.maySend(h.room) {
		h.queueDoubly(flow, f)
	}
	if h.requests != nil && kind == TimedOut {
		h.askToResend(flow, f)
	}
}

// putUp queues a packet for retransmission.
func (h *hosts) putUp(f *sender, psn int32) {
	g := &h.groups[f.first+psn/64]
	bit := uint64(1) << (uint32(psn) % 64)
	if h.again != nil {
		h.again[f.first+psn/64] |= g.resent & bit
	}
	g.lost |= bit
	g.resent |= bit
	f.lostFrom = min(f.lostFrom, psn)
	f.lost++
	f.inFlight--
}

// checkWindow panics if congestion control has left a window outside [1, Most], unless the window was above Most
// before and has not grown. For a Granter it panics if the window is above 0 and below 1. Windows with a leak from
// requests are exempt.
func (h *hosts) checkWindow(flow int32, w *Window, before float64) {
	switch {
	case h.grants != nil:
		if w.Packets != 0 && !(w.Packets >= 1) {
			panic(fmt.Sprintf("transport: %T sets the window of flow %d to %v packets, must be 0 or at least 1",
				h.user(), flow, w.Packets))
		}
	case h.requests == nil && !(w.Packets >= 1 && w.Packets <= max(w.Most, before)):
		panic(fmt.Sprintf("transport: %T sets the window of flow %d to %v packets, must be in [1, %v]", h.user(), flow, w.Packets, w.Most))
	}
}

// offer puts a flow into its host's line if it may send.
func (h *hosts) offer(flow int32, f *sender) {
	if f.turn != 0 || !f.maySend(h.room) {
		return
	}
	host := h.source(flow)
	h.queue(flow, f, &h.Lines[host])
	h.ready.Add(host - h.First)
}

// queue puts a flow at the end of its host's line.
func (h *hosts) queue(flow int32, f *sender, line *endpoint.Line) {
	if h.doubles != nil {
		h.queueDoubly(flow, f)
	} else {
		line.Join(flow, &f.turn)
	}
}

// maySend reports whether a flow has something to send and enough room in its window for a packet. A recovering
// flow (see sleek) needs no room for lost packets.
func (f *sender) maySend(room float64) bool {
	return f.window.Packets-float64(f.inFlight) >= room && (f.next < f.total || f.lost > 0) || f.recovering && f.lost > 0
}

// serveHosts lets every host send a packet if its link is free. Before a sink, hosts act in cyclic order that
// begins one host later each slot; elsewhere their order does not matter.
func (h *hosts) serveHosts() {
	count := h.Edge.Hosts
	if h.Links() > 0 {
		h.serveNIC()
		return
	}
	if !h.oneSwitch {
		h.serveHostRange(0, count)
		return
	}
	turn := (h.Slot + 1) % count
	h.serveHostRange(turn, count)
	h.serveHostRange(0, turn)
}

// serveHostRange serves the hosts of [from, to) that have something to send.
func (h *hosts) serveHostRange(from, to int32) {
	for word := from / 64; word*64 < to; word++ {
		for ready := h.ready.Part(word, from, to) &^ h.served[word]; ready != 0; ready &= ready - 1 {
			h.serveHost(word*64 + int32(bits.TrailingZeros64(ready)))
		}
	}
}

// serveHost lets a host spend one slot, either on its link's debt or on a packet of its next flow.
func (h *hosts) serveHost(host int32) {
	if h.doubles != nil {
		h.serveDoubly(host)
		return
	}
	line := &h.Lines[h.First+host]
	if !h.SpendSlot(host) {
		h.sendNext(host, line)
	}
	if line.Head == none && !h.Owes(host) {
		h.ready.Remove(host)
	}
}

// sendNext sends a packet of the first flow in a host's line that may send, and another one if the first is short.
// In a pause of new packets, flows without lost packets go to the end of the line.
func (h *hosts) sendNext(host int32, line *endpoint.Line) {
	pause, last := h.options.Pauses(h.Now), line.Tail
	for more := true; more && line.Head != none; {
		flow := line.Head
		f := &h.senders[flow]
		line.Leave(&f.turn)
		more = !pause || &f.turn != last
		if f.maySend(h.room) {
			more = (pause && f.lost == 0 || h.sendPacket(host, flow, f)) && more
			if f.maySend(h.room) {
				line.Join(flow, &f.turn)
			}
		}
	}
}

// sendPacket sends the next packet of a flow: its lowest lost packet, or a new one. It reports whether the host
// can send another packet in the slot.
func (h *hosts) sendPacket(host, flow int32, f *sender) (another bool) {
	if h.requests != nil && h.resendRequest(flow, f) {
		return false
	}
	psn, again := f.next, f.lost > 0
	if again {
		psn = h.nextLost(f)
		h.Retransmitted++
	} else {
		f.next++
		if last := h.sentBy(flow, f); last != none {
			h.SentAll(last)
		}
	}
	var ev uint16
	var recycled bool
	origin := h.watch.next(flow)
	if h.insights != nil {
		h.insights.keepOrigin(flow, f.first*64+psn)
	}
	if h.split.cuts(flow) {
		ev = h.split.send(flow, psn, f)
	} else if ev, recycled = h.balance.NextEV(flow, h.Now); recycled {
		h.Recycled++
	}
	if h.early {
		h.sentNow.Add(host)
	}
	p, note := fattree.NewPacket(flow, psn, ev), fattree.Note(0)
	if h.grants != nil {
		note = fattree.NewNote(0, h.spend(flow, psn, f))
	}
	f.inFlight++
	h.Sent++
	if again || f.next == f.total || f.window.Packets-float64(f.inFlight) <= h.room {
		p |= fattree.RequestBit
	}
	h.sent[f.first*64+psn] = sending{h.clock(), ev}
	if h.watch != nil {
		kind := EventSend
		if again {
			kind = EventResend
		}
		h.watch.emit(Event{Time: h.Now, Flow: flow, Kind: kind, Packet: psn, EV: int32(ev), Origin: origin, Recycled: recycled}, f)
	}
	if h.oneSwitch {
		h.Join(p, note)
		return false
	}
	if again || !f.timed {
		h.setTimer(flow, psn, f, again)
	}
	h.Send(host, p, note)
	return h.Another(host, p, h.Lines[h.First+host].Head != none || f.maySend(h.room))
}

// sendHeader sends a header from one host of its flow to the other.
func (h *hosts) sendHeader(c fattree.Crossing) { h.PassHeader(h.Edge, c) }

// source returns the host that sends a flow.
func (f *flows) source(flow int32) int32 {
	source, _ := f.Net.Pair(flow)
	return int32(source)
}

// destination returns the host that receives a flow.
func (f *flows) destination(flow int32) int32 {
	_, destination := f.Net.Pair(flow)
	return int32(destination)
}

// nextLost removes the lowest lost packet from the lost packets of a flow and returns it.
func (h *hosts) nextLost(f *sender) int32 {
	psn := h.lowestLost(f)
	g := &h.groups[f.first+psn/64]
	g.lost &= g.lost - 1
	f.lost--
	return psn
}

// lowestLost returns the lowest lost packet of a flow, which must have a lost packet.
func (h *hosts) lowestLost(f *sender) int32 {
	for at := f.lostFrom / 64; ; at++ {
		if lost := h.groups[f.first+at].lost; lost != 0 {
			f.lostFrom = at*64 + int32(bits.TrailingZeros64(lost))
			return f.lostFrom
		}
	}
}
