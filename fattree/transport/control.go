package transport

import (
	"repslab/fattree"
	"repslab/mc"
)

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
	Now     fattree.Picoseconds
	RTT     fattree.Picoseconds // of the packet that triggered it, see [Measurer]
	// Unclear says that RTT may be that of an earlier transmission: the packet had been declared
	// lost, or was already acknowledged. Always false under the rules of [fattree.Artifact].
	Unclear bool
	// InFlight is the number of packets in flight after the ACK.
	InFlight int32
}

// Loss reports a lost packet to congestion control.
type Loss struct {
	Flow     int32
	Kind     Kind // Nacked or TimedOut
	Now      fattree.Picoseconds
	RTT      fattree.Picoseconds // of the NACK, see [Measurer]; 0 of a time-out
	LastHop  bool                // trimmed at the port to the receiver; always false under the rules of [fattree.Artifact]
	InFlight int32               // packets in flight, without the lost one
}

// Control is a sender's congestion control. One Control serves all flows of a run, and several
// goroutines use it as they do a [Balancer]. It must keep the window in [1, Most] and must not allocate
// after Reset. A flow's initial window ([Options].InitialWindow) can exceed Most on a short
// path; such a window must not grow. The run panics on a window out of range. The windows of
// a [Granter] have bounds of their own.
type Control interface {
	// Reset forgets all state and prepares for a run of n.
	Reset(n *fattree.Network)
	// Acknowledge moves the window on an ACK.
	Acknowledge(w *Window, ack Acknowledgement)
	// Lose moves the window on the loss of one packet.
	Lose(w *Window, loss Loss)
}

// Insider is a Control that learns with each ACK what the balancer and the receiver know, so that it can act by the
// state of the balancer: it may hide marks while the ring has valid entries. Only runs with an Insider collect this;
// they are slower. The Control of the run must itself be one: Unwrap is not asked. Hosts of other packages call
// Acknowledge.
type Insider interface {
	Control
	// AcknowledgeInside is called in the place of Acknowledge.
	AcknowledgeInside(w *Window, ack Acknowledgement, inside Insight)
}

// Insight tells an [Insider] about an ACK: its EV, packets out of order, and the balancer's memory of the flow.
type Insight struct {
	EV uint16 // of the packet that triggered the ACK
	// Origin is where the EV came from when the packet was last sent; empty if the balancer is no [Inspector], and for
	// answers to requests.
	Origin Origin
	// OutOfOrder is the number of the flow's packets that had arrived behind a higher one when the ACK was sent.
	OutOfOrder int32
	// Memory of the balancer before it learns of the ACK; empty if it is no Inspector. Slots are valid during the call.
	Memory
}

// Controlled is a Balancer that brings a congestion control of its own, for an experiment that sets none.
type Controlled interface {
	Balancer
	// Control returns the congestion control, for runs with this balancer alone.
	Control() Control
}

// Drawer is a Control that draws random numbers.
type Drawer interface {
	Control
	// Draw is called after Reset with the stream of the run to draw from.
	Draw(random mc.Stream)
}

// Memoryless is a Control without state beside the window, so that it can steer several
// windows of a flow.
type Memoryless interface {
	Control
	Memoryless()
}

// Granter is a Control with which receivers grant what senders may send: data packets
// carry the demand of their flow, and receivers answer with pulls, which return like ACKs.
// A window is 0 while the flow has no credit. Else it is at least 1: without end if credit alone
// limits the flow, or the window that the sender has beside it. The run panics on others. Ports to
// hosts do not mark, because receivers limit the load of their own links.
type Granter interface {
	Control
	// Open sets the window of a flow that begins.
	Open(w *Window, flow int32)
	// Spend is called when a packet is about to leave; it returns the demand that the
	// packet carries to Ask, in [0, 2^29); the run panics on others. The Granter chooses its unit;
	// package congestion counts quanta of 512 or 256 bytes since the beginning of the flow.
	Spend(w *Window, t Transmission) (demand int32)
	// Ask is called when a packet with a demand from Spend, or only its header, reaches the
	// receiver.
	Ask(flow, demand int32, headerOnly bool, now fattree.Picoseconds)
	// Grant returns the next pull of a host that is due, and false if there is none.
	Grant(host fattree.Host, now fattree.Picoseconds) (p Pull, due bool)
	// Granting reports whether a host has pulls to send later.
	Granting(host fattree.Host) bool
	// Pulled is called when a pull reaches its sender.
	Pulled(w *Window, p Pull)
}

// Observer is a Granter that also learns what the packets of its receivers have met.
type Observer interface {
	Granter
	// Observe is called before Ask for each packet, or what is left of it, that reaches a host.
	Observe(host fattree.Host, a Arrival)
}

// Arrival reports a packet that reaches its receiver.
type Arrival struct {
	Now     fattree.Picoseconds
	Marked  bool // it carries a congestion mark; false if it was trimmed
	Trimmed bool
	LastHop bool // it was trimmed at the port to the receiver
}

// Transmission reports a packet that leaves its host to a Granter.
type Transmission struct {
	Flow    int32
	Left    int32 // packets of the flow that are to be sent after it, lost ones included
	Sharing int32 // flows that wait for the host's link, this one included; with [Options.DoubleTurns] their turns
	// The last packet of a flow can be shorter than the MTU: the bytes by which this packet is, and
	// those that are left.
	Short, ShortLeft int32
}

// Pull is a receiver's grant.
type Pull struct {
	Flow   int32
	Number int32  // granted to the flow so far, in the Granter's unit, this one included; below 2^29
	EV     uint16 // that it travels with
}
