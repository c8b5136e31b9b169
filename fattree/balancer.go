package fattree

import "repslab/mc"

// Kind says what became of a packet, as far as its sender has learnt.
type Kind uint8

// The kinds of feedback.
const (
	Good     Kind = iota // acknowledged without a congestion mark
	Marked               // acknowledged with a congestion mark (ECN)
	Nacked               // trimmed on the way
	TimedOut             // no acknowledgement within the RTO
	Probed               // it was a probe, and came back
)

// Feedback is what a sender learns of one packet.
type Feedback struct {
	Flow int32
	EV   uint16 // that the packet was sent with
	Kind Kind
	Now  Picoseconds
	RTT  Picoseconds // from the sending of the packet until now; 0 where it was not measured, see [Measurer]

	// The flow's window in packets, congestion control having acted. Grown is 0
	// and Room not set but for the ACK of the packet that triggered it.
	Grown float64 // by how much this ACK moved it
	Room  float64 // what it leaves above the packets in flight
}

// Balancer chooses the entropy value of every data packet. One Balancer serves
// all flows of a run; flows are numbered as in the workload. It is used by one
// goroutine at a time and must not allocate after Reset.
type Balancer interface {
	// Reset forgets everything and prepares for a run of the network. The random
	// stream of flow f is random.Child(f).
	Reset(n *Network, random mc.Stream)
	// NextEV returns the EV of the next packet of a flow at the time now, and
	// whether it is one used before rather than a fresh choice.
	NextEV(flow int32, now Picoseconds) (ev uint16, recycled bool)
	// Feedback takes in what became of a packet, after congestion control has.
	Feedback(f Feedback)
}

// Freezer is a Balancer that can tell whether a flow is in freezing mode.
type Freezer interface {
	Frozen(flow int32) bool
}

// Inheriter is a Balancer whose flow can go on where another one ended, from the
// same host to the same, with all that it learnt.
type Inheriter interface {
	Inherit(flow, from int32)
}

// Measurer is a Balancer or a Control that says whether it looks at RTTs; of one
// that is not it is assumed. Where neither does, none are measured, and those of
// ACKs are 0.
type Measurer interface {
	Measures() bool
}

// Measures reports whether a [Balancer] or a [Control] looks at RTTs: all do that are no
// [Measurer].
func Measures(user any) bool {
	m, ok := user.(Measurer)
	return !ok || m.Measures()
}

// Window is the congestion window of a flow, in packets of a full MTU.
type Window struct {
	Packets float64 // cwnd: a packet may be sent while fewer than this are in flight
	Most    float64 // cwnd's upper bound, 1.5 bandwidth-delay products of the flow's path
}

// Acknowledgement is what congestion control learns from an ACK.
type Acknowledgement struct {
	Flow    int32
	Packets int32 // received since the last ACK that arrived
	Marked  bool  // the packet that triggered the ACK carried a congestion mark
	Now     Picoseconds
	RTT     Picoseconds // of the packet that triggered it, see [Measurer]
	// InFlight is what is in flight after the ACK, packets.
	InFlight int32
}

// Loss is what congestion control learns of one lost packet.
type Loss struct {
	Flow     int32
	Kind     Kind // Nacked or TimedOut
	Now      Picoseconds
	InFlight int32 // without it, packets
}

// Control is a sender's congestion control. One Control serves all flows of a
// run, and is used by one goroutine at a time. It must keep the window in [1,
// Most] and must not allocate after Reset.
type Control interface {
	// Reset forgets everything and prepares for a run of the network.
	Reset(n *Network)
	// Acknowledge takes in an ACK.
	Acknowledge(w *Window, ack Acknowledgement)
	// Lose takes in the loss of one packet.
	Lose(w *Window, loss Loss)
}
