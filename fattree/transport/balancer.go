package transport

import (
	"repslab/fattree"
	"repslab/mc"
)

// Kind is the fate of a packet as its sender learns it: [Good], acknowledged without a congestion mark (ECN);
// [Marked], acknowledged with a mark; [Nacked], trimmed on the way; [TimedOut], not acknowledged within the RTO;
// or [Probed], a probe that was answered.
type Kind uint8

// The kinds of feedback.
const (
	Good Kind = iota
	Marked
	Nacked
	TimedOut
	Probed
)

// Feedback reports the fate of one packet to its sender.
type Feedback struct {
	Flow int32
	EV   uint16 // EV of the packet
	Kind Kind
	Now  fattree.Picoseconds
	RTT  fattree.Picoseconds // from the packet's departure to Now; 0 if RTTs are not measured, see [Traits.IgnoresRTTs]

	// The flow's window after congestion control, in packets; set only for the packet that triggered an ACK.
	Grown float64 // change of the window by this ACK
	Room  float64 // window minus packets in flight
}

// Balancer chooses the entropy value (EV) of every data packet. One Balancer serves all flows of a run, numbered
// as in the workload. With one worker ([fattree.Run.Workers]) only one goroutine at a time uses it. With more,
// methods are called concurrently for flows of different sources, so each flow needs state of its own. The methods
// run for every packet, so they must not allocate after Reset.
type Balancer interface {
	// Reset forgets all state and prepares for a run of n. All randomness must come from the stream, for flow f
	// from random.Child(f). Then the same seed gives the same run, and a flow's draws do not depend on the packets
	// of other flows.
	Reset(n *fattree.Network, random mc.Stream)
	// NextEV returns the EV of the flow's next packet, sent at time now, and whether it is recycled. An EV is
	// recycled if the balancer sends an earlier one again although it could have drawn a new one. Balancers that
	// send fixed EVs, send all EVs in turn, or leave the choice to switches return false. Only Result.Recycled
	// depends on it.
	NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool)
	// Feedback reports the fate of one packet. Congestion control is told first.
	Feedback(f Feedback)
	// Traits says what the Balancer does besides. A run asks after Reset.
	Traits() Traits
}

// Traits says what a [Balancer] does besides choosing EVs, and what it needs. The zero value is a Balancer that only
// chooses EVs and uses RTTs. Nothing else is looked for: a Balancer without a field here does not have the part. A
// wrapper that embeds a Balancer has its Traits.
type Traits struct {
	// IgnoresRTTs says that the RTTs of feedback are not used. If the [Control] ignores them too, they are not
	// measured, which is faster, and are 0.
	IgnoresRTTs bool
	// UsesCarried says that it learns from the EVs of other packets that an ACK carries ([Options.CarryEVs]).
	UsesCarried bool
	// UsesTrims says that it learns something else from a packet that was trimmed than from a packet that came, so that
	// [Options.LastHopGood] matters.
	UsesTrims bool
	// UsesRoom says that it uses Feedback.Room. Hosts then send as soon as an ACK gives room and their link is free,
	// before they take in the slot's later ACKs: two ACKs in one slot would otherwise look like room for two
	// packets. Under UltraEthernet hosts always send early. Otherwise the first of two such packets would not request
	// an ACK, and a flow's first ACK, with which a [Granter] can close the window, would also stop a packet that
	// leaves the host before this ACK arrives.
	UsesRoom bool
	// EVs is the size of the set of EVs that it uses, if this does not depend on the network; otherwise 0.
	EVs int
	// Control returns a congestion control for experiments that set none. It must be used only in runs with this
	// Balancer.
	Control func() Control
	// Frozen reports whether a flow is in freezing mode.
	Frozen func(flow int32) bool
	// Inherit lets a flow continue with the state of an ended flow between the same hosts.
	Inherit func(flow, from int32)
	// Inspect returns a flow's Memory and changes nothing. It appends the slots to dst.
	Inspect func(flow int32, dst []Slot) Memory
	// Probe returns the EV that a flow wants to probe now, and false if it wants none. A probe is a packet without
	// data that tests whether a path works. Probe is called whenever the flow gets an ACK. A probe that is answered
	// becomes Feedback of the kind Probed; a lost probe causes no Feedback.
	Probe func(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool)
	// Router and Watcher let switches choose their ports, and Splitter splits flows into subflows. Planes chooses
	// links of hosts. A Balancer with the methods of one of them must name itself.
	Router   fattree.Router
	Watcher  fattree.Watcher
	Splitter Splitter
	Planes   PlaneBalancer
}

// CountFrozen returns the number of flows of n in freezing mode among those that have begun; a nil begun counts all.
func (t Traits) CountFrozen(n *fattree.Network, begun func(flow int32) bool) (count int) {
	for flow := range int32(n.Flows()) {
		if t.Frozen != nil && (begun == nil || begun(flow)) && t.Frozen(flow) {
			count++
		}
	}
	return count
}

// Splitter is a Balancer that splits flows into subflows, each with an EV and a window of its own. A packet, also
// a retransmitted one, goes to the next subflow with room. The receiver counts and acknowledges the flow as a
// whole; its ACKs list the packets that it has. Every subflow starts with an equal part of the initial window, and
// its window has the upper bound of the flow. NextEV is not called for flows that are split.
type Splitter interface {
	Balancer
	// Subflows returns the number of subflows of a flow, or 0 if the flow is not split.
	Subflows(flow int32) int32
	// SubflowEV returns the EV of a subflow, in [0, Subflows(flow)).
	SubflowEV(flow, subflow int32) uint16
	// Subflow returns the subflow that an EV of the flow belongs to.
	Subflow(flow int32, ev uint16) int32
}

// PlaneBalancer is a Balancer that chooses the link of the host, and thus the plane, together with the EV. Package
// multipath uses it: see [PlaneOf].
type PlaneBalancer interface {
	Balancer
	// NextPath returns the EV of the flow's next packet, in a plane with its bit set in free, and whether the EV
	// was used before. It returns false if there is no such EV.
	NextPath(flow int32, free uint16, now fattree.Picoseconds) (ev uint16, recycled, ok bool)
	// Ports reports which links of the flow's destination work, a bit for each plane. Before the first call all
	// work.
	Ports(flow int32, working uint16)
}

// PlaneEVs returns the number of EVs of each plane, at least 1: planes have equal parts of [0, 2^16), in order. It
// panics unless planes is in [1, 2^16], as PlaneOf does.
func PlaneEVs(planes int) int {
	if planes < 1 || planes > 1<<16 {
		panic("transport: planes must be in [1, 65536]")
	}
	return 1 << 16 / planes
}

// PlaneOf returns the plane of an EV, in [0, planes). The few EVs left over at the end belong to the last plane.
func PlaneOf(ev uint16, planes int) int { return min(int(ev)/PlaneEVs(planes), planes-1) }
