package fattree

// A host with links to several switches is a tile of its own. The switch of this tile is the host's network card
// (NIC, [Switch].NIC): its ports are the links, and have no queues. The host sends at most one packet in a slot
// over each link, or one more after a short packet. Packets and headers take the free links in turn. Such a tile
// advances switch and host together, slot by slot. All other hosts are attached to a switch by one link.

// linkFree reports whether a link can begin a packet in the slot.
func (t *tile) linkFree(id uint32) bool {
	p := &t.ports[id]
	return p.count == 0 || t.byBytes && p.count == 1 && p.room > 1 && t.saving(p, t.rings[t.place(id, p.head)]) > 0
}

// takeLink returns the port of the next link in turn.
func (t *tile) takeLink() int32 {
	port := t.sw.first + t.nextLink
	t.nextLink = (t.nextLink + 1) % t.sw.count
	return port
}

// departByNIC puts a packet on the next link.
func (t *tile) departByNIC(p Packet, n Note) {
	t.single[0] = Crossing{p, n, uint32(t.takeLink()) << portShift}
	t.joinQueues(t.single[:])
	t.PacketHops-- // the link is not a switch's
}

// sendByNIC sends a header over the next link. If flows wait, the header delays the packet that the host sends
// after it.
func (t *tile) sendByNIC(c *Crossing, waits bool) {
	port := t.takeLink()
	p := &t.ports[port]
	t.passOn(uint32(port), p.side%4, c, p.passAhead(c.Phase(), ifTrue(waits)))
}

// deliver passes the arrivals of a slot of the epoch to the host of a NIC.
func (t *tile) deliver(inEpoch int32) {
	for sort, arrived := range [...][]Crossing{t.arrivals.packets[inEpoch], t.arrivals.headers[inEpoch]} {
		bucket := t.downlink[sort].at(t.slot)
		*bucket = append(*bucket, arrived...)
	}
}
