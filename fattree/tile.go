package fattree

import (
	"math/bits"
	"sync/atomic"

	"repslab/mc"
)

// tile is what is advanced alone: a switch, or a ToR with its hosts. No tile depends on what
// others do in the same epoch.
type tile struct {
	*Run
	*worker
	number   int32
	sw       node
	salt     uint64 // of the switch's hash
	slot     int32
	now      Picoseconds
	ports    []port   // of the switch and its hosts
	wires    []wire   // of these ports
	busy     bitSet   // ports with work
	rings    []packet // of the ports
	ringTags []tag    // of the packets in the rings; nil unless there is a Granter
	lanes    []packet // of the links that begin at the ports
	tags     []tag
	lines    []line
	epoch    int32 // slots
	stride   int   // places of a port in lanes
	buffers  int32
	coins    uint64 // whether headers wait at a port, by its number modulo 64
	drawn    int32  // slot of the coins
	random   mc.Rand
	ringMask int32
	late     []crossing // headers that arrive at the switch in the next epoch's first slot
	links    []int32    // that end at the tile
	arrivals [2]int     // words of the tile in Run.arriving, from and to

	nics        int32          // the first port of a host
	onLinks     int32          // slots after which all has left the hosts' links
	lastPut     int32          // slot in which something was last put on them
	uplink      [2]wheel       // packets and headers on the links of hosts to their switch
	downlink    [2]wheel       // and back
	dataDown    *[]crossing    // the bucket of packets that leave for hosts in the slot
	headersDown [2]*[]crossing // those of headers that leave in this slot or the next one
	ready       bitSet         // hosts with flows that want to send
	agenda      agenda
	granting    bitSet // hosts whose receivers have pulls to send
	changes     []change
	change      int             // next of changes
	diedAt      map[int32]int32 // slot in which each dead port died
}

// layOutTiles gives each tile its part of ports and links.
func (r *Run) layOutTiles() {
	n := r.net
	words := 0
	for i := range r.tiles {
		sw := &n.nodes[i]
		t := &r.tiles[i]
		*t = tile{
			Run: r, number: int32(i), sw: *sw, links: n.links[i], epoch: n.epoch, buffers: n.buffers, stride: int(n.epoch * n.buffers),
			ports: r.ports[sw.firstPort:sw.end()], wires: n.ports[sw.firstPort:sw.end()],
			busy: newBitSet(int(sw.end() - sw.firstPort)), nics: sw.downs + sw.ups,
			ready: newBitSet(int(sw.nics)), granting: newBitSet(int(sw.nics)),
		}
		if !r.oneSwitch {
			from, to := int(sw.firstPort)*int(n.buffers), int(sw.end())*int(n.buffers)
			t.lines = r.lines[from:to]
			t.lanes = r.lanes[from*int(n.epoch) : to*int(n.epoch)]
		}
		most := int32(0)
		if sw.nics > 0 {
			most = max(n.latency[0], n.headers[0]) + 1
		}
		t.onLinks = most
		for i := range t.uplink {
			t.uplink[i], t.downlink[i] = newWheel(most), newWheel(most)
		}
		// Queues are mostly far from full, and memory that is not there cannot be
		// missing from a cache.
		const ring = 16
		t.ringMask = ring - 1
		t.rings = make([]packet, int(t.nics)*ring)
		links := (len(n.links[i]) + 63) / 64
		t.arrivals = [2]int{words, words + links}
		words += links
	}
	for i := range n.faults {
		t := &r.tiles[n.switchOf(n.faults[i].port)]
		t.changes = append(t.changes, n.faults[i])
		t.diedAt = map[int32]int32{}
	}
	r.arriving = make([][]atomic.Uint64, n.buffers)
	for i := range r.arriving {
		r.arriving[i] = make([]atomic.Uint64, words)
	}
}

// advance runs the slots [from, to) of an epoch, and reports whether anything moved.
func (t *tile) advance(w *worker, from, to int32) (moved bool) {
	t.worker = w
	begin := from - from%t.epoch
	buffer := begin / t.epoch % t.buffers
	words := t.arriving[buffer][t.arrivals[0]:t.arrivals[1]]
	if !t.collect(words, buffer) && t.idle(from, to) {
		return false
	}
	if from == begin {
		w.atSwitch[0] = append(w.atSwitch[0], t.late...)
		t.late = t.late[:0]
	}
	for slot := from; slot < to; slot++ {
		t.step(slot, slot-begin)
	}
	if to == begin+t.epoch {
		t.late = append(t.late, w.atSwitch[t.epoch]...)
		t.clearLines(words, buffer)
	}
	for i := range t.epoch + 1 {
		w.atSwitch[i] = w.atSwitch[i][:0]
	}
	return true
}

