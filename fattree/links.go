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
	count   uint16 // of headers; mostHeaders + 1 if any have spilt over
	packets [mostEpoch]packet
	times   [mostHeaders]moment // when the headers arrive
	headers [mostHeaders]packet // in the order in which they were sent
}

// mostEpoch bounds an epoch: what is won by longer ones is little.
const mostEpoch = 12

// mostHeaders is the number of headers that a lane has places for. More of them spill over.
const mostHeaders = 15

// notes are the notes of a lane's packets and headers, in the same places.
type notes struct {
	packets [mostEpoch]note
	headers [mostHeaders]note
}

// lanes holds the lanes of all links for one epoch, by link. Lanes of links that end at the same
// switch are adjacent: the switch reads them in one go.
type lanes struct {
	lanes []lane
	notes []notes // nil unless Run.noting
	used  []byte  // 1 for a link by which something arrives
}

// spill is a header that its lane has no place for.
type spill struct {
	link   int32
	header packet
	time   moment
	note   note
}

// layOutLanes makes room for what crosses links between switches.
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

// reset forgets all.
func (l *lanes) reset() {
	for i := range l.lanes {
		l.lanes[i].epoch = none
	}
	clear(l.used)
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
	*lanes
	spilt *[]spill
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
	buffer := l.epoch % t.net.buffers
	l.lanes, l.spilt = &t.lanes[buffer], &t.spilt[buffer]
	if t.spiltFor[buffer] != l.epoch {
		t.spiltFor[buffer], *l.spilt = l.epoch, (*l.spilt)[:0]
	}
}

// lane returns the lane of a link for what lands in an epoch. It empties the lane for a new epoch,
// and lets the switch at the link's end know that something arrives.
func (l *landing) lane(link int32) *lane {
	lane := &l.lanes.lanes[link]
	if lane.epoch != l.epoch {
		lane.epoch, lane.slots, lane.count = l.epoch, 0, 0
		l.used[link] = 1
	}
	return lane
}

// sendData puts a packet on the link of a port to another switch.
func (t *tile) sendData(id int32, c crossing, land *landing) {
	link := t.wires[id].number
	l := land.lane(link)
	l.slots |= 1 << (uint32(land.slot) % 16)
	l.packets[uint32(land.slot)%mostEpoch] = c.packet
	if land.notes != nil {
		land.notes[link].packets[land.slot] = c.note
	}
}

// sendOn puts a header on the link of a port to another switch, to leave at a moment counted from
// the slot.
func (t *tile) sendOn(id int32, c *crossing, leaves moment, land *landing) {
	link := t.wires[id].number
	l := land.lane(link)
	arrives := moment(land.slot)*aSlot + leaves.later(land.lag)
	k := l.count
	if k >= mostHeaders {
		l.count = mostHeaders + 1
		*land.spilt = append(*land.spilt, spill{link, c.packet, arrives, c.note})
		return
	}
	l.count++
	l.headers[k], l.times[k] = c.packet, arrives
	if land.notes != nil {
		land.notes[link].headers[k] = c.note
	}
}

// collect takes what arrives at the switch in the slots [from, to) of an epoch off its links, into
// lists by slot, and reports whether anything arrives in the epoch. It takes the links in random
// order, every order being equally likely in each epoch: neither the host that sent a packet nor
// the link that it came by decides which of the packets of a slot joins a queue first. Turns cannot
// do that: where 8 of 32 links compete, a cyclic order that begins one link later each slot leaves
// the first of two neighbours ahead in 31 slots of 32.
func (t *tile) collect(buffer, from, to int32) (any bool) {
	w := t.worker
	w.collecting = 1<<uint32(to) - 1<<uint32(from)
	if to == t.epoch {
		w.collecting |= 1 << uint32(to) // headers that have waited into the next epoch
	}
	for slot := range t.epoch {
		w.packets[slot], w.headers[slot] = w.packets[slot][:0], w.headers[slot][:0]
	}
	w.headers[t.epoch], w.links, w.random = w.headers[t.epoch][:0], w.links[:0], t.orders
	arriving := &t.lanes[buffer]
	used := arriving.used[t.links[0]:t.links[1]]
	for at := 0; ; at++ {
		next := bytes.IndexByte(used[at:], 1)
		if next < 0 {
			break
		}
		at += next
		link := t.links[0] + int32(at)
		w.links = insert(w.links, link, &w.random)
		w.inLanes += int(arriving.lanes[link].count) // fetches the lane from memory, many at a time
	}
	for _, link := range w.links {
		t.collectPackets(arriving, link)
		t.collectHeaders(arriving, link, buffer)
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
func (t *tile) collectPackets(arriving *lanes, link int32) {
	l, w, ends := &arriving.lanes[link], t.worker, t.ends
	for slots := l.slots & w.collecting; slots != 0; slots &= slots - 1 {
		slot := bits.TrailingZeros16(slots) % mostEpoch
		c := crossing{packet: l.packets[slot]}
		if arriving.notes != nil {
			c.note = arriving.notes[link].packets[slot]
		}
		ends := ends[c.packet.flow()]
		c.where = uint32(t.route(c.packet, ends, ends.destination)) << portShift
		w.packets[slot] = append(w.packets[slot], c)
	}
}

// collectHeaders takes the headers off a link.
func (t *tile) collectHeaders(arriving *lanes, link, buffer int32) {
	l := &arriving.lanes[link]
	for k, p := range l.headers[:min(l.count, mostHeaders)] {
		if t.collecting>>uint32(l.times[k].slot())&1 == 0 {
			continue
		}
		var note note
		if arriving.notes != nil {
			note = arriving.notes[link].headers[k]
		}
		t.collectHeader(p, note, l.times[k])
	}
	if l.count > mostHeaders {
		for _, s := range t.tiles[t.net.origins[link]].spilt[buffer] {
			if s.link == link && t.collecting>>uint32(s.time.slot())&1 == 1 {
				t.collectHeader(s.header, s.note, s.time)
			}
		}
	}
}

// collectHeader takes a header off a link.
func (t *tile) collectHeader(p packet, note note, at moment) {
	ends := t.ends[p.flow()]
	where := uint32(t.route(p, ends, ends.target(p)))<<portShift | uint32(at.phase())
	list := &t.worker.headers[at.slot()%(mostEpoch+1)]
	*list = append(*list, crossing{p, note, where})
}

// endEpoch forgets what has arrived, but for headers that have waited into the next epoch.
func (t *tile) endEpoch(buffer int32) {
	t.late = append(t.late, t.worker.headers[t.epoch]...)
	t.orders = t.worker.random
	clear(t.lanes[buffer].used[t.links[0]:t.links[1]])
}

// underWay returns the packets on the way to other switches that arrive from a slot on.
func (r *Run) underWay(slot int32) (count int64) {
	for i := range r.lanes {
		for j := range r.lanes[i].lanes {
			l := &r.lanes[i].lanes[j]
			if passed := slot - l.epoch*r.net.epoch; l.epoch != none && passed < r.net.epoch {
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
