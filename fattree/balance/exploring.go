package balance

import (
	"math"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// exploring is the balancer of [NewExploring].
type exploring struct {
	transport.Balancer
	frozen func(flow int32) bool // in the run; nil if there is no freezing mode
	evs    uint64
	every  int32
	flows  []explorer
}

// explorer is the state of a flow.
type explorer struct {
	draw mc.Rand
	sent int32 // packets since the last explorer
}

// NewExploring returns b with explorers: of each every packets of a flow, every at least 1, the last one gets a uniform
// EV of 0 to evs-1, evs in [1, MaxEVS], and b is not asked. Its feedback goes to b like that of other packets, so that
// a good EV is found even while b sends only EVs that it knows. A flow in freezing mode sends no explorers: its packets
// count, and the next one after it explores. With every equal to the packets of a window, one packet a round trip
// explores. The constructor refuses a balancer that chooses ports, links or subflows.
func NewExploring(b transport.Balancer, evs, every int) (transport.Balancer, error) {
	if err := byHost(b); err != nil {
		return nil, err
	}
	if every < 1 || every > math.MaxInt32 {
		return nil, faults.New("balance", "every", every, "must be in [1, %d]", math.MaxInt32)
	}
	return withEVs(evs, &exploring{Balancer: b, evs: uint64(evs), every: int32(every)})
}

// Reset resets the balancer. Explorers have random streams of their own: the streams of b do not change.
func (e *exploring) Reset(n *fattree.Network, random mc.Stream) {
	made(e.every != 0, "NewExploring")
	e.Balancer.Reset(n, random)
	e.frozen = e.Balancer.Traits().Frozen
	e.flows = resized(e.flows, n.Flows())
	for i := range e.flows {
		e.flows[i] = explorer{draw: random.Child(uint64(i)).Child(0).Rand()}
	}
}

// Traits returns the traits of the balancer.
func (e *exploring) Traits() transport.Traits {
	if e.Balancer == nil {
		return transport.Traits{}
	}
	return e.Balancer.Traits()
}

// NextEV returns a uniform EV if the packet explores, and the EV of the balancer otherwise.
func (e *exploring) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &e.flows[flow]
	if f.sent < e.every {
		f.sent++
	}
	if f.sent < e.every || e.frozen != nil && e.frozen(flow) {
		return e.Balancer.NextEV(flow, now)
	}
	f.sent = 0
	return uint16(f.draw.Below(e.evs)), false
}
