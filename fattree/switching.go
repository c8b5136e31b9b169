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
	if !t.oneSwitch {
		t.serveRange(0, t.nics)
		return
	}
	turn := (t.slot + 1) % t.nics
	t.serveRange(turn, t.nics)
	t.serveRange(0, turn)
}

// serveRange lets the busy ports of [from, to) spend one slot: on their debt, or on the packet
// at their head, which goes onto the link.
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
				if p.debt < oneSlot && p.count == 0 {
					idle |= 1 << bit
				}
				continue
			}
			served++
			place := t.place(id, p.head)
			c := crossing{packet: t.rings[place], where: uint32(p.phase())}
			if t.ringNotes != nil {
				c.note = t.ringNotes[place]
			}
			p.count--
			left := ifPositive(p.count)
			p.head = (p.head + 1) & t.ringMask & int32(left) // an empty queue begins anew, where its ring is likely to be in a cache
			p.debt += p.perPacket
			if p.debt < oneSlot {
				idle |= uint64(^left&1) << bit // a branch would be guessed wrong too often
			}
			if p.count > p.kmin && t.marks(p) {
				c.packet |= markBit
			}
			switch {
			case id < t.linked:
				*t.dataDown = append(*t.dataDown, c)
			case p.dead:
				t.Lost++
				t.noteLoss(id, t.slot-1) // ports serve at the end of the slot before
			default:
				t.sendData(id, c, t.lands(data, id))
			}
			if t.trace != nil {
				t.trace.sent[t.sw.firstPort+id]++
			}
		}
		t.busy[word] &^= idle
	}
	if served > 0 {
		t.PacketHops += int64(served)
		t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
	}
}

// lands returns the landing of a packet or header sent by a port to another switch, by the class
// of its link.
func (t *tile) lands(sort, id int32) *landing {
	return &t.landing[(2*sort+int32(uint32(t.sw.split-1-id)>>31))%4]
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

// forward sends headers on.
func (t *tile) forward(headers []crossing) {
	if t.chooses {
		t.choose(headers, true)
	}
	t.passHeaders(headers)
}

// passHeaders lets headers through their ports ahead of all data, unless the link is dead.
func (t *tile) passHeaders(headers []crossing) {
	for i := range headers {
		c := &headers[i]
		id := c.port()
		p := &t.ports[id]
		leaves := p.passAhead(c.phase(), ifPositive(p.count))
		switch {
		case id < t.linked:
			leaves = leaves.later(t.net.lags[0])
			bucket := t.downlink[header].at(t.slot + t.net.headers[0] + leaves.slot())
			*bucket = append(*bucket, crossing{c.packet, c.note, uint32(leaves.phase())})
			t.lastPut = max(t.lastPut, t.slot)
		case p.dead:
			t.noteLoss(id, t.slot)
		default:
			t.sendOn(id, c, leaves, t.lands(header, id))
		}
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

// route finds the port by which the switch sends a packet or header on to a host: of those that
// lead there the one that the hash of the flow's addresses, the EV and the switch's salt picks.
func (t *tile) route(p packet, ends ends, to int32) int32 {
	first, count := t.sw.next(to)
	if count > 1 {
		first += t.hashed(p, ends, count)
	} else if count == 0 {
		first = t.routeByRange(p, ends, to)
	}
	return first
}

// routeByRange is route for switches that have ranges of hosts.
func (t *tile) routeByRange(p packet, ends ends, to int32) int32 {
	first, count := t.net.search(t.number, to)
	if count > 1 {
		first += t.hashed(p, ends, count)
	}
	return first
}

// hashed returns which of a number of ports the hash picks.
func (t *tile) hashed(p packet, ends ends, count int32) int32 {
	return int32(ecmphash.Port(ecmphash.Hash(ends.key(), p.ev(), t.salt), int(count)))
}

// choose lets a [Router], or else Spec.Choose, or else the hash choose the ports of packets or
// headers that arrive.
func (t *tile) choose(list []crossing, headers bool) {
	if !headers && t.router != nil {
		// Equal times stay in their random order.
		slices.SortStableFunc(list, func(a, b crossing) int { return int(a.phase()) - int(b.phase()) })
	}
	for i := range list {
		c := &list[i]
		ends := t.ends[c.packet.flow()]
		to := ends.destination
		if headers {
			to = ends.target(c.packet)
		}
		first, count := t.sw.next(to)
		if count == 0 {
			first, count = t.net.search(t.number, to)
		}
		if count > 1 {
			at := Passing{Switch: t.number, Flow: c.packet.flow(), Header: headers, At: (int64(t.slot)*int64(aSlot) + int64(c.phase())) * oneSlot / int64(aSlot)}
			c.route(first + t.chosen(at, c.packet.ev(), Ports{t.Run, t.sw.firstPort + first, count}, ends))
		}
	}
}

// chosen returns the port chosen for a packet or header.
func (t *tile) chosen(at Passing, ev uint16, ports Ports, ends ends) int32 {
	if t.router != nil {
		if port, chosen := t.router.Route(at, ports); chosen {
			if uint(port) >= uint(ports.count) {
				panic(fmt.Sprintf("fattree: %T routes to port %d, must be in [0, %d)", t.router, port, ports.count))
			}
			return int32(port)
		}
	}
	port := ecmphash.Port(ecmphash.Hash(ends.key(), ev, t.salt), int(ports.count))
	if choose := t.net.spec.Choose; choose != nil {
		if port = choose(at.Flow, ev, int(ports.count)); uint(port) >= uint(ports.count) {
			panic(fmt.Sprintf("fattree: Spec.Choose returns port %d, must be in [0, %d)", port, ports.count))
		}
	}
	if t.watcher != nil {
		t.watcher.Watch(at, ports, port)
	}
	return int32(port)
}

// joinQueues moves the packets that arrive into their next queues.
func (t *tile) joinQueues(packets []crossing) {
	longest := t.MaxQueue
	for i := range packets {
		c := &packets[i]
		id := c.port()
		p := &t.ports[id]
		if p.count >= p.room && !t.makeRoom(id, p, c) {
			continue
		}
		place := t.place(id, p.head+p.count)
		t.rings[place] = c.packet
		if t.ringNotes != nil {
			t.ringNotes[place] = c.note
		}
		p.count++
		longest = max(longest, p.count)
		t.busy.add(id)
	}
	t.MaxQueue = longest
}

// makeRoom grows the rings for another packet, and reports whether it may join the queue of a
// port: if that is full, a fair coin lets either the packet or the last one in the queue through.
func (t *tile) makeRoom(id int32, p *port, c *crossing) bool {
	if p.count < t.services[p.class].capacity {
		t.growRings()
		return true
	}
	if t.random.Uint64()>>63 == 1 {
		place := t.place(id, p.head+p.count-1)
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
	if id < t.linked {
		c.note = noted(lastHop, c.note.number())
	}
	t.single[0] = crossing{c.packet.as(outward), c.note, uint32(id) << portShift}
	t.passHeaders(t.single[:])
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
	if t.ringNotes != nil {
		t.ringNotes = grown(t, t.ringNotes)
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
