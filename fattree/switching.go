package fattree

import (
	"fmt"
	"math/bits"
	"slices"

	"repslab/internal/ecmphash"
)

// servePorts lets every busy port send its head. Before a sink ports act in cyclic order that
// begins one port later each slot; else their order does not matter.
func (t *tile) servePorts() {
	if t.plain {
		t.servePlainly()
		return
	}
	if !t.oneSwitch {
		t.serveRange(0, t.nics)
		return
	}
	turn := (t.slot + 1) % t.nics
	t.serveRange(turn, t.nics)
	t.serveRange(0, turn)
}

// serveRange lets the busy ports of [from, to) spend one slot.
func (t *tile) serveRange(from, to int32) {
	for word := from / 64; word*64 < to; word++ {
		if busy := t.busy.part(word, from, to); busy != 0 {
			t.serveWord(uint32(word), busy)
		}
	}
}

// serveWord lets the busy ports of a word of 64 ports spend one slot: on their debt, or on the packet
// at their head, which goes onto the link.
func (t *tile) serveWord(word uint32, busy uint64) {
	ports, idle, hops := t.ports, uint64(0), int64(0)
	for low := uint64(0); busy != 0; busy ^= low {
		low = busy & -busy
		id := word*64 + uint32(bits.TrailingZeros64(busy))
		p := &ports[id]
		if p.debt >= oneSlot {
			p.debt -= oneSlot
			p.served = uint8(t.slot)
			if p.debt < oneSlot && p.count == 0 {
				idle |= low
			}
			continue
		}
		hops++
		place := t.place(id, p.head)
		packet := t.rings[place]
		p.count--
		left := ifPositive(p.count)
		// An empty queue begins anew, where its ring is likely to be in a cache.
		p.head = (p.head + 1) & t.ringMask & uint32(left)
		if p.count > p.kmin && t.marks(p) {
			packet |= markBit
		}
		switch side := p.side % 4; side { // a remainder, so that the index needs no check
		case toHost:
			*t.dataDown = append(*t.dataDown, crossing{packet, t.noteAt(place), uint32(p.phase())})
		case failed:
			t.Lost++
			t.noteLoss(int32(id), t.slot-1) // ports serve at the end of the slot before
		default:
			l := &t.landing[data][side]
			link := t.links[id]
			l.put(link, packet)
			if l.notes != nil {
				l.notes[link].packets[l.slot] = t.noteAt(place)
			}
		}
		p.debt += p.perPacket
		if t.trace != nil {
			t.trace.sent[t.sw.firstPort+int32(id)]++
		}
		if t.byBytes {
			p.served = uint8(t.slot)
			if t.another(p, packet, left != 0) {
				t.giveWay(id, p.side)
				low = 0 // the port is served again
				continue
			}
		}
		if p.debt < oneSlot {
			idle |= low &^ left // a branch would be guessed wrong too often
		}
	}
	t.PacketHops += hops
	t.busy[word] &^= idle
	t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
}

// noteAt returns the note of a packet in a ring.
func (t *tile) noteAt(place uint) note {
	if t.ringNotes == nil {
		return 0
	}
	return t.ringNotes[place]
}

