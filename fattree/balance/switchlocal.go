package balance

import (
	"repslab/fattree"
	"repslab/mc"
)

// switchStream is where the streams of switches begin among the children of a
// balancer's stream; the flows' come before.
const switchStream = 1 << 32

// hashed is what balancers have in common whose choice is not an EV: it plays a
// part only where a packet is hashed nevertheless, and is the flow's number.
type hashed struct{}

// NextEV returns the flow's number modulo 2^16.
func (hashed) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return uint16(flow), false
}

// Feedback changes nothing.
func (hashed) Feedback(fattree.Feedback) {}

// oneSlot is a slot in the unit of [fattree.Passing.At].
const oneSlot = 1 << 20

// Adaptive is the adaptive routing of RoCE switches: every packet, ACKs too, is
// put by each switch into the shortest of the queues that lead to its
// destination, the packet in service included. Of several shortest ones it is the
// first in an order that each switch draws once, so ties are not random.
//
// It keeps its own account of when each port will be done with what it was given,
// background traffic included.
// The network's queues know whole slots only, in which the packets of a ToR's
// hosts come at the same time and would keep their places for ever; without slots
// they come one after the other, and that mixes flows and ports.
type Adaptive struct {
	hashed
	order  [][]uint16 // by switch: its ports up
	last   []choice   // by switch
	work   []work     // by port
	header int64      // what an ACK takes of a link, in 2^-20 slots
	most   int64      // longest queue, in 2^-20 slots
}

// choice is the last one of a switch.
type choice struct {
	at    int64 // 1 more than when, so that the zero value is never
	first int32 // of the ports that it was made among
	port  int32
}

// work is what a port has to do: data, and the ACKs that overtake all of them but
// the packet in service. Times are in 2^-20 slots.
type work struct {
	done    int64 // when all is done
	headers int64 // that the ACKs take which wait or waited last
	passed  int64 // when they are through
}

// NewAdaptive returns an Adaptive.
func NewAdaptive() *Adaptive { return new(Adaptive) }

// Reset draws the order of each switch.
func (b *Adaptive) Reset(n *fattree.Network, random mc.Stream) {
	spec := n.Spec()
	b.header = oneSlot * int64(spec.HeaderBytes) / int64(spec.MTU)
	b.most = oneSlot * int64(spec.Queue)
	b.work = resized(b.work, n.Ports())
	clear(b.work)
	b.last = resized(b.last, n.Switches())
	clear(b.last)
	b.order = resized(b.order, n.Switches())
	for sw := range b.order {
		b.order[sw] = resized(b.order[sw], len(n.Uplinks(sw)))
		shuffle(b.order[sw], random.Child(switchStream+uint64(sw)).Rand())
	}
}

// shuffle fills a list with its indices in uniformly random order.
func shuffle(list []uint16, draw mc.Rand) {
	for i := range list {
		j := draw.Below(uint64(i) + 1)
		list[i] = list[j]
		list[j] = uint16(i)
	}
}

// Route returns the first of the shortest queues; parallel cables down have the
// order of their numbers. O(ports).
func (b *Adaptive) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	all := b.work[ports.First():][:ports.Len()]
	last := &b.last[p.Switch]
	if last.at == p.At+1 && last.first == int32(ports.First()) {
		port = int(last.port)
	} else {
		port = b.shortest(all, b.order[p.Switch], p.At)
		*last = choice{p.At + 1, int32(ports.First()), int32(port)}
	}
	b.Watch(p, ports, port)
	return port, true
}

// Watch puts a packet to the account of its port, also one that was not asked
// about. O(1).
func (b *Adaptive) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	if w := &b.work[ports.First()+port]; !p.Header {
		w.takeData(p.At, ports.Service(port), b.most)
	} else {
		w.takeHeader(p.At, b.header)
	}
}

// shortest returns the first of the shortest queues.
func (b *Adaptive) shortest(all []work, order []uint16, now int64) (port int) {
	inOrder := len(order) == len(all)
	least := int64(1<<63 - 1)
	for k := range all {
		i := k
		if inOrder {
			i = int(order[k])
		}
		backlog := all[i].backlog(now)
		if backlog == 0 {
			return i
		}
		if backlog < least {
			least, port = backlog, i
		}
	}
	return port
}

// backlog returns the bytes in a queue, in those that a full packet has 2^20 of.
// The packet in service counts whole, as long as it is there.
func (w *work) backlog(now int64) int64 {
	left := w.done - now + 1
	if left <= 0 {
		return 0
	}
	headers := int64(0)
	if now <= w.passed {
		headers = w.headers
	}
	return (left-headers+oneSlot-1)&^(oneSlot-1) + headers
}

// takeData adds a data packet to a queue unless it is full.
func (w *work) takeData(now, service, most int64) {
	if w.done-now < most {
		w.done = max(w.done, now) + service
	}
}

// takeHeader adds an ACK, which waits for the packet in service alone.
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

// SwitchSpraying sprays at the switches: each sends every packet, ACKs too, to a
// uniform one of the ports that lead to its destination. A control for OPS, which
// it equals but for the hash.
type SwitchSpraying struct {
	hashed
	draw mc.Rand
}

// NewSwitchSpraying returns a SwitchSpraying.
func NewSwitchSpraying() *SwitchSpraying { return new(SwitchSpraying) }

// Reset takes the generator to its beginning.
func (b *SwitchSpraying) Reset(_ *fattree.Network, random mc.Stream) {
	b.draw = random.Child(switchStream).Rand()
}

// Route returns a uniform port. O(1).
func (b *SwitchSpraying) Route(_ fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	return int(b.draw.Below(uint64(ports.Len()))), true
}

// RoundRobin lets each switch send data packets to its ports in turn, from a port
// on that it draws; ACKs are hashed by the flow's number. A control: what perfect
// evenness at each switch alone is worth.
type RoundRobin struct {
	hashed
	next []uint16 // by switch: the port whose turn it is
}

// NewRoundRobin returns a RoundRobin.
func NewRoundRobin() *RoundRobin { return new(RoundRobin) }

// Reset draws each switch's first port.
func (b *RoundRobin) Reset(n *fattree.Network, random mc.Stream) {
	b.next = resized(b.next, n.Switches())
	draw := random.Child(switchStream).Rand()
	for sw := range b.next {
		b.next[sw] = uint16(draw.Below(fattree.MaxUplinks))
	}
}

// Route returns the port whose turn it is. O(1).
func (b *RoundRobin) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if p.Header {
		return 0, false
	}
	port = int(b.next[p.Switch])
	if port >= ports.Len() {
		port %= ports.Len()
	}
	b.next[p.Switch] = uint16(port + 1)
	return port, true
}
