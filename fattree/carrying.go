package fattree

// carrying is what makes ACKs carry the EVs of all packets that they cover.
type carrying struct {
	ratio int
	kept  []uint16 // by flow, ratio places each: EVs of packets not acknowledged yet
	count []uint8  // of them, by flow
	sent  wheel[carried]
}

// carried is an EV on its way back beside that of the packet that triggered the
// ACK. Its packet was unmarked: a marked one triggers an ACK.
type carried struct {
	flow int32
	ev   uint16
}

func newCarrying(flows, ratio int, longest int32) *carrying {
	return &carrying{ratio: ratio, kept: make([]uint16, flows*ratio), count: make([]uint8, flows), sent: newWheel[carried](longest)}
}

func (c *carrying) reset() {
	clear(c.count)
	c.sent.reset()
}

// keep notes the EV of a packet that triggers no ACK; there are fewer than ratio.
func (c *carrying) keep(flow int32, ev uint16) {
	c.kept[int(flow)*c.ratio+int(c.count[flow])] = ev
	c.count[flow]++
}

// send puts the EVs kept of a flow into the ACK that arrives at a slot.
func (c *carrying) send(flow, due int32) {
	first := int(flow) * c.ratio
	for _, ev := range c.kept[first:][:c.count[flow]] {
		c.sent.put(due, carried{flow, ev})
	}
}

// forget drops what an ACK covered, whether or not it arrives.
func (c *carrying) forget(flow int32) { c.count[flow] = 0 }

// takeCarried lets the balancer learn from what the ACKs of this slot carry, the
// oldest first. It had better come before the ACKs, whose own EVs are younger.
func (r *Run) takeCarried() {
	for _, c := range r.carrying.sent.at(r.slot) {
		r.balance.Feedback(Feedback{Flow: c.flow, EV: c.ev, Kind: Good, Now: r.now})
	}
	r.carrying.sent.empty(r.slot)
}
