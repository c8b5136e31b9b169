package fattree

import (
	"math/bits"

	"repslab/mc"
)

// receive takes in a data packet and sends an ACK if one is due: when AckRatio packets have come, and at
// once for the first packet of a flow, a duplicate, a marked one, one whose sender asks for it, and the one
// that fills the last gap after that.
func (t *tile) receive(c crossing) {
	p := c.packet
	if len(t.net.errors) > 0 && t.corrupted(p) {
		t.Corrupted++
		return
	}
	flow, psn := p.flow(), p.psn()
	if psn == probePSN && t.sleek != nil {
		t.answerProbe(c)
		return
	}
	f := &t.receivers[flow]
	t.Delivered++
	g, bit := &t.received[t.net.routes[flow].first+psn/64], uint64(1)<<(uint32(psn)%64)
	duplicate := *g&bit != 0
	if duplicate {
		t.Duplicates++
	} else {
		*g |= bit
		if t.split.cuts(flow) {
			t.split.arrived[t.net.routes[flow].first*64+f.received] = psn
		}
		f.received++
		if psn == f.complete {
			t.advanceComplete(flow, f)
		}
		t.noteOrder(f, psn)
	}
	if t.grants != nil {
		t.ask(c, false)
	}
	f.pending++
	f.asked = f.asked || p.requested()
	filled := f.asked && f.received == f.complete
	if int(f.pending) < t.net.spec.AckRatio && f.received > 1 && !duplicate && !filled && p&(markBit|requestBit) == 0 {
		if t.carrying != nil {
			t.carrying.keep(p)
		}
		return
	}
	f.pending = 0
	f.asked = f.asked && !filled
	ack := crossing{packet: p &^ requestBit, where: c.where}
	if t.sacking {
		ack.note = noted(0, t.report(f, p, duplicate))
	}
	t.sendHeader(ack)
}

// noteOrder notes how far behind the highest packet so far a packet comes.
func (w *worker) noteOrder(f *receiver, psn int32) {
	depth := f.highest - psn
	depth &^= depth >> 31 // if negative 0: a branch would be guessed wrong too often
	f.highest = psn + depth
	w.reorder[min(depth, mostReorder)]++
}

// advanceComplete moves a receiver's mark of packets without a gap.
func (t *tile) advanceComplete(flow int32, f *receiver) {
	route := &t.net.routes[flow]
	for {
		offset := uint32(f.complete) % 64
		run := int32(bits.TrailingZeros64(^(t.received[route.first+f.complete/64] >> offset)))
		f.complete += min(run, 64-int32(offset))
		if f.complete%64 != 0 || run == 0 || f.complete >= route.packets {
			return
		}
	}
}

// layOutReports makes room for the reports of ACKs, one for each packet that can arrive at a host in a slot:
// as many slots as the longest way back takes, on which an ACK waits at each link for a slot at most, and an
// epoch by which the receiver may be ahead of the sender.
func (r *Run) layOutReports() {
	if !r.sacking {
		return
	}
	r.reportLife = r.net.reportLife()
	r.reports = make([]report, len(r.hosts)*int(r.net.arrivals())*int(r.reportLife))
}

// reportLife returns the slots for which a report is kept.
func (n *Network) reportLife() (slots int32) {
	for _, way := range n.ways {
		slots = max(slots, way.back)
	}
	return slots + n.epoch + 1
}

// sacking reports whether ACKs can be lost or are not sent for every packet.
func (n *Network) sacking() bool {
	return n.spec.AckRatio > 1 || len(n.faults) > 0 || n.spec.Sleek
}

// checkReports reports more reports of ACKs than a note can number.
func (n *Network) checkReports() error {
	if count := int64(n.outline.Hosts) * int64(n.arrivals()) * int64(n.reportLife()); n.sacking() && count > 1<<kindShift {
		return mc.NewFieldError("fattree", "Hosts", n.outline.Hosts, "must be fewer, or latencies lower, where ACKs can be lost or coalesced: hosts times slots of a way back are %d, of at most %d", count, 1<<kindShift)
	}
	return nil
}

// newReport returns the place of a new report in Run.reports. The few of a slot are adjacent, so that they
// share cache lines.
func (t *tile) newReport() (at int32) {
	places := t.net.arrivals()
	at = (t.sw.firstHost*t.reportLife+t.sw.nics*(t.slot%t.reportLife))*places + t.reported
	t.reported++
	return at
}

// report writes down what an ACK reports, and returns its place in Run.reports.
func (t *tile) report(f *receiver, p packet, duplicate bool) int32 {
	at := t.newReport()
	t.reports[at] = report{f.received, f.complete, t.receivedAround(p, duplicate)}
	if t.requests != nil {
		t.requests.reported[at] = t.requests.heard[p.flow()]
	}
	if t.carrying != nil {
		t.carrying.reported[at] = t.carrying.take(p.flow(), t.carrying.reported[at][:0])
	}
	return at
}

// receivedAround returns which of 64 packets the receiver has: those from a packet
// on that was marked or whose sender asked for the ACK, else and for a duplicate
// those up to it, but none that the cumulative count covers.
func (t *tile) receivedAround(p packet, duplicate bool) sack {
	flow, base := p.flow(), p.psn()
	route := &t.net.routes[flow]
	if !p.marked() && (duplicate || !p.requested()) {
		base = max(base-63, t.receivers[flow].complete+1)
	}
	if base >= route.packets {
		return sack{}
	}
	groups := t.received[route.first:]
	shift := uint32(base) % 64
	received := groups[base/64] >> shift
	if next := base/64 + 1; shift > 0 && next*64 < route.packets {
		received |= groups[next] << (64 - shift)
	}
	return sack{base, received}
}

// carrying makes ACKs report all packets that they cover to the balancer.
type carrying struct {
	ratio int
	kept  []packet // by flow, ratio places each: packets not acknowledged yet, none of them marked
	count []uint8  // of them, by flow

	reported [][]packet // by report: packets that an ACK covers beside its own
}

// newCarrying returns what a run needs if its ACKs are to carry the EVs of all packets,
// else nil. It uses the memory of the run before.
func (r *Run) newCarrying() *carrying {
	ratio, flows := r.net.spec.AckRatio, len(r.senders)
	if ratio == 1 || !r.net.spec.CarryEVs {
		return nil
	}
	c := r.carrying
	if c == nil {
		c = &carrying{ratio: ratio, kept: make([]packet, flows*ratio), count: make([]uint8, flows), reported: make([][]packet, len(r.reports))}
	}
	clear(c.count)
	return c
}

// keep notes a packet that triggers no ACK; there are fewer than ratio.
func (c *carrying) keep(p packet) {
	flow := p.flow()
	c.kept[int(flow)*c.ratio+int(c.count[flow])] = p
	c.count[flow]++
}

// take appends the packets kept of a flow to a list, and forgets them whether or not their ACK
// arrives.
func (c *carrying) take(flow int32, list []packet) []packet {
	first := int(flow) * c.ratio
	list = append(list, c.kept[first:][:c.count[flow]]...)
	c.count[flow] = 0
	return list
}
