package fattree

import (
	"fmt"
	"math/bits"
	"slices"

	"repslab/internal/ecmphash"
)

// portTowards returns the port by which a switch sends a packet of a flow on its
// way to a host: down if the host is below, else up by the hash of the flow's
// addresses, the EV and the switch's salt, or as a [Router] says.
func (r *Run) portTowards(sw int32, to *[3]int32, p packet, hash uint64, as forRouter) int32 {
	first, count := r.net.nodes[sw].towards(to)
	if count == 1 {
		return first
	}
	if r.router != nil {
		at := Passing{Switch: sw, Flow: p.flow(), Header: as.header, At: int64(r.slot)*oneSlot + int64(as.phase)}
		port, chosen := r.router.Route(at, Ports{r, first, count})
		if !chosen {
			port = r.hashedPort(sw, p, hash, int(count))
			if r.watcher != nil {
				r.watcher.Watch(at, Ports{r, first, count}, port)
			}
		}
		if uint(port) >= uint(count) {
			panic(fmt.Sprintf("fattree: %T routes to port %d, must be in [0, %d)", r.router, port, count))
		}
		return first + int32(port)
	}
	return first + int32(r.hashedPort(sw, p, hash, int(count)))
}

// hashedPort returns which of a number of ports the hash picks, or what takes its
// place.
func (r *Run) hashedPort(sw int32, p packet, hash uint64, count int) int {
	if choose := r.net.spec.Choose; choose != nil {
		port := choose(p.flow(), p.ev(), count)
		if uint(port) >= uint(count) {
			panic(fmt.Sprintf("fattree: Spec.Choose returns port %d, must be in [0, %d)", port, count))
		}
		return port
	}
	return ecmphash.Port(ecmphash.Hash(hash, p.ev(), r.salts[sw]), count)
}

// servePorts lets every busy port send its head, in cyclic order that begins one
// port later each slot. In a tree the order at the next switch is another: see shuffle.
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
	departing = slices.Grow(departing, 64)
	leaving := departing[len(departing):][:64]
	count := 0
	// A loop that does no more than look at heads waits for the memory of many ports
	// at a time.
	for left := serving; left != 0; left &= left - 1 {
		id := word*64 + int32(bits.TrailingZeros64(left))
		if p := &r.ports[id]; p.debt < oneSlot {
			leaving[count&63] = departure{r.rings[r.place(id, p.head)], id}
			count++
		}
	}
	at, idle := 0, uint64(0)
	for ; serving != 0; serving &= serving - 1 {
		bit := bits.TrailingZeros64(serving)
		p := &r.ports[word*64+int32(bit)]
		if p.debt >= oneSlot {
			p.debt -= oneSlot
		} else {
			p.count--
			p.head = (p.head + 1) & r.ringMask & int32(ifPositive(p.count)) // an empty queue begins anew, where its ring is likely to be in a cache
			class := &r.services[p.class]
			p.debt += class.perPacket
			if p.count > class.kmin && r.marks(p) {
				leaving[at&63].packet |= markBit
			}
			at++
		}
		if p.debt < oneSlot {
			idle |= uint64(uint32(p.count-1)>>31) << bit // without packets; a branch would be guessed wrong too often
		}
	}
	r.busy[word] &^= idle
	return departing[:len(departing)+count]
}

// marks draws whether to mark a packet that leaves more than Kmin behind.
func (r *Run) marks(p *port) bool {
	mark := r.net.classes[int(p.class)%len(r.net.classes)].mark
	if uint32(r.random.Uint64()>>32) > mark[min(int(p.count), len(mark)-1)] {
		return false
	}
	r.result.Marked++
	return true
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
		departing = r.loseOnFailed(departing)
	}
	r.moving += len(departing)
	if s.hosts {
		bucket := r.toHost.open(r.slot + s.latency)
		due := *bucket
		for _, d := range departing {
			due = append(due, d.packet)
		}
		*bucket = due
		return
	}
	bucket := r.toSwitch.open(r.slot + s.latency)
	*bucket = r.steer(departing, s, *bucket)
}

// steer appends packets that leave for switches to due, each with the port that
// it goes to next; with a router, whose choice waits until they are there, with
// the switch.
func (r *Run) steer(departing []departure, s *segment, due []arrival) []arrival {
	wires := r.net.ports
	switch {
	case r.router != nil:
		for _, d := range departing {
			due = append(due, arrival{packet: d.packet, to: wires[d.port].peer})
		}
	case s.by >= 0:
		to := r.net.to[s.by]
		for _, d := range departing {
			due = append(due, arrival{packet: d.packet, to: wires[d.port].base + to[d.packet.flow()]})
		}
	default:
		for _, d := range departing {
			route := &r.net.routes[d.packet.flow()]
			due = append(due, arrival{packet: d.packet, to: r.portTowards(wires[d.port].peer, &route.to, d.packet, route.key(), forRouter{})})
		}
	}
	return due
}

