package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// mprdma is the balancer of [NewMPRDMA].
type mprdma struct {
	evs    uint64
	packet float64 // room that counts as a packet
	flow   []mprdmaFlow
}

// mprdmaFlow is the state of a flow.
type mprdmaFlow struct {
	draw  mc.Rand
	ev    uint16
	known bool // ev is set
	room  bool // the last ACK gave room
}

// NewMPRDMA returns a balancer that sends on the EV of the last ACK that gave room. An ACK gives room if it
// grew the window by a packet, or left more than a packet between the window and the packets in flight. The
// EV of such an ACK, marked or not, is used until an ACK gives no room. From then on, and before the first
// ACK that gives room, every packet gets a uniform EV of 0 to evs-1, evs in [1, MaxEVS]. As in the authors'
// simulator, "a packet" is 66 bytes less than a full one.
func NewMPRDMA(evs int) (transport.Balancer, error) {
	return withEVs(evs, &mprdma{evs: uint64(evs)})
}

// Traits says that it uses the window's room and trims.
func (b *mprdma) Traits() transport.Traits { return transport.Traits{UsesRoom: true, UsesTrims: true} }

// mprdmaSlack is the number of bytes that the authors' simulator subtracts from a packet.
const mprdmaSlack = 66

// Reset forgets the EVs of all flows.
func (b *mprdma) Reset(n *fattree.Network, random mc.Stream) {
	made(b.evs != 0, "NewMPRDMA")
	b.packet = 1 - mprdmaSlack/float64(n.Spec().MTU)
	b.flow = resized(b.flow, n.Flows())
	for i := range b.flow {
		b.flow[i] = mprdmaFlow{draw: random.Child(uint64(i)).Rand()}
	}
}

// NextEV returns the remembered EV or a uniform one. O(1).
func (b *mprdma) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &b.flow[flow]
	if f.known && f.room {
		return f.ev, true
	}
	return uint16(f.draw.Below(b.evs)), false
}

// Feedback checks whether an ACK gives room. A NACK leaves the result of the last ACK unchanged. O(1).
func (b *mprdma) Feedback(n transport.Feedback) {
	f := &b.flow[n.Flow]
	switch n.Kind {
	case transport.TimedOut:
		return
	case transport.Good, transport.Marked:
		if n.RTT == 0 {
			return // an EV that the ACK of another packet carries
		}
		f.room = n.Grown > b.packet || n.Room > b.packet
	}
	if f.room {
		f.ev, f.known = n.EV, true
	}
}
