package fattree

import (
	"math/bits"

	"repslab/internal/bitset"
	"repslab/mc"
)

// tile is a switch with its hosts, the unit that is advanced alone. No tile depends on what other tiles do in the
// same epoch.
type tile struct {
	run *Run
	net *Network // of the run
	*worker
	number    int32
	sw        node
	salt      uint64 // of the switch's hash
	slot      int32
	byBytes   bool       // links count bytes, see short.go; the next two fields serve mayBeShort:
	onlyShort Packet     // bits that a packet that may be short has
	alsoShort Packet     // bits to add to every packet, if any packet may be short
	demands   bool       // packets carry notes
	ports     []port     // of the switch and its hosts
	busy      bitset.Set // ports with work
	rings     []Packet   // queues of the ports
	ringNotes []Note     // notes of the packets in the rings; nil unless Needs.Demands
	spilt     [][]spill  // by epoch of arrival modulo their number: what has left the switch and found no place in its lane
	spiltFor  []int32    // epochs of arrival of spilt
	links     []int32    // by port of the switch: the number of its link to another switch
	epoch     int32      // slots
	random    mc.Rand
	orders    mc.Rand // the generator of the order of links, at the beginning of the epoch
	ringMask  uint32
	spoiling  mc.Rand       // the generator of bit errors
	losing    mc.Rand       // the generator of losses on links
	lossy     []lossyPort   // ports with losses at this time
	unusual   bool          // packets carry notes, or some ports have losses
	late      []Crossing    // headers that waited into the next epoch's first slot
	landing   [2][4]landing // of packets and headers, by side of the sending port
	landed    int32         // the slot for which landing was last computed
	arrivals  *arrivals     // in this epoch: the arrivals of the worker, or kept ones
	kept      *arrivals     // in this epoch if the tile is not advanced through it at once
	incoming  [2]int32      // numbers [first, end) of the links from other switches

	nics     int32       // ports of the switch; its hosts' ports are numbered after them
	nextLink int32       // next link of a NIC
	onLinks  int32       // slots after which the hosts' links are empty again
	lastPut  int32       // slot in which something was last put on the hosts' links
	uplink   [2]wheel    // packets and headers on the links of hosts to their switch
	downlink [2]wheel    // the same from the switch to the hosts
	dataUp   *[]Crossing // the lists of the wheels that take what is sent in this slot
	dataDown *[]Crossing
	edge     Edge                  // the hosts' view of the tile; hosts keep its address
	hosts    Hosts                 // nil if the switch has none
	planned  []change              // changes of Spec.Faults
	changes  []change              // planned, and changes of Run.SetFailed
	change   int                   // index of the next change
	diedAt   map[int32]int32       // slot in which each failed port failed
	out      map[int32]*bitset.Set // by switch: ports that have left the group towards its hosts; nil unless Spec.Reroutes
}

// layOutTiles gives each tile its part of ports and links.
func (r *Run) layOutTiles() {
	n := r.net
	for i := range r.tiles {
		sw := &n.nodes[i]
		t := &r.tiles[i]
		*t = tile{
			run: r, net: n, number: int32(i), sw: *sw, incoming: [2]int32(n.firstLink[i:]), epoch: n.epoch,
			spilt: make([][]spill, n.buffers), spiltFor: make([]int32, n.buffers),
			ports: r.ports[sw.firstPort:sw.end()], links: n.links[sw.firstPort:][:sw.ports],
			busy: bitset.New(int(sw.end() - sw.firstPort)), nics: sw.ports,
		}
		t.countBytes()
		most := int32(0)
		if sw.nics > 0 {
			most = max(n.latency[0], n.headers[0]) + 2
		}
		t.onLinks = most
		t.dataDown = new([]Crossing)
		for i := range t.uplink {
			// The switch may be an epoch ahead of its hosts, which are never ahead of it.
			t.uplink[i], t.downlink[i] = newWheel(most), newWheel(most+t.epoch)
		}
		// Queues are mostly far from full, and short rings miss caches less.
		const ring = 8
		t.ringMask = ring - 1
		t.rings = make([]Packet, int(t.nics)*ring)
		if sw.nics > 0 {
			t.edge = Edge{First: sw.firstHost, Hosts: sw.nics, tile: t, nics: t.ports[t.nics:]}
			t.hosts = r.hosts.Attach(&t.edge)
		}
	}
	for i := range n.faults {
		t := &r.tiles[n.switchOf(n.faults[i].port)]
		t.planned = append(t.planned, n.faults[i])
		t.diedAt = map[int32]int32{}
	}
}

// advance runs the slots [from, to) of an epoch, and reports whether anything moved.
func (t *tile) advance(w *worker, from, to int32) (moved bool) {
	t.worker = w
	t.edge.Counts = &w.Counts
	begin := from - from%t.epoch
	buffer := begin / t.epoch % t.net.buffers
	if t.idle(from, to) && !t.arrives(buffer) {
		return false
	}
	t.collect(buffer, begin, to-from == t.epoch)
	if from == begin && len(t.late) > 0 {
		t.arrivals.slots |= 1
		t.arrivals.headers[0] = append(t.arrivals.headers[0], take(&t.late)...)
	}
	t.advanceSwitch(from, to, begin)
	if t.sw.nics > 0 && !t.sw.nic {
		t.advanceHosts(from, to)
	}
	if to == begin+t.epoch {
		t.endEpoch(buffer)
	}
	return true
}

