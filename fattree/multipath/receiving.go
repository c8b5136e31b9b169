package multipath

import (
	"math/bits"

	"repslab/fattree"
	"repslab/internal/bitset"
)

// receiver is the state of a flow at its destination.
type receiver struct {
	received int32  // distinct packets
	complete int32  // packets without a gap
	highest  int32  // number of the highest packet received
	pending  int32  // packets since the last SACK
	ev       uint16 // EV of the last packet
	asked    bool   // a packet is missing below the last one that requested a SACK
}

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
	f := &h.receivers[flow]
	received, packets := h.receivedOf(flow), int32(h.net.Packets(flow))
	f.ev = p.EV()
	duplicate := received.Has(psn)
	if duplicate {
		h.Duplicates++
	} else {
		received.Add(psn)
		f.received++
		if psn == f.complete {
			f.complete = received.FirstAbsent(psn, packets)
		}
		depth := max(0, f.highest-psn)
		f.highest = psn + depth
		h.Reordered(depth)
		h.countInbound(flow, f, packets)
		if f.received == packets && h.net.TellsDelivery() {
			h.Deliver(flow, psn)
		}
	}
	f.pending++
	f.asked = f.asked || p.Requested()
	filled := f.asked && f.received == f.complete
	if f.pending < int32(h.options.AckRatio) && !duplicate && !filled && p&(fattree.MarkBit|fattree.RequestBit) == 0 {
		return
	}
	f.pending, f.asked = 0, f.asked && !filled
	sack := fattree.NewHeader(p&^fattree.RequestBit, 0, c.Phase())
	if h.reports != nil {
		sack.Note = fattree.NewNote(0, h.report(f, psn, received, packets))
	}
	h.sendHeader(sack)
}

// receivedOf returns the packets of a flow that the receiver has.
func (f *flows) receivedOf(flow int32) bitset.Set { return f.received[f.net.FirstGroup(flow):] }

// report stores the content of a SACK's report, and returns its place in flows.reports. The bitmap has the packets
// up to the one that the SACK answers. If all of these have come, it has the packets after it.
func (h *hosts) report(f *receiver, psn int32, received bitset.Set, packets int32) int32 {
	at := h.ReportPlace()
	base := max(f.complete, psn-63)
	if f.complete > psn {
		base = f.complete
	}
	r := report{complete: f.complete, base: base}
	if base < packets {
		r.received = received.From(base, packets)
	}
	h.reports[at] = r
	return at
}

// answerAsked answers a reliability probe: whether a packet has arrived, and how many have arrived without a gap.
func (h *hosts) answerAsked(c fattree.Crossing) {
	flow := c.Packet.Flow()
	kind := missing
	if h.receivedOf(flow).Has(c.Packet.Number()) {
		kind = arrived
	}
	h.sendHeader(fattree.NewHeader(c.Packet.As(fattree.Answer), fattree.NewNote(kind, h.receivers[flow].complete), c.Phase()))
}

// firstOf returns the lowest of some ports, at least one.
func firstOf(ports uint16) int { return bits.TrailingZeros16(ports) }
