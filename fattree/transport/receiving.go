package transport

import (
	"repslab/fattree"
	"repslab/internal/endpoint"
)

// receive takes in a data packet and sends an ACK if one is due: when AckRatio packets have come, and at once for
// the first packet of a flow, a duplicate, a marked packet, and a packet that requests an ACK. After such a
// request, the packet that fills the last gap below the requesting packet is also acknowledged at once.
func (h *hosts) receive(c fattree.Crossing) {
	p := c.Packet
	flow, psn := p.Flow(), p.Number()
	if psn == probePSN && h.sleek != nil {
		h.answerProbe(c)
		return
	}
	f, duplicate := h.Take(h.Edge, flow, psn)
	if !duplicate && h.deliveries != nil {
		h.countDelivered(flow, psn)
	}
	if !duplicate && h.split.cuts(flow) {
		h.split.arrived[h.Net.FirstGroup(flow)*64+f.Received-1] = psn
	}
	if !duplicate && h.insights != nil {
		h.insights.countLate(flow, psn, f.Highest)
	}
	if h.grants != nil {
		h.ask(c, false)
	}
	if duplicate && h.options.SilentDuplicates && psn > f.Complete {
		return
	}
	if !f.Answers(p, h.options.AckRatio, duplicate || f.Received == 1) {
		if h.carrying != nil {
			h.carrying.keep(p)
		}
		return
	}
	ack := fattree.NewHeader(p&^fattree.RequestBit, 0, c.Phase())
	if h.sacking {
		ack.Note = fattree.NewNote(0, h.report(f, p, duplicate))
	} else if h.insights != nil {
		ack.Note = fattree.NewNote(0, h.ReportPlace())
	}
	if h.insights != nil {
		h.insights.reported[ack.Note.Number()] = h.insights.late[flow]
	}
	h.sendHeader(ack)
}

// report stores the content of an ACK's report, and returns its place in flows.reports.
func (h *hosts) report(f *endpoint.Receiver, p fattree.Packet, duplicate bool) int32 {
	at := h.ReportPlace()
	h.reports[at] = report{f.Received, f.Complete, h.receivedAround(p, duplicate)}
	if h.requests != nil {
		h.requests.reported[at] = h.requests.heard[p.Flow()]
	}
	if h.carrying != nil {
		h.carrying.reported[at] = h.carrying.drain(p.Flow(), h.carrying.reported[at][:0])
	}
	return at
}

// receivedAround returns which of 64 packets the receiver has. For a marked packet, or a new packet that requests
// the ACK, these are the packets from it on. Otherwise they are the packets up to it, without packets that the
// cumulative count covers.
func (h *hosts) receivedAround(p fattree.Packet, duplicate bool) sack {
	flow, base := p.Flow(), p.Number()
	packets := int32(h.Net.Packets(flow))
	if !p.Marked() && (duplicate || !p.Requested()) {
		base = max(base-63, h.Receivers[flow].Complete+1)
	}
	if base >= packets {
		return sack{}
	}
	return sack{base, h.ReceivedOf(flow).From(base, packets)}
}

// carriedEVs makes ACKs report all packets that they cover to the balancer ([Options.CarryEVs]).
type carriedEVs struct {
	ratio int
	kept  []fattree.Packet // by flow, ratio places each: packets not acknowledged yet, none of them marked
	count []uint8          // by flow: number of kept packets

	reported [][]fattree.Packet // by report: other packets that an ACK covers
}

// newCarrying returns the state for ACKs that carry the EVs of all packets, or nil. It reuses the memory of the
// run before.
func (f *flows) newCarrying() *carriedEVs {
	ratio, flows := f.options.AckRatio, len(f.senders)
	if ratio == 1 || !f.options.CarryEVs {
		return nil
	}
	c := f.carrying
	if c == nil {
		c = &carriedEVs{ratio: ratio, kept: make([]fattree.Packet, flows*ratio), count: make([]uint8, flows), reported: make([][]fattree.Packet, len(f.reports))}
	}
	clear(c.count)
	return c
}

// keep stores a packet that triggers no ACK. At most ratio-1 packets are stored.
func (c *carriedEVs) keep(p fattree.Packet) {
	flow := p.Flow()
	c.kept[int(flow)*c.ratio+int(c.count[flow])] = p
	c.count[flow]++
}

// drain appends the kept packets of a flow to a list. It forgets them even if their ACK gets lost.
func (c *carriedEVs) drain(flow int32, list []fattree.Packet) []fattree.Packet {
	first := int(flow) * c.ratio
	list = append(list, c.kept[first:][:c.count[flow]]...)
	c.count[flow] = 0
	return list
}
