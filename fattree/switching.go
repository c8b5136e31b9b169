package fattree

import (
	"fmt"
	"math/bits"

	"repslab/internal/ecmphash"
)

// servePorts lets every busy port send its head. Before a sink ports act in cyclic order that
// begins one port later each slot; else their order does not matter.
func (t *tile) servePorts() {
	if !t.oneSwitch {
		t.serveRange(0, t.nics)
		return
	}
	turn := (t.slot + 1) % t.nics
	t.serveRange(turn, t.nics)
	t.serveRange(0, turn)
}

// serveRange lets the busy ports of [from, to) spend one slot: on their debt, or on the packet
// at their head.
func (t *tile) serveRange(from, to int32) {
	if from >= to {
		return
	}
	last, served := (to-1)/64, 0
	for word := from / 64; word <= last; word++ {
		busy := t.busy[word]
		if word == from/64 {
			busy &= ^uint64(0) << (uint32(from) % 64)
		}
		if word == last {
			busy &= ^uint64(0) >> (63 - uint32(to-1)%64)
		}
		idle := uint64(0)
		for ; busy != 0; busy &= busy - 1 {
			bit := bits.TrailingZeros64(busy)
			id := word*64 + int32(bit)
			p := &t.ports[id]
			if p.debt >= oneSlot {
				p.debt -= oneSlot
			} else {
				served++
				t.serve(id, p)
			}
			if p.debt < oneSlot {
				idle |= uint64(^ifPositive(p.count)&1) << bit // a branch would be guessed wrong too often
			}
		}
		t.busy[word] &^= idle
	}
	if served > 0 {
		t.PacketHops += int64(served)
		t.lastPut = t.slot // on a link to a host, perhaps
	}
}

// serve puts the packet at the head of a port's queue on its link.
func (t *tile) serve(id int32, p *port) {
	place := t.place(id, p.head)
	packet, g := t.rings[place], p.phase().tag()
	if t.ringTags != nil {
		g |= t.ringTags[place].unphased()
	}
	p.count--
	p.head = (p.head + 1) & t.ringMask & int32(ifPositive(p.count)) // an empty queue begins anew, where its ring is likely to be in a cache
	p.debt += p.perPacket
	if p.count > p.kmin && t.marks(p) {
		packet |= markBit
	}
	if t.trace != nil {
		t.trace.sent[t.sw.firstPort+id]++
	}
	switch {
	case id < t.linked:
		*t.dataDown = append(*t.dataDown, crossing{packet, g})
	case p.dead:
		t.Lost++
		t.noteLoss(id, t.slot-1) // ports serve at the end of the slot before
	default:
		t.sendData(id, packet, g)
	}
}

// marks draws whether to mark a packet that leaves more than Kmin behind.
func (t *tile) marks(p *port) bool {
	mark := t.net.classes[int(p.class)%len(t.net.classes)].mark
	if uint32(t.random.Uint64()>>32) > mark[min(int(p.count), len(mark)-1)] {
		return false
	}
	t.Marked++
	return true
}

// noteLoss notes that something was sent into a dead link.
func (t *tile) noteLoss(id, slot int32) {
	t.Reroute = max(t.Reroute, Picoseconds(slot-t.diedAt[t.sw.firstPort+id])*t.net.slotTime)
}

// cross lets a header through a port ahead of all data, unless
// the link is dead.
func (t *tile) cross(id int32, p packet, g tag) {
	port := &t.ports[id]
	leaves := port.passAhead(g.phase(), ifPositive(port.count))
	switch {
	case id < t.linked:
		bucket := t.headersDown[leaves.slot()]
		*bucket = append(*bucket, crossing{p, g.unphased() | leaves.tag()})
		t.lastPut = t.slot
	case port.dead:
		t.noteLoss(id, t.slot)
	default:
		t.sendOn(id, p, leaves, g)
	}
}

// passAhead returns when a header that arrives at a phase of the slot leaves by a port, counted
// from the slot. If data wait for the link (waits is all ones, else 0) a packet is on the wire, for
// the end of which the header waits, and it takes time from the data.
func (p *port) passAhead(phase moment, waits uint32) (leaves moment) {
	rest := (p.phase() - phase) % aSlot // of the packet on the wire
	p.debt = min(p.debt, mostDebt) + p.perHeader&waits
	return phase + rest&moment(waits)
}

// ifPositive returns all ones if x > 0, else 0, x being above -2^31: what hangs on
// whether a queue is empty is guessed wrong too often for a branch.
func ifPositive(x int32) uint32 { return uint32(-x >> 31) }

// route returns the port by which the switch sends a packet or header on: of those that lead to
// the host, the one that the hash of the flow's addresses, the EV and the switch's salt picks, or
// a [Router] or [Chooser].
func (t *tile) route(p packet, phase moment, header bool) int32 {
	ends := t.ends[p.flow()]
	to := ends.destination
	if header && !p.outward() {
		to = ends.source
	}
	first, count := t.sw.next(to)
	if count == 0 {
		first, count = t.net.search(t.number, to)
	}
	if count == 1 {
		return first
	}
	if t.chooses {
		return first + t.choose(p, phase, header, ends, first, count)
	}
	return first + t.hashed(p, ends, count)
}

// hashed returns which of a number of ports the hash picks.
func (t *tile) hashed(p packet, ends ends, count int32) int32 {
	return int32(ecmphash.Port(ecmphash.Hash(ends.key(), p.ev(), t.salt), int(count)))
}

