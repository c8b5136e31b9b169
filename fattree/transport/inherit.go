package transport

import "repslab/fattree"

// inherit lets a flow that begins go on where the last one of its pair ended,
// which it returns, or none.
func (h *hosts) inherit(flow int32) (from int32) {
	from, known := h.heirs[h.pair(flow)]
	if !known {
		return none
	}
	h.senders[flow].window.Packets = h.senders[from].window.Packets
	if h.requests != nil {
		h.senders[flow].window.Packets -= h.requests.flows[from].leaked
	}
	if b, ok := h.balance.(Inheriter); ok {
		b.Inherit(flow, from)
	}
	return from
}

// pair returns the source and destination of a flow.
func (f *flows) pair(flow int32) [2]fattree.Host {
	source, destination := f.net.Pair(flow)
	return [2]fattree.Host{source, destination}
}
