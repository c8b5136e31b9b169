package fattree

import (
	"math/bits"

	"repslab/internal/ecmphash"
)

// portTowards returns the port by which a switch sends a packet of a flow on its
// way to a host: down if the host is below, else up by the hash of the flow's
// addresses, the EV and the switch's salt, or as a [Router] says.
func (r *Run) portTowards(sw int32, to *[3]int32, p packet, hash uint64, as passenger) int32 {
	first, count := r.net.nodes[sw].towards(to)
	if count == 1 {
		return first
	}
	if r.router != nil {
		if port, chosen := r.router.Route(Passing{
			Switch: sw, Flow: p.flow(), Header: as.header, At: int64(r.slot)*oneSlot + int64(as.phase),
		}, Ports{r, first, count}); chosen {
			return first + int32(port)
		}
	}
	if choose := r.net.spec.Choose; choose != nil {
		return first + int32(choose(p.flow(), p.ev(), int(count)))
	}
	return first + int32(ecmphash.Port(ecmphash.Hash(hash, p.ev(), r.salts[sw]), int(count)))
}

// servePorts lets every busy port send its head, in cyclic order that begins one
// port later each slot.
func (r *Run) servePorts() {
	ports := int32(len(r.ports))
	first := (r.slot + 1) % ports
	r.serveRange(first, ports)
	r.serveRange(0, first)
}

// serveRange serves the busy ports of [from, to).
func (r *Run) serveRange(from, to int32) {
	if from >= to {
		return
	}
	last := (to - 1) / 64
	for word := from / 64; word <= last; word++ {
		busy := r.busy[word]
		if word == from/64 {
			busy &= ^uint64(0) << (uint32(from) % 64)
		}
		if word == last {
			busy &= ^uint64(0) >> (63 - uint32(to-1)%64)
		}
		for ; busy != 0; busy &= busy - 1 {
			r.serve(word*64 + int32(bits.TrailingZeros64(busy)))
		}
	}
}

// serve lets a port spend one slot: on its debt, or on the packet at its head.
func (r *Run) serve(id int32) {
	p := &r.ports[id]
	if p.debt >= oneSlot {
		p.debt -= oneSlot
		r.rest(id, p)
		return
	}
	head := r.rings[id*(r.ringMask+1)+p.head]
	p.head = (p.head + 1) & r.ringMask
	p.count--
	if p.slow {
		p.debt += r.net.classes[p.class].perPacket
	}
	if p.count > p.kmin {
		if class := &r.net.classes[p.class]; uint32(r.random.Uint64()>>32) <= class.mark[min(int(p.count), len(class.mark)-1)] {
			head |= markBit
			r.result.Marked++
		}
	}
	r.result.PacketHops++
	if r.trace != nil {
		r.trace.sent[id]++
	}
	r.rest(id, p)
	if p.dead {
		r.lose(id)
		return
	}
	r.transmit(&r.net.ports[id], head)
}

// rest takes a port without packets and debt off the list of busy ones.
func (r *Run) rest(id int32, p *port) {
	if p.count == 0 && p.debt < oneSlot {
		r.busy.remove(id)
	}
}

// transmit puts a packet on a link.
func (r *Run) transmit(w *wire, p packet) {
	r.moving++
	if w.peer < 0 {
		r.toHost.put(r.slot+w.latency, p)
		return
	}
	r.toSwitch.put(r.slot+w.latency, arrival{packet: p, node: w.peer})
}

// lose notes a packet that a dead link swallowed.
func (r *Run) lose(id int32) {
	r.result.Lost++
	r.result.lastLoss(r.slot-1, id) // ports serve at the end of the slot before
}

// arriveAtSwitches moves the packets that are due into their next queues. First
// it finds all the queues, then it fills them: what waits for memory in the one
// loop is not mixed with what computes in the other.
func (r *Run) arriveAtSwitches() {
	due := r.toSwitch.at(r.slot)
	r.moving -= len(due)
	if r.router != nil {
		r.orderByPhase(due)
	}
	r.next = r.next[:0]
	for _, a := range due {
		route := &r.net.routes[a.packet.flow()]
		r.next = append(r.next, r.portTowards(a.node, &route.to, a.packet, route.key(), passenger{phase: a.phase}))
	}
	for i, id := range r.next {
		r.enqueue(id, due[i].packet)
	}
	r.toSwitch.empty(r.slot)
}

