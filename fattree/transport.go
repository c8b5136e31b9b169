package fattree

import "math"

// Transport is a set of rules for hosts.
type Transport uint8

// The transports. Under the rules of UltraEthernet, those of Ultra Ethernet's public simulator
// ([UEC-htsim]), in contrast to those of the REPS artifact, which the package documentation tells:
//
//   - a flow may send if a whole packet more fits into its window, so a packet asks for an ACK if its
//     flow has no room for two after it;
//   - windows begin at, and are bounded by, 1.5 bandwidth-delay products across the network, also
//     those of near hosts; a smaller InitialWindow holds;
//   - a NACK of a packet that was trimmed at the port to its receiver is feedback of the kind Good, or
//     Marked if the packet had a mark by then: its path is not to blame;
//   - a time-out is feedback about EV 0;
//   - without trimming senders ask before they send a packet again that has timed out, see
//     [Spec].RequestsForRetransmission;
//   - a short packet, the last one of a flow or message, takes only its own time of links;
//   - a header is lost at a port where as many wait as twice the bytes of its queue, if data wait there too;
//   - a receiver answers a request for a pull, which is then not sent again soon;
//   - congestion control learns where a packet was trimmed ([Loss].LastHop), and whether an RTT may be
//     that of an earlier transmission ([Acknowledgement].Unclear).
const (
	Artifact      Transport = iota // [Bonato26-artifact]
	UltraEthernet                  // [UEC-htsim]
)

// Numbers of [UEC-htsim].
const (
	ultraAckBytes  = 16384                   // that a receiver acknowledges at once
	ultraLeastRTO  = Picoseconds(15_000_000) // without queues
	ultraRTOQueues = 6                       // full ones, whose time comes on top
	ultraUntrimmed = 5                       // how many times as much fits into queues without trimming
)

// ultraDefaults sets zero fields to the defaults of UltraEthernet, by the bandwidth-delay product
// across the network in whole packets, rounded up: queues of as many packets, or five times as many
// without trimming; marks from 20 to 80 % of it; a window of one and a half, an ACK in 16,384 bytes and
// a time-out of 15 us and six full queues. The topology must be valid.
func (s *Spec) ultraDefaults() {
	o := s.Topology.Outline()
	packet := float64(s.MTU) * 8000 / o.Links[0].Gbps
	product := float64(s.longestRTT(o)) / packet
	whole := int(math.Ceil(product))
	if s.DisableTrimming {
		orDefault(&s.Queue, ultraUntrimmed*whole)
	}
	orDefault(&s.Queue, whole)
	if s.KMin == 0 && s.KMax == 0 {
		s.KMin, s.KMax = (whole+4)/5, (4*whole+4)/5
	}
	orDefault(&s.InitialWindow, int(math.Ceil(1.5*product)))
	orDefault(&s.AckRatio, AckRatioOf(ultraAckBytes, s.MTU))
	orDefault(&s.RTO, ultraLeastRTO+Picoseconds(math.Round(float64(ultraRTOQueues*s.Queue)*packet)))
}

// rules are those of a [Transport] that hosts look at for every packet.
type rules struct {
	room  float64  // packets that must fit into a window for one more to be sent
	again []uint64 // by group: packets declared lost more than once; nil under the rules of Artifact
}

// anyRoom is the room under the rules of Artifact: less than any difference of a window and a whole
// number.
const anyRoom = 0x1p-1000

// newRules returns the rules of the network's transport.
func (n *Network) newRules() rules {
	if n.spec.Transport == Artifact {
		return rules{room: anyRoom}
	}
	return rules{room: 1, again: make([]uint64, n.groups)}
}

// ultra reports whether the rules are those of UltraEthernet.
func (r *rules) ultra() bool { return r.again != nil }

// initialWindow returns the window of a flow that begins.
func (n *Network) initialWindow(flow int32) Window {
	start := float64(n.spec.InitialWindow)
	if n.outline.Sink {
		return Window{Packets: start, Most: start}
	}
	rtt := n.ways[n.routes[flow].path].rtt
	if n.spec.Transport == UltraEthernet {
		rtt = n.LongestRTT()
	}
	most := max(1, 1.5*float64(rtt)/n.packetTime())
	if n.spec.Transport == UltraEthernet {
		start = min(start, most)
	}
	return Window{Packets: start, Most: most}
}

// packetTime returns the time of a packet on the links of hosts, in picoseconds.
func (n *Network) packetTime() float64 { return float64(n.spec.MTU) * 8000 / n.HostGbps() }

// unclear reports whether the transmission that an ACK answers cannot be told, before the ACK is taken
// in. The simulator's ACKs tell first transmissions from others, these do not: one that comes sooner
// than a round trip after the packet was sent again, or has another EV, is for the first.
func (t *tile) unclear(f *sender, p packet) bool {
	psn := p.psn()
	if !t.outstanding(f, psn) {
		return true
	}
	at, bit := f.first+psn/64, uint64(1)<<(uint32(psn)%64)
	if t.groups[at].resent&bit == 0 {
		return false
	}
	way := &t.net.ways[t.net.routes[p.flow()].path]
	return t.again[at]&bit != 0 || p.ev() != t.sent[f.first*64+psn].ev || t.sinceSent(f, psn) < way.rtt-way.rounding
}

// tell completes the news of a lost packet by the rules of UltraEthernet: where is the kind of the
// header that reported it, if one did.
func (t *tile) tell(where kind, loss *Loss, feedback *Feedback) {
	switch {
	case loss.Kind == TimedOut:
		feedback.EV = 0
	case where == lastHop:
		loss.LastHop, feedback.Kind = true, Good
	case where == lastHopMarked:
		loss.LastHop, feedback.Kind = true, Marked
	}
}

// AckRatioOf returns the packets per ACK ([Spec].AckRatio) of a receiver that sends an ACK when at
// least threshold bytes have come since the last one, in packets of mtu bytes, by the rules of
// [UEC-htsim]. Its counter has 16 bits and wraps: at 4150 bytes a threshold up to 62,250 gives the
// packets that it takes, but 64,000 gives 63, not 16, and one that the counter does not pass within
// MaxAckRatio packets NoAckRatio. Both arguments must be at least 1. O(MaxAckRatio), exact.
func AckRatioOf(threshold, mtu int) int {
	for packets := 1; packets <= MaxAckRatio; packets++ {
		if packets*mtu%(math.MaxUint16+1) >= threshold {
			return packets
		}
	}
	return NoAckRatio
}
