package transport

import "repslab/internal/endpoint"

// sender is the state of a flow at its source, in one cache line.
type sender struct {
	window   Window
	first    int32         // number of its first group
	inFlight int32         // packets
	next     int32         // number of the next new packet
	total    int32         // packets of the flow; for a connection of messages, of those that have begun
	lost     int32         // packets declared lost and not yet retransmitted
	lostFrom int32         // no packet below is lost
	oldest   int32         // no packet below is outstanding in its first transmission
	received int32         // packets that the receiver had, by the last ACK
	complete int32         // packets that the receiver had without a gap, by the last ACK
	lastAck  int32         // slot of the last ACK for a packet other than the last one
	turn     endpoint.Turn // in line for the NIC
	timed    bool          // its timer is set
	// recovering says that lost packets are retransmitted whatever the window is, see sleek.
	recovering bool
}

// sending is the last transmission of a packet.
type sending struct {
	slot uint16 // in units of 2^coarse slots, modulo 2^16
	ev   uint16
}

const none = endpoint.None

// group is the state of 64 consecutive packets of a flow at its sender, a bit for each.
type group struct {
	acked  uint64 // acknowledged, as far as the sender knows
	lost   uint64 // declared lost by the sender and not yet retransmitted
	resent uint64 // declared lost at some time
}

// report is the content of an ACK in addition to the packet that triggered it. It is used only if ACKs can be
// missing: a sender that gets an ACK for every packet does not need it.
type report struct {
	received int32 // distinct packets of the flow received so far
	complete int32 // packets received without a gap
	sack
}

// sack is an ACK's bitmap of 64 packets.
type sack struct {
	base     int32  // the first of the 64 packets
	received uint64 // bit i: packet base + i
}
