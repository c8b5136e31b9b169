package fattree

import (
	"fmt"
	"math/bits"
)

// takeAck lets congestion control, the balancer and the flow learn from an ACK.
func (t *tile) takeAck(c crossing) {
	p := c.packet
	flow, psn := p.flow(), p.psn()
	if psn == probePSN && t.sleek != nil {
		t.takeProbed(c)
		return
	}
	f := &t.senders[flow]
	var says *report
	if t.sacking {
		says = t.takeReport(flow, f, c.note.number())
	}
	if f.received == f.total {
		// A duplicate's ACK, after the flow's end unless it reports the last request.
		if t.unfinished(flow) {
			t.finish(flow, f, none)
		}
		return
	}
	unclear := t.again != nil && t.unclear(f, p)
	fresh := t.countAcked(f, psn, says)
	var rtt Picoseconds
	if t.measuring {
		rtt = t.sinceSent(f, psn)
	}
	kind := Good
	if p.marked() {
		kind = Marked
	}
	before := f.window.Packets
	if t.split.cuts(flow) {
		t.acknowledgeSubflows(f, p, fresh, rtt)
	} else {
		t.acknowledge(f, Acknowledgement{
			Flow: flow, Packets: fresh, Marked: kind == Marked, Now: t.now, RTT: rtt, Unclear: unclear, InFlight: f.inFlight,
		})
	}
	t.balance.Feedback(Feedback{
		Flow: flow, EV: p.ev(), Kind: kind, Now: t.now, RTT: rtt,
		Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
	})
	if f.received == f.total {
		t.finish(flow, f, psn)
		return
	}
	if t.messages != nil {
		t.endMessages(flow, f, psn)
	}
	if t.prober != nil {
		t.probe(flow)
	}
	if t.sleek != nil {
		if unclear {
			rtt = 0
		}
		t.recover(flow, f, rtt, says.received-says.complete, false)
	}
	if psn != f.total-1 {
		f.lastAck = t.slot
	}
	t.offer(flow, f)
	if t.messages != nil && t.grants != nil {
		t.requestPull(flow, f)
	}
}

// countAcked notes the packets that an ACK acknowledges, and returns the number of those that no ACK before
// it has. Without a report it is for one packet alone.
func (t *tile) countAcked(f *sender, psn int32, says *report) (fresh int32) {
	g := &t.groups[f.first+psn/64]
	fresh = 1 - int32(g.acked>>(uint32(psn)%64)&1)
	if says != nil {
		// A later ACK may have overtaken this one.
		fresh, f.complete = max(0, says.received-f.received), max(f.complete, says.complete)
	}
	f.received += fresh
	f.inFlight -= fresh
	f.note(g, 1<<(uint32(psn)%64))
	if says != nil {
		t.noteAround(f, says.sack)
	}
	return fresh
}

// acknowledge lets congestion control move the window of a flow.
func (t *tile) acknowledge(f *sender, ack Acknowledgement) {
	before := f.window.Packets
	t.control.Acknowledge(&f.window, ack)
	if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
		t.checkWindow(ack.Flow, w, before)
	}
}

// takeReport returns the report of an ACK. It lets the balancer learn from the other packets that the
// ACK covers, which are older than the one that triggered it, and the sender which requests were heard.
func (t *tile) takeReport(flow int32, f *sender, at int32) *report {
	if t.carrying != nil {
		for _, p := range t.carrying.reported[at] {
			t.balance.Feedback(Feedback{Flow: flow, EV: p.ev(), Kind: Good, Now: t.now})
		}
	}
	if t.requests != nil {
		t.requests.confirmHeard(flow, f, t.requests.reported[at])
	}
	return &t.reports[at]
}

// sinceSent returns the time since a packet was last sent.
func (t *tile) sinceSent(f *sender, psn int32) Picoseconds {
	return Picoseconds(uint16(t.slot)-t.sent[f.first*64+psn].slot) * t.net.slotTime
}

// note marks packets of a group as acknowledged. Those that wait to be sent
// again need not be: they were not lost.
func (f *sender) note(g *group, acked uint64) {
	g.acked |= acked
	if wrong := g.lost & acked; wrong != 0 {
		g.lost &^= wrong
		f.lost -= int32(bits.OnesCount64(wrong))
		f.inFlight += int32(bits.OnesCount64(wrong))
	}
}

// noteAround marks the packets that an ACK reports beside the one that triggered
// it, and those lost ones that its cumulative count covers.
func (t *tile) noteAround(f *sender, s sack) {
	at, shift := f.first+s.base/64, uint32(s.base)%64
	f.note(&t.groups[at], s.received<<shift)
	if above := s.received >> (64 - shift); above != 0 {
		f.note(&t.groups[at+1], above)
	}
	for at := f.lostFrom / 64; f.lost > 0 && at*64 < f.complete; at++ {
		covered := ^uint64(0)
		if left := f.complete - at*64; left < 64 {
			covered >>= 64 - left
		}
		f.note(&t.groups[f.first+at], covered)
	}
}

