package fattree

import (
	"math/bits"
	"slices"
)

// A plain run has flows with a window, ACKs, time-outs and a hash that chooses ports. Links may fail, ACKs be
// coalesced and flows inherit, and the run may be traced; it has no bit errors and none of the options that
// isPlain lists. The loops of this file run its slots as those of sending.go, receiving.go and switching.go
// do, but ask for none of these options, and leave to those what is rare in a plain run. They call no
// function where that can be avoided, so that their values stay in registers.

// isPlain reports whether the run that begins is plain.
func (r *Run) isPlain() bool {
	return r.noting == r.sacking && !r.ultra() && r.grants == nil && r.requests == nil && r.prober == nil &&
		!r.chooses && !r.early && !r.oneSwitch && !r.net.hasNICs() && len(r.net.errors) == 0 &&
		r.messages == nil && r.split == nil && r.doubles == nil
}

// stepHostsPlainly runs one slot of the hosts.
func (t *tile) stepHostsPlainly() {
	arrived := take(t.downlink[data].at(t.slot))
	if t.sacking {
		t.reported = 0
		for _, c := range arrived {
			t.receive(c)
		}
	} else {
		t.receivePlainly(arrived)
	}
	t.takeHeadersPlainly(take(t.downlink[header].at(t.slot)))
	t.keepAgenda()
	t.sendPlainly()
}

// receivePlainly lets hosts take in packets and answer each with an ACK that reports no others.
func (t *tile) receivePlainly(arrived []crossing) {
	if len(arrived) == 0 {
		return
	}
	t.lastPut = max(t.lastPut, t.slot)
	t.Delivered += int64(len(arrived))
	lag, arrives := t.net.lags[0], t.slot+t.net.headers[0]
	up := [2]*[]crossing{t.uplink[header].at(arrives), t.uplink[header].at(arrives + 1)}
	ports := t.ports[t.nics:]
	for i := range arrived {
		c := &arrived[i]
		p := c.packet
		flow, psn := p.flow(), p.psn()
		if g, bit := &t.received[t.net.routes[flow].first+psn/64], uint64(1)<<(uint32(psn)%64); *g&bit == 0 {
			*g |= bit
			t.noteOrder(&t.receivers[flow], psn)
		} else {
			t.Duplicates++
		}
		ends := t.ends[flow]
		nic := &ports[ends.destination-t.sw.firstHost]
		leaves := nic.passAhead(c.phase(), ifPositive(t.hosts[ends.destination].head+1)).later(lag)
		bucket := up[leaves/aSlot%2]
		*bucket = append(*bucket, crossing{p &^ requestBit, 0, t.portTo(ends.source, ends, p)<<portShift | uint32(leaves.phase())})
	}
}

// put appends a packet or header to a list that has room for it.
func put(list *[]crossing, p packet, n note, at moment) {
	last := len(*list)
	*list = (*list)[:last+1]
	(*list)[last] = crossing{p, n, uint32(at.phase())}
}

// takeHeadersPlainly lets hosts take in headers: congestion control, the balancer and the flow learn from
// an ACK.
func (t *tile) takeHeadersPlainly(headers []crossing) {
	control, balance := t.control, t.balance
	for i := range headers {
		p := headers[i].packet
		if p&requestBit != 0 {
			t.takeHeader(headers[i])
			continue
		}
		flow, psn := p.flow(), p.psn()
		f := &t.senders[flow]
		var says *report
		if t.sacking {
			says = t.takeReport(flow, f, headers[i].note.number())
		}
		if f.received == f.total {
			continue // a duplicate's ACK, after the flow's end
		}
		fresh := int32(0)
		if g, bit := &t.groups[f.first+psn/64], uint64(1)<<(uint32(psn)%64); says != nil {
			fresh = t.countAcked(f, psn, says)
		} else if g.acked&bit == 0 {
			fresh = 1
			f.received++
			f.inFlight--
			f.note(g, bit)
		}
		var rtt Picoseconds
		if t.measuring {
			rtt = t.sinceSent(f, psn)
		}
		kind := Kind(p & markBit) // Good or Marked
		before := f.window.Packets
		control.Acknowledge(&f.window, Acknowledgement{
			Flow: flow, Packets: fresh, Marked: kind == Marked, Now: t.now, RTT: rtt, InFlight: f.inFlight,
		})
		if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
			t.checkWindow(flow, w, before)
		}
		balance.Feedback(Feedback{
			Flow: flow, EV: p.ev(), Kind: kind, Now: t.now, RTT: rtt,
			Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
		})
		if f.received == f.total {
			t.finish(flow, f, psn)
			continue
		}
		if psn != f.total-1 {
			f.lastAck = t.slot
		}
		if !f.waits && f.maySend(t.room) {
			t.offer(flow, f)
		}
	}
}

