package fattree

import (
	"bytes"
	"math/bits"

	"repslab/mc"
)

// lane is what a link carries that arrives in one epoch, in four cache lines. The switch that
// it leaves writes it in earlier epochs than that in which the other one reads it, so there is
// nothing to lock.
type lane struct {
	epoch   int32  // of arrival; what is said of another one is void
	slots   uint16 // bit s: packets[s] arrives in slot s of the epoch
	count   uint16 // of headers
	packets [mostEpoch]packet
	times   [mostHeaders]moment // when the headers arrive
	headers [mostHeaders]packet // in the order in which they were sent
}

// mostEpoch bounds an epoch: what is won by longer ones is little.
const mostEpoch = 12

// mostHeaders is the number of headers that a lane has places for. More of them spill over.
const mostHeaders = 15

// notes are what the packets and headers of a lane carry beside their words.
type notes struct {
	packets [mostEpoch]note
	headers [mostHeaders]note
}

// outgoing is what leaves a switch for others and arrives in one epoch.
type outgoing struct {
	epoch int32
	lanes []lane  // by port
	notes []notes // by port; nil unless Run.noting
	spilt []spill // headers that their lane has no place for
}

// spill is a header that its lane has no place for.
type spill struct {
	port   int32
	header packet
	time   moment
	note   note
}

// layOutLinks makes room for what leaves the switch.
func (t *tile) layOutLinks() {
	t.out = make([]outgoing, t.net.buffers)
	for i := range t.out {
		o := &t.out[i]
		o.lanes = make([]lane, t.nics-t.linked)
		if t.noting {
			o.notes = make([]notes, len(o.lanes))
		}
		o.reset()
	}
}

// reset forgets all.
func (o *outgoing) reset() {
	for i := range o.lanes {
		o.lanes[i].epoch = none
	}
	o.epoch = none
}

// The two sorts of what crosses a link.
const (
	data = iota
	header
)

// landing is when and where something sent in a slot arrives: the epoch, the slot in it, and what
// holds it until then.
type landing struct {
	epoch, slot int32
	lag         moment // of headers
	*outgoing
}

// land notes when what is sent in a slot of the epoch arrives, from what it was in the slot
// before unless that is to be found anew.
func (t *tile) land(inEpoch int32, anew bool) {
	for i := range t.landing {
		l := &t.landing[i]
		l.slot++
		if anew || l.slot == t.epoch {
			t.landAnew(l, i/2, i%2, inEpoch)
		}
	}
}

// landAnew finds out when packets or headers (data or header) sent in a slot of the epoch over links
// of the switch's first or second class (0 or 1) arrive.
func (t *tile) landAnew(l *landing, sort, side int, inEpoch int32) {
	latencies := t.net.latency
	if sort == header {
		latencies = t.net.headers
	}
	class := t.sw.sides[side]
	if class == none {
		return
	}
	arrives := inEpoch + latencies[class]
	l.epoch, l.slot = t.slot/t.epoch+arrives/t.epoch, arrives%t.epoch
	l.lag = t.net.lags[class]
	l.outgoing = &t.out[l.epoch%t.net.buffers]
	if l.outgoing.epoch != l.epoch {
		l.outgoing.epoch, l.spilt = l.epoch, l.spilt[:0]
	}
}

// lane returns the lane of a port to another switch for what lands in an epoch.
func (t *tile) lane(id int32, land *landing) *lane {
	l := &land.lanes[id-t.linked]
	if l.epoch != land.epoch {
		t.open(id, l, land.epoch)
	}
	return l
}

// open empties the lane of a port to another switch for a new epoch, and lets the switch at its
// end know that something arrives.
func (t *tile) open(id int32, l *lane, epoch int32) {
	l.epoch, l.slots, l.count = epoch, 0, 0
	w := &t.wires[id]
	t.arriving[epoch%t.net.buffers][t.tiles[w.peer].arrivals[0]+int(w.place)] = 1
}

// sendData puts a packet on the link of a port to another switch.
func (t *tile) sendData(id int32, c crossing, land *landing) {
	l := t.lane(id, land)
	l.slots |= 1 << (uint32(land.slot) % 16)
	l.packets[uint32(land.slot)%mostEpoch] = c.packet
	if land.notes != nil {
		land.notes[id-t.linked].packets[land.slot] = c.note
	}
}

// sendOn puts a header on the link of a port to another switch, to leave at a moment counted from
// the slot.
func (t *tile) sendOn(id int32, c *crossing, leaves moment, land *landing) {
	l := t.lane(id, land)
	arrives := moment(land.slot)*aSlot + leaves.later(land.lag)
	k := l.count
	l.count++
	if k >= mostHeaders {
		land.spilt = append(land.spilt, spill{id - t.linked, c.packet, arrives, c.note})
		return
	}
	l.headers[k], l.times[k] = c.packet, arrives
	if land.notes != nil {
		land.notes[id-t.linked].headers[k] = c.note
	}
}

