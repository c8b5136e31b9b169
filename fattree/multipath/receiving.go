package multipath

import (
	"math/bits"

	"repslab/fattree"
	"repslab/internal/endpoint"
)

// report is the content of a SACK in addition to the packet that it answers.
type report struct {
	complete int32  // packets received without a gap
	base     int32  // the first of 64 packets
	received uint64 // bit i: packet base + i has come
}

// receive takes in a data packet and sends a SACK if one is due.
func (h *hosts) receive(c fattree.Crossing) {
	p := c.Packet
	flow, psn := p.Flow(), p.Number()
	f, duplicate := h.Take(h.Edge, flow, psn)
	f.EV = p.EV()
	if !duplicate {
		h.countInbound(flow, f)
	}
	if !f.Answers(p, h.options.AckRatio, duplicate) {
		return
	}
	sack := fattree.NewHeader(p&^fattree.RequestBit, 0, c.Phase())
	if h.reports != nil {
		sack.Note = fattree.NewNote(0, h.report(f, flow, psn))
	}
	h.sendHeader(sack)
}

// report stores the content of a SACK's report, and returns its place in flows.reports. The bitmap has the packets
// up to the one that the SACK answers. If all of these have come, it has the packets after it.
func (h *hosts) report(f *endpoint.Receiver, flow, psn int32) int32 {
	at := h.ReportPlace()
	base := max(f.Complete, psn-63)
	if f.Complete > psn {
		base = f.Complete
	}
	r := report{complete: f.Complete, base: base}
	if packets := int32(h.Net.Packets(flow)); base < packets {
		r.received = h.ReceivedOf(flow).From(base, packets)
	}
	h.reports[at] = r
	return at
}

// answerAsked answers a reliability probe: whether a packet has arrived, and how many have arrived without a gap.
func (h *hosts) answerAsked(c fattree.Crossing) {
	flow := c.Packet.Flow()
	kind := missing
	if h.ReceivedOf(flow).Has(c.Packet.Number()) {
		kind = arrived
	}
	h.sendHeader(fattree.NewHeader(c.Packet.As(fattree.Answer), fattree.NewNote(kind, h.Receivers[flow].Complete), c.Phase()))
}

// firstOf returns the lowest of some ports, at least one.
func firstOf(ports uint16) int { return bits.TrailingZeros16(ports) }