// loseOnFailed removes the packets lost on failed links and returns the rest.
func (r *Run) loseOnFailed(departing []departure) []departure {
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

// lose counts a packet lost on a failed link.
func (r *Run) lose(id int32) {
	r.result.Lost++
	r.result.lastLoss(r.slot-1, id) // ports serve at the end of the slot before
}

// arriveAtSwitches moves the packets that are due into their next queues. Where
// switches choose, all do before any packet joins a queue.
func (r *Run) arriveAtSwitches() {
	due := r.toSwitch.at(r.slot)
	r.moving -= len(due)
	r.shuffle(due)
	if r.router != nil {
		r.orderByPhase(due)
		for i := range due {
			a := &due[i]
			route := &r.net.routes[a.packet.flow()]
			a.to = r.portTowards(a.to, &route.to, a.packet, route.key(), forRouter{phase: a.phase})
		}
	}
	longest := r.result.MaxQueue
	for i := range due {
		id := due[i].to
		q := &r.ports[id]
		if q.count >= r.services[q.class].room {
			r.enqueue(id, due[i].packet)
			continue
		}
		r.rings[r.place(id, q.head+q.count)] = due[i].packet
		q.count++
		longest = max(longest, q.count)
		r.busy.add(id)
	}
	r.result.MaxQueue = max(r.result.MaxQueue, longest)
	r.toSwitch.empty(r.slot)
}

// shuffle puts the arrivals of a slot into random order, every order being equally
// likely, so that neither the host that sent a packet nor the link that it came by
// decides which packet of a slot joins a queue first. Turns cannot do that: where 8
// of 32 in-links compete, a cyclic order that begins one link later each slot leaves
// the first of two neighbours ahead in 31 slots of 32.
func (r *Run) shuffle(due []arrival) {
	random := r.order
	for i := len(due) - 1; i > 0; i-- {
		var word uint64
		word, random = random.Next()
		j, _ := bits.Mul64(word, uint64(i+1))
		due[i], due[j] = due[j], due[i]
	}
	r.order = random
}

// enqueue puts a packet at the end of a port's queue. Into a full queue a fair
// coin lets either it or the queue's last packet through.
func (r *Run) enqueue(id int32, p packet) {
	q := &r.ports[id]
	if q.count >= r.net.classes[int(q.class)%len(r.net.classes)].capacity {
		if r.random.Uint64()>>63 == 1 {
			tail := &r.rings[r.place(id, q.head+q.count-1)]
			p, *tail = *tail, p
		}
		r.discard(id, p)
		return
	}
	if q.count > r.ringMask {
		r.growRings()
	}
	r.rings[r.place(id, q.head+q.count)] = p
	q.count++
	r.result.MaxQueue = max(r.result.MaxQueue, q.count)
	r.busy.add(id)
}

// place returns the index into the rings of a place of a port's queue, counted round
// the ring.
func (r *Run) place(id, i int32) int {
	return int(id)*int(r.ringMask+1) + int(i&r.ringMask)
}

// growRings doubles the room of all queues.
func (r *Run) growRings() {
	old, oldMask := r.rings, r.ringMask
	r.ringMask = 2*oldMask + 1
	r.rings = make([]packet, 2*len(old))
	for id := range r.ports {
		q := &r.ports[id]
		for i := range q.count {
			r.rings[r.place(int32(id), i)] = old[id*int(oldMask+1)+int((q.head+i)&oldMask)]
		}
		q.head = 0
	}
	r.setServices()
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
		id = r.portTowards(w.peer, &route.to, p, route.key(), forRouter{header: true})
	}
}

// passHeader lets an ACK, NACK or trimmed packet through a port ahead of all
// data, and reports whether it comes out at the other end.
func (r *Run) passHeader(id int32) bool {
	p := &r.ports[id]
	p.debt = min(p.debt, mostDebt) + r.services[p.class].perAck&ifPositive(p.count)
	if p.dead {
		r.result.lastLoss(r.slot, id)
	}
	return !p.dead
}

// acknowledgeAll sends an ACK for each of some packets: reply in short, for a tree without
// failed links whose switches hash. All ACKs cross a link before any crosses the next: the
// memory accesses of one ACK depend on each other, but those of different ACKs overlap.
func (r *Run) acknowledgeAll(packets []packet) {
	way := r.acking[:0]
	for _, p := range packets {
		route := &r.net.routes[p.flow()]
		nic := &r.nics[route.to[0]]
		nic.debt = min(nic.debt, mostDebt) + r.nicAck&ifPositive(nic.head+1)
		id := route.from[0]
		if tor := route.to[1]; tor != route.from[1] {
			id = r.portTowards(tor, &route.from, p, route.key(), forRouter{})
		}
		way = append(way, arrival{packet: p, to: id})
		r.acks.put(r.slot+r.net.returns[route.climb()], p&^nackBit)
	}
	r.acking = way
	r.moving += len(packets)
	for len(way) > 0 {
		way = r.passAll(way)
	}
}

// passAll lets ACKs through their ports, ahead of all data, and returns those that
// are not at their hosts then, with their next ports.
func (r *Run) passAll(way []arrival) []arrival {
	ports, services, wires := r.ports, r.services, r.net.ports
	hosts, towardsToRs := r.net.segments[0].to, r.net.segments[1].to
	left := way[:0]
	for _, a := range way {
		q := &ports[a.to]
		q.debt = min(q.debt, mostDebt) + services[q.class].perAck&ifPositive(q.count)
		if a.to < hosts {
			continue
		}
		route := &r.net.routes[a.packet.flow()]
		if a.to < towardsToRs {
			a.to = route.from[0]
		} else if w := &wires[a.to]; w.by >= 0 {
			a.to = w.base + route.from[w.by]
		} else {
			a.to = r.portTowards(w.peer, &route.from, a.packet, route.key(), forRouter{})
		}
		left = append(left, a)
	}
	return left
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
		nic.debt = min(nic.debt, mostDebt) + r.nicAck&ifPositive(nic.head+1) // if data wait for the link
		as := forRouter{phase: nic.debt, header: true}
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
	due := r.slot + delay + r.net.returns[route.climb()]
	r.acks.put(due, p)
	if r.reporting {
		r.reports.put(due, says)
	}
	if r.carrying != nil && p&nackBit == 0 {
		r.carrying.send(p.flow(), due)
	}
	r.moving++
}
