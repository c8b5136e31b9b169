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

// landing is when and where something sent now arrives: the epoch, the slot in it, and what
// holds it until then.
type landing struct {
	epoch, slot int32
	out         *outgoing
}

// land notes when what is sent in the slot arrives.
func (t *tile) land(inEpoch int32) {
	now := t.slot / t.epoch
	for sort, latencies := range [2][]int32{t.net.latency, t.net.headers} {
		for side, class := range t.sw.sides {
			if class == none {
				continue
			}
			epoch, slot := now, inEpoch+latencies[class]
			for ; slot >= t.epoch; slot -= t.epoch {
				epoch++
			}
			o := &t.out[epoch%t.net.buffers]
			if o.epoch != epoch {
				o.epoch, o.spilt = epoch, o.spilt[:0]
			}
			t.landing[sort][side] = landing{epoch, slot, o}
		}
	}
}

// open empties the lane of a port to another switch for a new epoch, and lets the switch at its
// end know that something arrives.
func (t *tile) open(id int32, l *lane, land *landing) {
	l.epoch, l.slots, l.count = land.epoch, 0, 0
	w := &t.wires[id]
	buffer := land.epoch % t.net.buffers
	t.arriving[buffer][t.tiles[w.peer].arrivals[0]+int(w.place)] = 1
}

// add puts a header into lane number i.
func (o *outgoing) add(l *lane, i int32, c *crossing, arrives moment) {
	k := l.count
	l.count++
	if k >= mostHeaders {
		o.spilt = append(o.spilt, spill{i, c.packet, arrives, c.note})
		return
	}
	l.headers[k], l.times[k] = c.packet, arrives
	if o.notes != nil {
		o.notes[i].headers[k] = c.note
	}
}

// collect takes what arrives at the switch in an epoch off its links, into lists by slot, and
// reports whether there is any. It takes the links in random order, every order being equally
// likely in each epoch: neither the host that sent a packet nor the link that it came by decides which of the
// packets of a slot joins a queue first. Turns cannot do that: where 8 of 32 links compete, a
// cyclic order that begins one link later each slot leaves the first of two neighbours ahead in
// 31 slots of 32.
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
		w.take(&t.tiles[link.from].out[buffer], link.port)
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

// take takes all off a link.
func (w *worker) take(o *outgoing, port int32) {
	l := &o.lanes[port]
	var n *notes
	if o.notes != nil {
		n = &o.notes[port]
	}
	for slots := l.slots; slots != 0; slots &= slots - 1 {
		slot := bits.TrailingZeros16(slots) % mostEpoch
		c := crossing{packet: l.packets[slot]}
		if n != nil {
			c.note = n.packets[slot]
		}
		w.packets[slot] = append(w.packets[slot], c)
	}
	for k, p := range l.headers[:min(l.count, mostHeaders)] {
		c := crossing{packet: p, phase: l.times[k].phase()}
		if n != nil {
			c.note = n.headers[k]
		}
		slot := l.times[k].slot() % (mostEpoch + 1)
		w.headers[slot] = append(w.headers[slot], c)
	}
	if l.count > mostHeaders {
		for _, s := range o.spilt {
			if s.port == port {
				w.headers[s.time.slot()] = append(w.headers[s.time.slot()], crossing{packet: s.header, note: s.note, phase: s.time.phase()})
			}
		}
	}
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
