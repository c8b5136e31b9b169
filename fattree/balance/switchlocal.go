package balance

import (
	"math"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// switchStream is the first child of a balancer's stream that belongs to a switch; lower children belong to flows.
const switchStream = 1 << 32

// hashed is embedded in balancers that choose ports. The EV of a packet is the flow's number. It matters only if
// the packet is hashed nevertheless.
type hashed struct{ fixed }

// NextEV returns the flow's number modulo 2^16.
func (hashed) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return uint16(flow), false
}

// oneSlot is a slot in the unit of [fattree.Passing.At].
const oneSlot = 1 << 20

// adaptive is the balancer of [NewAdaptive].
type adaptive struct {
	hashed
	orders []order  // by switch: order of its uplinks
	last   []choice // by switch
	work   []work   // by port; uplinks in their switch's order
	header int64    // time of an ACK on a link, in 2^-20 slots
	most   int64    // longest queue, in 2^-20 slots
}

// order is the order in which a switch compares its uplinks.
type order struct {
	ports  []uint32 // by place
	places []uint32 // by port
}

// choice is the last choice of a switch.
type choice struct {
	at    int64 // time plus 1, so that the zero value means never
	first int32 // first of the ports to choose among
	place int32 // place of the choice among these ports
}

// work is the backlog of a port: data, and ACKs, which overtake all data except the packet in service. Times are
// in 2^-20 slots.
type work struct {
	done    int64 // end of all work
	headers int64 // duration of the ACKs that wait, or that waited last
	passed  int64 // time at which these ACKs have been sent
}

// NewAdaptive returns the adaptive routing of RoCE switches. Each switch puts every packet, ACKs included,
// into the shortest queue towards its destination; the packet in service counts. Among several shortest
// queues it picks the first in an order that each switch draws once, so ties are not random.
//
// It keeps its own account of when each port will have sent its packets, background traffic included. The
// network's queues know only whole slots: the packets of a ToR's hosts would arrive together in a slot and
// keep their order forever. In continuous time they arrive one after the other, which mixes flows and ports.
func NewAdaptive() transport.Balancer { return new(adaptive) }

// Reset draws the order of each switch.
func (b *adaptive) Reset(n *fattree.Network, random mc.Stream) {
	spec := n.Spec()
	b.header = oneSlot * int64(spec.HeaderBytes) / int64(spec.MTU)
	b.most = oneSlot * int64(spec.Queue)
	b.work = resized(b.work, n.Ports())
	clear(b.work)
	b.last = resized(b.last, n.Switches())
	clear(b.last)
	b.orders = resized(b.orders, n.Switches())
	for sw := range b.orders {
		o, ports := &b.orders[sw], len(n.Uplinks(sw))
		o.ports, o.places = resized(o.ports, ports), resized(o.places, ports)
		draw := random.Child(switchStream + uint64(sw)).Rand()
		shuffle(o.ports, &draw)
		for place, port := range o.ports {
			o.places[port] = uint32(place)
		}
	}
}

// shuffle fills a list with its indices in uniformly random order.
func shuffle(list []uint32, draw *mc.Rand) {
	for i := range list {
		j := draw.Below(uint64(i) + 1)
		list[i] = list[j]
		list[j] = uint32(i)
	}
}

// Traits says that switches choose ports.
func (b *adaptive) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b, Watcher: b}
}

// Route returns the port with the shortest queue, and among several the first in the switch's order. Parallel links
// down are ordered by their numbers, unless there are as many of them as uplinks: then they have the order of the
// uplinks. O(ports).
func (b *adaptive) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	last, first := &b.last[p.Switch], ports.First()
	if last.at != p.At+1 || last.first != int32(first) {
		*last = choice{p.At + 1, int32(first), int32(shortest(b.work[first:][:ports.Len()], p.At))}
	}
	if port = b.portAt(last.place, p, ports); ports.Out(port) {
		last.place, port = b.shortestIn(p, ports)
	}
	b.take(first+int(last.place), p, ports, port)
	return port, true
}

// portAt returns the port at a place of the order in which the switch compares a group.
func (b *adaptive) portAt(place int32, p fattree.Passing, ports fattree.Ports) int {
	if o := &b.orders[p.Switch]; len(o.ports) == ports.Len() {
		return int(o.ports[place])
	}
	return int(place)
}

// shortestIn is shortest for a group that some ports have left.
func (b *adaptive) shortestIn(p fattree.Passing, ports fattree.Ports) (place int32, port int) {
	least := int64(math.MaxInt64)
	for i := range int32(ports.Len()) {
		at := b.portAt(i, p, ports)
		if backlog := b.work[ports.First()+int(i)].backlog(p.At); !ports.Out(at) && backlog < least {
			place, port, least = i, at, backlog
		}
	}
	return place, port
}

