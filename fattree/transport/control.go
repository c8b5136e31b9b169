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
	RTT     fattree.Picoseconds // RTT of the packet that triggered the ACK, see [Measurer]
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
	RTT      fattree.Picoseconds // RTT of the NACK, see [Measurer]; 0 for a time-out
	LastHop  bool                // trimmed at the port to the receiver; always false under [fattree.Artifact]
	InFlight int32               // packets in flight, without the lost one
}

// Control is a sender's congestion control. One Control serves all flows of a run, and goroutines use it like a
// [Balancer]. It must keep the window in [1, Most], or the run panics, and it must not allocate after Reset. A
// flow's initial window ([Options].InitialWindow) can exceed Most on a short path; such a window must not
// grow. The windows of a [Granter] have other bounds.
type Control interface {
	// Reset forgets all state and prepares for a run of n.
	Reset(n *fattree.Network)
	// Acknowledge moves the window on an ACK.
	Acknowledge(w *Window, ack Acknowledgement)
	// Lose moves the window on the loss of one packet.
	Lose(w *Window, loss Loss)
}

// Insider is a Control that learns with each ACK the state of the balancer and of the receiver, and can act on it:
// for example, it may ignore marks while the REPS ring has valid entries. Only runs with an Insider collect this
// state; they are slower. The Control of the run itself must be the Insider: Unwrap is not used. Hosts of other
// packages call Acknowledge.
type Insider interface {
	Control
	// AcknowledgeInside is called instead of Acknowledge.
	AcknowledgeInside(w *Window, ack Acknowledgement, inside Insight)
}

// Insight tells an [Insider] about an ACK: its EV, the packets out of order, and the balancer's memory of the
// flow.
type Insight struct {
	EV uint16 // EV of the packet that triggered the ACK
	// Origin says where the EV came from when the packet was last sent. It is empty if the balancer is no
	// [Inspector], and for answers to requests.
	Origin Origin
	// OutOfOrder counts the flow's packets that had arrived after a higher one when the ACK was sent.
	OutOfOrder int32
	// Memory is the balancer's memory before it learns of the ACK; empty if the balancer is no Inspector. Slots
	// are valid only during the call.
	Memory
}

// Controlled is a Balancer with a congestion control of its own, for experiments that set none.
type Controlled interface {
	Balancer
	// Control returns the congestion control. It must be used only in runs with this balancer.
	Control() Control
}

// Drawer is a Control that draws random numbers.
type Drawer interface {
	Control
	// Draw is called after Reset with the stream that random numbers must come from.
	Draw(random mc.Stream)
}

// Memoryless is a Control without state except the window, so that it can steer several windows of a flow.
type Memoryless interface {
	Control
	Memoryless()
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

// Observer is a Granter that is also told of congestion marks and trimming of the packets that reach receivers.
type Observer interface {
	Granter
	// Observe is called before Ask for each packet, or header of a trimmed packet, that reaches a host.
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
	Left    int32 // packets of the flow still to be sent after this one, lost ones included
	Sharing int32 // flows that wait for the host's link, this one included; with [Options].DoubleTurns their turns
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
