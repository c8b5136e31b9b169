package transport

import "repslab/fattree"

// begin starts a flow.
func (h *hosts) begin(flow int32) {
	connection := h.Net.Connection(flow)
	f := &h.senders[connection]
	if f.total == 0 {
		h.open(connection, f)
	}
	if h.messages == nil {
		f.total = int32(h.Net.Packets(flow))
	} else {
		h.addMessage(connection, flow, f)
	}
	h.offer(connection, f)
}

// open prepares the sender of a connection at its beginning.
func (h *hosts) open(flow int32, f *sender) {
	f.window, f.first = h.initialWindow(flow), h.Net.FirstGroup(flow)
	from, known := h.heirs.Begin(h.Net, flow, h.traits.Inherit)
	if known {
		f.window.Packets = h.senders[from].window.Packets
		if h.requests != nil {
			f.window.Packets -= h.requests.flows[from].leaked
		}
	} else {
		from = none
	}
	if h.split.cuts(flow) {
		h.split.open(flow, from, f)
	}
	if h.grants != nil {
		h.grants.Open(&f.window, flow)
	}
}

// finish notes that all packets of a connection have arrived. The ACK of packet psn tells it.
func (h *hosts) finish(flow int32, f *sender, psn int32) {
	if h.messages != nil {
		f.complete = f.total
		h.markAround(f, sack{})
	}
	if h.sleek != nil {
		h.sleek.flows[flow].due = 0
	}
	if h.requests != nil && h.awaitsAnswer(flow, f) {
		return
	}
	h.heirs.End(h.Net, flow)
	switch {
	case h.messages != nil:
		h.endMessages(flow, f, psn)
	case psn == f.total-1:
		h.end(flow, f, flow, psn)
	default:
		h.end(flow, f, none, psn)
	}
}

// end notes the end of a flow, which the ACK of packet psn has told. psn is the last packet of the flow last,
// which may be another message of the connection; last is none if psn is no last packet.
func (h *hosts) end(flow int32, f *sender, last, psn int32) {
	rounding := h.Net.Way(flow).Rounding
	end := h.Now + rounding
	if h.byBytes {
		end += h.Net.Late(flow, h.phase)
	}
	if last != none {
		at := f.first * 64
		short := h.Net.Shortage(last, psn, func(before int32) fattree.Picoseconds {
			return fattree.Picoseconds(h.sent[at+psn].slot-h.sent[at+before].slot) << h.coarse * h.slotTime
		})
		end = max(end-short, fattree.Picoseconds(f.lastAck)*h.slotTime+rounding)
	}
	h.watch.emit(Event{Time: h.Now, Flow: flow, Kind: EventEnd, Packet: none, EV: none}, f)
	h.Finish(flow, end)
}
