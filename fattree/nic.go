package fattree

// A host with links to several switches is a tile of its own, whose switch is its network card (NIC,
// [Switch].NIC): the card's ports are the links, and have no queues. The host sends at most one packet
// in a slot over each, or one more behind a short one. A packet or a header takes the next link that is
// free, in turn. Such a tile advances switch and host together, slot by slot. Other hosts are attached to a
// switch by one link.

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
	t.PacketHops-- // the link is none of a switch
}

// sendByNIC sends a header over the next link. It delays the packet that the host sends after it, if
// flows wait.
func (t *tile) sendByNIC(c *Crossing, waits bool) {
	port := t.takeLink()
	p := &t.ports[port]
	t.passOn(uint32(port), p.side%4, c, p.passAhead(c.Phase(), ifTrue(waits)))
}

// deliver lets the host of a NIC have what arrives in a slot of the epoch.
func (t *tile) deliver(inEpoch int32) {
	for sort, arrived := range [...][]Crossing{t.arrivals.packets[inEpoch], t.arrivals.headers[inEpoch]} {
		bucket := t.downlink[sort].at(t.slot)
		*bucket = append(*bucket, arrived...)
	}
}
