package fattree

// Packet is a data packet or the content of a header in one word: flow (24 bits), number in the flow (22), EV
// (16), and two bits. In a data packet the two bits say whether its sender requests an immediate ACK and whether
// the packet carries a congestion mark.
type Packet uint64

// The two lowest bits of a packet.
const (
	MarkBit    Packet = 1 // the congestion mark
	RequestBit Packet = 2 // the sender requests an ACK

	evShift   = 2
	psnShift  = evShift + 16
	flowShift = psnShift + 22
)

// NewPacket returns the word of a packet without marks. flow is in [0, MaxFlows); psn, the packet's number in the
// flow, is in [0, MaxPacketsPerFlow).
func NewPacket(flow, psn int32, ev uint16) Packet {
	return Packet(flow)<<flowShift | Packet(psn)<<psnShift | Packet(ev)<<evShift
}

// Flow returns the flow.
func (p Packet) Flow() int32 { return int32(p >> flowShift) }

// Number returns the packet's number in its flow, from 0.
func (p Packet) Number() int32 { return int32(p>>psnShift) & (MaxPacketsPerFlow - 1) }

// EV returns the entropy value.
func (p Packet) EV() uint16 { return uint16(p >> evShift) }

// Marked reports whether a data packet carries a congestion mark, or whether an ACK answers a marked packet.
func (p Packet) Marked() bool { return p&MarkBit != 0 }

// Requested reports whether the sender of a data packet requests an ACK. Of a header towards the source it reports
// that the header is an Answer, not an ACK.
func (p Packet) Requested() bool { return p&RequestBit != 0 }

// The two lowest bits of a header. An ACK has MarkBit if its packet was marked, otherwise neither bit.
const (
	Answer  = RequestBit           // a NACK or another header towards the source, except an ACK; see its HeaderKind
	Outward = RequestBit | MarkBit // a trimmed packet, or another header towards the destination
)

// Outward reports whether a header travels towards the destination of its flow, not to its source.
func (p Packet) Outward() bool { return p&Outward == Outward }

// As returns the word of a header about packet p. bits is Answer or Outward, or, for an ACK, 0 or MarkBit.
func (p Packet) As(bits Packet) Packet { return p&^Outward | bits }

// HeaderKind distinguishes headers that are not ACKs. A [Transport] has 1 to 5 for its own kinds. 0, LastHop and
// LastHopMarked are headers of packets that full queues have trimmed. Kinds cross links between switches only with
// [Needs].Notes.
type HeaderKind uint8

// The kinds that the network makes, in addition to 0.
const (
	LastHop       HeaderKind = 6 + iota // a packet that was trimmed at the port to its receiver, or the NACK for it
	LastHopMarked                       // the same, and the packet carried a congestion mark
)

// Crossing is a packet or header on its way through a switch, or on the link of a host.
type Crossing struct {
	Packet Packet
	Note   Note
	where  uint32 // the port of the switch that it leaves by (22 bits), and its phase (10)
}

const portShift = 10

// port returns the port that a crossing leaves by.
func (c *Crossing) port() uint32 { return c.where >> portShift }

// Phase returns how long after the beginning of a slot a crossing arrives.
func (c *Crossing) Phase() Moment { return Moment(c.where % (1 << portShift)) }

// route sets the port that a crossing leaves by.
func (c *Crossing) route(port int32) { c.where = uint32(port)<<portShift | c.where%(1<<portShift) }

// Note holds a header's kind (3 bits) and a number (29 bits) that the [Transport] gives a header or a packet, such
// as the demand of a packet. Notes cross links only if [Needs] says so.
type Note uint32

const kindShift = 29

// MostNoted is the bound of the number in a note.
const MostNoted = 1 << kindShift

// NewNote returns the note of a kind, at most 7, with a number in [0, MostNoted).
func NewNote(k HeaderKind, number int32) Note { return Note(k)<<kindShift | Note(number) }

// Kind returns the kind of the header, 0 to 7; of a data packet 0.
func (n Note) Kind() HeaderKind { return HeaderKind(n >> kindShift) }

// Number returns the number, in [0, MostNoted).
func (n Note) Number() int32 { return int32(n & (MostNoted - 1)) }
