package transport

import "repslab/fattree"

// The kinds of headers other than ACKs, NACKs and headers of trimmed packets.
const (
	pull    fattree.HeaderKind = 1 + iota
	request                    // a sender without credit asks a [Granter]'s receiver for a pull
	probe                      // towards the destination a probe, towards the source its reply
	resend                     // a sender asks whether it may retransmit, see requests; towards the source the answer
)

// receiveHeader takes in a header at the host that it is addressed to.
func (h *hosts) receiveHeader(c fattree.Crossing) {
	p := c.Packet
	h.phase = c.Phase()
	if p&fattree.RequestBit == 0 {
		h.receiveAck(c)
		return
	}
	switch kind := c.Note.Kind(); {
	case kind == pull:
		h.receivePull(c)
	case kind == request && p.Outward():
		h.ask(c, true)
		if h.ultra() {
			h.sendHeader(fattree.NewHeader(p.As(fattree.Answer), fattree.NewNote(request, 0), c.Phase()))
		}
	case kind == request:
		h.grants.requested[p.Flow()] = false
		h.agenda.add(h.Slot+lostPull*h.timeout, fattree.NewPacket(p.Flow(), 1, renewRequest))
	case kind == probe && p.Outward():
		h.sendHeader(fattree.NewHeader(p.As(fattree.Answer), fattree.NewNote(probe, 0), c.Phase()))
	case kind == probe:
		h.balance.Feedback(Feedback{Flow: p.Flow(), EV: p.EV(), Kind: Probed, Now: h.Now})
		h.emitAnswer(EventReply, p.Flow(), none, p, 0, &h.senders[p.Flow()])
	case kind == resend && p.Outward():
		h.answerRequest(c)
	case kind == resend:
		h.receiveAnswer(p, c.Note.Number())
	case p.Outward():
		if h.grants != nil {
			h.ask(c, true)
		}
		h.sendHeader(fattree.NewHeader(p.As(fattree.Answer), fattree.NewNote(kind, 0), c.Phase()))
	default:
		h.receiveNack(p, kind)
	}
}

// probe sends a probe if a flow wants one.
func (h *hosts) probe(flow int32) {
	if ev, wanted := h.traits.Probe(flow, h.Now); wanted && !h.oneSwitch {
		h.emitSent(EventProbe, flow, ev, "", &h.senders[flow])
		h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(flow, 0, ev).As(fattree.Outward), Note: fattree.NewNote(probe, 0)})
	}
}