// idle reports whether nothing happens in the slots [from, to) unless something arrives from another switch.
func (t *tile) idle(from, to int32) bool {
	return from > t.lastPut+t.onLinks && len(t.late) == 0 && (t.change == len(t.changes) || t.changes[t.change].slot >= to) &&
		t.busy.Empty() && (t.hosts == nil || t.hosts.Due() >= to)
}

// advanceSwitch runs the slots [from, to) of an epoch for the switch, and for the host if the switch is a network
// card. It skips slots in which the ports have nothing to send and nothing arrives or changes.
func (t *tile) advanceSwitch(from, to, begin int32) {
	events := uint64(t.arrivals.slots) >> uint32(from-begin)
	if t.sw.nics > 0 {
		events |= arriving(&t.uplink, from, to)
	}
	for i := t.change; i < len(t.changes) && t.changes[i].slot < to; i++ {
		events |= 1 << max(0, t.changes[i].slot-from)
	}
	if to-from > 1 {
		t.readHeads()
	}
	for slot := from; slot < to; slot++ {
		if t.busy.Empty() && !t.sw.nic {
			if slot += int32(bits.TrailingZeros64(events >> uint32(slot-from))); slot >= to {
				return
			}
		}
		t.slot = slot
		t.land(slot - begin)
		t.stepSwitch(slot, slot-begin)
		if t.sw.nic && (arriving(&t.downlink, slot, slot+1) != 0 || t.hosts.Due() <= slot) {
			t.stepHosts(slot)
		}
	}
}

// readHeads reads the next packets of all queues, so that their cache lines are loaded together.
func (t *tile) readHeads() {
	sum := Packet(0)
	for word, busy := range t.busy {
		for ; busy != 0; busy &= busy - 1 {
			id := uint32(word*64 + bits.TrailingZeros64(busy))
			head := t.ports[id].head
			sum += t.rings[t.place(id, head)] + t.rings[t.place(id, head+8)] // on the next cache line, if rings are longer
		}
	}
	t.arrivals.early += sum
}

// advanceHosts runs the slots [from, to) of an epoch for the hosts. It skips slots in which they have nothing to
// send and nothing arrives or is due.
func (t *tile) advanceHosts(from, to int32) {
	events := arriving(&t.downlink, from, to)
	for slot := from; slot < to; slot++ {
		next := slot + int32(bits.TrailingZeros64(events>>uint32(slot-from)))
		if slot = max(slot, min(next, t.hosts.Due())); slot >= to {
			return
		}
		t.stepHosts(slot)
		if t.byBytes && len(*t.downlink[data].at(slot + 1)) > 0 { // packets that were held back
			events |= 1 << uint32(slot+1-from)
		}
	}
}

// stepSwitch runs one slot of the switch. It begins with the service that ends the slot before, so queue lengths
// seen after a slot are lengths before service.
func (t *tile) stepSwitch(slot, inEpoch int32) {
	if t.sw.nics > 0 {
		t.dataDown = t.downlink[data].at(slot + t.net.latency[0])
	}
	t.servePorts()
	if t.change < len(t.changes) {
		t.applyChanges()
	}
	if t.sw.nic {
		t.deliver(inEpoch)
		return
	}
	packets := &t.arrivals.packets[inEpoch]
	if t.sw.nics > 0 {
		*packets = mixIn(*packets, take(t.uplink[data].at(slot)), &t.random)
		t.arrivals.slots |= 1 << uint32(inEpoch)
	}
	t.enqueue(*packets)
	t.forward(t.arrivals.headers[inEpoch])
	if t.sw.nics > 0 {
		t.forward(take(t.uplink[header].at(slot)))
	}
}

// stepHosts runs one slot of the hosts.
func (t *tile) stepHosts(slot int32) {
	t.slot, t.edge.Slot, t.edge.Now = slot, slot, Picoseconds(slot)*t.net.slotTime
	t.dataUp = t.uplink[data].at(slot + t.net.latency[0] + 1)
	arrives := slot + t.net.headers[0]
	t.edge.answers = [2]*[]Crossing{t.uplink[header].at(arrives), t.uplink[header].at(arrives + 1)}
	t.lastPut = max(t.lastPut, slot) // hosts may send
	arrived := take(t.downlink[data].at(slot))
	if t.byBytes {
		arrived = t.holdBack(arrived)
	}
	if len(t.net.errors) > 0 {
		arrived = t.withoutErrors(arrived)
	}
	if len(arrived) > 0 {
		t.Delivered += int64(len(arrived))
		t.hosts.Receive(arrived)
	}
	// Before a sink and without delay, these headers answer packets of this slot.
	t.hosts.Step(take(t.downlink[header].at(slot)))
}

// applyChanges applies the changes of ports that are due.
func (t *tile) applyChanges() {
	for ; t.change < len(t.changes) && t.changes[t.change].slot <= t.slot; t.change++ {
		c := t.changes[t.change]
		t.setRate(c.port, c.rate)
		t.setLoss(c.port-t.sw.firstPort, c.loss)
		// A failed port can fail twice, by two faults.
		if _, dead := t.diedAt[c.port]; c.rate > 0 {
			delete(t.diedAt, c.port)
		} else if !dead {
			t.diedAt[c.port] = c.slot
		}
	}
}
