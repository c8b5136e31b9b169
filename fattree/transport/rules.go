package transport

import (
	"cmp"
	"math"

	"repslab/fattree"
)

// rules holds the rules of a [fattree.Profile] that hosts apply to every packet.
type rules struct {
	room  float64  // packets for which the window must have room before one is sent
	again []uint64 // by group: packets declared lost more than once; nil under Artifact
}

// anyRoom is the room under Artifact, where a fraction of a packet is enough: less than any difference between a window
// and a whole number.
const anyRoom = 0x1p-1000

// newRules returns the rules of the network's transport.
func newRules(n *fattree.Network) rules {
	if n.Spec().Profile == fattree.Artifact {
		return rules{room: anyRoom}
	}
	return rules{room: 1, again: make([]uint64, n.Groups())}
}

// ultra reports whether the profile is UltraEthernet.
func (r *rules) ultra() bool { return r.again != nil }

// initialWindow returns the window of a flow that begins.
func (f *flows) initialWindow(flow int32) Window {
	start := float64(f.options.InitialWindow)
	if f.oneSwitch {
		return Window{Packets: start, Most: start}
	}
	if f.ultra() {
		most := max(1, windowBDPs*f.Net.LongestBDP())
		return Window{Packets: min(start, most), Most: most}
	}
	most := max(1, windowBDPs*f.Net.BDP(flow))
	start = cmp.Or(start, math.Ceil(most))
	return Window{Packets: start, Most: most}
}

// unclear reports whether an ACK may answer an earlier transmission than the last one of its packet. It must be called
// before the ACK is taken in. ACKs of [UEC-htsim] say whether they answer a first transmission; these ACKs do not.
// So an ACK is unclear if it comes sooner than a round trip after the retransmission, or has another EV.
func (h *hosts) unclear(f *sender, p fattree.Packet) bool {
	psn := p.Number()
	if !h.outstanding(f, psn) {
		return true
	}
	at, bit := f.first+psn/64, uint64(1)<<(uint32(psn)%64)
	if h.groups[at].resent&bit == 0 {
		return false
	}
	way := h.Net.Way(p.Flow())
	return h.again[at]&bit != 0 || p.EV() != h.sent[f.first*64+psn].ev || h.sinceSent(f, psn) < way.RTT-way.Rounding
}

// tell completes what is known of a lost packet by the rules of UltraEthernet. where is the kind of the header that
// reported the loss, if one did.
func (h *hosts) tell(where fattree.HeaderKind, loss *Loss, feedback *Feedback) {
	if loss.Kind == TimedOut {
		feedback.EV = 0
		return
	}
	loss.LastHop = feedback.excuse(where)
}

// excuse makes the feedback of a packet that was trimmed at the port to its receiver the feedback of a packet that
// came. It reports whether the packet was trimmed there.
func (f *Feedback) excuse(where fattree.HeaderKind) bool {
	switch where {
	case fattree.LastHop:
		f.Kind = Good
	case fattree.LastHopMarked:
		f.Kind = Marked
	default:
		return false
	}
	return true
}
