package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// Start selects the first EV of a rotation.
type Start string

// The starts.
const (
	StartZero   Start = "zero"   // EV 0
	StartSource Start = "source" // the number of the source host, modulo the EVs
	StartDrawn  Start = "drawn"  // a uniform EV
)

// Starts lists the starts, the default of the command first.
func Starts() []Start { return []Start{StartZero, StartSource, StartDrawn} }

// first returns the first EV of a rotation of a source through evs EVs; random draws it.
func (s Start) first(evs int, source fattree.Host, random mc.Stream) uint16 {
	switch s {
	case StartSource:
		return uint16(int(source) % evs)
	case StartDrawn:
		draw := random.Rand()
		return uint16(draw.Below(uint64(evs)))
	default:
		return 0
	}
}

// rotation is the balancer of [NewRotation].
type rotation struct {
	fixed
	evs   int
	start Start
	next  []uint16 // by flow
}

// NewRotation returns a balancer that sends the packets of a flow on the EVs 0 to evs-1, evs in [1, MaxEVS],
// in turn: a rotation for each destination, if a host has one flow to each. With topology.ExactPath and as many EVs
// as paths, these are all paths in turn; with hashing, they are the paths that the EVs hash to.
func NewRotation(evs int, start Start) (transport.Balancer, error) {
	return startedAt(start, evs, &rotation{evs: evs, start: start})
}

// startedAt returns b, a rotation through evs EVs, or the faults of its arguments.
func startedAt(start Start, evs int, b transport.Balancer) (transport.Balancer, error) {
	bad := faults.List{Package: "balance"}
	faults.OneOf(&bad, "start", start, Starts())
	bad.Add(checkEVS(evs))
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return b, nil
}

// Reset starts each flow with its first EV.
func (r *rotation) Reset(n *fattree.Network, random mc.Stream) {
	made(r.evs != 0, "NewRotation")
	r.next = resized(r.next, n.Flows())
	for i := range r.next {
		source, _ := n.Pair(int32(i))
		r.next[i] = r.start.first(r.evs, source, random.Child(uint64(i)))
	}
}

// Traits says that flows can continue a rotation.
func (r *rotation) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Inherit: r.Inherit, Inspect: from(transport.OriginRotation)}
}

// Inherit lets a flow continue the rotation of another flow. O(1).
func (r *rotation) Inherit(flow, from int32) { r.next[flow] = r.next[from] }

// NextEV returns the flow's next EV in turn. O(1).
func (r *rotation) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	ev = r.next[flow]
	if r.next[flow]++; int(r.next[flow]) == r.evs {
		r.next[flow] = 0
	}
	return ev, false
}

// sourceRotation is the balancer of [NewSourceRotation].
type sourceRotation struct {
	fixed
	evs    int
	start  Start
	source []fattree.Host // by flow
	next   []uint16       // by host
}

// NewSourceRotation returns a balancer like [NewRotation] by which all flows of a host share one rotation. If a host
// sends to several destinations in turn, the packets to one of them can all take the same few EVs.
func NewSourceRotation(evs int, start Start) (transport.Balancer, error) {
	return startedAt(start, evs, &sourceRotation{evs: evs, start: start})
}

// Reset starts each host with its first EV.
func (r *sourceRotation) Reset(n *fattree.Network, random mc.Stream) {
	made(r.evs != 0, "NewSourceRotation")
	r.source, r.next = resized(r.source, n.Flows()), resized(r.next, n.Hosts())
	for i := range r.source {
		r.source[i], _ = n.Pair(int32(i))
	}
	for i := range r.next {
		r.next[i] = r.start.first(r.evs, fattree.Host(i), random.Child(uint64(i)))
	}
}

// Traits says that its memory can be inspected.
func (r *sourceRotation) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Inspect: from(transport.OriginRotation)}
}

// NextEV returns the host's next EV in turn. O(1).
func (r *sourceRotation) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	next := &r.next[r.source[flow]]
	ev = *next
	if *next++; int(*next) == r.evs {
		*next = 0
	}
	return ev, false
}
