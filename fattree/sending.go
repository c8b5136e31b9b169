package fattree

import (
	"fmt"
	"math/bits"
)

// arriveAtSenders takes in the ACKs and NACKs that are due.
func (r *Run) arriveAtSenders() {
	if r.carrying != nil {
		r.takeCarried()
	}
	if r.prober != nil {
		r.takeProbes()
	}
	due := r.acks.at(r.slot)
	r.moving -= len(due)
	reports := r.reports.at(r.slot)
	for i, p := range due {
		switch {
		case p&nackBit == 0 && r.reporting:
			r.takeAck(p, &reports[i])
		case p&nackBit == 0:
			r.takeAck(p, nil)
		case r.reporting && reports[i].complete == pullMark:
			r.takePull(p, reports[i].received)
		default:
			r.takeNack(p)
		}
	}
	r.acks.empty(r.slot)
	r.reports.empty(r.slot)
}

// takeAck lets congestion control, the balancer and the flow learn from the ACK
// that a packet triggered, and from what it reports if that is not nil.
func (r *Run) takeAck(p packet, says *report) {
	flow, psn := p.flow(), p.psn()
	f := &r.senders[flow]
	if f.received == f.total {
		return // a duplicate's ACK after the flow's end
	}
	at := f.first + psn/64
	fresh := 1 - int32(r.groups[at].acked>>(uint32(psn)%64)&1)
	if says != nil {
		fresh, f.complete = says.received-f.received, says.complete
	}
	f.received += fresh
	f.inFlight -= fresh
	r.note(f, at, 1<<(uint32(psn)%64))
	if r.sacking {
		r.noteAround(f, says.sack)
	}
	var rtt Picoseconds
	if r.measuring {
		rtt = r.sinceSent(f, psn)
	}
	kind := Good
	if p.marked() {
		kind = Marked
	}
	before := f.window.Packets
	if r.split.cuts(flow) {
		r.acknowledgeSubflows(f, p, says, rtt)
	} else {
		r.control.Acknowledge(&f.window, Acknowledgement{Flow: flow, Packets: fresh, Marked: kind == Marked, Now: r.now, RTT: rtt, InFlight: f.inFlight})
		if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
			r.checkWindow(flow, w, before)
		}
	}
	r.balance.Feedback(Feedback{
		Flow: flow, EV: p.ev(), Kind: kind, Now: r.now, RTT: rtt,
		Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
	})
	if f.received == f.total {
		r.finish(flow, f, psn)
		return
	}
	if r.prober != nil {
		r.probe(flow)
	}
	if psn != f.total-1 {
		f.lastAck = r.slot
	}
	r.offer(flow, f)
}

// sinceSent returns the time since a packet was last sent.
func (r *Run) sinceSent(f *sender, psn int32) Picoseconds {
	return Picoseconds(uint16(r.slot)-r.sent[f.first*64+psn].slot) * r.net.slotTime
}

// note marks packets of a group as acknowledged. Those that wait to be sent
// again need not be: they were not lost.
func (r *Run) note(f *sender, at int32, acked uint64) {
	g := &r.groups[at]
	g.acked |= acked
	if wrong := g.lost & acked; wrong != 0 {
		g.lost &^= wrong
		f.lost -= int32(bits.OnesCount64(wrong))
		f.inFlight += int32(bits.OnesCount64(wrong))
	}
}

// noteAround marks the packets that an ACK reports beside the one that triggered
// it, and those lost ones that its cumulative count covers.
func (r *Run) noteAround(f *sender, s sack) {
	at, shift := f.first+s.base/64, uint32(s.base)%64
	r.note(f, at, s.received<<shift)
	if above := s.received >> (64 - shift); above != 0 {
		r.note(f, at+1, above)
	}
	for at := f.lostFrom / 64; f.lost > 0 && at*64 < f.complete; at++ {
		covered := ^uint64(0)
		if left := f.complete - at*64; left < 64 {
			covered >>= 64 - left
		}
		r.note(f, f.first+at, covered)
	}
}

// takeNack takes in the news that a packet was trimmed.
func (r *Run) takeNack(p packet) {
	flow, psn := p.flow(), p.psn()
	if !r.outstanding(&r.senders[flow], psn) {
		return
	}
	r.declareLost(flow, psn, p.ev(), Nacked)
}

// declareLost takes a packet for lost and puts it up for another transmission.
func (r *Run) declareLost(flow, psn int32, ev uint16, kind Kind) {
	f := &r.senders[flow]
	g := &r.groups[f.first+psn/64]
	bit := uint64(1) << (uint32(psn) % 64)
	g.lost |= bit
	g.resent |= bit
	f.lostFrom = min(f.lostFrom, psn)
	f.lost++
	f.inFlight--
	if loss := (Loss{Flow: flow, Kind: kind, Now: r.now, InFlight: f.inFlight}); r.split.cuts(flow) {
		r.loseSubflow(flow, psn, f, loss)
	} else {
		before := f.window.Packets
		r.control.Lose(&f.window, loss)
		if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
			r.checkWindow(flow, w, before)
		}
	}
	feedback := Feedback{Flow: flow, EV: ev, Kind: kind, Now: r.now}
	if kind == Nacked {
		feedback.RTT = r.sinceSent(f, psn)
	}
	r.balance.Feedback(feedback)
	if r.grants != nil && kind == TimedOut {
		r.requestPull(flow, f)
	}
	r.offer(flow, f)
}

