package fattree

// packet is a data packet in one word: flow (24 bits), number in the flow (22),
// EV (16), whether the sender asks for an immediate ACK, and the congestion mark.
type packet uint64

const (
	markBit    packet = 1
	requestBit packet = 2
	evShift           = 2
	psnShift          = evShift + 16
	flowShift         = psnShift + 22
)

// newPacket returns the word of a packet without marks.
func newPacket(flow, psn int32, ev uint16) packet {
	return packet(flow)<<flowShift | packet(psn)<<psnShift | packet(ev)<<evShift
}

func (p packet) flow() int32     { return int32(p >> flowShift) }
func (p packet) psn() int32      { return int32(p>>psnShift) & (MaxPacketsPerFlow - 1) }
func (p packet) ev() uint16      { return uint16(p >> evShift) }
func (p packet) marked() bool    { return p&markBit != 0 }
func (p packet) requested() bool { return p&requestBit != 0 }

// group is the state of 64 consecutive packets of a flow, a bit for each.
type group struct {
	received uint64 // by the receiver
	acked    uint64 // as far as the sender knows
	lost     uint64 // declared lost by the sender and not yet retransmitted
	resent   uint64 // declared lost at some time
}

// report is the content of an ACK beside the packet that triggered it. It is only used if
// ACKs can be missing: a sender that gets one for every packet does not need it.
type report struct {
	received int32 // distinct packets of the flow received so far
	complete int32 // packets received without a gap
	sack
}

// pullMark in complete tells a pull, whose number is in received, from a NACK.
const pullMark = -1

// sack is an ACK's bitmap of 64 packets.
type sack struct {
	base     int32  // the first of them
	received uint64 // bit i: packet base + i
}

// nackBit tells a NACK from an ACK; in neither does the sender's request matter.
const nackBit = requestBit

// bitSet is a set of small integers.
type bitSet []uint64

func newBitSet(n int) bitSet { return make(bitSet, (n+63)/64) }

func (b bitSet) add(i int32)      { b[uint32(i)/64] |= 1 << (uint32(i) % 64) }
func (b bitSet) has(i int32) bool { return b[uint32(i)/64]>>(uint32(i)%64)&1 != 0 }
func (b bitSet) remove(i int32)   { b[uint32(i)/64] &^= 1 << (uint32(i) % 64) }
