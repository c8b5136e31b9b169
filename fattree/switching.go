package fattree

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"repslab/internal/ecmphash"
)

// The loops over packets below, and over headers in passing.go, call functions only where they must, so that their
// values stay in registers. They stop at a rare case, handle it outside, and continue.

// servePorts lets every busy port send its head. Before a sink, ports act in cyclic order that begins one port
// later each slot; elsewhere their order does not matter.
func (t *tile) servePorts() {
	*t.dataDown = slices.Grow(*t.dataDown, int(t.sw.nics))
	t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
	if !t.run.oneSwitch {
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
		busy := t.busy.Part(word, from, to)
		for busy != 0 {
			var s servedPorts
			if t.unusual {
				s = t.serveUnusual(uint32(word*64), busy)
			} else {
				s = t.serveSome(uint32(word*64), busy)
			}
			busy ^= s.sent | s.waits
			if s.short {
				busy |= t.serveShort(uint32(word*64), &s)
			}
			t.busy[word] &^= s.idle
			t.PacketHops += int64(bits.OnesCount64(s.sent))
			for ; s.lost != 0; s.lost &= s.lost - 1 {
				t.noteLoss(word*64 + int32(bits.TrailingZeros64(s.lost)))
			}
			if t.run.trace != nil {
				t.run.trace.count(int(t.sw.firstPort+word*64), s.sent)
			}
		}
	}
}

// servedPorts says what 64 ports have done with a slot, a bit for each port.
type servedPorts struct {
	sent, waits uint64 // sent a packet; spent the slot on their debt
	idle        uint64 // have nothing left to do, whether they sent or waited
	lost        uint64 // sent into a failed link, or into one that has lost the packet
	short       bool   // the last port served has sent a short packet
	last        Packet // the short packet
}

// serveSome lets the busy ones of 64 ports spend one slot, either on their debt or on the packet at their head,
// which goes onto the link. It returns after the first short packet.
func (t *tile) serveSome(from uint32, busy uint64) (s servedPorts) {
	ports, mask, slot := t.ports, t.ringMask, uint8(t.slot)
	for ; busy != 0; busy &= busy - 1 {
		low := busy & -busy
		id := from + uint32(bits.TrailingZeros64(busy))
		p := &ports[id]
		if p.debt >= oneSlot {
			p.debt -= oneSlot
			p.served = slot
			s.waits |= low
			if p.debt < oneSlot && p.count == 0 {
				s.idle |= low
			}
			continue
		}
		packet := t.rings[t.place(id, p.head)]
		p.count--
		left := ifPositive(p.count)
		// An empty queue restarts at place 0, which is likely to be in a cache.
		p.head = (p.head + 1) & mask & uint32(left)
		if p.count > p.kmin {
			mark := t.net.classes[p.class].mark
			if uint32(t.random.Uint64()>>32) <= mark[min(int(p.count), len(mark)-1)] {
				packet |= MarkBit
				t.Marked++
				if t.run.trace != nil {
					t.run.trace.marked[t.sw.firstPort+int32(id)]++
				}
			}
		}
		s.sent |= low
		switch p.side {
		case toHost:
			put(t.dataDown, packet, 0, p.phase())
		case failed:
			s.lost |= low
			t.noteLost(packet)
		default:
			t.landing[data][p.side%4].put(t.links[id], packet) // a remainder, so that the index needs no check
		}
		p.debt += p.perPacket
		p.served = slot
		if p.debt < oneSlot {
			s.idle |= low &^ left // a branch would be mispredicted too often
		}
		if t.mayBeShort(packet) && t.partMissing(packet) > 0 {
			s.short, s.last = true, packet
			return s
		}
	}
	return s
}

// serveUnusual is serveSome for packets with notes, and for links with losses.
func (t *tile) serveUnusual(from uint32, busy uint64) (s servedPorts) {
	broken := t.breakLinks(from, busy)
	if t.demands {
		s = t.serveNoted(from, busy)
	} else {
		s = t.serveSome(from, busy)
	}
	t.mendLinks(from, broken)
	return s
}

// mayBeShort reports whether a packet must be looked up in short. In a flow without messages only the last packet
// and retransmissions can be short, and these request an ACK. No packet can be short if links do not count bytes
// (short.go).
func (t *tile) mayBeShort(p Packet) bool { return (p|t.alsoShort)&t.onlyShort != 0 }

