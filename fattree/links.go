package fattree

import (
	"bytes"
	"math/bits"
	"slices"

	"repslab/mc"
)

// lane holds the packets and headers that arrive over a link in one epoch, in four cache lines. The switch at the
// beginning of the link writes it in earlier epochs than the switch at the end reads it, so it needs no lock.
type lane struct {
	epoch   int32  // the epoch of arrival; if it is not the current one, the lane counts as empty
	slots   uint16 // bit s: packets[s] arrives in slot s of the epoch; spiltOver
	count   uint16 // headers; mostHeaders + 1 if some have spilt over
	packets [mostEpoch]Packet
	times   [mostHeaders]Moment // when the headers arrive
	headers [mostHeaders]Packet // in the order in which they were sent
}

// mostEpoch bounds an epoch: longer ones gain little.
const mostEpoch = 12

// mostHeaders is the number of places for headers in a lane. More headers spill over.
const mostHeaders = 15

// spiltOver says that short packets have given up their slots to other packets, see giveWay.
const spiltOver = 1 << 15

// notes are the notes of a lane's packets and headers, in the same places.
type notes struct {
	packets [mostEpoch]Note
	headers [mostHeaders]Note
}

// lanes holds the lanes of all links for one epoch, by link. Lanes of links to the same switch are adjacent, so
// that the switch reads them in one go.
type lanes struct {
	lanes []lane
	notes []notes // nil unless Run.noting
	used  []byte  // 1 for a link with arrivals
}

// spill is a header or packet that found no place in its lane.
type spill struct {
	link   int32
	packet Packet
	time   Moment
	note   Note
	data   bool
}

// layOutLanes allocates the lanes of the links between switches.
func (r *Run) layOutLanes(noting bool) {
	r.noting, r.lanes = noting, make([]lanes, r.net.buffers)
	links := len(r.net.origins)
	for i := range r.lanes {
		r.lanes[i] = lanes{lanes: make([]lane, links), used: make([]byte, links)}
		if noting {
			r.lanes[i].notes = make([]notes, links)
		}
	}
}

// reset empties all lanes.
func (l *lanes) reset() {
	for i := range l.lanes {
		l.lanes[i].epoch = none
	}
	clear(l.used)
}

// The two kinds of content of a link: packets and headers.
const (
	data = iota
	header
)

// landing says when and where something sent in a slot arrives: the epoch, the slot in it, and the memory that
// holds it until then.
type landing struct {
	epoch, slot int32
	lag         Moment // of headers
	lanes
	spilt *[]spill
}

// land computes when packets and headers sent in a slot of the epoch arrive. It advances the landing of the slot
// before if there is one.
func (t *tile) land(inEpoch int32) {
	anew := t.landed != t.slot-1
	t.landed = t.slot
	for i, class := range t.sw.sides {
		if class == none {
			continue
		}
		for sort := range t.landing {
			l := &t.landing[sort][int(toFirst)+i]
			if l.slot++; anew || l.slot == t.epoch {
				t.landAnew(l, sort, class, inEpoch)
			}
		}
	}
}

// landAnew computes from scratch when packets or headers (sort is data or header) arrive that are sent in a slot
// of the epoch over links of a class.
func (t *tile) landAnew(l *landing, sort int, class, inEpoch int32) {
	latencies := t.net.latency
	if sort == header {
		latencies = t.net.headers
	}
	arrives := inEpoch + latencies[class]
	l.epoch, l.slot = t.slot/t.epoch+arrives/t.epoch, arrives%t.epoch
	l.lag = t.net.lags[class]
	buffer := l.epoch % t.net.buffers
	l.lanes, l.spilt = t.run.lanes[buffer], &t.spilt[buffer]
	if t.spiltFor[buffer] != l.epoch {
		t.spiltFor[buffer], *l.spilt = l.epoch, (*l.spilt)[:0]
	}
}

// lane returns the lane of a link for the epoch of arrival. It empties the lane for a new epoch and marks the link
// as used, for the switch at its end.
func (l *landing) lane(link int32) *lane {
	lane := &l.lanes.lanes[link]
	if lane.epoch != l.epoch {
		lane.epoch, lane.slots, lane.count = l.epoch, 0, 0
		l.used[link] = 1
	}
	return lane
}

// put puts a packet on a link.
func (l *landing) put(link int32, p Packet) {
	lane, slot := l.lane(link), uint32(l.slot)
	lane.slots |= 1 << (slot % 16)
	lane.packets[slot] = p
}

