package fattree

// packet is a data packet, or what its header says, in one word: flow (24 bits), number in
// the flow (22), EV (16), whether the sender asks for an immediate ACK, and the congestion
// mark.
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

// The two lowest bits of a header. An ACK has those of a packet without markBit or with it.
const (
	answer  = requestBit           // a NACK, or else a kind's, towards the source
	outward = requestBit | markBit // the header of a packet that a full queue cut, or else a kind's, towards the destination
)

// outward reports whether a header travels towards the destination of its flow.
func (p packet) outward() bool { return p&outward == outward }

// as returns the word of a header for a packet.
func (p packet) as(bits packet) packet { return p&^outward | bits }

// kind tells a header from an ACK, a NACK or the header of a trimmed packet.
type kind uint8

const (
	pull          kind = 1 + iota
	request            // a [Granter]'s sender without credit asks for a pull
	probe              // towards the destination; towards the source its reply
	resend             // a sender asks whether it may send a lost packet again, see requests; back the answer
	lastHop            // of a packet that was trimmed at the port to its receiver, or of its NACK
	lastHopMarked      // the same, and the packet carried a congestion mark
)

// crossing is a packet or header on its way through a switch, or on the link of a host.
type crossing struct {
	packet packet
	note   note
	where  uint32 // the port of the switch by which it goes on (22 bits), and its phase (10)
}

const portShift = 10

// port returns the port by which a crossing goes on.
func (c *crossing) port() uint32 { return c.where >> portShift }

// phase returns by how much a crossing lags behind the slots.
func (c *crossing) phase() moment { return moment(c.where % (1 << portShift)) }

// route notes the port by which a crossing goes on.
func (c *crossing) route(port int32) { c.where = uint32(port)<<portShift | c.where%(1<<portShift) }

// note is what a crossing carries beside the packet's word: its kind (3 bits), and the demand of
// a packet of a [Granter], the number of a pull, or the place of an ACK's report (29 bits).
type note uint32

const kindShift = 29

// noted returns the note of a kind with a number.
func noted(k kind, number int32) note { return note(k)<<kindShift | note(number) }

func (n note) kind() kind    { return kind(n >> kindShift) }
func (n note) number() int32 { return int32(n & (1<<kindShift - 1)) }

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

// bitSet is a set of small integers.
type bitSet []uint64

func newBitSet(n int) bitSet { return make(bitSet, (n+63)/64) }

func (b bitSet) add(i int32)      { b[uint32(i)/64] |= 1 << (uint32(i) % 64) }
func (b bitSet) has(i int32) bool { return b[uint32(i)/64]>>(uint32(i)%64)&1 != 0 }
func (b bitSet) remove(i int32)   { b[uint32(i)/64] &^= 1 << (uint32(i) % 64) }

// part returns a word of the set without what is not in [from, to).
func (b bitSet) part(word, from, to int32) uint64 {
	members := b[word]
	if word == from/64 {
		members &= ^uint64(0) << (uint32(from) % 64)
	}
	if word == (to-1)/64 {
		members &= ^uint64(0) >> (63 - uint32(to-1)%64)
	}
	return members
}

// empty reports whether nothing is in the set.
func (b bitSet) empty() bool {
	for _, word := range b {
		if word != 0 {
			return false
		}
	}
	return true
}