// enqueue puts a packet at the end of a port's queue. Into a full queue a fair
// coin lets either it or the queue's last packet through.
func (r *Run) enqueue(id int32, p packet) {
	q := &r.ports[id]
	if q.count >= q.capacity {
		if r.random.Uint64()>>63 == 1 {
			tail := &r.rings[id*(r.ringMask+1)+(q.head+q.count-1)&r.ringMask]
			p, *tail = *tail, p
		}
		r.discard(id, p)
		return
	}
	if q.count > r.ringMask {
		r.growRings()
	}
	r.rings[id*(r.ringMask+1)+(q.head+q.count)&r.ringMask] = p
	q.count++
	r.result.MaxQueue = max(r.result.MaxQueue, q.count)
	r.busy.add(id)
}

// growRings doubles the room of all queues.
func (r *Run) growRings() {
	old, oldMask := r.rings, r.ringMask
	r.ringMask = 2*oldMask + 1
	r.rings = make([]packet, 2*len(old))
	for id := range r.ports {
		q := &r.ports[id]
		for i := range q.count {
			r.rings[int32(id)*(r.ringMask+1)+i] = old[int32(id)*(oldMask+1)+(q.head+i)&oldMask]
		}
		q.head = 0
	}
}

// discard drops or trims the victim of a full queue.
func (r *Run) discard(id int32, p packet) {
	if r.net.spec.DisableTrimming {
		r.result.Dropped++
		return
	}
	r.result.Trimmed++
	delay, arrives := r.carryHeader(id, p)
	if !arrives {
		return
	}
	if r.grants != nil {
		r.announce(p, delay)
	}
	r.reply(ack{packet: p | nackBit}, sack{}, delay)
}

// carryHeader takes the header of a packet from a port to its destination, and
// returns the slots that it takes and whether it arrives.
func (r *Run) carryHeader(id int32, p packet) (delay int32, arrives bool) {
	route := &r.net.routes[p.flow()]
	for {
		if !r.passHeader(id) {
			return delay, false
		}
		w := &r.net.ports[id]
		delay += w.latency
		if w.peer < 0 {
			return delay, true
		}
		id = r.portTowards(w.peer, &route.to, p, route.key(), passenger{header: true})
	}
}

// passHeader lets an ACK, NACK or trimmed packet through a port ahead of all
// data, and reports whether it comes out at the other end.
func (r *Run) passHeader(id int32) bool {
	p := &r.ports[id]
	if p.count > 0 {
		p.debt += p.perAck
	}
	if p.dead {
		r.result.lastLoss(r.slot, id)
	}
	return !p.dead
}

// reply sends an ACK or NACK, with what it says of the packets below, from a
// flow's destination, from which it starts after delay slots, on the way that its
// own hash picks. Links are taken as they are now.
func (r *Run) reply(a ack, s sack, delay int32) {
	route := &r.net.routes[a.packet.flow()]
	if r.net.spec.Topology.Tiers > 1 {
		nic := &r.nics[route.to[0]]
		r.chargeNIC(nic)
		as := passenger{phase: nic.debt, header: true}
		for sw := route.to[1]; sw >= 0; {
			id := r.portTowards(sw, &route.from, a.packet, route.key(), as)
			if !r.passHeader(id) {
				return
			}
			sw = r.net.ports[id].peer
		}
	}
	due := r.slot + delay + r.net.returns[route.turn()]
	r.acks.put(due, a)
	if r.sacking {
		r.sacks.put(due, s)
	}
	if r.carrying != nil && a.packet&nackBit == 0 {
		r.carrying.send(a.packet.flow(), due)
	}
	r.moving++
}

// chargeNIC takes the time of an ACK from a host's link if data wait for it.
func (r *Run) chargeNIC(n *nic) {
	if n.head != none {
		n.debt += r.nicAck
	}
}
