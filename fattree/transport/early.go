package transport

import (
	"repslab/fattree"
)

// takeInTurn takes in the headers that reach hosts in the slot, in the order of their phases. A host
// whose link is busy since the slot before sends at its own phase, between the ACKs that come before
// and after; one whose link is idle sends at the phase of the ACK that lets it, which becomes its own.
func (h *hosts) takeInTurn(headers []fattree.Crossing) {
	fattree.SortByPhase(headers)
	for _, c := range headers {
		if c.Packet.Outward() {
			h.takeHeader(c)
			continue
		}
		host := h.source(c.Packet.Flow()) - h.First
		line := &h.lines[h.First+host]
		busy := h.sentLast.Has(host)
		if busy && c.Phase() >= h.LinkPhase(host) && line.head != none {
			h.sendEarly(host)
		}
		h.takeHeader(c)
		if !busy && line.head != none && !h.served.Has(host) {
			h.BeginAt(host, c.Phase())
			h.sendEarly(host)
		}
	}
}

// sendEarly lets a host spend its slot.
func (h *hosts) sendEarly(host int32) {
	if h.ready.Has(host) && !h.served.Has(host) {
		h.served.Add(host)
		h.serveHost(host)
	}
}

// swapSent notes which hosts have sent in the slot, for the next one.
func (h *hosts) swapSent() {
	clear(h.served)
	h.sentLast, h.sentNow = h.sentNow, h.sentLast
	clear(h.sentNow)
}
