package fattree

// Under the rules of [UltraEthernet] a short packet, the last one of a flow or message, takes only its own
// time of a link. If another packet waits behind it, its time becomes a debt of the link, as that of a
// header, and the other one leaves in the same slot. Else the link is free when the next slot begins. A link
// that has been idle for a slot owes nothing, and ends of flows keep the part of a slot by which their ACK
// is late.

// newShort returns by packet, as Run.sent, the part of a full packet by which it is shorter, times 2^16; nil
// if short packets take as long as others. Messages are added as they begin.
func (r *Run) newShort() []uint16 {
	spec := &r.net.spec
	if spec.Transport != UltraEthernet || r.oneSwitch || spec.DoubleTurns {
		return nil
	}
	list := make([]uint16, len(r.sent))
	if r.messages == nil {
		for flow := range r.net.routes {
			route := &r.net.routes[flow]
			list[route.first*64+route.packets-1] = r.net.missingPart(int32(flow))
		}
	}
	return list
}

// missingPart returns the part of a full packet by which a flow's last one is shorter, times 2^16.
func (n *Network) missingPart(flow int32) uint16 {
	return uint16(n.missing(flow) << 16 / int64(n.spec.MTU))
}

// saving returns the time by which a packet takes less of a port's link than a full one, in units of oneSlot.
func (t *tile) saving(p *port, sent packet) uint32 {
	psn := sent.psn()
	// Of a flow without messages only packets that ask for an ACK can be short: the last one, and those
	// sent again. Others are not looked up.
	if t.messages == nil && !sent.requested() || psn == probePSN {
		return 0
	}
	part := t.short[t.net.routes[sent.flow()].first*64+psn]
	return uint32(uint64(part) * uint64(oneSlot+p.perPacket) >> 16)
}

// another reports whether a port can send one more packet in the slot, because the one sent is short and
// another one waits. A short packet corrects the port's debt, to which its time beyond a slot was added.
func (t *tile) another(p *port, sent packet, waits bool) bool {
	saved := t.saving(p, sent)
	if saved == 0 {
		return false
	}
	end := p.debt + oneSlot - saved // of the packet, from the beginning of the slot
	if waits && end < oneSlot {
		p.debt = end
		return true
	}
	p.debt = max(end, oneSlot) - oneSlot
	return false
}

// giveWay takes the packet that a port has put on a link in this slot off its place there, for another one.
func (t *tile) giveWay(id uint32, side side) {
	if side != toFirst && side != toSecond {
		return
	}
	l, link := &t.landing[data][side], t.links[id]
	lane := l.lane(link)
	first := spill{link, lane.packets[l.slot], moment(l.slot) * aSlot, l.notes[link].packets[l.slot], true}
	lane.slots |= spiltOver
	*l.spilt = append(*l.spilt, first)
}

// collectSpilt takes the packets off a link that have given way to others.
func (t *tile) collectSpilt(link, buffer int32) {
	for _, s := range t.tiles[t.net.origins[link]].spilt[buffer] {
		if slot := s.time.slot(); s.data && s.link == link {
			t.arrivals.slots |= 1 << uint32(slot)
			list := &t.arrivals.packets[slot]
			*list = append(*list, crossing{s.packet, s.note, t.toward(s.packet) << portShift})
		}
	}
}

// spiltUnderWay returns the packets of the tile that have given way to others and arrive from a slot on.
func (t *tile) spiltUnderWay(slot int32) (count int64) {
	for buffer, list := range t.spilt {
		for _, s := range list {
			if s.data && t.spiltFor[buffer]*t.epoch+s.time.slot() >= slot {
				count++
			}
		}
	}
	return count
}

// holdBack lets those packets that arrive at hosts wait for the next slot for whose ACKs there is no place.
func (t *tile) holdBack(arrived []crossing) []crossing {
	most := int(t.sw.nics * t.net.arrivals())
	if len(arrived) <= most {
		return arrived
	}
	next := t.downlink[data].at(t.slot + 1)
	*next = append(*next, arrived[most:]...)
	t.lastPut = max(t.lastPut, t.slot)
	return arrived[:most]
}

// arrivals returns the packets that a host takes in at most in a slot.
func (n *Network) arrivals() int32 {
	if n.spec.Transport == UltraEthernet {
		return 2 * n.hostLinks
	}
	return n.hostLinks
}

// lead returns the time by which a short packet can at most be ahead of the slot in which it arrives: it
// comes behind the one before it, with which it shares the first and the last link.
func (t *tile) lead(f *sender, psn int32) Picoseconds {
	at := f.first*64 + psn
	gap := Picoseconds(t.sent[at].slot-t.sent[at-1].slot) * t.net.slotTime
	own := t.net.packetTime() * (1 - float64(float64(t.short[at])*0x1p-16))
	return max(0, gap-Picoseconds(own))
}