// idle reports whether nothing happens in the slots [from, to) unless something arrives from
// another switch.
func (t *tile) idle(from, to int32) bool {
	return from > t.lastPut+t.onLinks && len(t.late) == 0 && t.agenda.next() >= to && (t.change == len(t.changes) || t.changes[t.change].slot >= to) &&
		t.busy.empty() && t.ready.empty() && t.granting.empty()
}

// collect finds the links by which something arrives in an epoch, sorts the headers by slot, and
// reports whether there is any.
func (t *tile) collect(words []atomic.Uint64, buffer int32) (any bool) {
	w := t.worker
	w.lanes = w.lanes[:0]
	for i := range words {
		for left := words[i].Load(); left != 0; left &= left - 1 {
			any = true
			at := int(t.links[i*64+bits.TrailingZeros64(left)])*int(t.buffers) + int(buffer)
			w.lanes = append(w.lanes, at*int(t.epoch))
			for _, c := range t.Run.lines[at] {
				bucket := &w.atSwitch[c.tag.slot()%(mostEpoch+1)]
				*bucket = append(*bucket, c)
			}
		}
	}
	return any
}

// clearLines forgets what has arrived in an epoch.
func (t *tile) clearLines(words []atomic.Uint64, buffer int32) {
	for i := range words {
		for left := words[i].Load(); left != 0; left &= left - 1 {
			id := t.links[i*64+bits.TrailingZeros64(left)]
			line := &t.Run.lines[int(id)*int(t.buffers)+int(buffer)]
			*line = (*line)[:0]
		}
		words[i].Store(0)
	}
}

// step runs one slot. It begins with the service that ends the slot before, so queue lengths
// seen after a slot are those before service.
func (t *tile) step(slot, inEpoch int32) {
	t.slot, t.now = slot, Picoseconds(slot)*t.net.slotTime
	t.landing = &t.landings[inEpoch]
	t.dataDown = t.downlink[data].at(slot + t.net.latency[0])
	for later := range t.headersDown {
		t.headersDown[later] = t.downlink[1].at(slot + t.net.headers[0] + int32(later))
	}
	t.servePorts()
	if t.change < len(t.changes) {
		t.applyChanges()
	}
	for _, c := range t.atSwitch[inEpoch] {
		t.cross(t.route(c), c)
	}
	for _, c := range t.uplink[1].take(slot) {
		t.cross(t.route(c), c)
	}
	t.arriveAtSwitch(t.uplink[data].take(slot), int(inEpoch))
	for i, c := range t.downlink[data].take(slot) {
		t.receive(c, int32(i))
	}
	if t.grants != nil {
		t.grant()
	}
	// With one tier and no delay these are those of the packets of this slot.
	for _, c := range t.downlink[1].take(slot) {
		t.takeHeader(c)
	}
	if t.agenda.next() <= slot {
		t.keepAgenda()
	}
	t.serveHosts()
}

// applyChanges changes the ports whose time has come.
func (t *tile) applyChanges() {
	for ; t.change < len(t.changes) && t.changes[t.change].slot <= t.slot; t.change++ {
		c := t.changes[t.change]
		t.setRate(c.port, c.rate)
		// A failed port can fail twice, by two faults.
		if _, dead := t.diedAt[c.port]; c.rate > 0 {
			delete(t.diedAt, c.port)
		} else if !dead {
			t.diedAt[c.port] = c.slot
		}
	}
}

// wheel is what is on the links of a ToR's hosts, one way, by slot of arrival modulo its length,
// a power of two.
type wheel [][]crossing

// newWheel returns a wheel for delays up to most slots.
func newWheel(most int32) wheel { return make(wheel, 1<<bits.Len32(uint32(most))) }

// at returns what arrives at a slot.
func (w wheel) at(slot int32) *[]crossing { return &w[int(slot)&(len(w)-1)] }

// put adds something that arrives at a slot.
func (w wheel) put(slot int32, c crossing) {
	bucket := w.at(slot)
	*bucket = append(*bucket, c)
}

// take returns what arrives at a slot, until the next put.
func (w wheel) take(slot int32) []crossing {
	bucket := w.at(slot)
	list := *bucket
	*bucket = list[:0]
	return list
}
