package transport

// doubleTurns holds by host the line of flows that want to send, in which a flow can stand more than once, see
// [Slips.DoubleTurns]. Without it, flows stand in Lines.
type doubleTurns [][]int32

// newDoubleTurns returns empty lines, or nil without the option.
func (f *flows) newDoubleTurns() doubleTurns {
	if !f.options.DoubleTurns {
		return nil
	}
	return make(doubleTurns, len(f.Lines))
}

// queueDoubly puts a flow at the end of its host's line.
func (h *hosts) queueDoubly(flow int32, f *sender) {
	f.turn = 1
	host := h.source(flow)
	h.doubles[host] = append(h.doubles[host], flow)
	h.Lines[host].Head = h.doubles[host][0]
	h.ready.Add(host - h.First)
}

// serveDoubly is serveHost for these lines. A flow that has been served can join the line again before its other
// turns come.
func (h *hosts) serveDoubly(host int32) {
	id := h.First + host
	sent := h.SpendSlot(host)
	for len(h.doubles[id]) > 0 && !sent {
		flow := h.doubles[id][0]
		h.doubles[id] = h.doubles[id][1:]
		f := &h.senders[flow]
		f.turn = 0
		if f.maySend(h.room) {
			sent = true
			h.sendPacket(host, flow, f)
			if f.maySend(h.room) {
				h.queueDoubly(flow, f)
			}
		}
	}
	h.Lines[id].Head = none
	if len(h.doubles[id]) > 0 {
		h.Lines[id].Head = h.doubles[id][0]
	} else if !h.Owes(host) {
		h.ready.Remove(host)
	}
}