// sendPlainly lets every host that has something to send spend the slot: on its link's debt, or on a packet
// of its next flow.
func (t *tile) sendPlainly() {
	for word := range t.ready {
		for ready := t.ready[word]; ready != 0; ready &= ready - 1 {
			host := int32(word*64 + bits.TrailingZeros64(ready))
			line, nic := &t.hosts[t.sw.firstHost+host], &t.ports[t.nics+host]
			if nic.debt >= oneSlot {
				nic.debt -= oneSlot
			} else {
				t.sendNextPlainly(line, nic)
			}
			if line.head == none && nic.debt < oneSlot {
				t.ready[word] &^= ready & -ready
			}
		}
	}
}

// sendNextPlainly sends a packet of the first flow in a host's line that may send.
func (t *tile) sendNextPlainly(line *turns, nic *port) {
	for line.head != none {
		flow := line.head
		f := &t.senders[flow]
		line.head = f.after
		f.waits = false
		if !f.maySend(t.room) {
			continue
		}
		psn, again := f.next, f.lost > 0
		if again {
			psn = t.takeLost(f)
			t.Retransmitted++
		} else if f.next++; f.next == f.total && t.firesElsewhere(flow) {
			t.worker.ending = append(t.worker.ending, t.slot+t.net.ways[t.net.routes[flow].path].least)
		}
		ev, recycled := t.balance.NextEV(flow, t.now)
		if recycled {
			t.Recycled++
		}
		f.inFlight++
		t.Sent++
		t.sent[f.first*64+psn] = sending{uint16(t.slot), ev}
		if again || !f.timed {
			t.setTimer(flow, psn, f, again)
		}
		p, ends := newPacket(flow, psn, ev), t.ends[flow]
		if t.sacking && (again || f.next == f.total || f.window.Packets-float64(f.inFlight) <= t.room) {
			p |= requestBit
		}
		*t.dataUp = append(*t.dataUp, crossing{p, 0, t.portTo(ends.destination, ends, p)<<portShift | uint32(nic.phase())})
		nic.debt += nic.perPacket
		t.lastPut = max(t.lastPut, t.slot)
		if f.maySend(t.room) {
			t.queueOnce(flow, f, line)
		}
		return
	}
}

// servePlainly lets every busy port of the switch spend the slot: on its debt, or on the packet at its head,
// which goes onto the link.
func (t *tile) servePlainly() {
	*t.dataDown = slices.Grow(*t.dataDown, int(t.sw.nics))
	t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
	for word, busy := range t.busy {
		if busy == 0 {
			continue
		}
		idle, waits, lost := t.serveWordPlainly(uint32(word*64), busy)
		sent := busy &^ waits
		t.busy[word] &^= idle
		t.PacketHops += int64(bits.OnesCount64(sent))
		for t.Lost += int64(bits.OnesCount64(lost)); lost != 0; lost &= lost - 1 {
			t.noteLoss(int32(word*64+bits.TrailingZeros64(lost)), t.slot-1) // ports serve at the end of the slot before
		}
		if t.trace != nil {
			t.trace.count(int(t.sw.firstPort)+word*64, sent)
		}
	}
}

