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
	RTT     fattree.Picoseconds // RTT of the packet that triggered the ACK, see [Traits]
	// Unclear says that RTT may belong to an earlier transmission: the packet had been declared lost, or was
	// already acknowledged. It is always false under the rules of [fattree.Artifact].
	Unclear bool
	// InFlight is the number of packets in flight after the ACK.
	InFlight int32
}

// Loss reports a lost packet to congestion control.
type Loss struct {
	Flow     int32
	Kind     Kind // Nacked or TimedOut
	Now      fattree.Picoseconds
	RTT      fattree.Picoseconds // RTT of the NACK, see [Traits]; 0 for a time-out
	LastHop  bool                // trimmed at the port to the receiver; always false under [fattree.Artifact]
	InFlight int32               // packets in flight, without the lost one
}

// Control is a sender's congestion control. One Control serves all flows of a run, and goroutines use it like a
// [Balancer]. It must keep the window in [1, Most], or the run panics, and it must not allocate after Reset. A
// flow's initial window ([Options].InitialWindow) can exceed Most on a short path; such a window must not
// grow. The windows of a [Granter] have other bounds.
type Control interface {
	// Reset forgets all state and prepares for a run of n. All randomness must come from the stream.
	Reset(n *fattree.Network, random mc.Stream)
	// Acknowledge moves the window on an ACK.
	Acknowledge(w *Window, ack Acknowledgement)
	// Lose moves the window on the loss of one packet.
	Lose(w *Window, loss Loss)
	// Traits says what the Control does besides. A run asks after Reset.
	Traits() ControlTraits
}

// ControlTraits says what a [Control] does besides moving windows, and what it needs. The zero value is a Control that
// only moves windows and uses RTTs. A wrapper that embeds a Control has its ControlTraits.
type ControlTraits struct {
	IgnoresRTTs bool // the RTTs of acknowledgements and losses are not used, see [Traits]
	// Memoryless says that the Control has no state except the window, so that it can steer several windows of a
	// flow.
	Memoryless bool
	// Granter grants credit, and Insider acts on the state of balancers and receivers. A Control with the methods of
	// one of them must name itself.
	Granter Granter
	Insider Insider
	// Observe, of a Granter, is called before Ask for each packet, or header of a trimmed packet, that reaches a host.
	Observe func(host fattree.Host, a Arrival)
}

// Insider is a Control that learns with each ACK the state of the balancer and of the receiver, and can act on it:
// for example, it may ignore marks while the REPS ring has valid entries. Only runs with an Insider collect this
// state; they are slower. Hosts of other packages call Acknowledge.
type Insider interface {
	Control
	// AcknowledgeInside is called instead of Acknowledge.
	AcknowledgeInside(w *Window, ack Acknowledgement, inside Insight)
}

// Insight tells an [Insider] about an ACK: its EV, the packets out of order, and the balancer's memory of the
// flow.
type Insight struct {
	EV uint16 // EV of the packet that triggered the ACK
	// Origin says where the EV came from when the packet was last sent. It is empty if the balancer does not let
	// hosts inspect it ([Traits]), and for answers to requests.
	Origin Origin
	// OutOfOrder counts the flow's packets that had arrived after a higher one when the ACK was sent.
	OutOfOrder int32
	// Memory is the balancer's memory before it learns of the ACK; empty like Origin. Slots are valid only
	// during the call.
	Memory
}

// Granter is a Control with credit: receivers grant what senders may send. Data packets carry the demand of their
// flow, and receivers answer with pulls, which return like ACKs. The window of a flow without credit is 0.
// Otherwise it is at least 1: infinite if credit alone limits the flow, or the window that the sender keeps in
// addition. The run panics on other windows. Ports to hosts do not mark, because receivers limit the load of their
// own links.
type Granter interface {
	Control
	// Open sets the window of a flow that begins.
	Open(w *Window, flow int32)
	// Spend is called when a packet is about to leave. It returns the demand that the packet carries to Ask, in
	// [0, 2^29), or the run panics. The Granter chooses the unit; package congestion counts quanta of 512 or 256
	// bytes since the beginning of the flow.
	Spend(w *Window, t Transmission) (demand int32)
	// Ask is called when a packet with a demand from Spend, or only its header, reaches the receiver.
	Ask(flow, demand int32, headerOnly bool, now fattree.Picoseconds)
	// Grant returns the next due pull of a host, and false if there is none.
	Grant(host fattree.Host, now fattree.Picoseconds) (p Pull, due bool)
	// Granting reports whether a host has pulls to send later.
	Granting(host fattree.Host) bool
	// Pulled is called when a pull reaches its sender.
	Pulled(w *Window, p Pull)
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
	Left    int32 // packets of the flow still to be sent after this one, lost ones included
	Sharing int32 // flows that wait for the host's link, this one included; with [Slips].DoubleTurns their turns
	// The last packet of a flow can be shorter than the MTU. If this packet is the last one, Short is the number of
	// missing bytes; if the last one is among those left, ShortLeft is. The other field is 0.
	Short, ShortLeft int32
}

// Pull is a receiver's grant.
type Pull struct {
	Flow   int32
	Number int32  // granted to the flow so far, including this pull, in the Granter's unit; below 2^29
	EV     uint16 // EV of the pull itself
}
