package fattree

// carrying makes ACKs report all packets that they cover, to the balancer or to subflows.
type carrying struct {
	ratio int
	kept  []packet // by flow, ratio places each: packets not acknowledged yet
	count []uint8  // of them, by flow
	// sent is on its way back beside the packets that triggered the ACKs. All are
	// unmarked: a marked one triggers an ACK.
	sent wheel[packet]
}

// newCarrying returns what a run needs if its ACKs are to tell of all packets,
// else nil. It uses the memory of the run before.
func (r *Run) newCarrying() *carrying {
	ratio, flows := r.net.spec.AckRatio, len(r.senders)
	if !r.net.spec.CarryEVs && (r.split == nil || ratio == 1) {
		return nil
	}
	c := r.carrying
	if c == nil {
		c = &carrying{ratio: ratio, kept: make([]packet, flows*ratio), count: make([]uint8, flows), sent: newWheel[packet](r.longestWay())}
	}
	clear(c.count)
	c.sent.reset()
	return c
}

// keep notes a packet that triggers no ACK; there are fewer than ratio.
func (c *carrying) keep(p packet) {
	flow := p.flow()
	c.kept[int(flow)*c.ratio+int(c.count[flow])] = p
	c.count[flow]++
}

// send puts the packets kept of a flow into the ACK that arrives at a slot.
func (c *carrying) send(flow, due int32) {
	first := int(flow) * c.ratio
	for _, p := range c.kept[first:][:c.count[flow]] {
		c.sent.put(due, p)
	}
}

// forget drops what an ACK covered, whether or not it arrives.
func (c *carrying) forget(flow int32) { c.count[flow] = 0 }

// takeCarried lets the balancer and subflows learn from what the ACKs of this slot
// carry, the oldest first. It had better come before the ACKs, whose own packets
// are younger.
func (r *Run) takeCarried() {
	for _, p := range r.carrying.sent.at(r.slot) {
		flow, psn := p.flow(), p.psn()
		if r.split.cuts(flow) {
			f := &r.senders[flow]
			r.note(f, f.first+psn/64, 1<<(uint32(psn)%64))
			r.settle(flow, f, psn/64, 0)
		}
		if r.net.spec.CarryEVs {
			r.balance.Feedback(Feedback{Flow: flow, EV: p.ev(), Kind: Good, Now: r.now})
		}
	}
	r.carrying.sent.empty(r.slot)
}
