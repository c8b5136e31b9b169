package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// ecmp is the balancer of [NewECMP] and of [NewStatic].
type ecmp struct {
	fixed
	evs      int
	bySource bool
	ev       []uint16 // by flow
}

// NewECMP returns a balancer that gives all packets of a flow one EV, the flow's number modulo evs, in [1,
// MaxEVS], as the authors do. A flow that inherits keeps the EV of its predecessor.
func NewECMP(evs int) (transport.Balancer, error) {
	return withEVs(evs, &ecmp{evs: evs})
}

// NewStatic returns a balancer that gives a flow the number of its source host as EV, modulo evs, in [1,
// MaxEVS]. With topology.ExactPath and as many EVs as paths, in a tree without oversubscription, the hosts of
// a ToR, and of a pod, use different links on the way up. So the flows of a tornado share no link. The flows
// of another permutation share none on the way up, but may share some on the way down.
func NewStatic(evs int) (transport.Balancer, error) {
	return withEVs(evs, &ecmp{evs: evs, bySource: true})
}

// Reset gives each flow its EV.
func (e *ecmp) Reset(n *fattree.Network, _ mc.Stream) {
	made(e.evs != 0, "NewECMP or NewStatic")
	e.ev = resized(e.ev, n.Flows())
	for i := range e.ev {
		number := i
		if e.bySource {
			source, _ := n.Pair(int32(i))
			number = int(source)
		}
		e.ev[i] = uint16(number % e.evs)
	}
}

// Traits says that flows can keep the EV of another, unless all flows of a host have one.
func (e *ecmp) Traits() transport.Traits {
	t := transport.Traits{IgnoresRTTs: true, Inspect: from(transport.OriginFixed)}
	if !e.bySource {
		t.Inherit = e.Inherit
	}
	return t
}

// Inherit gives a flow the EV of another. O(1).
func (e *ecmp) Inherit(flow, from int32) { e.ev[flow] = e.ev[from] }

// NextEV returns the flow's EV. O(1).
func (e *ecmp) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return e.ev[flow], false
}

// spraying is the balancer of [NewSpraying].
type spraying struct {
	fixed
	evs  uint64
	draw []mc.Rand // by flow
}

// NewSpraying returns OPS: every packet gets a uniformly drawn EV of 0 to evs-1, evs in [1, MaxEVS].
func NewSpraying(evs int) (transport.Balancer, error) {
	return withEVs(evs, &spraying{evs: uint64(evs)})
}

// Reset restarts each flow's generator.
func (s *spraying) Reset(n *fattree.Network, random mc.Stream) {
	made(s.evs != 0, "NewSpraying")
	s.draw = generators(s.draw, n.Flows(), random)
}

// Traits says that its memory can be inspected.
func (s *spraying) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Inspect: from(transport.OriginRandom)}
}

// NextEV returns a fresh EV. O(1).
func (s *spraying) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	return uint16(s.draw[flow].Below(s.evs)), false
}