// collect takes what arrives at the switch in an epoch off its links, into lists by slot, and
// reports whether there is any. It takes the links in random order, every order being equally
// likely in each epoch: neither the host that sent a packet nor the link that it came by decides
// which of the packets of a slot joins a queue first. Turns cannot do that: where 8 of 32 links
// compete, a cyclic order that begins one link later each slot leaves the first of two neighbours
// ahead in 31 slots of 32.
func (t *tile) collect(buffer int32) (any bool) {
	w := t.worker
	for slot := range t.epoch {
		w.packets[slot], w.headers[slot] = w.packets[slot][:0], w.headers[slot][:0]
	}
	w.headers[t.epoch], w.links, w.random = w.headers[t.epoch][:0], w.links[:0], t.orders
	arriving := t.arriving[buffer][t.arrivals[0]:t.arrivals[1]]
	for at := 0; ; at++ {
		next := bytes.IndexByte(arriving[at:], 1)
		if next < 0 {
			break
		}
		at += next
		w.links = insert(w.links, int32(at), &w.random)
	}
	for _, i := range w.links {
		link := t.links[i]
		t.collectPackets(&t.tiles[link.from].out[buffer], link.port)
		t.collectHeaders(&t.tiles[link.from].out[buffer], link.port)
	}
	return len(w.links) > 0
}

// insert puts an element at a random place of a list in random order.
func insert[T any](list []T, element T, random *mc.Rand) []T {
	list = append(list, element)
	place, _ := bits.Mul64(random.Uint64(), uint64(len(list)))
	list[len(list)-1] = list[place]
	list[place] = element
	return list
}

// collectPackets takes the packets off a link.
func (t *tile) collectPackets(o *outgoing, port int32) {
	l, w, ends := &o.lanes[port], t.worker, t.ends
	for slots := l.slots; slots != 0; slots &= slots - 1 {
		slot := bits.TrailingZeros16(slots) % mostEpoch
		c := crossing{packet: l.packets[slot]}
		if o.notes != nil {
			c.note = o.notes[port].packets[slot]
		}
		ends := ends[c.packet.flow()]
		first, count := t.sw.next(ends.destination)
		if count > 1 {
			first += t.hashed(c.packet, ends, count)
		} else if count == 0 {
			first = t.routeByRange(c.packet, ends, ends.destination)
		}
		c.where = uint32(first) << portShift
		w.packets[slot] = append(w.packets[slot], c)
	}
}

// collectHeaders takes the headers off a link.
func (t *tile) collectHeaders(o *outgoing, port int32) {
	l := &o.lanes[port]
	for k, p := range l.headers[:min(l.count, mostHeaders)] {
		var note note
		if o.notes != nil {
			note = o.notes[port].headers[k]
		}
		t.collectHeader(p, note, l.times[k])
	}
	if l.count > mostHeaders {
		for _, s := range o.spilt {
			if s.port == port {
				t.collectHeader(s.header, s.note, s.time)
			}
		}
	}
}

// collectHeader takes a header off a link.
func (t *tile) collectHeader(p packet, note note, at moment) {
	ends := t.ends[p.flow()]
	first, count := t.sw.next(ends.target(p))
	if count > 1 {
		first += t.hashed(p, ends, count)
	} else if count == 0 {
		first = t.routeByRange(p, ends, ends.target(p))
	}
	list := &t.worker.headers[at.slot()%(mostEpoch+1)]
	*list = append(*list, crossing{p, note, uint32(first)<<portShift | uint32(at.phase())})
}

// endEpoch forgets what has arrived, but for headers that have waited into the next epoch.
func (t *tile) endEpoch(buffer int32) {
	t.late = append(t.late, t.worker.headers[t.epoch]...)
	t.orders = t.worker.random
	clear(t.arriving[buffer][t.arrivals[0]:t.arrivals[1]])
}

// underWay returns the packets on the way from a switch to others that arrive from a slot on.
func (t *tile) underWay(slot int32) (count int64) {
	for i := range t.out {
		for j := range t.out[i].lanes {
			l := &t.out[i].lanes[j]
			if passed := slot - l.epoch*t.epoch; l.epoch != none && passed < t.epoch {
				count += int64(bits.OnesCount16(l.slots >> max(0, passed)))
			}
		}
	}
	return count
}

// moment is a time of less than 64 slots.
type moment uint16

// aSlot is a slot.
const aSlot moment = 1 << 10

// slot returns the whole slots of a moment, and phase the rest.
func (m moment) slot() int32   { return int32(m / aSlot) }
func (m moment) phase() moment { return m % aSlot }

// later returns a moment of this slot or the next that is later, but no later than the next slot.
func (m moment) later(by moment) moment { return min(m+by, 2*aSlot-1) }

// phase returns by how much a port lags behind the slots: its link begins with its next packet
// that much after the beginning of a slot.
func (p *port) phase() moment { return moment(min(p.debt, oneSlot-1) >> 10) }

// take empties a list, and returns what was in it until something is appended.
func take(list *[]crossing) []crossing {
	all := *list
	*list = all[:0]
	return all
}

// wheel is what is on the links of a tile's hosts, one way, by slot of arrival modulo its length,
// a power of two.
type wheel [][]crossing

// newWheel returns a wheel for delays up to most slots.
func newWheel(most int32) wheel { return make(wheel, 1<<bits.Len32(uint32(most))) }

// at returns what arrives at a slot.
func (w wheel) at(slot int32) *[]crossing { return &w[int(slot)&(len(w)-1)] }

// count returns how many there are.
func (w wheel) count() (sum int64) {
	for i := range w {
		sum += int64(len(w[i]))
	}
	return sum
}

// reset empties the wheel.
func (w wheel) reset() {
	for i := range w {
		w[i] = w[i][:0]
	}
}