// takeNack takes in the news that a packet was trimmed.
func (t *tile) takeNack(p packet, where kind) {
	flow, psn := p.flow(), p.psn()
	if !t.outstanding(&t.senders[flow], psn) {
		return
	}
	t.declareLost(flow, psn, p.ev(), Nacked, where)
}

// declareLost takes a packet for lost and puts it up for another transmission. A NACK tells where the
// packet was trimmed.
func (t *tile) declareLost(flow, psn int32, ev uint16, kind Kind, where kind) {
	f := &t.senders[flow]
	t.putUp(f, psn)
	loss := Loss{Flow: flow, Kind: kind, Now: t.now, InFlight: f.inFlight}
	if kind == Nacked {
		loss.RTT = t.sinceSent(f, psn)
	}
	feedback := Feedback{Flow: flow, EV: ev, Kind: kind, Now: t.now, RTT: loss.RTT}
	if t.ultra() {
		t.tell(where, &loss, &feedback)
	}
	if t.split.cuts(flow) {
		t.loseSubflow(flow, psn, f, loss)
	} else {
		before := f.window.Packets
		t.control.Lose(&f.window, loss)
		if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
			t.checkWindow(flow, w, before)
		}
	}
	t.balance.Feedback(feedback)
	if t.grants != nil && kind == TimedOut {
		t.requestPull(flow, f)
	}
	waits := f.waits
	t.offer(flow, f)
	if t.doubles != nil && kind == TimedOut && waits && f.maySend(t.room) {
		t.queueDoubly(flow, f)
	}
	if t.requests != nil && kind == TimedOut {
		t.askToResend(flow, f)
	}
}

// putUp puts a packet up for another transmission.
func (t *tile) putUp(f *sender, psn int32) {
	g := &t.groups[f.first+psn/64]
	bit := uint64(1) << (uint32(psn) % 64)
	if t.again != nil {
		t.again[f.first+psn/64] |= g.resent & bit
	}
	g.lost |= bit
	g.resent |= bit
	f.lostFrom = min(f.lostFrom, psn)
	f.lost++
	f.inFlight--
}

// checkWindow panics if congestion control has left a window outside [1, Most], unless
// the window was above Most before and has not grown; if a Granter has left one above 0 and below 1.
// Windows from which requests leak are exempt.
func (t *tile) checkWindow(flow int32, w *Window, before float64) {
	switch {
	case t.grants != nil:
		if w.Packets != 0 && !(w.Packets >= 1) {
			panic(fmt.Sprintf("fattree: %T sets the window of flow %d to %v packets, must be 0 or at least 1",
				t.control, flow, w.Packets))
		}
	case t.requests == nil && !(w.Packets >= 1 && w.Packets <= max(w.Most, before)):
		panic(fmt.Sprintf("fattree: %T sets the window of flow %d to %v packets, must be in [1, %v]", t.control, flow, w.Packets, w.Most))
	}
}

// offer puts a flow into its host's line if it may send.
func (t *tile) offer(flow int32, f *sender) {
	if f.waits || !f.maySend(t.room) {
		return
	}
	host := t.ends[flow].source
	t.queue(flow, f, &t.hosts[host])
	t.ready.add(host - t.sw.firstHost)
}

// queue puts a flow at the end of its host's line.
func (t *tile) queue(flow int32, f *sender, line *turns) {
	if t.doubles != nil {
		t.queueDoubly(flow, f)
	} else {
		t.queueOnce(flow, f, line)
	}
}

// queueOnce is queue for lines in which a flow stands once.
func (t *tile) queueOnce(flow int32, f *sender, line *turns) {
	f.waits, f.after = true, none
	if line.head == none {
		line.head = flow
	} else {
		t.senders[line.tail].after = flow
	}
	line.tail = flow
}

// maySend reports whether a flow has something to send and the room in its window that a packet needs,
// or recovers.
func (f *sender) maySend(room float64) bool {
	return f.window.Packets-float64(f.inFlight) >= room && (f.next < f.total || f.lost > 0) || f.recovering && f.lost > 0
}

// serveHosts lets every host send a packet if its link is free. Before a sink hosts act in
// cyclic order that begins one host later each slot; else their order does not matter.
func (t *tile) serveHosts() {
	count := t.sw.nics
	if t.sw.nic {
		t.serveNIC()
		return
	}
	if !t.oneSwitch {
		t.serveHostRange(0, count)
		return
	}
	turn := (t.slot + 1) % count
	t.serveHostRange(turn, count)
	t.serveHostRange(0, turn)
}