// spill puts a header on a link whose lane is full.
func (l *landing) spill(lane *lane, link int32, c *Crossing, arrives Moment) {
	lane.count = mostHeaders + 1
	*l.spilt = append(*l.spilt, spill{link: link, packet: c.Packet, time: arrives, note: c.Note})
}

// arrives reports whether anything arrives at the switch in the epoch of a buffer.
func (t *tile) arrives(buffer int32) bool {
	return bytes.IndexByte(t.run.lanes[buffer].used[t.incoming[0]:t.incoming[1]], 1) >= 0
}

// arrivals holds the packets and headers that arrive at a switch in an epoch.
type arrivals struct {
	epoch   int32          // the first slot of the epoch
	packets [16][]Crossing // by slot of the epoch: at most mostEpoch of 16
	headers [16][]Crossing // by slot of the epoch, and the headers that have waited into the next epoch
	slots   uint16         // bit s: packets[s] or headers[s] may not be empty
	links   []int32        // the links that they arrive by
	random  mc.Rand        // the generator of the order of links, after this epoch
	early   Packet         // prefetch: adding a packet to it loads the packet's cache line; it is never read
}

// collect moves the arrivals of the epoch that begins with slot begin from the links into lists by slot. A tile
// that is advanced through a part of the epoch keeps the lists for the other parts.
func (t *tile) collect(buffer, begin int32, whole bool) {
	t.arrivals = &t.worker.whole
	if !whole {
		if t.kept == nil {
			t.kept = &arrivals{epoch: none}
		}
		if t.arrivals = t.kept; t.kept.epoch == begin {
			return
		}
	}
	t.arrivals.epoch = begin
	t.takeOffLinks(buffer)
}

// takeOffLinks moves arrivals from the links into lists by slot. It takes the links in random order, every order
// being equally likely in each epoch. So neither the sending host nor the link decides which of the packets of a
// slot joins a queue first. A cyclic order would not do: if 8 of 32 links compete and the order begins one link
// later each slot, the first of two neighbours is ahead in 31 slots of 32.
func (t *tile) takeOffLinks(buffer int32) {
	w := t.arrivals
	for ; w.slots != 0; w.slots &= w.slots - 1 {
		slot := bits.TrailingZeros16(w.slots)
		w.packets[slot], w.headers[slot] = w.packets[slot][:0], w.headers[slot][:0]
	}
	w.links, w.random = w.links[:0], t.orders
	arriving := &t.run.lanes[buffer]
	used := arriving.used[t.incoming[0]:t.incoming[1]]
	for at := 0; ; at++ {
		next := bytes.IndexByte(used[at:], 1)
		if next < 0 {
			break
		}
		at += next
		link := t.incoming[0] + int32(at)
		w.links = append(w.links, link)
		l := &arriving.lanes[link] // prefetch: the lane's four lines come from memory together with other lanes'
		w.early += Packet(l.count) + l.packets[8] + l.headers[0] + l.headers[8]
	}
	w.links = mixIn(w.links[:0], w.links, &w.random)
	for _, link := range w.links {
		t.collectPackets(arriving, link, buffer)
		t.collectHeaders(arriving, link, buffer)
	}
}

// mixIn inserts elements one after the other at random places of a list that is in random order. To shuffle a
// list, pass it as more, and its memory without elements as list.
func mixIn[T any](list, more []T, random *mc.Rand) []T {
	list = slices.Grow(list, len(more))
	r := *random
	for _, element := range more {
		last := uint64(len(list))
		place, _ := bits.Mul64(r.Uint64(), last+1)
		list = list[:last+1]
		list[last] = list[place]
		list[place] = element
	}
	*random = r
	return list
}

// collectPackets takes the packets off a link.
func (t *tile) collectPackets(arriving *lanes, link, buffer int32) {
	l, w, sw, all := &arriving.lanes[link], t.arrivals, &t.sw, t.run.ends
	if l.slots&spiltOver != 0 {
		t.collectSpilt(link, buffer)
	}
	w.slots |= l.slots &^ spiltOver
	for slots := l.slots &^ spiltOver; slots != 0; slots &= slots - 1 {
		slot := bits.TrailingZeros16(slots)
		var note Note
		if arriving.notes != nil {
			note = arriving.notes[link].packets[slot]
		}
		p := l.packets[slot]
		ends := all[p>>flowShift]
		first, count := sw.next(ends.destination)
		port := uint32(first)
		if count != 1 {
			port = t.portTo(ends.destination, ends, p)
		}
		w.packets[slot] = append(w.packets[slot], Crossing{p, note, port << portShift})
	}
}

