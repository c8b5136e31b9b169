package fattree

import "repslab/mc"

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
	Now  Picoseconds
	RTT  Picoseconds // of the packet, measured to Now; 0 if RTTs are not measured, see [Measurer]

	// The flow's window after congestion control, in packets; set only for the packet
	// that triggered an ACK.
	Grown float64 // change of the window by this ACK
	Room  float64 // window less packets in flight
}

// Balancer chooses the entropy value (EV) of every data packet. One Balancer serves all
// flows of a run, numbered as in the workload. With one worker ([Run.Workers]) one goroutine
// at a time uses it; with more, methods are called concurrently for flows of different sources,
// so the state of a flow must be its own. Its methods run for every packet, so they must not
// allocate after Reset.
type Balancer interface {
	// Reset forgets all state and prepares for a run of n. All randomness comes from
	// the stream, that of flow f from random.Child(f): then the same seed gives the same
	// run, and a flow's draws do not depend on the packets of other flows.
	Reset(n *Network, random mc.Stream)
	// NextEV returns the EV of the flow's next packet, sent at time now, and whether it is
	// recycled: an earlier EV that the balancer sends again although it could have drawn a
	// new one. Balancers that send fixed EVs, all EVs in turn, or leave the choice to
	// switches return false. Only Result.Recycled depends on it.
	NextEV(flow int32, now Picoseconds) (ev uint16, recycled bool)
	// Feedback reports the fate of one packet. Congestion control hears of it first.
	Feedback(f Feedback)
}

// Freezer is a Balancer that reports whether a flow is in freezing mode.
type Freezer interface {
	Frozen(flow int32) bool
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
func Measures(user any) bool {
	m, ok := user.(Measurer)
	return !ok || m.Measures()
}

// CarryUser is a Balancer that reports whether it learns from the EVs of other packets that an
// ACK carries ([Spec.CarryEVs]); others are assumed not to.
type CarryUser interface {
	UsesCarried() bool
}

// UsesCarried reports whether a balancer learns from carried EVs; see [CarryUser].
func UsesCarried(b Balancer) bool {
	user, ok := b.(CarryUser)
	return ok && user.UsesCarried()
}

// Window is the congestion window of a flow, in packets of a full MTU.
type Window struct {
	Packets float64 // cwnd: a packet may be sent while fewer than this are in flight
	Most    float64 // upper bound of cwnd: 1.5 bandwidth-delay products of the flow's path, at least 1
}

// Acknowledgement reports an ACK to congestion control.
type Acknowledgement struct {
	Flow    int32
	Packets int32 // newly acknowledged
	Marked  bool  // the packet that triggered the ACK carried a congestion mark
	Now     Picoseconds
	RTT     Picoseconds // of the packet that triggered it, see [Measurer]
	// Unclear says that RTT may be that of an earlier transmission: the packet had been declared
	// lost, or was already acknowledged. Always false under the rules of [Artifact].
	Unclear bool
	// InFlight is the number of packets in flight after the ACK.
	InFlight int32
}

// Loss reports a lost packet to congestion control.
type Loss struct {
	Flow     int32
	Kind     Kind // Nacked or TimedOut
	Now      Picoseconds
	RTT      Picoseconds // of the NACK, see [Measurer]; 0 of a time-out
	LastHop  bool        // trimmed at the port to the receiver; always false under the rules of [Artifact]
	InFlight int32       // packets in flight, without the lost one
}

// Control is a sender's congestion control. One Control serves all flows of a run, and several
// goroutines use it as they do a [Balancer]. It must keep the window in [1, Most] and must not allocate
// after Reset. A flow's initial window ([Spec].InitialWindow) can exceed Most on a short
// path; such a window must not grow. The run panics on a window out of range. The windows of
// a [Granter] have bounds of their own.
type Control interface {
	// Reset forgets all state and prepares for a run of n.
	Reset(n *Network)
	// Acknowledge moves the window on an ACK.
	Acknowledge(w *Window, ack Acknowledgement)
	// Lose moves the window on the loss of one packet.
	Lose(w *Window, loss Loss)
}

// Drawer is a Control that draws random numbers.
type Drawer interface {
	Control
	// Draw is called after Reset with the stream of the run to draw from.
	Draw(random mc.Stream)
}
