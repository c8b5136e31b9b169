package multipath

import (
	"fmt"
	"math/bits"

	"repslab/fattree"
	"repslab/fattree/transport"
)

// The kinds of headers other than SACKs, NACKs and headers of trimmed packets.
const (
	evProbe    fattree.HeaderKind = 1 + iota // towards the destination a probe, towards the source its reply
	arrived                                  // towards the destination a reliability probe; towards the source: the packet has arrived
	missing                                  // the other answer: the packet has not arrived
	portStatus                               // the working links of the destination
)

// receiveHeader takes in a header at the host that it is addressed to.
func (h *hosts) receiveHeader(c fattree.Crossing) {
	p, kind := c.Packet, c.Note.Kind()
	switch {
	case !p.Requested():
		h.receiveSack(c)
	case p.Outward() && kind == arrived:
		h.answerAsked(c)
	case p.Outward(): // a trimmed packet, which becomes its NACK, or a probe, which becomes its reply
		h.sendHeader(fattree.NewHeader(p.As(fattree.Answer), fattree.NewNote(kind, 0), c.Phase()))
	case kind == evProbe:
		h.paths.Feedback(transport.Feedback{Flow: p.Flow(), EV: p.EV(), Kind: transport.Probed, Now: h.Now})
	case kind == arrived || kind == missing:
		h.receiveAnswer(p, kind, c.Note.Number())
	case kind == portStatus:
		h.paths.Ports(p.Flow(), uint16(c.Note.Number()))
	default:
		h.receiveNack(p, kind)
	}
}

// receiveSack lets congestion control, the balancer and the flow learn from a SACK.
func (h *hosts) receiveSack(c fattree.Crossing) {
	p := c.Packet
	flow, psn := p.Flow(), p.Number()
	f := &h.senders[flow]
	if f.acked == f.total {
		return
	}
	t := f.sent[psn]
	ack := transport.Acknowledgement{Flow: flow, Marked: p.Marked(), Now: h.Now, RTT: h.since(t), Unclear: t.ev != p.EV()}
	ack.Packets = h.markAcked(f, psn)
	if h.reports != nil {
		ack.Packets += h.markReported(f, &h.reports[c.Note.Number()])
	}
	ack.InFlight = f.inFlight
	before := f.window.Packets
	h.control.Acknowledge(&f.window, ack)
	h.checkWindow(flow, f)
	kind := transport.Good
	if p.Marked() {
		kind = transport.Marked
	}
	h.paths.Feedback(transport.Feedback{
		Flow: flow, EV: p.EV(), Kind: kind, Now: h.Now, RTT: ack.RTT,
		Grown: f.window.Packets - before, Room: f.window.Packets - float64(f.inFlight),
	})
	if f.acked == f.total {
		h.finish(flow, f, psn)
		return
	}
	if psn != f.total-1 {
		f.lastAck = h.Slot
	}
	h.probe(flow)
	h.offer(flow, f)
}

// since returns the time since a packet was last sent.
func (h *hosts) since(t transmission) fattree.Picoseconds {
	return fattree.Picoseconds(h.Slot-t.slot) * h.slotTime
}

// markAcked notes that a packet has arrived. It returns 1 if this is new, otherwise 0.
func (h *hosts) markAcked(f *sender, psn int32) (fresh int32) {
	t := &f.sent[psn]
	if psn >= f.next || t.state == acked {
		return 0
	}
	if t.state == lost {
		f.lost--
	} else {
		f.inFlight--
	}
	t.state = acked
	f.acked++
	if h.reports == nil { // SACKs report no other packets
		for f.complete < f.next && f.sent[f.complete].state == acked {
			f.complete++
			f.filled = h.Slot
		}
	}
	return 1
}

// markReported notes the packets that a SACK reports, and returns how many of them are new.
func (h *hosts) markReported(f *sender, r *report) (fresh int32) {
	for rest := r.received; rest != 0; rest &= rest - 1 {
		fresh += h.markAcked(f, r.base+int32(bits.TrailingZeros64(rest)))
	}
	return fresh + h.markComplete(f, r.complete)
}

