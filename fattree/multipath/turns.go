package multipath

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// inTurn makes a PlaneBalancer of a balancer that knows no planes. Each flow takes the planes with free links in
// turn; the balancer chooses the path in the plane, and learns about it.
type inTurn struct {
	transport.Balancer
	probe  func(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) // of the balancer; may be nil
	planes int
	flows  []turn
}

// turn is the state of a flow.
type turn struct {
	last  uint8  // plane of the last packet
	ports uint16 // working ports of the destination
}

// newInTurn returns an inTurn around a balancer.
func newInTurn(b transport.Balancer, n *fattree.Network) *inTurn {
	return &inTurn{Balancer: b, planes: n.HostLinks(), flows: make([]turn, n.Flows())}
}

// Reset implements [transport.Balancer].
func (b *inTurn) Reset(n *fattree.Network, random mc.Stream) {
	b.Balancer.Reset(n, random)
	b.probe = b.Balancer.Traits().Probe
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

// along returns the EV with the place of ev in the flow's next plane, out of the free ones.
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

// Traits returns the traits of the balancer, with probes along the planes in turn.
func (b *inTurn) Traits() transport.Traits {
	t := b.Balancer.Traits()
	if t.Planes = b; t.Probe != nil {
		t.Probe = b.probeInTurn
	}
	return t
}

// probeInTurn returns the EV that the balancer wants to probe, in the flow's next plane.
func (b *inTurn) probeInTurn(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	f := &b.flows[flow]
	if f.ports == 0 {
		return 0, false
	}
	if ev, wanted = b.probe(flow, now); wanted {
		ev = b.along(f, f.ports, ev)
	}
	return ev, wanted
}
