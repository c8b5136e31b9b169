package balance

import (
	"math/bits"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// PerPlane is REPS with a ring and a freezing mode for each plane of the network, a [transport.PlaneBalancer] by the
// rules of [fattree.MRC]: a flow takes the planes in turn, and what it recycles in a plane it has learnt there. With
// the default ring of 8 that takes 199 bytes for 8 planes, and with a ring of 3 112. By other rules there is one plane,
// and it is a [Recycling] by the paper's rules. Use [RecyclingConfig.NewPerPlane].
type PerPlane struct {
	*Recycling[reps.REPS, *reps.REPS]
	turns []planeTurn
}

// planeTurn is a flow's turn of the planes.
type planeTurn struct {
	last  uint8  // plane of the last packet
	ports uint16 // of the destination, that work
}

// NewPerPlane returns a REPS for each plane. Errors are those of [RecyclingConfig.New], and Rules that are not the
// paper's.
func (c RecyclingConfig) NewPerPlane() (*PerPlane, error) {
	if c.Rules != Paper && c.Rules != "" {
		return nil, mc.NewFieldError("balance", "Rules", c.Rules, "must be %q in each plane", Paper)
	}
	if c.REPS.BufferSize > reps.MaxBufferSize {
		return nil, mc.NewFieldError("balance", "BufferSize", c.REPS.BufferSize, "must be at most %d in each plane", reps.MaxBufferSize)
	}
	b, err := c.New()
	if err != nil {
		return nil, err
	}
	return &PerPlane{Recycling: b.(recyclingREPS).Recycling}, nil
}

// Reset gives every flow the state of a new connection.
func (b *PerPlane) Reset(n *fattree.Network, random mc.Stream) {
	b.planes = 1
	if n.Spec().Transport == fattree.MRC {
		b.planes = int32(n.HostLinks())
	}
	b.Recycling.Reset(n, random)
	if len(b.turns) != n.Flows() {
		b.turns = make([]planeTurn, n.Flows())
	}
	for i := range b.turns {
		b.turns[i] = planeTurn{uint8(b.planes - 1), 1<<b.planes - 1}
	}
}

// NextEV returns the EV that the flow's REPS chooses for the next plane. O(1).
func (b *PerPlane) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	ev, recycled, _ = b.NextPath(flow, 1<<b.planes-1, now)
	return ev, recycled
}

// NextPath implements [transport.PlaneBalancer]: the plane is the next one after that of the packet before. O(1).
func (b *PerPlane) NextPath(flow int32, free uint16, now fattree.Picoseconds) (ev uint16, recycled, ok bool) {
	turn := &b.turns[flow]
	if free &= turn.ports; free == 0 {
		return 0, false, false
	}
	if above := free >> (turn.last + 1) << (turn.last + 1); above != 0 {
		free = above
	}
	turn.last = uint8(bits.TrailingZeros16(free))
	ev, recycled = b.Recycling.NextEV(b.lane(flow, turn.last), now)
	return b.word(turn.last, ev), recycled, true
}

// lane returns the number of a flow's REPS for a plane.
func (b *PerPlane) lane(flow int32, plane uint8) int32 { return flow*b.planes + int32(plane) }

// word returns the EV of a packet for one that REPS has chosen in a plane: of those that name the same path the least.
func (b *PerPlane) word(plane uint8, ev uint16) uint16 {
	evs := transport.PlaneEVs(int(b.planes))
	return uint16(int(plane)*evs + int(ev)%evs)
}

// Ports implements [transport.PlaneBalancer]. O(1).
func (b *PerPlane) Ports(flow int32, working uint16) { b.turns[flow].ports = working }

// Feedback forwards to the flow's REPS of the packet's plane. O(1).
func (b *PerPlane) Feedback(f transport.Feedback) {
	plane := transport.PlaneOf(f.EV, int(b.planes))
	f.Flow, f.EV = b.lane(f.Flow, uint8(plane)), uint16(int(f.EV)-plane*transport.PlaneEVs(int(b.planes)))
	b.Recycling.Feedback(f)
}

// Probe returns the EV of a packet whose loss started the freezing mode of a plane, once per RTO and plane while that
// lasts. O(planes).
func (b *PerPlane) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	for plane := range uint8(b.planes) {
		if ev, wanted = b.Recycling.Probe(b.lane(flow, plane), now); wanted {
			return b.word(plane, ev), true
		}
	}
	return 0, false
}

// Inherit gives a flow the rings and modes of another. O(planes).
func (b *PerPlane) Inherit(flow, from int32) {
	for plane := range uint8(b.planes) {
		b.Recycling.Inherit(b.lane(flow, plane), b.lane(from, plane))
	}
}

// Frozen reports whether a flow is in freezing mode in a plane. O(planes).
func (b *PerPlane) Frozen(flow int32) bool {
	for plane := range uint8(b.planes) {
		if b.Recycling.Frozen(b.lane(flow, plane)) {
			return true
		}
	}
	return false
}

// Inspect implements [transport.Inspector] by the slots of all planes, one after the other. The origin of the next EV
// is not told: it depends on which links are free. O(planes and slots).
func (b *PerPlane) Inspect(flow int32, dst []transport.Slot) transport.Memory {
	all := transport.Memory{Slots: dst}
	for plane := range uint8(b.planes) {
		at := len(all.Slots)
		m := b.Recycling.Inspect(b.lane(flow, plane), all.Slots)
		for i := range m.Slots[at:] {
			m.Slots[at+i].EV = b.word(plane, m.Slots[at+i].EV)
		}
		all.Slots, all.Valid, all.Frozen = m.Slots, all.Valid+m.Valid, all.Frozen || m.Frozen
	}
	return all
}
