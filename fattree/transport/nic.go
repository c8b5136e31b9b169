package transport

// serveNIC lets the host of a NIC send a packet over each free link; its flows take turns.
func (h *hosts) serveNIC() {
	line := &h.Lines[h.First]
	// In the second round, links that sent short packets get another packet.
	for left := 2 * h.Links(); left > 0 && line.Head != none; left-- {
		if h.LinkFree() {
			h.sendNext(0, line)
		} else {
			h.PassLink()
		}
	}
	if line.Head == none {
		h.ready.Remove(0)
	}
}
