package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// rotation is the balancer of [NewRotation].
type rotation struct {
	fixed
	evs    int
	source bool
	next   []uint16 // by flow
}

// NewRotation returns a balancer that sends the packets of a flow on the EVs 0 to evs-1, evs in [1, MaxEVS],
// in turn. It begins with EV 0 or, if source is true, with the number of the flow's source host modulo evs.
// With topology.ExactPath and as many EVs as paths, these are all paths in turn; with hashing, they are the
// paths that the EVs hash to.
func NewRotation(evs int, source bool) (transport.Balancer, error) {
	return withEVs(evs, &rotation{evs: evs, source: source})
}

// Reset starts each flow with its first EV.
func (r *rotation) Reset(n *fattree.Network, _ mc.Stream) {
	made(r.evs != 0, "NewRotation")
	r.next = resized(r.next, n.Flows())
	clear(r.next)
	for i := range r.next {
		if source, _ := n.Pair(int32(i)); r.source {
			r.next[i] = uint16(int(source) % r.evs)
		}
	}
}

// Traits says that flows can continue a rotation.
func (r *rotation) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Inherit: r.Inherit, Inspect: r.Inspect}
}

// Inherit lets a flow continue the rotation of another flow. O(1).
func (r *rotation) Inherit(flow, from int32) { r.next[flow] = r.next[from] }

// Inspect returns the origin of the EVs.
func (r *rotation) Inspect(_ int32, _ []transport.Slot) transport.Memory {
	return transport.Memory{Next: transport.OriginRotation}
}

// NextEV returns the flow's next EV in turn. O(1).
func (r *rotation) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	ev = r.next[flow]
	if r.next[flow]++; int(r.next[flow]) == r.evs {
		r.next[flow] = 0
	}
	return ev, false
}