// serveNoted is serveSome for packets with notes: it sends the notes along.
func (t *tile) serveNoted(from uint32, busy uint64) servedPorts {
	var notes [64]Note // at the heads of the queues
	for left := busy; left != 0; left &= left - 1 {
		number := uint32(bits.TrailingZeros64(left))
		notes[number] = t.ringNotes[t.place(from+number, t.ports[from+number].head)]
	}
	down := len(*t.dataDown)
	s := t.serveSome(from, busy)
	for sent := s.sent &^ s.lost; sent != 0; sent &= sent - 1 {
		number := uint32(bits.TrailingZeros64(sent))
		if side := t.ports[from+number].side; side == toHost {
			(*t.dataDown)[down].Note = notes[number]
			down++
		} else {
			l := &t.landing[data][side]
			l.notes[t.links[from+number]].packets[l.slot] = notes[number]
		}
	}
	return s
}

// keepNotes stores the notes of packets that have just joined their queues.
func (t *tile) keepNotes(packets []Crossing) {
	for i := len(packets) - 1; i >= 0; i-- {
		c := &packets[i]
		p := &t.ports[c.port()]
		p.count-- // temporarily, to the packet's place; the loop below restores the count
		t.ringNotes[t.place(c.port(), p.head+uint32(p.count))] = c.Note
	}
	for i := range packets {
		t.ports[packets[i].port()].count++
	}
}

// noteLost counts a data packet that its flow loses. Several workers may lose packets of one flow.
func (t *tile) noteLost(p Packet) { atomic.AddInt32(&t.run.result.Flows[p.Flow()].Lost, 1) }

// noteLoss counts a data packet that a link has lost. Ports are served at the end of the slot before.
func (t *tile) noteLoss(id int32) {
	if t.ports[id].side != failed {
		t.Corrupted++
		return
	}
	t.Lost++
	t.Reroute = max(t.Reroute, Picoseconds(t.slot-1-t.diedAt[t.sw.firstPort+id])*t.net.slotTime)
}

// put appends a packet or header to a list that has room for it.
func put(list *[]Crossing, p Packet, n Note, at Moment) {
	last := len(*list)
	*list = (*list)[:last+1]
	(*list)[last] = Crossing{p, n, uint32(at.phase())}
}

// ifPositive returns all ones if x > 0, otherwise 0; x must be above -2^31. It replaces a branch on whether a
// queue is empty, which would be mispredicted too often.
func ifPositive(x int32) uint64 { return uint64(-int64(x) >> 63) }

// portTo returns the port by which the switch sends a packet or header towards a host, one of the ends of its
// flow. The hash of the flow's addresses, the EV and the switch's salt picks one of the equal-cost ports to the
// host.
func (t *tile) portTo(to int32, ends ends, p Packet) uint32 {
	first, count := t.sw.next(to)
	if count == 0 {
		first, count = t.net.search(t.number, to)
	}
	return uint32(first) + uint32(ecmphash.Port(ecmphash.Hash(ends.key(), p.EV(), t.salt), int(count)))
}

// toward returns the port that leads a packet from a host of the tile to its destination.
func (t *tile) toward(p Packet) uint32 {
	ends := t.run.ends[p.Flow()]
	return t.portTo(ends.destination, ends, p)
}

// enqueue lets arriving packets choose their ports, if switches choose, and join the queues there. It handles one
// packet after the other, so that a [Router] sees earlier packets in their queues.
func (t *tile) enqueue(packets []Crossing) {
	if !t.run.chooses {
		t.joinQueues(packets)
		return
	}
	if t.run.router != nil {
		SortByPhase(packets)
	}
	for i := range packets {
		if t.choose(&packets[i], false); t.denies(&packets[i]) {
			t.Lost++
			t.noteLost(packets[i].Packet)
			continue
		}
		t.joinQueues(packets[i : i+1])
	}
}

// SortByPhase sorts the arrivals of a slot by phase, in place. Arrivals of equal phase keep their order.
func SortByPhase(list []Crossing) {
	if len(list) > 128 {
		slices.SortStableFunc(list, func(a, b Crossing) int { return int(a.Phase()) - int(b.Phase()) })
		return
	}
	for i := range list {
		c, j := list[i], i
		for phase := c.Phase(); j > 0 && list[j-1].Phase() > phase; j-- {
			list[j] = list[j-1]
		}
		list[j] = c
	}
}