// choose returns which of several equal-cost ports a Router, or else Spec.Choose, or else the
// hash picks.
func (t *tile) choose(p packet, phase moment, header bool, ends ends, first, count int32) int32 {
	at := Passing{Switch: t.number, Flow: p.flow(), Header: header, At: (int64(t.slot)*int64(aSlot) + int64(phase)) * oneSlot / int64(aSlot)}
	ports := Ports{t.Run, t.sw.firstPort + first, count}
	if t.router != nil {
		if port, chosen := t.router.Route(at, ports); chosen {
			if uint(port) >= uint(count) {
				panic(fmt.Sprintf("fattree: %T routes to port %d, must be in [0, %d)", t.router, port, count))
			}
			return int32(port)
		}
	}
	port := int(t.hashed(p, ends, count))
	if choose := t.net.spec.Choose; choose != nil {
		if port = choose(p.flow(), p.ev(), int(count)); uint(port) >= uint(count) {
			panic(fmt.Sprintf("fattree: Spec.Choose returns port %d, must be in [0, %d)", port, count))
		}
	}
	if t.watcher != nil {
		t.watcher.Watch(at, ports, port)
	}
	return int32(port)
}

// arriveAtSwitch moves the packets that are due into their next queues, in random order: neither
// the host that sent a packet nor the link that it came by decides which one joins a queue
// first. Turns cannot do that: where 8 of 32 links compete, a cyclic order that begins one link
// later each slot leaves the first of two neighbours ahead in 31 slots of 32.
func (t *tile) arriveAtSwitch(fromHosts []crossing, slot int32) {
	due, ports := append(t.due[:0], fromHosts...), t.chosen[:0]
	for i := range t.incoming {
		in := &t.incoming[i]
		if in.packets>>(uint32(slot)%64)&1 == 0 {
			continue
		}
		c := crossing{packet: in.from.data[in.first+slot]}
		if in.from.dataTags != nil {
			c.tag = in.from.dataTags[in.first+slot].unphased()
		}
		due = append(due, c)
	}
	t.due = due
	if len(due) == 0 {
		return
	}
	t.shuffle(len(due))
	if t.router != nil {
		t.sortByPhase()
	}
	// All are routed before any joins a queue.
	for _, c := range due {
		ports = append(ports, t.route(c.packet, c.tag.phase(), false))
	}
	t.chosen = ports
	for _, i := range t.order {
		t.enqueue(ports[i], due[i])
	}
}

// shuffle draws an order of some arrivals, every order being equally likely.
func (t *tile) shuffle(count int) {
	random, order := t.random, append(t.order[:0], 0)
	for i := 1; i < count; i++ {
		var word uint64
		word, random = random.Next()
		j, _ := bits.Mul64(word, uint64(i+1))
		order = append(order, int32(i))
		order[i], order[j] = order[j], int32(i)
	}
	t.random, t.order = random, order
}

// enqueue puts a packet at the end of a port's queue. Into a full queue a fair
// coin lets either it or the queue's last packet through.
func (t *tile) enqueue(id int32, c crossing) {
	p := &t.ports[id]
	if p.count >= p.room && !t.makeRoom(id, p, c) {
		return
	}
	place := t.place(id, p.head+p.count)
	t.rings[place] = c.packet
	if t.ringTags != nil {
		t.ringTags[place] = noted(0, c.tag.note())
	}
	p.count++
	t.MaxQueue = max(t.MaxQueue, p.count)
	t.busy.add(id)
}

// makeRoom grows the rings for another packet, and reports whether it may join the queue of a
// port: if that is full, either the packet or the last one in the queue is discarded.
func (t *tile) makeRoom(id int32, p *port, c crossing) bool {
	if p.count < t.services[p.class].capacity {
		t.growRings()
		return true
	}
	if t.random.Uint64()>>63 == 1 {
		place := t.place(id, p.head+p.count-1)
		t.rings[place], c.packet = c.packet, t.rings[place]
		if t.ringTags != nil {
			t.ringTags[place], c.tag = noted(0, c.tag.note()), t.ringTags[place]
		}
	}
	if t.net.spec.DisableTrimming {
		t.Dropped++
		return false
	}
	t.Trimmed++
	t.cross(id, c.packet.as(outward), noted(0, c.tag.note()))
	return false
}

// place returns the index into the rings of a place of a port's queue, counted round
// the ring.
func (t *tile) place(id, i int32) int {
	return int(id)*int(t.ringMask+1) + int(i&t.ringMask)
}

// growRings doubles the room of all queues of the tile.
func (t *tile) growRings() {
	t.rings = grown(t, t.rings)
	if t.ringTags != nil {
		t.ringTags = grown(t, t.ringTags)
	}
	t.ringMask = 2*t.ringMask + 1
	for i := range t.ports {
		p := &t.ports[i]
		p.head, p.room = 0, min(t.services[p.class].capacity, t.ringMask+1)
	}
}

// grown returns rings of double the room with the same queues, from their beginning.
func grown[T any](t *tile, old []T) []T {
	room := int(t.ringMask + 1)
	list := make([]T, 2*len(old))
	for id := range t.nics {
		p := &t.ports[id]
		for i := range p.count {
			list[2*int(id)*room+int(i)] = old[t.place(id, p.head+i)]
		}
	}
	return list
}
