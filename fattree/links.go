package fattree

import (
	"math/bits"
	"slices"
)

// outgoing is what leaves a switch for others and arrives in one epoch. The switch writes it in
// earlier epochs than that in which the others read it, so there is nothing to lock.
type outgoing struct {
	heads []head
	data  []packet // by port and slot of arrival

	room    int32    // headers for which a port has places
	headers []packet // by port, in the order in which they were sent
	times   []moment // when they arrive

	dataTags, headerTags []tag // nil unless Run.tagged
}

// head tells what an outgoing holds for a port.
type head struct {
	packets uint64 // bit s: one arrives in slot s of the epoch
	epoch   int32  // of arrival; what is said of another one is void
	headers int32
}

// layOutLinks makes room for what leaves the switch.
func (t *tile) layOutLinks() {
	t.out = make([]outgoing, t.net.buffers)
	for i := range t.out {
		t.out[i] = newOutgoing(t.nics-t.linked, t.epoch, t.tagged)
	}
}

// newOutgoing returns room for some ports.
func newOutgoing(ports, epoch int32, tagged bool) outgoing {
	o := outgoing{heads: make([]head, ports), data: make([]packet, ports*epoch), room: (epoch + 5) / 4 * 4}
	o.headers, o.times = make([]packet, ports*o.room), make([]moment, ports*o.room)
	if tagged {
		o.dataTags, o.headerTags = make([]tag, len(o.data)), make([]tag, len(o.headers))
	}
	o.reset()
	return o
}

// reset forgets all.
func (o *outgoing) reset() {
	for i := range o.heads {
		o.heads[i] = head{epoch: none}
	}
}

// grow doubles the room for headers.
func (o *outgoing) grow() {
	headers, times, tags := o.headers, o.times, o.headerTags
	o.headers, o.times = make([]packet, 2*len(headers)), make([]moment, 2*len(headers))
	if tags != nil {
		o.headerTags = make([]tag, 2*len(headers))
	}
	room := int(o.room)
	for from := 0; from < len(headers); from += room {
		copy(o.headers[2*from:], headers[from:from+room])
		copy(o.times[2*from:], times[from:from+room])
		if tags != nil {
			copy(o.headerTags[2*from:], tags[from:from+room])
		}
	}
	o.room *= 2
}

// sendData puts a packet on the link of a port to another switch.
func (t *tile) sendData(id int32, p packet, g tag) {
	land := t.lands(data, id)
	o, i := land.out, id-t.linked
	h := &o.heads[i]
	if h.epoch != land.epoch {
		t.announce(id, h, land)
	}
	h.packets |= 1 << (uint32(land.slot) % 64)
	at := i*t.epoch + land.slot
	o.data[at] = p
	if o.dataTags != nil {
		o.dataTags[at] = g
	}
}

// sendOn puts a header on the link of a port to another switch, to leave at a moment counted from
// the slot.
func (t *tile) sendOn(id int32, p packet, leaves moment, g tag) {
	land := t.lands(header, id)
	o, i := land.out, id-t.linked
	h := &o.heads[i]
	if h.epoch != land.epoch {
		t.announce(id, h, land)
	}
	if h.headers == o.room {
		o.grow()
	}
	at := i*o.room + h.headers
	h.headers++
	o.headers[at] = p
	o.times[at] = moment(land.slot)*aSlot + leaves
	if o.headerTags != nil {
		o.headerTags[at] = g
	}
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

// lands returns the landing of a packet or header sent by a port to another switch, by the class
// of its link.
func (t *tile) lands(sort, id int32) *landing { return &t.landing[sort][uint32(t.sw.split-1-id)>>31] }

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
			t.landing[sort][side] = landing{epoch, slot, &t.out[epoch%t.net.buffers]}
		}
	}
}

// announce lets the switch at the other end of a link know that something arrives in an epoch.
func (t *tile) announce(id int32, h *head, land *landing) {
	*h = head{epoch: land.epoch}
	w := &t.wires[id]
	t.arriving[land.epoch%t.net.buffers][t.tiles[w.peer].arrivals[0]+int(w.place/64)].Or(1 << (uint32(w.place) % 64))
}

// incoming is a link by which packets arrive at a switch in an epoch.
type incoming struct {
	packets uint64 // bit s: one arrives in slot s
	first   int32  // the one of slot 0 in from.data
	from    *outgoing
}

// collect finds the links by which something arrives in an epoch, and sorts the headers by slot.
// It reports whether there is any.
func (t *tile) collect(buffer int32) (any bool) {
	w := t.worker
	w.incoming = w.incoming[:0]
	words := t.arriving[buffer][t.arrivals[0]:t.arrivals[1]]
	for i := range words {
		for left := words[i].Load(); left != 0; left &= left - 1 {
			any = true
			link := t.links[i*64+bits.TrailingZeros64(left)]
			o := &t.tiles[link.from].out[buffer]
			h := o.heads[link.port]
			if h.packets != 0 {
				w.incoming = append(w.incoming, incoming{h.packets, link.port * t.epoch, o})
			}
			first := link.port * o.room
			times := o.times[first:][:h.headers]
			for k, p := range o.headers[first:][:h.headers] {
				bucket := &w.atSwitch[times[k].slot()%(mostEpoch+1)]
				g := times[k].tag()
				if o.headerTags != nil {
					g |= o.headerTags[int(first)+k].unphased()
				}
				*bucket = append(*bucket, crossing{p, g})
			}
		}
	}
	return any
}

// endEpoch forgets what has arrived, but for headers that have waited into the next epoch.
func (t *tile) endEpoch(buffer int32) {
	t.late = append(t.late, t.atSwitch[t.epoch]...)
	words := t.arriving[buffer][t.arrivals[0]:t.arrivals[1]]
	for i := range words {
		words[i].Store(0)
	}
}

// underWay returns the packets on the way from a switch to others that arrive from a slot on.
func (t *tile) underWay(slot int32) (count int64) {
	for i := range t.out {
		for _, h := range t.out[i].heads {
			if passed := slot - h.epoch*t.epoch; h.epoch != none && passed < t.epoch {
				count += int64(bits.OnesCount64(h.packets >> max(0, passed)))
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

// tag returns the tag of a phase.
func (m moment) tag() tag { return tag(m.phase()) << phaseShift }

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

// sortByPhase puts the arrivals of a slot, for a router, into the order of their time within
// the slot; for equal times the order stays random.
func (w *worker) sortByPhase() {
	w.sorting = w.sorting[:0]
	for _, i := range w.order {
		w.sorting = append(w.sorting, w.due[i])
	}
	slices.SortStableFunc(w.sorting, func(a, b crossing) int { return int(a.tag.phase()) - int(b.tag.phase()) })
	for i := range w.order {
		w.order[i] = int32(i)
	}
	copy(w.due, w.sorting)
}
