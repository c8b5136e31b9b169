package transport

import (
	"repslab/fattree"
	"repslab/mc"
)

// Kind is the fate of a packet, as its sender learns it: [Good], acknowledged without a congestion
// mark; [Marked], with one (ECN); [Nacked], trimmed on the way; [TimedOut], not acknowledged within the
// RTO; or [Probed], a probe that came back.
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
	EV   uint16 // of the packet
	Kind Kind
	Now  fattree.Picoseconds
	RTT  fattree.Picoseconds // of the packet, measured to Now; 0 if RTTs are not measured, see [Measurer]

	// The flow's window after congestion control, in packets; set only for the packet
	// that triggered an ACK.
	Grown float64 // change of the window by this ACK
	Room  float64 // window less packets in flight
}

// Balancer chooses the entropy value (EV) of every data packet. One Balancer serves all
// flows of a run, numbered as in the workload. With one worker ([fattree.Run.Workers]) one goroutine
// at a time uses it; with more, methods are called concurrently for flows of different sources,
// so the state of a flow must be its own. Its methods run for every packet, so they must not
// allocate after Reset.
type Balancer interface {
	// Reset forgets all state and prepares for a run of n. All randomness comes from
	// the stream, that of flow f from random.Child(f): then the same seed gives the same
	// run, and a flow's draws do not depend on the packets of other flows.
	Reset(n *fattree.Network, random mc.Stream)
	// NextEV returns the EV of the flow's next packet, sent at time now, and whether it is
	// recycled: an earlier EV that the balancer sends again although it could have drawn a
	// new one. Balancers that send fixed EVs, all EVs in turn, or leave the choice to
	// switches return false. Only Result.Recycled depends on it.
	NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool)
	// Feedback reports the fate of one packet. Congestion control hears of it first.
	Feedback(f Feedback)
}

// As returns the T that a [Balancer] or a [Control] is: the user itself or else, if it has a method Unwrap that returns
// a Balancer or a Control that it wraps, what that one is. So the wrapper need not implement the optional interfaces
// itself. It must implement [PlaneBalancer], whose methods take the place of methods of the Balancer.
func As[T, User any](user User) (t T, ok bool) {
	for {
		if t, ok = any(user).(T); ok {
			return t, true
		}
		wrapper, wraps := any(user).(interface{ Unwrap() User })
		if !wraps {
			return t, false
		}
		user = wrapper.Unwrap()
	}
}

// Freezer is a Balancer that reports whether a flow is in freezing mode.
type Freezer interface {
	Frozen(flow int32) bool
}

// CountFrozen returns the number of flows of n in freezing mode among those that have begun.
func CountFrozen(b Balancer, n *fattree.Network, begun func(flow int32) bool) (count int) {
	freezer, ok := As[Freezer](b)
	for flow := range int32(n.Flows()) {
		if ok && begun(flow) && freezer.Frozen(flow) {
			count++
		}
	}
	return count
}

// Inheriter is a Balancer whose flow can continue with the state of an ended flow from
// the same source to the same destination.
type Inheriter interface {
	Inherit(flow, from int32)
}

// Measurer is a Balancer or a Control that reports whether it uses RTTs; others are
// assumed to. If neither uses them they are not measured, which is faster, and the RTTs
// of feedback and acknowledgements are 0.
type Measurer interface {
	Measures() bool
}

// Measures reports whether a [Balancer] or a [Control] uses RTTs; see [Measurer].
func Measures[User any](user User) bool {
	m, ok := As[Measurer](user)
	return !ok || m.Measures()
}

// CarryUser is a Balancer that reports whether it learns from the EVs of other packets that an
// ACK carries ([Options.CarryEVs]); others are assumed not to.
type CarryUser interface {
	UsesCarried() bool
}

// UsesCarried reports whether a balancer learns from carried EVs; see [CarryUser].
func UsesCarried(b Balancer) bool {
	user, ok := As[CarryUser](b)
	return ok && user.UsesCarried()
}

// Prober is a Balancer that can send probes: packets without data that tell
// whether a path works. A flow is asked for one when an ACK reaches it.
type Prober interface {
	Balancer
	// Probes reports whether there are probes at all.
	Probes() bool
	// Probe returns the EV that a flow wants to probe now, if it wants to. A probe
	// that comes back is Feedback of the kind Probed; one that does not is silent.
	Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool)
}

// ProberOf returns the [Prober] that a balancer is, or nil if it sends no probes.
func ProberOf(b Balancer) Prober {
	if p, ok := As[Prober](b); ok && p.Probes() {
		return p
	}
	return nil
}

// RoomUser is a Balancer that reports whether it uses Feedback.Room; others are assumed not to. For
// a RoomUser hosts send as soon as an ACK gives room and their link is free, before the slot's later
// ACKs arrive, as two ACKs in one slot would look like room for two packets. By the rules of
// UltraEthernet hosts always do: of two such packets the first would not ask for an ACK, and a
// [Granter]'s first ACK would close a window too late for a packet that leaves before it.
type RoomUser interface {
	UsesRoom() bool
}

// UsesRoom reports whether a balancer uses Feedback.Room; see [RoomUser].
func UsesRoom(b Balancer) bool {
	user, ok := As[RoomUser](b)
	return ok && user.UsesRoom()
}

// Splitter is a Balancer that splits flows into subflows, each with its own EV and window. A
// packet, also a retransmitted one, goes to the next subflow with room; the receiver counts and
// acknowledges the flow as a whole, and its ACKs list the packets that it has. Every subflow
// starts with its part of the initial window and has the flow's upper bound. NextEV is not
// called for flows that are split.
type Splitter interface {
	Balancer
	// Subflows returns the number of subflows of a flow, or 0 if it is not cut.
	Subflows(flow int32) int32
	// SubflowEV returns the EV of a subflow, in [0, Subflows(flow)).
	SubflowEV(flow, subflow int32) uint16
	// Subflow returns the subflow that an EV of the flow belongs to.
	Subflow(flow int32, ev uint16) int32
}

// PlaneBalancer is a Balancer that chooses the link of its host together with the EV, hence the plane, as package
// multipath lets it: see [PlaneOf].
type PlaneBalancer interface {
	Balancer
	// NextPath returns the EV of the flow's next packet, of a plane whose bit in free is set, whether it was used
	// before, and false if there is none.
	NextPath(flow int32, free uint16, now fattree.Picoseconds) (ev uint16, recycled, ok bool)
	// Ports says which links of the flow's destination work, a bit for each plane; until then all do.
	Ports(flow int32, working uint16)
}

// PlaneEVs returns the number of EVs of each of some planes, at least 1: they have equal parts of [0, 2^16), in order.
func PlaneEVs(planes int) int { return 1 << 16 / planes }

// PlaneOf returns the plane of an EV, in [0, planes): that of the last one for the few EVs left over.
func PlaneOf(ev uint16, planes int) int { return min(int(ev)/PlaneEVs(planes), planes-1) }
