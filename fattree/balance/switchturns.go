package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// destinationRoundRobin is the balancer of [NewDestinationRoundRobin].
type destinationRoundRobin struct {
	hashed
	hosts  int
	rows   []int32  // by switch: row of its rotations in next, see rowsOfSwitches
	next   []uint16 // by row and destination
	target []uint16 // by flow: its destination
}

// NewDestinationRoundRobin returns the rotation by destination of switches [McClure25]: each switch sends data
// packets to its ports in turn, separately for each destination host, starting with random ports. So the packets to
// a host are spread evenly at each switch, whatever else passes. ACKs are hashed by the flow's number, and so are
// packets where a switch with at most one uplink has parallel links down.
func NewDestinationRoundRobin() transport.Balancer { return new(destinationRoundRobin) }

// Reset draws the first ports. It takes 2 bytes for each host and switch with several uplinks.
func (b *destinationRoundRobin) Reset(n *fattree.Network, random mc.Stream) {
	rows := 0
	b.rows, rows = rowsOfSwitches(b.rows, n)
	b.hosts = n.Hosts()
	b.next, b.target = resized(b.next, rows*b.hosts), resized(b.target, n.Flows())
	draw := random.Child(switchStream).Rand()
	for i := range b.next {
		b.next[i] = uint16(draw.Below(mostFirst))
	}
	for i := range b.target {
		_, destination := n.Pair(int32(i))
		b.target[i] = uint16(destination)
	}
}

// Traits says that switches choose ports.
func (b *destinationRoundRobin) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b}
}

// Route returns the next port of the destination's rotation. O(1).
func (b *destinationRoundRobin) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	row := b.rows[p.Switch]
	if p.Header || row < 0 {
		return 0, false
	}
	return inTurn(&b.next[int(row)*b.hosts+int(b.target[p.Flow])], ports), true
}

// inTurn returns the port at next, or the first after it that is not out, and moves next behind it.
func inTurn(next *uint16, ports fattree.Ports) int {
	port := int(*next)
	if port >= ports.Len() {
		port %= ports.Len()
	}
	for ports.Out(port) {
		port = (port + 1) % ports.Len()
	}
	*next = uint16(port + 1)
	return port
}

// shorterOfTwo is the balancer of [NewShorterOfTwo].
type shorterOfTwo struct{ switchSpraying }

// NewShorterOfTwo returns a routing by which each switch sends every data packet to the shorter of the queues of two
// uniform ports, of equal ones to the first drawn. ACKs are hashed by the flow's number.
func NewShorterOfTwo() transport.Balancer { return new(shorterOfTwo) }

// Traits says that switches choose ports.
func (b *shorterOfTwo) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b}
}

// Route returns the better of two uniform ports. O(1).
func (b *shorterOfTwo) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if p.Header {
		return 0, false
	}
	port, _ = b.switchSpraying.Route(p, ports)
	other, _ := b.switchSpraying.Route(p, ports)
	waiting, _ := ports.Queue(port, p)
	if less, _ := ports.Queue(other, p); less < waiting {
		port = other
	}
	return port, true
}