// Watch adds a packet to the account of its port, even if Adaptive did not choose the port. O(1).
func (b *adaptive) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	at := ports.First() + port
	if o := &b.orders[p.Switch]; len(o.places) == ports.Len() {
		at = ports.First() + int(o.places[port])
	}
	b.take(at, p, ports, port)
}

// take adds a packet to work[at], the account of a port.
func (b *adaptive) take(at int, p fattree.Passing, ports fattree.Ports, port int) {
	if w := &b.work[at]; p.Header {
		w.takeHeader(p.At, b.header)
	} else {
		w.takeData(p.At, ports.Service(port), b.most)
	}
}

// shortest returns the place of the first of the shortest queues. Lengths are far below 2^41.
func shortest(all []work, now int64) (place int) {
	const places = fattree.MaxRadix - 1
	least := math.MaxInt64 &^ int64(places)
	for i := range all {
		w := &all[i]
		if w.done < now {
			return i
		}
		least = min(least, w.backlog(now)*(places+1)+int64(i)) // branches would be mispredicted too often
	}
	return int(least & places)
}

// backlog returns the length of a queue in units of 2^-20 full packets. The packet in service counts in full.
func (w *work) backlog(now int64) int64 {
	headers := w.headers & ((now - w.passed - 1) >> 63) // 0 if they have passed
	return max(0, (w.done-now-headers+oneSlot)&^(oneSlot-1)+headers)
}

// takeData adds a data packet to a queue unless it is full.
func (w *work) takeData(now, service, most int64) {
	if w.done-now < most {
		w.done = max(w.done, now) + service
	}
}

// takeHeader adds an ACK, which waits only for the packet in service.
func (w *work) takeHeader(now, header int64) {
	if now >= w.passed {
		w.headers = 0
		w.passed = now
		if left := w.done - now; left > 0 {
			w.passed += (left-1)&(oneSlot-1) + 1
		}
	}
	w.headers += header
	w.passed += header
	w.done = max(w.done, now) + header
}

// leakingAdaptive is the balancer of [NewLeakingAdaptive].
type leakingAdaptive struct {
	adaptive
	leak   float64
	memory []memory // by flow
}

// memory describes the marks left in the memory of a flow's packets.
type memory struct {
	draw   mc.Rand
	clean  float64             // probability that there is no mark
	flight fattree.Picoseconds // half of the flow's round trip
	until  fattree.Picoseconds // end of the current flight
}

// hashedEV is the bit of the EV that tells switches to hash a packet.
const hashedEV = 1 << 15

// NewLeakingAdaptive returns the routing of [NewAdaptive] with a bug of the authors' simulator, for
// comparisons with it. In the simulator, background packets have a mark that lets switches hash them. A
// packet leaves the mark behind in its memory. The next packet of any flow that uses this memory has the mark
// and is hashed, by a uniform EV.
//
// A flight is half an unloaded round trip. In each flight, packet memory without a mark gets one with
// probability leak, in [0, 1]. If packets take their memory at random, leak is the share of background
// packets among packets sent. This is an estimate, compared with the simulator in docs/calibration.md.
func NewLeakingAdaptive(leak float64) (transport.Balancer, error) {
	if !(leak >= 0 && leak <= 1) {
		return nil, faults.New("balance", "leak", leak, "must be in [0, 1]")
	}
	return &leakingAdaptive{leak: leak}, nil
}

// Reset clears all marks.
func (b *leakingAdaptive) Reset(n *fattree.Network, random mc.Stream) {
	b.adaptive.Reset(n, random)
	b.memory = resized(b.memory, n.Flows())
	for i := range b.memory {
		flight := n.BaseRTT(int32(i)) / 2
		b.memory[i] = memory{draw: random.Child(uint64(i)).Rand(), clean: 1, flight: flight, until: flight}
	}
}

// NextEV returns a uniform EV that tells switches whether to hash the packet. O(1) and a step per flight since the
// flow's last packet, until all memory has a mark.
func (b *leakingAdaptive) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	m := &b.memory[flow]
	for ; m.until <= now && m.clean*(1-b.leak) != m.clean; m.until += m.flight {
		m.clean *= 1 - b.leak
	}
	ev = uint16(m.draw.Below(hashedEV))
	if m.draw.Float64() >= m.clean {
		ev |= hashedEV
	}
	return ev, false
}

// Traits says that switches choose ports.
func (b *leakingAdaptive) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b, Watcher: b}
}

// Route returns the port with the shortest queue, or false for a data packet with a mark. O(ports).
func (b *leakingAdaptive) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if !p.Header && p.EV&hashedEV != 0 {
		return 0, false
	}
	return b.adaptive.Route(p, ports)
}

// switchSpraying is the balancer of [NewSwitchSpraying].
type switchSpraying struct {
	hashed
	draw []mc.Rand // by switch
}

