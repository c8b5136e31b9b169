package transport

// sender is the state of a flow at its source, one cache line.
type sender struct {
	window   Window
	first    int32 // its first group
	inFlight int32 // packets
	next     int32 // number of the next new packet
	total    int32 // packets of the flow, of messages those that have begun
	lost     int32 // packets declared lost and not sent again yet
	lostFrom int32 // no lost packet is below
	oldest   int32 // no packet below is outstanding in its first transmission
	received int32 // packets that the receiver had, by the last ACK
	complete int32 // packets that the receiver had without a gap, by the last ACK
	after    int32 // next flow waiting for the NIC
	lastAck  int32 // slot of the last ACK of another packet than the last one
	waits    bool  // for the NIC
	timed    bool  // its timer is set
	// recovering says that lost packets are sent again whatever the window is, see sleek.
	recovering bool
}

// sending is the last transmission of a packet.
type sending struct {
	slot uint16 // in units of 2^coarse slots, modulo 2^16
	ev   uint16
}

// receiver is the state of a flow at its destination.
type receiver struct {
	received int32 // distinct packets
	complete int32 // packets without a gap
	highest  int32 // number of the highest packet received
	pending  int32 // packets since the last ACK
	asked    bool  // a packet below the last one that asked for an ACK is missing
}

// turns is the line of a host's flows that want to send.
type turns struct {
	head, tail int32 // none is none
}

const none = -1

// group is the state of 64 consecutive packets of a flow at its sender, a bit for each.
type group struct {
	acked  uint64 // as far as the sender knows
	lost   uint64 // declared lost by the sender and not yet retransmitted
	resent uint64 // declared lost at some time
}

// report is the content of an ACK beside the packet that triggered it. It is only used if
// ACKs can be missing: a sender that gets one for every packet does not need it.
type report struct {
	received int32 // distinct packets of the flow received so far
	complete int32 // packets received without a gap
	sack
}

// sack is an ACK's bitmap of 64 packets.
type sack struct {
	base     int32  // the first of them
	received uint64 // bit i: packet base + i
}
