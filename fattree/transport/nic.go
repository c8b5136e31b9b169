package transport

// serveNIC lets the host of a NIC send a packet over each free link, its flows in turn.
func (h *hosts) serveNIC() {
	line := &h.lines[h.First]
	// The second time round short packets get another one behind them.
	for left := 2 * h.Links(); left > 0 && line.head != none; left-- {
		if h.LinkFree() {
			h.sendNext(0, line)
		} else {
			h.PassLink()
		}
	}
	if line.head == none {
		h.ready.Remove(0)
	}
}