// serveWordPlainly serves the busy ones of 64 ports. It returns those that are idle then, those that have
// spent the slot on their debt, and of the others, which have sent a packet, those whose link has failed.
func (t *tile) serveWordPlainly(from uint32, busy uint64) (idle, waits, lost uint64) {
	ports, mask := t.ports, t.ringMask
	for ; busy != 0; busy &= busy - 1 {
		low := busy & -busy
		id := from + uint32(bits.TrailingZeros64(busy))
		p := &ports[id]
		if p.debt >= oneSlot {
			p.debt -= oneSlot
			waits |= low
			if p.debt < oneSlot && p.count == 0 {
				idle |= low
			}
			continue
		}
		packet := t.rings[t.place(id, p.head)]
		p.count--
		left := ifPositive(p.count)
		p.head = (p.head + 1) & mask & uint32(left)
		if p.count > p.kmin {
			mark := t.net.classes[p.class].mark
			if uint32(t.random.Uint64()>>32) <= mark[min(int(p.count), len(mark)-1)] {
				packet |= markBit
				t.Marked++
			}
		}
		switch p.side {
		case toHost:
			put(t.dataDown, packet, 0, p.phase())
		case failed:
			lost |= low
		default:
			t.landing[data][p.side%4].put(t.links[id], packet)
		}
		p.debt += p.perPacket
		if p.debt < oneSlot {
			idle |= low &^ left // a branch would be guessed wrong too often
		}
	}
	return idle, waits, lost
}

// joinPlainly moves the packets that arrive into their next queues.
func (t *tile) joinPlainly(packets []crossing) {
	for len(packets) > 0 {
		joined := t.joinSome(packets)
		if packets = packets[joined:]; len(packets) > 0 {
			t.joinQueues(packets[:1])
			packets = packets[1:]
		}
	}
}

// joinSome is joinPlainly up to the first packet for which a ring has no room, and returns its number.
func (t *tile) joinSome(packets []crossing) int {
	ports, rings, mask, longest := t.ports, t.rings, t.ringMask, t.MaxQueue
	for i := range packets {
		c := &packets[i]
		id := c.port()
		p := &ports[id]
		count := p.count
		if count >= p.room {
			t.MaxQueue = longest
			return i
		}
		rings[id*(mask+1)+(p.head+uint32(count))&mask] = c.packet
		p.count = count + 1
		longest = max(longest, count+1)
		t.busy.add(int32(id))
	}
	t.MaxQueue = longest
	return len(packets)
}

// forwardPlainly sends headers on, ahead of all data.
func (t *tile) forwardPlainly(headers []crossing) {
	if len(headers) == 0 {
		return
	}
	t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
	arrives := t.slot + t.net.headers[0]
	down := [2]*[]crossing{t.downlink[header].at(arrives), t.downlink[header].at(arrives + 1)}
	for len(headers) > 0 {
		passed := t.forwardSome(headers, down)
		if headers = headers[passed:]; len(headers) > 0 {
			t.passHeaders(headers[:1])
			headers = headers[1:]
		}
	}
}

// forwardSome is forwardPlainly up to the first header for which a lane or a list of those that go down to
// hosts has no place, or whose link has failed, and returns its number.
func (t *tile) forwardSome(headers []crossing, down [2]*[]crossing) int {
	ports, lag := t.ports, t.net.lags[0]
	room := min(cap(*down[0])-len(*down[0]), cap(*down[1])-len(*down[1]))
	for i := range headers {
		c := &headers[i]
		id := c.port()
		p := &ports[id]
		if p.side == failed || p.side == toHost && room == 0 {
			return i
		}
		if p.side == toHost {
			leaves := p.passAhead(c.phase(), ifPositive(p.count)).later(lag)
			put(down[leaves/aSlot%2], c.packet, c.note, leaves)
			room--
			continue
		}
		l, link := &t.landing[header][p.side%4], t.links[id]
		lane := l.lane(link)
		k := lane.count
		if k >= mostHeaders {
			return i
		}
		lane.count = k + 1
		lane.headers[k] = c.packet
		if l.notes != nil {
			l.notes[link].headers[k] = c.note
		}
		lane.times[k] = moment(l.slot)*aSlot + p.passAhead(c.phase(), ifPositive(p.count)).later(l.lag)
	}
	return len(headers)
}
