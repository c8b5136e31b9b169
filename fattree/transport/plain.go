package transport

import (
	"math/bits"

	"repslab/fattree"
	"repslab/internal/endpoint"
)

// A plain run has flows with a window, ACKs and time-outs. ACKs may be coalesced, and flows may inherit. It uses
// none of the options that setOptions lists. The loops of this file do the work of sending.go and receiving.go for
// plain runs: they test for none of these options, and leave rare cases to those files.

// receivePlainly lets hosts take in packets and answer each packet with an ACK without a report.
func (h *hosts) receivePlainly(arrived []fattree.Crossing) {
	for i := range arrived {
		c := &arrived[i]
		p := c.Packet
		flow, psn := p.Flow(), p.Number()
		if g, bit := &h.Received[h.Net.FirstGroup(flow)+psn/64], uint64(1)<<(uint32(psn)%64); *g&bit == 0 {
			*g |= bit
			h.Receivers[flow].CountReordering(h.Edge, psn)
		} else {
			h.Duplicates++
		}
		host := h.destination(flow)
		h.Answer(host-h.First, p&^fattree.RequestBit, 0, c.Phase(), h.Lines[host].Head != none)
	}
}

// receiveHeadersPlainly lets hosts take in headers. Congestion control, the balancer and the flow learn from an ACK.
func (h *hosts) receiveHeadersPlainly(headers []fattree.Crossing) {
	control, balance := h.control, h.balance
	for i := range headers {
		p := headers[i].Packet
		if p&fattree.RequestBit != 0 {
			h.receiveHeader(headers[i])
			continue
		}
		flow, psn := p.Flow(), p.Number()
		f := &h.senders[flow]
		var says *report
		if h.sacking {
			says = h.consumeReport(flow, f, headers[i].Note.Number())
		}
		if f.received == f.total {
			continue // the ACK of a duplicate, after the flow's end
		}
		fresh := int32(0)
		if g, bit := &h.groups[f.first+psn/64], uint64(1)<<(uint32(psn)%64); says != nil {
			fresh = h.countAcked(f, psn, says)
		} else if g.acked&bit == 0 {
			fresh = 1
			f.received++
			f.inFlight--
			f.markAcked(g, bit)
		}
		var rtt fattree.Picoseconds
		if h.measuring {
			rtt = h.sinceSent(f, psn)
		}
		kind := Kind(p & fattree.MarkBit) // Good or Marked
		before := f.window.Packets
		control.Acknowledge(&f.window, Acknowledgement{
			Flow: flow, Packets: fresh, Marked: kind == Marked, Now: h.Now, RTT: rtt, InFlight: f.inFlight,
		})
		if w := &f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
			h.checkWindow(flow, w, before)
		}
		balance.Feedback(Feedback{
			Flow: flow, EV: p.EV(), Kind: kind, Now: h.Now, RTT: rtt,
			Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
		})
		if f.received == f.total {
			h.finish(flow, f, psn)
			continue
		}
		if psn != f.total-1 {
			f.lastAck = h.Slot
		}
		if f.turn == 0 && f.maySend(h.room) {
			h.offer(flow, f)
		}
	}
}

// sendPlainly lets every host with something to send spend the slot, either on its link's debt or on a packet of
// its next flow.
func (h *hosts) sendPlainly() {
	for word := range h.ready {
		for ready := h.ready[word]; ready != 0; ready &= ready - 1 {
			host := int32(word*64 + bits.TrailingZeros64(ready))
			line := &h.Lines[h.First+host]
			if !h.SpendSlot(host) {
				h.sendNextPlainly(host, line)
			}
			if line.Head == none && !h.Owes(host) {
				h.ready[word] &^= ready & -ready
			}
		}
	}
}

// sendNextPlainly sends a packet of the first flow in a host's line that may send.
func (h *hosts) sendNextPlainly(host int32, line *endpoint.Line) {
	for line.Head != none {
		flow := line.Head
		f := &h.senders[flow]
		line.Leave(&f.turn)
		if !f.maySend(h.room) {
			continue
		}
		psn, again := f.next, f.lost > 0
		if again {
			psn = h.nextLost(f)
			h.Retransmitted++
		} else if f.next++; f.next == f.total {
			h.SentAll(flow)
		}
		ev, recycled := h.balance.NextEV(flow, h.Now)
		if recycled {
			h.Recycled++
		}
		f.inFlight++
		h.Sent++
		h.sent[f.first*64+psn] = sending{h.clock(), ev}
		if again || !f.timed {
			h.setTimer(flow, psn, f, again)
		}
		p := fattree.NewPacket(flow, psn, ev)
		if h.sacking && (again || f.next == f.total || f.window.Packets-float64(f.inFlight) <= h.room) {
			p |= fattree.RequestBit
		}
		h.Send(host, p, 0)
		if f.maySend(h.room) {
			line.Join(flow, &f.turn)
		}
		return
	}
}