// markComplete notes that the receiver has all packets below a number, and returns how many of them are new.
func (h *hosts) markComplete(f *sender, complete int32) (fresh int32) {
	for ; f.complete < complete; f.complete++ {
		fresh += h.markAcked(f, f.complete)
		f.filled = h.Slot
	}
	return fresh
}

// receiveNack takes in a NACK: a packet was trimmed. It ignores a NACK for an earlier transmission.
func (h *hosts) receiveNack(p fattree.Packet, where fattree.HeaderKind) {
	flow, psn := p.Flow(), p.Number()
	f := &h.senders[flow]
	t := &f.sent[psn]
	if t.state != inFlight || t.ev != p.EV() {
		return
	}
	t.timeouts = 0
	h.lose(flow, psn, f, transport.Loss{Kind: transport.Nacked, RTT: h.since(*t), LastHop: where != 0})
}

// lose declares a packet lost and tells congestion control and the balancer.
func (h *hosts) lose(flow, psn int32, f *sender, loss transport.Loss) {
	t := &f.sent[psn]
	t.state = lost
	f.lostFrom = min(f.lostFrom, psn)
	f.lost++
	f.inFlight--
	loss.Flow, loss.Now, loss.InFlight = flow, h.Now, f.inFlight
	h.control.Lose(&f.window, loss)
	h.checkWindow(flow, f)
	kind := loss.Kind
	if loss.LastHop {
		kind = transport.Good
	}
	h.paths.Feedback(transport.Feedback{Flow: flow, EV: t.ev, Kind: kind, Now: h.Now, RTT: loss.RTT})
	h.probe(flow)
	h.offer(flow, f)
}

// receiveAnswer takes in the answer to a reliability probe.
func (h *hosts) receiveAnswer(p fattree.Packet, kind fattree.HeaderKind, complete int32) {
	flow, psn := p.Flow(), p.Number()
	f := &h.senders[flow]
	f.probing = false
	if f.acked == f.total {
		return
	}
	fresh := h.markComplete(f, complete)
	if kind == arrived {
		fresh += h.markAcked(f, psn)
	}
	if fresh > 0 {
		h.control.Acknowledge(&f.window, transport.Acknowledgement{
			Flow: flow, Packets: fresh, Now: h.Now, RTT: h.since(f.sent[psn]), Unclear: true, InFlight: f.inFlight,
		})
		h.checkWindow(flow, f)
	}
	if f.acked == f.total {
		h.finish(flow, f, psn)
		return
	}
	h.offer(flow, f)
}

// probe sends an EV probe if a flow wants one.
func (h *hosts) probe(flow int32) {
	if h.traits.Probe == nil {
		return
	}
	if ev, wanted := h.traits.Probe(flow, h.Now); wanted {
		h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(flow, 0, ev).As(fattree.Outward), Note: fattree.NewNote(evProbe, 0)})
	}
}

// finish notes the end of a flow, which the answer to packet psn has told. The flow's last packet is shorter than
// a slot, and saves time.
func (h *hosts) finish(flow int32, f *sender, psn int32) {
	rounding := h.Net.Way(flow).Rounding
	end := h.Now + rounding
	if psn == f.total-1 {
		short := h.Net.Shortage(flow, psn, func(before int32) fattree.Picoseconds {
			return h.slotTime * fattree.Picoseconds(f.sent[psn].slot-f.sent[before].slot)
		})
		end = max(end-short, fattree.Picoseconds(f.lastAck)*h.slotTime+rounding)
	}
	h.heirs.End(h.Net, flow)
	h.Finish(flow, end)
}

// checkWindow panics if congestion control has left a window outside [1, Most].
func (h *hosts) checkWindow(flow int32, f *sender) {
	if w := f.window; !(w.Packets >= 1 && w.Packets <= w.Most) {
		panic(fmt.Sprintf("multipath: %T sets the window of flow %d to %v packets, must be in [1, %v]", h.control, flow, w.Packets, w.Most))
	}
}