// serveHostRange serves the hosts of [from, to) that have something to send.
func (t *tile) serveHostRange(from, to int32) {
	for word := from / 64; word*64 < to; word++ {
		for ready := t.ready.part(word, from, to) &^ t.served[word]; ready != 0; ready &= ready - 1 {
			t.serveHost(word*64 + int32(bits.TrailingZeros64(ready)))
		}
	}
}

// serveHost lets a host spend one slot: on its link's debt, or on a packet of its next flow.
func (t *tile) serveHost(host int32) {
	if t.doubles != nil {
		t.serveDoubly(host)
		return
	}
	line, p := &t.hosts[t.sw.firstHost+host], &t.ports[t.nics+host]
	busy := p.debt >= oneSlot
	if busy {
		p.debt -= oneSlot
	}
	if !busy {
		t.sendNext(host, line)
	}
	if line.head == none && p.debt < oneSlot {
		t.ready.remove(host)
	}
}

// sendNext sends a packet of the first flow in a host's line that may send, and one more if that is short.
func (t *tile) sendNext(host int32, line *turns) {
	for line.head != none {
		flow := line.head
		f := &t.senders[flow]
		line.head = f.after
		f.waits = false
		if f.maySend(t.room) {
			another := t.sendPacket(host, flow, f)
			if f.maySend(t.room) {
				t.queueOnce(flow, f, line)
			}
			if !another {
				return
			}
		}
	}
}

// sendPacket sends the next packet of a flow: the lowest lost one, else a new one. It reports whether the
// host can send another one in the slot.
func (t *tile) sendPacket(host, flow int32, f *sender) (another bool) {
	if t.requests != nil && t.resendRequest(flow, f) {
		return false
	}
	psn, again := f.next, f.lost > 0
	if again {
		psn = t.takeLost(f)
		t.Retransmitted++
	} else {
		f.next++
		if last := t.sentBy(flow, f); last != none && t.firesElsewhere(last) {
			t.worker.ending = append(t.worker.ending, t.slot+t.net.ways[t.net.routes[flow].path].least)
		}
	}
	var ev uint16
	var recycled bool
	if t.split.cuts(flow) {
		ev = t.split.send(flow, psn, f)
	} else if ev, recycled = t.balance.NextEV(flow, t.now); recycled {
		t.Recycled++
	}
	if t.early {
		t.sentNow.add(host)
	}
	p, note := newPacket(flow, psn, ev), note(0)
	if t.grants != nil {
		note = noted(0, t.spend(flow, psn, f))
	}
	f.inFlight++
	t.Sent++
	if again || f.next == f.total || f.window.Packets-float64(f.inFlight) <= t.room {
		p |= requestBit
	}
	t.sent[f.first*64+psn] = sending{uint16(t.slot), ev}
	if t.oneSwitch {
		t.single[0] = crossing{p, note, t.toward(p) << portShift}
		t.enqueue(t.single[:])
		return false
	}
	if again || !f.timed {
		t.setTimer(flow, psn, f, again)
	}
	nic := &t.ports[t.nics+host]
	t.depart(host, p, note, nic.perPacket)
	return t.byBytes && !t.sw.nic && t.another(nic, p, t.hosts[t.sw.firstHost+host].head != none || f.maySend(t.room))
}

// toward returns the port that leads a packet from a host of the tile to its destination.
func (t *tile) toward(p packet) uint32 {
	ends := t.ends[p.flow()]
	return t.portTo(ends.destination, ends, p)
}

// depart puts a packet on the link of its host, which is busy with it for some time beyond one slot, in
// units of oneSlot.
func (t *tile) depart(host int32, p packet, n note, beyond uint32) {
	if t.sw.nic {
		t.departByNIC(p, n)
		return
	}
	nic := &t.ports[t.nics+host]
	*t.dataUp = append(*t.dataUp, crossing{p, n, t.toward(p)<<portShift | uint32(nic.phase())})
	nic.debt += beyond
	t.lastPut = max(t.lastPut, t.slot)
}

// takeLost returns the lowest lost packet of a flow, no longer counted as such.
func (t *tile) takeLost(f *sender) int32 {
	psn := t.lowestLost(f)
	g := &t.groups[f.first+psn/64]
	g.lost &= g.lost - 1
	f.lost--
	return psn
}

// lowestLost returns the lowest lost packet of a flow, which must have one.
func (t *tile) lowestLost(f *sender) int32 {
	for at := f.lostFrom / 64; ; at++ {
		if lost := t.groups[f.first+at].lost; lost != 0 {
			f.lostFrom = at*64 + int32(bits.TrailingZeros64(lost))
			return f.lostFrom
		}
	}
}