// collectHeaders takes the headers off a link.
func (t *tile) collectHeaders(arriving *lanes, link, buffer int32) {
	l := &arriving.lanes[link]
	held := min(l.count, mostHeaders)
	var notes []Note
	if arriving.notes != nil {
		notes = arriving.notes[link].headers[:held]
	}
	t.collectSome(l.headers[:held], l.times[:held], notes)
	if l.count > mostHeaders {
		for _, s := range t.run.tiles[t.net.origins[link]].spilt[buffer] {
			if s.link == link && !s.data {
				t.collectSome([]Packet{s.packet}, []Moment{s.time}, []Note{s.note})
			}
		}
	}
}

// collectSome takes in headers, without notes if there are none.
func (t *tile) collectSome(headers []Packet, times []Moment, notes []Note) {
	w, sw, all := t.arrivals, &t.sw, t.run.ends
	for k, p := range headers {
		at := times[k]
		var note Note
		if notes != nil {
			note = notes[k]
		}
		ends := all[p>>flowShift]
		to := ends.target(p)
		first, count := sw.next(to)
		port := uint32(first)
		if count != 1 {
			port = t.portTo(to, ends, p)
		}
		w.slots |= 1 << (at / aSlot % 16)
		list := &w.headers[at/aSlot%16]
		*list = append(*list, Crossing{p, note, port<<portShift | uint32(at.phase())})
	}
}

// endEpoch forgets the arrivals, but keeps the headers that have waited into the next epoch.
func (t *tile) endEpoch(buffer int32) {
	t.late = append(t.late, t.arrivals.headers[t.epoch]...)
	t.orders = t.arrivals.random
	clear(t.run.lanes[buffer].used[t.incoming[0]:t.incoming[1]])
}

// underWay returns the number of packets on links between switches that arrive in a slot or later.
func (r *Run) underWay(slot int32) (count int64) {
	for i := range r.lanes {
		for j := range r.lanes[i].lanes {
			l := &r.lanes[i].lanes[j]
			if passed := slot - l.epoch*r.net.epoch; l.epoch != none && passed < r.net.epoch {
				count += int64(bits.OnesCount16(l.slots &^ spiltOver >> max(0, passed)))
			}
		}
	}
	for i := range r.tiles {
		count += r.tiles[i].spiltUnderWay(slot)
	}
	return count
}

// Moment is a time of less than 64 slots, in units of 2^-10 slots.
type Moment uint16

// aSlot is the length of a slot.
const aSlot Moment = 1 << 10

// slot returns the whole slots of a moment, and phase the fraction.
func (m Moment) slot() int32   { return int32(m / aSlot) }
func (m Moment) phase() Moment { return m % aSlot }

// later returns a moment of this slot or the next, delayed but still before the slot after the next.
func (m Moment) later(by Moment) Moment { return min(m+by, 2*aSlot-1) }

// phase returns by how much a port lags behind the slots: its link begins its next packet this long after the
// beginning of a slot.
func (p *port) phase() Moment { return Moment(min(p.debt, oneSlot-1) >> 10) }

// take empties a list and returns its elements, which stay valid until something is appended to the list.
func take(list *[]Crossing) []Crossing {
	all := *list
	*list = all[:0]
	return all
}

// wheel holds the contents of the links between a tile and its hosts in one direction, by slot of arrival modulo
// its length, a power of two.
type wheel [][]Crossing

// newWheel returns a wheel for delays of at most the given number of slots.
func newWheel(most int32) wheel { return make(wheel, 1<<bits.Len32(uint32(most))) }

// at returns the list of arrivals of a slot.
func (w wheel) at(slot int32) *[]Crossing { return &w[int(slot)&(len(w)-1)] }

// arriving returns a bit for each slot of [from, to) with arriving packets or headers: bit i is slot from + i.
// There are at most 64 slots.
func arriving(links *[2]wheel, from, to int32) (slots uint64) {
	for slot := from; slot < to; slot++ {
		if len(*links[data].at(slot))+len(*links[header].at(slot)) > 0 {
			slots |= 1 << uint32(slot-from)
		}
	}
	return slots
}

// count returns the number of packets or headers on the wheel.
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