// NewSwitchSpraying returns spraying at the switches: each switch sends every packet, ACKs included, to a
// uniform port towards its destination. It is a control for OPS, which differs only in using a hash.
func NewSwitchSpraying() transport.Balancer { return new(switchSpraying) }

// Reset restarts each switch's generator.
func (b *switchSpraying) Reset(n *fattree.Network, random mc.Stream) {
	b.draw = ofSwitches(b.draw, n, random)
}

// rowsOfSwitches numbers the switches with several uplinks, in list if it is large enough, and counts them. The others
// have -1.
func rowsOfSwitches(list []int32, n *fattree.Network) (rows []int32, count int) {
	rows = resized(list, n.Switches())
	for sw := range rows {
		rows[sw] = -1
		if len(n.Uplinks(sw)) > 1 {
			rows[sw] = int32(count)
			count++
		}
	}
	return rows, count
}

// ofSwitches returns the generators of all switches, in list if it is large enough.
func ofSwitches(list []mc.Rand, n *fattree.Network, random mc.Stream) []mc.Rand {
	list = resized(list, n.Switches())
	for sw := range list {
		list[sw] = random.Child(switchStream + uint64(sw)).Rand()
	}
	return list
}

// Traits says that switches choose ports.
func (b *switchSpraying) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b}
}

// Route returns a uniform port. O(1).
func (b *switchSpraying) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	for port = 0; !chosen; chosen = !ports.Out(port) {
		port = int(b.draw[p.Switch].Below(uint64(ports.Len())))
	}
	return port, true
}

// roundRobin is the balancer of [NewRoundRobin].
type roundRobin struct {
	hashed
	next []uint16 // by switch: its next port
}

// mostFirst bounds the random first port; it is a multiple of the usual numbers of uplinks.
const mostFirst = 1 << 10

// NewRoundRobin returns a routing by which each switch sends data packets to its ports in turn, starting with
// a random port. ACKs are hashed by the flow's number. It is a control that shows the value of perfect
// evenness at each switch.
func NewRoundRobin() transport.Balancer { return new(roundRobin) }

// Reset draws each switch's first port.
func (b *roundRobin) Reset(n *fattree.Network, random mc.Stream) {
	b.next = resized(b.next, n.Switches())
	draw := random.Child(switchStream).Rand()
	for sw := range b.next {
		b.next[sw] = uint16(draw.Below(mostFirst))
	}
}

// Traits says that switches choose ports.
func (b *roundRobin) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true, Router: b} }

// Route returns the switch's next port. O(1).
func (b *roundRobin) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if p.Header {
		return 0, false
	}
	return inTurn(&b.next[p.Switch], ports), true
}

// shuffledRoundRobin is the balancer of [NewShuffledRoundRobin].
type shuffledRoundRobin struct {
	spraying
	turn   []turn    // by switch
	orders []mc.Rand // by switch
}

// turn is the current order of a switch's uplinks.
type turn struct {
	first int // number of the first uplink
	order []uint32
	next  int
}

// NewShuffledRoundRobin returns a routing by which each switch sends data packets to its ports in turn, in an
// order drawn anew for each turn. ACKs are hashed by a uniform EV. These are the rules of ecmp_rr of
// [UEC-htsim] in trees of two tiers. In that simulator the completion times of a tornado lie within 25 ns of
// each other, so the ACKs of a flow cannot all take one path.
func NewShuffledRoundRobin() transport.Balancer {
	return new(shuffledRoundRobin)
}

// Reset restarts each switch's generator and draws its first order.
func (b *shuffledRoundRobin) Reset(n *fattree.Network, random mc.Stream) {
	b.spraying.evs = MaxEVS
	b.spraying.Reset(n, random)
	b.orders = ofSwitches(b.orders, n, random)
	b.turn = resized(b.turn, n.Switches())
	for sw := range b.turn {
		t := &b.turn[sw]
		uplinks := n.Uplinks(sw)
		*t = turn{order: resized(t.order, len(uplinks))}
		if len(uplinks) > 0 {
			t.first = uplinks[0]
		}
		shuffle(t.order, &b.orders[sw])
	}
}

// Traits says that switches choose ports.
func (b *shuffledRoundRobin) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b}
}

// Route returns the switch's next port; for parallel links down, the hash chooses. O(1) on average.
func (b *shuffledRoundRobin) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	t := &b.turn[p.Switch]
	if p.Header || len(t.order) != ports.Len() || t.first != ports.First() {
		return 0, false
	}
	for !chosen {
		if t.next == len(t.order) {
			shuffle(t.order, &b.orders[p.Switch])
			t.next = 0
		}
		port = int(t.order[t.next])
		t.next++
		chosen = !ports.Out(port)
	}
	return port, true
}
