package transport

import (
	"math"

	"repslab/fattree"
)

// rules are those of a [fattree.Profile] that hosts look at for every packet.
type rules struct {
	room  float64  // packets that must fit into a window for one more to be sent
	again []uint64 // by group: packets declared lost more than once; nil under the rules of Artifact
}

// anyRoom is the room under the rules of Artifact: less than any difference of a window and a whole
// number.
const anyRoom = 0x1p-1000

// newRules returns the rules of the network's transport.
func newRules(n *fattree.Network) rules {
	if n.Spec().Transport == fattree.Artifact {
		return rules{room: anyRoom}
	}
	return rules{room: 1, again: make([]uint64, n.Groups())}
}

// ultra reports whether the rules are those of UltraEthernet.
func (r *rules) ultra() bool { return r.again != nil }

// initialWindow returns the window of a flow that begins.
func (f *flows) initialWindow(flow int32) Window {
	start := float64(f.options.InitialWindow)
	if f.oneSwitch {
		return Window{Packets: start, Most: start}
	}
	if f.ultra() {
		most := max(1, windowBDPs*f.net.LongestBDP())
		return Window{Packets: min(start, most), Most: most}
	}
	most := max(1, windowBDPs*f.net.BDP(flow))
	if start == 0 {
		start = math.Ceil(most)
	}
	return Window{Packets: start, Most: most}
}

// packetTime returns the time of a packet on the links of hosts, in picoseconds.
func (f *flows) packetTime() float64 { return float64(f.spec.MTU) * 8000 / f.net.HostGbps() }

// unclear reports whether the transmission that an ACK answers cannot be told, before the ACK is taken
// in. The simulator's ACKs tell first transmissions from others, these do not: one that comes sooner
// than a round trip after the packet was sent again, or has another EV, is for the first.
func (h *hosts) unclear(f *sender, p fattree.Packet) bool {
	psn := p.Number()
	if !h.outstanding(f, psn) {
		return true
	}
	at, bit := f.first+psn/64, uint64(1)<<(uint32(psn)%64)
	if h.groups[at].resent&bit == 0 {
		return false
	}
	way := h.net.Way(p.Flow())
	return h.again[at]&bit != 0 || p.EV() != h.sent[f.first*64+psn].ev || h.sinceSent(f, psn) < way.RTT-way.Rounding
}

// tell completes the news of a lost packet by the rules of UltraEthernet: where is the kind of the
// header that reported it, if one did.
func (h *hosts) tell(where fattree.HeaderKind, loss *Loss, feedback *Feedback) {
	switch {
	case loss.Kind == TimedOut:
		feedback.EV = 0
	case where == fattree.LastHop:
		loss.LastHop, feedback.Kind = true, Good
	case where == fattree.LastHopMarked:
		loss.LastHop, feedback.Kind = true, Marked
	}
}