// checkWindow panics if congestion control has left a window outside [1, Most], unless
// the window was above Most before and has not grown. The gates of a Granter are exempt.
func (r *Run) checkWindow(flow int32, w *Window, before float64) {
	if r.grants == nil && !(w.Packets >= 1 && w.Packets <= max(w.Most, before)) {
		panic(fmt.Sprintf("fattree: %T sets the window of flow %d to %v packets, must be in [1, %v]", r.control, flow, w.Packets, w.Most))
	}
}

// offer puts a flow into its host's line if it may send.
func (r *Run) offer(flow int32, f *sender) {
	if f.waits || !f.maySend() {
		return
	}
	host := r.net.routes[flow].from[0]
	r.queue(flow, f, &r.nics[host])
	r.ready.add(host)
}

// queue puts a flow at the end of its host's line.
func (r *Run) queue(flow int32, f *sender, n *nic) {
	f.waits = true
	f.after = none
	if n.head == none {
		n.head = flow
	} else {
		r.senders[n.tail].after = flow
	}
	n.tail = flow
}

// maySend reports whether a flow has something to send and room in its window.
func (f *sender) maySend() bool {
	return float64(f.inFlight) < f.window.Packets && (f.next < f.total || f.lost > 0)
}

// serveHosts lets every host send at most one packet, in cyclic order that
// begins one host later each slot.
func (r *Run) serveHosts() {
	hosts := int32(len(r.nics))
	first := (r.slot + 1) % hosts
	r.launching = r.launching[:0]
	r.serveHostRange(first, hosts)
	r.serveHostRange(0, first)
	r.launchAll()
}

// serveHostRange serves the hosts of [from, to) that have something to do.
func (r *Run) serveHostRange(from, to int32) {
	if from >= to {
		return
	}
	last := (to - 1) / 64
	for word := from / 64; word <= last; word++ {
		ready := r.ready[word]
		if word == from/64 {
			ready &= ^uint64(0) << (uint32(from) % 64)
		}
		if word == last {
			ready &= ^uint64(0) >> (63 - uint32(to-1)%64)
		}
		for ; ready != 0; ready &= ready - 1 {
			r.serveHost(word*64 + int32(bits.TrailingZeros64(ready)))
		}
	}
}

// serveHost lets a host spend one slot: on its link's debt, or on a packet of its next
// flow.
func (r *Run) serveHost(host int32) {
	n := &r.nics[host]
	if n.debt >= oneSlot {
		n.debt -= oneSlot
	} else {
		for n.head != none {
			flow := n.head
			f := &r.senders[flow]
			n.head = f.after
			f.waits = false
			if f.maySend() {
				r.send(flow, f)
				n.debt += r.nicRate
				if f.maySend() {
					r.queue(flow, f, n)
				}
				break
			}
		}
	}
	if n.head == none && n.debt < oneSlot {
		r.ready.remove(host)
	}
}

// send sends the next packet of a flow: the lowest lost one, else a new one.
func (r *Run) send(flow int32, f *sender) {
	psn, again := f.next, f.lost > 0
	if again {
		psn = r.takeLost(f)
		r.result.Retransmitted++
	} else {
		f.next++
	}
	var ev uint16
	var recycled bool
	if r.split.cuts(flow) {
		ev = r.split.send(flow, psn, f)
	} else if ev, recycled = r.balance.NextEV(flow, r.now); recycled {
		r.result.Recycled++
	}
	if r.grants != nil {
		r.spend(flow, psn, f)
	}
	f.inFlight++
	r.result.Sent++
	p := newPacket(flow, psn, ev)
	if again || f.next == f.total || float64(f.inFlight) >= f.window.Packets {
		p |= requestBit
	}
	r.sent[f.first*64+psn] = sending{uint16(r.slot), ev}
	if !r.unlimited && (again || !f.timed) {
		r.setTimer(flow, psn, f, again)
	}
	r.launch(flow, p)
}

// launch puts a packet on the host's link. With a router, whose choice depends on
// when in the slot that is, it goes at once, else with all that hosts send in this
// slot.
func (r *Run) launch(flow int32, p packet) {
	route := &r.net.routes[flow]
	switch {
	case r.net.spec.Topology.Tiers == 1:
		r.enqueue(r.portTowards(0, &route.to, p, route.key(), forRouter{}), p)
	case r.router != nil:
		r.moving++
		r.toSwitch.put(r.slot+1+r.net.latency[0], arrival{p, route.from[1], r.nics[route.from[0]].debt})
	default:
		r.launching = append(r.launching, p)
	}
}

// launchAll puts packets on their hosts' links, each with the port of its ToR that
// it goes to next.
func (r *Run) launchAll() {
	if len(r.launching) == 0 {
		return
	}
	r.moving += len(r.launching)
	bucket := r.toSwitch.open(r.slot + 1 + r.net.latency[0])
	due := *bucket
	for _, p := range r.launching {
		route := &r.net.routes[p.flow()]
		due = append(due, arrival{packet: p, to: r.portTowards(route.from[1], &route.to, p, route.key(), forRouter{})})
	}
	*bucket = due
}

// takeLost returns the lowest lost packet of a flow, no longer counted as such.
func (r *Run) takeLost(f *sender) int32 {
	psn := r.lowestLost(f)
	g := &r.groups[f.first+psn/64]
	g.lost &= g.lost - 1
	f.lost--
	return psn
}

// lowestLost returns the lowest lost packet of a flow, which must have one.
func (r *Run) lowestLost(f *sender) int32 {
	for at := f.lostFrom / 64; ; at++ {
		if lost := r.groups[f.first+at].lost; lost != 0 {
			f.lostFrom = at*64 + int32(bits.TrailingZeros64(lost))
			return f.lostFrom
		}
	}
}
