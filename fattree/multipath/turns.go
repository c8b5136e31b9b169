package multipath

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// inTurn makes a PlaneBalancer of one that knows no planes: each flow takes those in turn whose links are free, and
// what the balancer chooses and learns is the path in the plane.
type inTurn struct {
	transport.Balancer
	prober transport.Prober // the same, if it is one
	planes int
	flows  []turn
}

// turn is the state of a flow.
type turn struct {
	last  uint8  // plane of the last packet
	ports uint16 // of the destination, that work
}

// newInTurn returns planes in turn around a balancer.
func newInTurn(b transport.Balancer, n *fattree.Network) *inTurn {
	prober, _ := transport.As[transport.Prober](b)
	return &inTurn{b, prober, n.HostLinks(), make([]turn, n.Flows())}
}

// Reset implements [transport.Balancer].
func (b *inTurn) Reset(n *fattree.Network, random mc.Stream) {
	b.Balancer.Reset(n, random)
	for i := range b.flows {
		b.flows[i] = turn{uint8(b.planes - 1), 1<<b.planes - 1}
	}
}

// NextPath implements [transport.PlaneBalancer].
func (b *inTurn) NextPath(flow int32, free uint16, now fattree.Picoseconds) (ev uint16, recycled, ok bool) {
	f := &b.flows[flow]
	if free &= f.ports; free == 0 {
		return 0, false, false
	}
	ev, recycled = b.NextEV(flow, now)
	return b.along(f, free, ev), recycled, true
}

// along returns an EV in the next plane of some.
func (b *inTurn) along(f *turn, free uint16, ev uint16) uint16 {
	plane := firstOf(free)
	if above := free >> (f.last + 1) << (f.last + 1); above != 0 {
		plane = firstOf(above)
	}
	f.last = uint8(plane)
	return withPlane(ev, plane, b.planes)
}

// Ports implements [transport.PlaneBalancer].
func (b *inTurn) Ports(flow int32, working uint16) { b.flows[flow].ports = working }

// Feedback implements [transport.Balancer].
func (b *inTurn) Feedback(n transport.Feedback) {
	n.EV = withPlane(n.EV, 0, b.planes)
	b.Balancer.Feedback(n)
}

// Probes implements [transport.Prober].
func (b *inTurn) Probes() bool { return b.prober != nil && b.prober.Probes() }

// Probe implements [transport.Prober].
func (b *inTurn) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	f := &b.flows[flow]
	if f.ports == 0 {
		return 0, false
	}
	if ev, wanted = b.prober.Probe(flow, now); wanted {
		ev = b.along(f, f.ports, ev)
	}
	return ev, wanted
}
