package fattree

import "math/bits"

// arriveAtHosts takes in the data packets that are due.
func (r *Run) arriveAtHosts() {
	due := r.toHost.at(r.slot)
	r.moving -= len(due)
	if r.reporting {
		for _, p := range due {
			r.receive(p)
		}
	} else {
		r.acknowledge(due)
	}
	r.toHost.empty(r.slot)
}

// receive takes in a data packet and sends an ACK if one is due: when AckRatio
// packets have come, and at once for the first packet of a flow, a duplicate, a
// marked one, one whose sender asks for it, and the one that fills the last gap
// after that.
func (r *Run) receive(p packet) {
	flow, psn := p.flow(), p.psn()
	if len(r.net.errors) > 0 && r.corrupted(flow) {
		r.result.Corrupted++
		return
	}
	f := &r.receivers[flow]
	r.result.Delivered++
	g, bit := &r.groups[r.net.routes[flow].first+psn/64], uint64(1)<<(uint32(psn)%64)
	duplicate := g.received&bit != 0
	if duplicate {
		r.result.Duplicates++
	} else {
		g.received |= bit
		f.received++
		if psn == f.complete {
			r.advance(flow, f)
		}
		r.noteOrder(f, psn)
	}
	if r.grants != nil {
		r.ask(flow, psn, false)
	}
	f.pending++
	f.asked = f.asked || p.requested()
	filled := f.asked && f.received == f.complete
	if int(f.pending) >= r.net.spec.AckRatio || f.received == 1 || duplicate || filled || p&(markBit|requestBit) != 0 {
		f.pending = 0
		f.asked = f.asked && !filled
		says := report{received: f.received, complete: f.complete}
		if r.sacking {
			says.sack = r.receivedAround(p, duplicate)
		}
		r.reply(p&^nackBit, says, 0)
		if r.carrying != nil {
			r.carrying.forget(flow)
		}
	} else if r.carrying != nil {
		r.carrying.keep(p)
	}
}

// acknowledge takes in data packets and sends an ACK for each where none of these
// can be lost and so none need say more: receive in short.
func (r *Run) acknowledge(due []packet) {
	arrived := due[:0]
	for _, p := range due {
		flow, psn := p.flow(), p.psn()
		if len(r.net.errors) > 0 && r.corrupted(flow) {
			r.result.Corrupted++
			continue
		}
		r.result.Delivered++
		g, bit := &r.groups[r.net.routes[flow].first+psn/64], uint64(1)<<(uint32(psn)%64)
		if g.received&bit != 0 {
			r.result.Duplicates++
		} else {
			g.received |= bit
			r.noteOrder(&r.receivers[flow], psn)
		}
		arrived = append(arrived, p)
	}
	if r.router == nil && r.net.spec.Topology.Tiers > 1 {
		r.acknowledgeAll(arrived)
		return
	}
	for _, p := range arrived {
		r.reply(p&^nackBit, report{}, 0)
	}
}

// noteOrder notes how far behind the highest packet so far a packet comes.
func (r *Run) noteOrder(f *receiver, psn int32) {
	depth := max(0, f.highest-psn)
	f.highest = max(f.highest, psn)
	r.result.reorder[min(depth, mostReorder)]++
}

// advance moves a receiver's mark of packets without a gap.
func (r *Run) advance(flow int32, f *receiver) {
	groups := r.groups[r.net.routes[flow].first:]
	for {
		offset := uint32(f.complete) % 64
		run := int32(bits.TrailingZeros64(^(groups[f.complete/64].received >> offset)))
		f.complete += min(run, 64-int32(offset))
		if f.complete%64 != 0 || run == 0 || f.complete >= r.net.routes[flow].packets {
			return
		}
	}
}

// receivedAround returns which of 64 packets the receiver has: those from a packet
// on that was marked or whose sender asked for the ACK, else and for a duplicate
// those up to it, but none that the cumulative count covers.
func (r *Run) receivedAround(p packet, duplicate bool) sack {
	flow, base := p.flow(), p.psn()
	route := &r.net.routes[flow]
	if !p.marked() && (duplicate || !p.requested()) {
		base = max(base-63, r.receivers[flow].complete+1)
	}
	if base >= route.packets {
		return sack{}
	}
	groups := r.groups[route.first:]
	shift := uint32(base) % 64
	received := groups[base/64].received >> shift
	if next := base/64 + 1; shift > 0 && next*64 < route.packets {
		received |= groups[next].received << (64 - shift)
	}
	return sack{base, received}
}
