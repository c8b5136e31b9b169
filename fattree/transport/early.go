package transport

import (
	"repslab/fattree"
)

// receiveInTurn takes in the headers that reach hosts in the slot, in the order of their phases. A host with a link
// that is busy since the slot before sends at its own phase, between the ACKs before and after. A host with an
// idle link sends at the phase of the ACK that allows it, which becomes the host's own phase.
func (h *hosts) receiveInTurn(headers []fattree.Crossing) {
	fattree.SortByPhase(headers)
	for _, c := range headers {
		if c.Packet.Outward() {
			h.receiveHeader(c)
			continue
		}
		host := h.source(c.Packet.Flow()) - h.First
		line := &h.Lines[h.First+host]
		busy := h.sentLast.Has(host)
		if busy && c.Phase() >= h.LinkPhase(host) && line.Head != none {
			h.sendEarly(host)
		}
		h.receiveHeader(c)
		if !busy && line.Head != none && !h.served.Has(host) {
			h.BeginAt(host, c.Phase())
			h.sendEarly(host)
		}
	}
}

// sendEarly lets a host spend its slot before the slot's later ACKs.
func (h *hosts) sendEarly(host int32) {
	if h.ready.Has(host) && !h.served.Has(host) {
		h.served.Add(host)
		h.serveHost(host)
	}
}

// swapSent makes the hosts that have sent in this slot the hosts that sent in the slot before.
func (h *hosts) swapSent() {
	clear(h.served)
	h.sentLast, h.sentNow = h.sentNow, h.sentLast
	clear(h.sentNow)
}