// marks draws whether to mark a packet that leaves more than Kmin behind.
func (t *tile) marks(p *port) bool {
	mark := t.net.classes[p.class].mark
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

// forward sends headers on.
func (t *tile) forward(headers []crossing) {
	if t.plain {
		t.forwardPlainly(headers)
		return
	}
	if t.chooses {
		for i := range headers {
			t.choose(&headers[i], true)
		}
	}
	t.passHeaders(headers)
}

// passHeaders lets headers through their ports ahead of all data.
func (t *tile) passHeaders(headers []crossing) {
	if len(headers) > 0 {
		t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
	}
	ports := t.ports
	for i := range headers {
		c := &headers[i]
		id := c.port()
		p := &ports[id]
		if t.byBytes && p.count > 0 && p.debt >= t.services[p.class].headers {
			continue // lost
		}
		t.passOn(id, p.side%4, c, p.passAhead(c.phase(), ifPositive(p.count)))
	}
}

// passOn puts a header that leaves a port at some moment on its link to a side, unless that is dead.
func (t *tile) passOn(id uint32, to side, c *crossing, leaves moment) {
	switch to {
	case toHost:
		leaves = leaves.later(t.net.lags[0])
		bucket := t.downlink[header].at(t.slot + t.net.headers[0] + leaves.slot())
		*bucket = append(*bucket, crossing{c.packet, c.note, uint32(leaves.phase())})
	case failed:
		t.noteLoss(int32(id), t.slot)
	default:
		l, link := &t.landing[header][to%4], t.links[id]
		lane, arrives := l.lane(link), moment(l.slot)*aSlot+leaves.later(l.lag)
		k := lane.count
		if k >= mostHeaders {
			l.spill(lane, link, c, arrives)
			return
		}
		lane.count++
		lane.headers[k], lane.times[k] = c.packet, arrives
		if l.notes != nil {
			l.notes[link].headers[k] = c.note
		}
	}
}

// passAhead returns when a header that arrives at a phase of the slot leaves by a port, counted
// from the slot. If data wait for the link (waits is all ones, else 0) a packet is on the wire, for
// the end of which the header waits, and it takes time from the data.
func (p *port) passAhead(phase moment, waits uint64) (leaves moment) {
	rest := (p.phase() - phase) % aSlot // of the packet on the wire
	p.debt = min(p.debt, mostDebt) + p.perHeader&uint32(waits)
	return phase + rest&moment(waits)
}

// ifPositive returns all ones if x > 0, else 0, x being above -2^31: what hangs on
// whether a queue is empty is guessed wrong too often for a branch.
func ifPositive(x int32) uint64 { return uint64(-int64(x) >> 63) }

// portTo returns the port by which the switch sends a packet or header of a flow with the given ends on to one
// of them: of the ports that lead there the one that the hash of the flow's addresses, the EV and the
// switch's salt picks.
func (t *tile) portTo(to int32, ends ends, p packet) uint32 {
	first, count := t.sw.next(to)
	if count == 0 {
		first, count = t.net.search(t.number, to)
	}
	return uint32(first) + uint32(ecmphash.Port(ecmphash.Hash(ends.key(), p.ev(), t.salt), int(count)))
}

// enqueue lets packets that arrive choose their ports, if switches choose, and join the queues there:
// one after the other, so that a [Router] sees those before it in their queues.
func (t *tile) enqueue(packets []crossing) {
	if t.plain {
		t.joinPlainly(packets)
		return
	}
	if !t.chooses {
		t.joinQueues(packets)
		return
	}
	if t.router != nil {
		sortByPhase(packets)
	}
	for i := range packets {
		t.choose(&packets[i], false)
		t.joinQueues(packets[i : i+1])
	}
}

// sortByPhase orders arrivals by time. Equal times stay in their random order.
func sortByPhase(list []crossing) {
	slices.SortStableFunc(list, func(a, b crossing) int { return int(a.phase()) - int(b.phase()) })
}

// choose lets a [Router], or else Spec.Choose, or else the hash choose the port of a packet or
// header that arrives.
func (t *tile) choose(c *crossing, header bool) {
	flow := c.packet.flow()
	to := t.ends[flow].destination
	if header {
		to = t.ends[flow].target(c.packet)
	}
	first, count := t.sw.next(to)
	if count == 0 {
		first, count = t.net.search(t.number, to)
	}
	if count > 1 {
		at := (int64(t.slot)*int64(aSlot) + int64(c.phase())) * oneSlot / int64(aSlot)
		passing := Passing{Switch: t.number, Flow: flow, EV: c.packet.ev(), Header: header, At: at}
		c.route(first + t.chosen(passing, Ports{t.Run, t.sw.firstPort + first, count}))
	}
}

// chosen returns the port chosen for a packet or header.
func (t *tile) chosen(at Passing, ports Ports) int32 {
	if t.router != nil {
		if port, chosen := t.router.Route(at, ports); chosen {
			if uint(port) >= uint(ports.count) {
				panic(fmt.Sprintf("fattree: %T routes to port %d, must be in [0, %d)", t.router, port, ports.count))
			}
			return int32(port)
		}
	}
	port := ports.Hashed(at)
	if t.watcher != nil {
		t.watcher.Watch(at, ports, port)
	}
	return int32(port)
}

// joinQueues moves the packets that arrive into their next queues.
func (t *tile) joinQueues(packets []crossing) {
	ports, longest := t.ports, int32(0)
	for i := range packets {
		c := &packets[i]
		id := c.port()
		p := &ports[id]
		count := p.count
		if count >= p.room && !t.makeRoom(id, p, c) {
			continue
		}
		if t.byBytes && count == 0 && p.served != uint8(t.slot) {
			p.debt = 0 // the link was idle for a slot or more
		}
		place := t.place(id, p.head+uint32(count))
		t.rings[place] = c.packet
		if t.ringNotes != nil {
			t.ringNotes[place] = c.note
		}
		p.count = count + 1
		longest = max(longest, p.count)
		t.busy.add(int32(id))
	}
	t.MaxQueue = max(t.MaxQueue, longest)
}

// makeRoom grows the rings for another packet, and reports whether it may join the queue of a
// port: if that is full, a fair coin lets either the packet or the last one in the queue through.
func (t *tile) makeRoom(id uint32, p *port, c *crossing) bool {
	if p.count < t.services[p.class].capacity {
		t.growRings()
		return true
	}
	if t.random.Uint64()>>63 == 1 {
		place := t.place(id, p.head+uint32(p.count)-1)
		t.rings[place], c.packet = c.packet, t.rings[place]
		if t.ringNotes != nil {
			t.ringNotes[place], c.note = c.note, t.ringNotes[place]
		}
	}
	if t.net.spec.DisableTrimming {
		t.Dropped++
		return false
	}
	t.Trimmed++
	if t.net.endsAtHost(t.sw.firstPort + int32(id)) {
		kind := lastHop
		if c.packet.marked() {
			kind = lastHopMarked
		}
		c.note = noted(kind, c.note.number())
	}
	t.single[0] = crossing{c.packet.as(outward), c.note, id << portShift}
	t.passHeaders(t.single[:])
	return false
}

// place returns the index into the rings of a place of a port's queue, counted round
// the ring.
func (t *tile) place(id, i uint32) uint {
	return uint(id)*uint(t.ringMask+1) + uint(i&t.ringMask)
}

// growRings doubles the room of all queues of the tile.
func (t *tile) growRings() {
	t.rings = grown(t, t.rings)
	if t.ringNotes != nil {
		t.ringNotes = grown(t, t.ringNotes)
	}
	t.ringMask = 2*t.ringMask + 1
	for i := range t.ports {
		p := &t.ports[i]
		p.head, p.room = 0, min(t.services[p.class].capacity, int32(t.ringMask+1))
	}
}

// grown returns rings of double the room with the same queues, from their beginning.
func grown[T any](t *tile, old []T) []T {
	room := int(t.ringMask + 1)
	list := make([]T, 2*len(old))
	for id := range t.nics {
		p := &t.ports[id]
		for i := range p.count {
			list[2*int(id)*room+int(i)] = old[t.place(uint32(id), p.head+uint32(i))]
		}
	}
	return list
}
