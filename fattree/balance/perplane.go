package balance

import (
	"math/bits"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
	"repslab/reps"
)

// perPlane is the balancer of [RecyclingConfig.NewPerPlane].
type perPlane struct {
	*recycling[reps.REPS, *reps.REPS]
	turns []planeTurn
}

// planeTurn tells which plane of a flow is next.
type planeTurn struct {
	last  uint8  // plane of the last packet
	ports uint16 // working ports of the destination
}

// NewPerPlane returns a REPS with a ring and a freezing mode for each plane of the network. Under
// [fattree.MRC] a flow takes the planes in turn, and recycles in a plane the EVs that it has learnt there.
// For 8 planes, it takes 199 bytes with the default ring of 8, and 112 with a ring of 3. Under other profiles
// there is one plane, and the balancer is that of [RecyclingConfig.New] by the paper's rules.
//
// It returns the errors of RecyclingConfig.New, and refuses Rules other than the paper's.
func (c RecyclingConfig) NewPerPlane() (transport.PlaneBalancer, error) {
	if c.Rules != Paper && c.Rules != "" {
		return nil, faults.New("balance", "Rules", c.Rules, "must be %q in each plane", Paper)
	}
	if c.REPS.BufferSize > reps.MaxBufferSize {
		return nil, faults.New("balance", "BufferSize", c.REPS.BufferSize, "must be at most %d in each plane", reps.MaxBufferSize)
	}
	b, err := c.New()
	if err != nil {
		return nil, err
	}
	return &perPlane{recycling: b.(recyclingREPS).recycling}, nil
}

// Reset gives every flow the state of a new connection.
func (b *perPlane) Reset(n *fattree.Network, random mc.Stream) {
	if b.recycling == nil {
		panic("balance: a PerPlane that was not made by RecyclingConfig.NewPerPlane")
	}
	b.planes = 1
	if n.Spec().Profile == fattree.MRC {
		b.planes = int32(n.HostLinks())
	}
	b.recycling.Reset(n, random)
	if len(b.turns) != n.Flows() {
		b.turns = make([]planeTurn, n.Flows())
	}
	for i := range b.turns {
		b.turns[i] = planeTurn{uint8(b.planes - 1), 1<<b.planes - 1}
	}
}

// NextEV returns the EV that the flow's REPS chooses for the next plane. O(1).
func (b *perPlane) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	ev, recycled, _ = b.NextPath(flow, 1<<b.planes-1, now)
	return ev, recycled
}

// Traits returns the traits of REPS, with the links that it chooses.
func (b *perPlane) Traits() transport.Traits {
	t := b.recycling.Traits()
	t.Planes, t.Frozen, t.Inherit, t.Inspect = b, b.Frozen, b.Inherit, b.Inspect
	if t.Probe != nil {
		t.Probe = b.Probe
	}
	return t
}

// NextPath implements [transport.PlaneBalancer]. The planes take turns. O(1).
func (b *perPlane) NextPath(flow int32, free uint16, now fattree.Picoseconds) (ev uint16, recycled, ok bool) {
	turn := &b.turns[flow]
	if free &= turn.ports; free == 0 {
		return 0, false, false
	}
	if above := free >> (turn.last + 1) << (turn.last + 1); above != 0 {
		free = above
	}
	turn.last = uint8(bits.TrailingZeros16(free))
	ev, recycled = b.recycling.NextEV(b.lane(flow, turn.last), now)
	return b.word(turn.last, ev), recycled, true
}

// lane returns the number of a flow's REPS for a plane.
func (b *perPlane) lane(flow int32, plane uint8) int32 { return flow*b.planes + int32(plane) }

// word returns the EV for a packet to which REPS has given an EV in a plane. Of the EVs that name the same path it
// is the least.
func (b *perPlane) word(plane uint8, ev uint16) uint16 {
	evs := transport.PlaneEVs(int(b.planes))
	return uint16(int(plane)*evs + int(ev)%evs)
}

// Ports implements [transport.PlaneBalancer]. O(1).
func (b *perPlane) Ports(flow int32, working uint16) { b.turns[flow].ports = working }

// Feedback forwards to the REPS of the flow and of the packet's plane. O(1).
func (b *perPlane) Feedback(f transport.Feedback) {
	plane := transport.PlaneOf(f.EV, int(b.planes))
	f.Flow, f.EV = b.lane(f.Flow, uint8(plane)), uint16(int(f.EV)-plane*transport.PlaneEVs(int(b.planes)))
	b.recycling.Feedback(f)
}

// Probe returns the EV of the lost packet that started freezing mode in a plane. It returns one once per RTO and
// plane while freezing mode lasts. O(planes).
func (b *perPlane) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	for plane := range uint8(b.planes) {
		if ev, wanted = b.recycling.Probe(b.lane(flow, plane), now); wanted {
			return b.word(plane, ev), true
		}
	}
	return 0, false
}

// Inherit gives a flow the rings and freezing modes of another flow. O(planes).
func (b *perPlane) Inherit(flow, from int32) {
	for plane := range uint8(b.planes) {
		b.recycling.Inherit(b.lane(flow, plane), b.lane(from, plane))
	}
}

// Frozen reports whether a flow is in freezing mode in some plane. O(planes).
func (b *perPlane) Frozen(flow int32) bool {
	for plane := range uint8(b.planes) {
		if b.recycling.Frozen(b.lane(flow, plane)) {
			return true
		}
	}
	return false
}

// Inspect returns the slots of all planes, one plane after the other. The origin of
// the next EV is empty, because it depends on which links are free. O(planes and slots).
func (b *perPlane) Inspect(flow int32, dst []transport.Slot) transport.Memory {
	all := transport.Memory{Keeps: true, Freezes: b.freezes, Slots: dst}
	for plane := range uint8(b.planes) {
		at := len(all.Slots)
		m := b.recycling.Inspect(b.lane(flow, plane), all.Slots)
		for i := range m.Slots[at:] {
			m.Slots[at+i].EV = b.word(plane, m.Slots[at+i].EV)
		}
		all.Slots, all.Valid, all.Frozen = m.Slots, all.Valid+m.Valid, all.Frozen || m.Frozen
	}
	return all
}
