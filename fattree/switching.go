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

// nextPort is portTowards for data on the way to their destination, of which it
// looks at no more than it must. There is no router.
func (r *Run) nextPort(sw int32, p packet) int32 {
	to := &r.net.to[p.flow()]
	if sw == to[1] {
		return to[0] // the port down to a host has the host's number
	}
	first, count := r.net.nodes[sw].towards(to)
	if count == 1 {
		return first
	}
	return r.portTowards(sw, to, p, r.net.routes[p.flow()].key(), passenger{})
}

// servePorts lets every busy port send its head, in cyclic order that begins one
// port later each slot.
func (r *Run) servePorts() {
	first := (r.slot + 1) % int32(len(r.ports))
	segments := r.net.segments
	for i := range segments {
		s := &segments[i]
		r.serveSegment(max(s.from, first), s.to, s)
	}
	for i := range segments {
		s := &segments[i]
		r.serveSegment(s.from, min(s.to, first), s)
	}
}

// serveSegment serves the busy ports of [from, to), a part of a segment.
func (r *Run) serveSegment(from, to int32, s *segment) {
	if from >= to {
		return
	}
	departing := r.departing[:0]
	last := (to - 1) / 64
	for word := from / 64; word <= last; word++ {
		busy := r.busy[word]
		if word == from/64 {
			busy &= ^uint64(0) << (uint32(from) % 64)
		}
		if word == last {
			busy &= ^uint64(0) >> (63 - uint32(to-1)%64)
		}
		departing = r.serveWord(word, busy, departing)
	}
	r.departing = departing
	r.transmit(departing, s)
}

// departure is a packet that leaves a port.
type departure struct {
	packet packet
	port   int32
}

// serveWord lets each of some ports among 64 spend one slot: on its debt, or on
// the packet at its head, which is appended to departing.
func (r *Run) serveWord(word int32, serving uint64, departing []departure) []departure {
	idle := uint64(0)
	for ; serving != 0; serving &= serving - 1 {
		bit := bits.TrailingZeros64(serving)
		id := word*64 + int32(bit)
		p := &r.ports[id]
		if p.debt >= oneSlot {
			p.debt -= oneSlot
		} else {
			head := r.rings[id*(r.ringMask+1)+p.head]
			p.head = (p.head + 1) & r.ringMask
			p.count--
			class := &r.classes[p.class]
			p.debt += class.perPacket
			if p.count > class.kmin && uint32(r.random.Uint64()>>32) <= class.mark[min(int(p.count), len(class.mark)-1)] {
				head |= markBit
				r.result.Marked++
			}
			departing = append(departing, departure{head, id})
		}
		if p.debt < oneSlot {
			idle |= uint64(uint32(p.count-1)>>31) << bit // without packets; a branch would be guessed wrong too often
		}
	}
	r.busy[word] &^= idle
	return departing
}

// transmit puts packets on the links of their ports, which are of one segment.
func (r *Run) transmit(departing []departure, s *segment) {
	r.result.PacketHops += int64(len(departing))
	if r.trace != nil {
		for _, d := range departing {
			r.trace.sent[d.port]++
		}
	}
	if len(r.net.faults) > 0 {
		departing = r.loseOnDead(departing)
	}
	r.moving += len(departing)
	if s.hosts {
		due := r.toHost.open(r.slot + s.latency)
		for _, d := range departing {
			*due = append(*due, d.packet)
		}
		return
	}
	due := r.toSwitch.open(r.slot + s.latency)
	if r.router != nil {
		for _, d := range departing {
			*due = append(*due, arrival{packet: d.packet, to: r.net.ports[d.port].peer})
		}
		return
	}
	for _, d := range departing {
		*due = append(*due, arrival{packet: d.packet, to: r.nextPort(r.net.ports[d.port].peer, d.packet)})
	}
}

// loseOnDead takes the packets out that dead links swallow, and returns the rest.
func (r *Run) loseOnDead(departing []departure) []departure {
	rest := departing[:0]
	for _, d := range departing {
		if r.ports[d.port].dead {
			r.lose(d.port)
		} else {
			rest = append(rest, d)
		}
	}
	return rest
}

// lose notes a packet that a dead link swallowed.
func (r *Run) lose(id int32) {
	r.result.Lost++
	r.result.lastLoss(r.slot-1, id) // ports serve at the end of the slot before
}

// arriveAtSwitches moves the packets that are due into their next queues. Where
// switches choose, all do before any packet joins a queue.
func (r *Run) arriveAtSwitches() {
	due := r.toSwitch.at(r.slot)
	r.moving -= len(due)
	if r.router != nil {
		r.orderByPhase(due)
		for i := range due {
			a := &due[i]
			route := &r.net.routes[a.packet.flow()]
			a.to = r.portTowards(a.to, &route.to, a.packet, route.key(), passenger{phase: a.phase})
		}
	}
	for i := range due {
		r.enqueue(due[i].to, due[i].packet)
	}
	r.toSwitch.empty(r.slot)
}

// enqueue puts a packet at the end of a port's queue. Into a full queue a fair
// coin lets either it or the queue's last packet through.
func (r *Run) enqueue(id int32, p packet) {
	q := &r.ports[id]
	if q.count >= r.classes[q.class].capacity {
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
	r.reply(p|nackBit, report{}, delay)
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
	p.debt += r.classes[p.class].perAck & ifPositive(p.count)
	if p.dead {
		r.result.lastLoss(r.slot, id)
	}
	return !p.dead
}

// ifPositive returns all ones if x > 0, else 0, x being above -2^31: what hangs on
// whether a queue is empty is guessed wrong too often for a branch.
func ifPositive(x int32) uint32 { return uint32(-x >> 31) }

// reply sends an ACK or NACK, named by the packet that triggered it and nackBit,
// from a flow's destination, from which it starts after delay slots, on the way
// that its own hash picks. Links are taken as they are now.
func (r *Run) reply(p packet, says report, delay int32) {
	route := &r.net.routes[p.flow()]
	if r.net.spec.Topology.Tiers > 1 {
		nic := &r.nics[route.to[0]]
		nic.debt += r.nicAck & ifPositive(nic.head+1) // if data wait for the link
		as := passenger{phase: nic.debt, header: true}
		for sw := route.to[1]; sw >= 0; {
			id := route.from[0]
			if sw != route.from[1] {
				id = r.portTowards(sw, &route.from, p, route.key(), as)
			}
			if !r.passHeader(id) {
				return
			}
			sw = r.net.ports[id].peer
		}
	}
	due := r.slot + delay + r.net.returns[route.turn()]
	r.acks.put(due, p)
	if r.reporting {
		r.reports.put(due, says)
	}
	if r.carrying != nil && p&nackBit == 0 {
		r.carrying.send(p.flow(), due)
	}
	r.moving++
}
