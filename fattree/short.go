package fattree

import (
	"math/bits"
	"slices"
)

// Under the rules of [UltraEthernet], the last packet of a flow or message may be short and takes only its own
// time on a link. If another packet waits behind it, the short packet's time becomes a debt of the link, like a
// header's time, and the other packet leaves in the same slot. Otherwise the link is free at the beginning of the
// next slot. A link that has been idle for a slot owes nothing. The end of a flow includes the fraction of a slot
// by which its ACK is late.

// newShort returns, by packet with 64 places for each group, the fraction that the packet lacks of a full one,
// times 2^16. It returns nil if short packets take as long as full ones. Messages are added as they begin.
func (r *Run) newShort() []uint16 {
	if !r.net.CountsBytes() {
		return nil
	}
	list := make([]uint16, 64*int(r.net.groups))
	if r.net.connections == nil {
		for flow := range r.net.routes {
			if last := r.net.routes[flow].packets - 1; int(last) < r.net.Places(int32(flow)) {
				list[r.net.routes[flow].first*64+last] = r.net.missingPart(int32(flow))
			}
		}
	}
	return list
}

// forgetShort forgets the messages of the run before.
func (r *Run) forgetShort() {
	if r.net.connections != nil {
		clear(r.short)
	}
}

// Shorten notes that a packet, numbered as in [Network.FirstGroup], is the last one of a message. Without
// connections the network finds last packets by itself.
func (e *Edge) Shorten(place int, message int32) {
	if short := e.tile.run.short; short != nil {
		short[place] = e.tile.net.missingPart(message)
	}
}

// missingPart returns the fraction that a flow's last packet lacks of a full one, times 2^16.
func (n *Network) missingPart(flow int32) uint16 {
	return uint16(n.Missing(flow) << 16 / int64(n.spec.MTU))
}

// countBytes sets whether links count bytes, in the form that the loops over packets need (mayBeShort).
func (t *tile) countBytes() {
	if t.byBytes = t.run.short != nil; t.byBytes {
		t.onlyShort = RequestBit
	}
	if t.byBytes && t.net.connections != nil {
		t.alsoShort = RequestBit
	}
}

// partMissing returns the fraction that a packet that may be short lacks of a full one, times 2^16.
func (t *tile) partMissing(p Packet) uint16 {
	route := &t.net.routes[p>>flowShift]
	if p.Number() >= route.packets {
		return 0 // a packet without data
	}
	return t.run.short[route.first*64+p.Number()]
}

// saving returns how much less time a packet takes on a port's link than a full packet, in units of oneSlot.
func (t *tile) saving(p *port, sent Packet) uint32 {
	if !t.mayBeShort(sent) {
		return 0
	}
	return uint32(uint64(t.partMissing(sent)) * uint64(oneSlot+p.perPacket) >> 16)
}

// another reports whether a port can send one more packet in the slot, because the packet just sent is short and
// another one waits. The port's debt already has a full packet's time beyond a slot; another corrects it for the
// short packet.
func (t *tile) another(p *port, sent Packet, waits bool) bool {
	saved := t.saving(p, sent)
	if saved == 0 {
		return false
	}
	end := p.debt + oneSlot - saved // end of the packet, counted from the beginning of the slot
	if waits && end < oneSlot {
		p.debt = end
		return true
	}
	p.debt = max(end, oneSlot) - oneSlot
	return false
}

// serveShort corrects the debt of the last port served, which has sent a short packet. It returns the port's bit
// if the port is to be served again.
func (t *tile) serveShort(from uint32, s *servedPorts) (again uint64) {
	number := uint32(bits.Len64(s.sent) - 1)
	id, low := from+number, uint64(1)<<number
	p := &t.ports[id]
	s.idle &^= low
	if t.another(p, s.last, p.count > 0) {
		if s.lost&low == 0 {
			t.giveWay(id, p.side)
		}
		*t.dataDown = slices.Grow(*t.dataDown, int(t.sw.nics))
		return low
	}
	if p.debt < oneSlot && p.count == 0 {
		s.idle |= low
	}
	return 0
}

// giveWay moves the packet that a port has put on a link in this slot to the spilt list, to free its place for
// another.
func (t *tile) giveWay(id uint32, side side) {
	if side != toFirst && side != toSecond {
		return
	}
	l, link := &t.landing[data][side], t.links[id]
	lane := l.lane(link)
	first := spill{link, lane.packets[l.slot], Moment(l.slot) * aSlot, l.notes[link].packets[l.slot], true}
	lane.slots = lane.slots&^(1<<(uint32(l.slot)%16)) | spiltOver
	*l.spilt = append(*l.spilt, first)
}

// withRoom returns the headers if all find room at their ports. If some port may lack room, it passes on those
// that find room itself, one after the other, and returns none.
func (t *tile) withRoom(headers []Crossing) []Crossing {
	full, most, services := false, uint64(len(headers)), t.run.services
	for i := range headers {
		p := &t.ports[headers[i].port()]
		full = full || uint64(p.debt)+most*uint64(p.perHeader) >= uint64(services[p.class].headers)
	}
	if !full {
		return headers
	}
	for i := range headers {
		if p := &t.ports[headers[i].port()]; p.count == 0 || p.debt < t.run.services[p.class].headers {
			t.passOne(&headers[i])
		}
	}
	return nil
}

// forgetIdle clears the debt of ports that receive packets after their links have been idle for a slot or more.
func (t *tile) forgetIdle(packets []Crossing) {
	ports, slot := t.ports, uint8(t.slot)
	for i := range packets {
		p := &ports[packets[i].port()]
		busy := uint32((int32(p.served^slot) - 1) >> 31) // all ones if served in this slot
		p.debt &= uint32(ifPositive(p.count)) | busy     // a branch would be mispredicted too often
	}
}

// collectSpilt takes the packets of a link that have given up their places.
func (t *tile) collectSpilt(link, buffer int32) {
	for _, s := range t.run.tiles[t.net.origins[link]].spilt[buffer] {
		if slot := s.time.slot(); s.data && s.link == link {
			t.arrivals.slots |= 1 << uint32(slot)
			list := &t.arrivals.packets[slot]
			*list = append(*list, Crossing{s.packet, s.note, t.toward(s.packet) << portShift})
		}
	}
}

// spiltUnderWay returns the number of the tile's packets that have given up their places and arrive in a slot or
// later.
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

// holdBack returns as many packets as there are report places for their ACKs, and delays the others to the next slot.
func (t *tile) holdBack(arrived []Crossing) []Crossing {
	most := int(t.sw.nics * t.net.arrivals())
	if len(arrived) <= most {
		return arrived
	}
	next := t.downlink[data].at(t.slot + 1)
	*next = append(*next, arrived[most:]...)
	t.lastPut = max(t.lastPut, t.slot)
	return arrived[:most]
}

// arrivals returns the largest number of packets that a host takes in per slot.
func (n *Network) arrivals() int32 {
	if n.spec.Profile == UltraEthernet {
		return 2 * n.hostLinks
	}
	return n.hostLinks
}