// choose sets the port of an arriving packet or header: by the [Router], by Spec.Choose, or by the hash.
func (t *tile) choose(c *Crossing, header bool) {
	flow := c.Packet.Flow()
	to := t.run.ends[flow].destination
	if header {
		to = t.run.ends[flow].target(c.Packet)
	}
	first, count := t.sw.next(to)
	if count == 0 {
		first, count = t.net.search(t.number, to)
	}
	if count > 1 {
		at := (int64(t.slot)*int64(aSlot) + int64(c.Phase())) * oneSlot / int64(aSlot)
		passing := Passing{Switch: t.number, Flow: flow, EV: c.Packet.EV(), Header: header, Back: header && !c.Packet.Outward(), At: at}
		c.route(first + t.chosen(passing, Ports{t.run, t.sw.firstPort + first, count, t.withdrawn(to)}))
	}
}

// chosen returns the port that the Router or Spec.Choose picks for a packet or header.
func (t *tile) chosen(at Passing, ports Ports) int32 {
	if t.run.router != nil {
		if port, chosen := t.run.router.Route(at, ports); chosen {
			if uint(port) >= uint(ports.count) {
				panic(fmt.Sprintf("fattree: %T routes to port %d, must be in [0, %d)", t.run.router, port, ports.count))
			}
			if !ports.Out(port) {
				return int32(port)
			}
		}
	}
	port := ports.Hashed(at)
	if t.run.watcher != nil {
		t.run.watcher.Watch(at, ports, port)
	}
	return int32(port)
}

// joinQueues moves arriving packets into their next queues.
func (t *tile) joinQueues(packets []Crossing) {
	if t.byBytes {
		t.forgetIdle(packets)
	}
	for {
		joined := t.joinSome(packets)
		if t.demands {
			t.keepNotes(packets[:joined])
			t.promote(packets[:joined])
		}
		if packets = packets[joined:]; len(packets) == 0 {
			return
		}
		if !t.makeRoom(&packets[0]) {
			packets = packets[1:]
		}
	}
}

// joinSome is joinQueues up to the first packet that finds no room in its ring. It returns the number of packets
// moved.
func (t *tile) joinSome(packets []Crossing) int {
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
		rings[id*(mask+1)+(p.head+uint32(count))&mask] = c.Packet
		p.count = count + 1
		longest = max(longest, count+1)
		t.busy.Add(int32(id))
	}
	t.MaxQueue = longest
	return len(packets)
}

// makeRoom grows the rings for another packet and reports whether the packet may join its queue. If the queue is
// full, a fair coin decides whether the packet or the last one in the queue is trimmed or dropped; in the latter
// case the packet takes its place.
func (t *tile) makeRoom(c *Crossing) bool {
	id := c.port()
	p := &t.ports[id]
	if p.count < t.run.services[p.class].capacity {
		t.growRings()
		return true
	}
	first := t.demands && t.net.spec.RetransmissionsFirst && c.Note.Number() > 0
	if t.random.Uint64()>>63 == 1 || first {
		place := t.place(id, p.head+uint32(p.count)-1)
		t.rings[place], c.Packet = c.Packet, t.rings[place]
		if t.ringNotes != nil {
			t.ringNotes[place], c.Note = c.Note, t.ringNotes[place]
		}
		if first {
			t.sortQueue(id)
		}
	}
	t.noteLost(c.Packet)
	if t.net.spec.DisableTrimming {
		t.Dropped++
		return false
	}
	t.Trimmed++
	if t.net.endsAtHost(t.sw.firstPort + int32(id)) {
		kind := LastHop
		if c.Packet.Marked() {
			kind = LastHopMarked
		}
		c.Note = NewNote(kind, c.Note.Number())
	}
	t.single[0] = Crossing{c.Packet.As(Outward), c.Note, id << portShift}
	t.passHeaders(t.single[:])
	return false
}

// place returns the index into the rings of place i of a port's queue, modulo the ring's length.
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
		p.head, p.room = 0, min(t.run.services[p.class].capacity, int32(t.ringMask+1))
	}
}

// grown returns rings of twice the length with the same queues, each moved to the beginning of its ring.
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
