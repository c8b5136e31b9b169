package congestion

import "repslab/fattree"

// Constants of EQDS as the authors' simulator sets them.
const (
	eqdsQuantum = 512  // bytes in which demands and pulls are counted
	eqdsPull    = 8    // quanta that a pull grants
	eqdsRate    = 0.99 // of the receiver's link that its pulls grant
	eqdsOpen    = 1 << 30
	eqdsPaths   = 128 // EVs that pulls use in turn
)

// EQDS has no congestion window: receivers grant credit. A flow starts with a speculative
// credit of 1.5 bandwidth-delay products, which expires with the first feedback. Then it
// sends while it has credit, and its receiver grants 4096 bytes with each pull. Rules and
// constants are those of the authors' simulator.
//
// A receiver paces the pulls of all its flows together at 0.99 of its link's rate, in turn
// over the flows with unmet demand. If there are none, it serves flows whose demand is met,
// until each is 1.5 bandwidth-delay products ahead. The demand of a packet is the rest of
// its flow, at most 1.5 bandwidth-delay products, less its credit, divided by the number of
// flows that wait for the sender's link.
//
// In a network with fewer uplinks than hosts a receiver may pace more slowly; the authors'
// simulator does so by itself there. It looks at the packets of about 1.5 RTTs, a time drawn from
// 0.75 to 1.25 times that, with their marked fraction f, and trimmed ones left out:
//
//	g <- g/2 + f/2
//	rate <- rate - trimmed before the last hop / all         if there are any
//	rate <- rate (1 - (g - 0.3)/2)                           if g > 0.3
//	rate <- rate + 0.01 (times 2^k if none carries a mark)   otherwise, k times in a row
//
// with rate in [0.9/Oversubscription, 1], 1 at the start.
type EQDS struct {
	Oversubscription float64 // hosts per uplink, for which receivers pace more slowly; 0: they do not

	loads     []eqdsLoad          // by host
	period    fattree.Picoseconds // 1.5 RTTs
	mtu       int64               // bytes
	interval  fattree.Picoseconds // between two pulls of a receiver
	senders   []eqdsSender        // by flow
	receivers []eqdsReceiver      // by flow
	pacers    []eqdsPacer         // by host
	host      []fattree.Host      // destination of each flow
}

// eqdsSender is the state of a flow at its source.
type eqdsSender struct {
	credit      int64 // bytes
	most        int64 // bytes
	pulled      int32 // pulls received
	speculating bool
}

// eqdsReceiver is the state of a flow at its destination.
type eqdsReceiver struct {
	demand   int32 // the highest, quanta since the start
	pulls    int32 // sent
	most     int32 // quanta by which pulls may exceed the demand
	active   bool  // in the pacer's queue of flows with a demand
	idle     bool  // in the pacer's queue of the others
	nextBusy int32 // flow after it in the first queue
	nextIdle int32 // flow after it in the second
}

// eqdsPacer sends the pulls of a host.
type eqdsPacer struct {
	next       fattree.Picoseconds // time of the next pull
	busy, idle eqdsQueue
}

// eqdsQueue is a linked list of flows; the links are in eqdsReceiver.
type eqdsQueue struct {
	first, last int32
	count       int32
}

// Reset prepares for a run of the network.
func (c *EQDS) Reset(n *fattree.Network) {
	spec := n.Spec()
	c.mtu = int64(spec.MTU)
	gbps := n.HostGbps()
	c.interval = fattree.Picoseconds(eqdsPull * eqdsQuantum * 8000 / gbps / eqdsRate)
	if len(c.senders) != n.Flows() {
		c.senders = make([]eqdsSender, n.Flows())
		c.receivers = make([]eqdsReceiver, n.Flows())
		c.host = make([]fattree.Host, n.Flows())
	}
	if len(c.pacers) != n.Hosts() {
		c.pacers = make([]eqdsPacer, n.Hosts())
	}
	clear(c.pacers)
	c.resetLoads(n)
	for i := range c.senders {
		most := int64(1.5 * float64(n.BaseRTT(int32(i))) * gbps / 8000)
		c.senders[i] = eqdsSender{credit: most, most: most, speculating: true}
		c.receivers[i] = eqdsReceiver{most: int32(most / eqdsQuantum)}
		_, c.host[i] = n.Pair(int32(i))
	}
}

// gate opens or closes a window.
func (s *eqdsSender) gate(w *fattree.Window) {
	w.Packets = 0
	if s.credit > 0 {
		w.Packets = eqdsOpen
	}
}

// stopSpeculating removes the rest of the speculative credit.
func (s *eqdsSender) stopSpeculating() {
	if s.speculating {
		s.speculating = false
		s.credit = min(s.credit, 0)
	}
}

// Open starts a flow with its speculative credit. O(1).
func (c *EQDS) Open(w *fattree.Window, flow int32) { c.senders[flow].gate(w) }

// Acknowledge ends speculation. O(1).
func (c *EQDS) Acknowledge(w *fattree.Window, ack fattree.Acknowledgement) {
	s := &c.senders[ack.Flow]
	s.stopSpeculating()
	s.gate(w)
}

// Lose ends speculation if the packet was trimmed. O(1).
func (c *EQDS) Lose(w *fattree.Window, loss fattree.Loss) {
	if s := &c.senders[loss.Flow]; loss.Kind == fattree.Nacked {
		s.stopSpeculating()
		s.gate(w)
	}
}

// Spend takes a packet's bytes from the flow's credit and returns its demand in
// quanta since the start, at least 0: a sender may have more credit than it needs. O(1).
func (c *EQDS) Spend(w *fattree.Window, t fattree.Transmission) (demand int32) {
	s := &c.senders[t.Flow]
	s.credit -= c.mtu
	s.gate(w)
	wanted := min(int64(t.Left)*c.mtu, s.most) - s.credit
	if s.speculating && t.Left > 0 {
		// Whatever the credit, so that short flows do not wait.
		wanted = max(wanted, c.mtu)
	}
	wanted /= int64(t.Sharing)
	return max(0, eqdsPull*s.pulled+int32((wanted+eqdsQuantum-1)>>9))
}

// Ask records a demand at the receiver. A higher demand, or a header without its packet,
// makes it pull. O(1).
func (c *EQDS) Ask(flow, demand int32, headerOnly bool, now fattree.Picoseconds) {
	r := &c.receivers[flow]
	rises := demand > r.demand
	r.demand = max(r.demand, demand)
	if r.active || !rises && !headerOnly {
		return
	}
	p := &c.pacers[c.host[flow]]
	if p.busy.count+p.idle.count == 0 {
		p.next = max(p.next, now)
	}
	r.active = true
	c.push(&p.busy, flow, true)
}

// Granting reports whether a receiver has pulls to send. O(1).
func (c *EQDS) Granting(host fattree.Host) bool {
	p := &c.pacers[host]
	return p.busy.count+p.idle.count > 0
}

// Grant returns the next pull of a receiver that is due. O(1).
func (c *EQDS) Grant(host fattree.Host, now fattree.Picoseconds) (pull fattree.Pull, due bool) {
	p := &c.pacers[host]
	if p.next > now || !c.Granting(host) {
		return pull, false
	}
	p.next += c.paced(host, now)
	return c.pull(p), true
}

// pull returns the next pull of a pacer with a flow to serve.
func (c *EQDS) pull(p *eqdsPacer) fattree.Pull {
	busy := p.busy.count > 0
	queue := &p.idle
	if busy {
		queue = &p.busy
	}
	flow := c.pop(queue, busy)
	r := &c.receivers[flow]
	r.pulls++
	ahead := eqdsPull*r.pulls - r.demand
	switch {
	case busy && ahead < 0:
		c.push(&p.busy, flow, true)
	case busy:
		r.active = false
		if !r.idle {
			r.idle = true
			c.push(&p.idle, flow, false)
		}
	case ahead < r.most: // idle flows have no unmet demand
		c.push(&p.idle, flow, false)
	default:
		r.idle = false
	}
	return fattree.Pull{Flow: flow, Number: r.pulls, EV: uint16(r.pulls % eqdsPaths)}
}

// Pulled adds the grant of a pull to the flow's credit. Pulls are numbered, so lost and
// reordered ones do no harm. O(1).
func (c *EQDS) Pulled(w *fattree.Window, p fattree.Pull) {
	s := &c.senders[p.Flow]
	s.stopSpeculating()
	if p.Number > s.pulled {
		s.credit = min(s.credit+int64(p.Number-s.pulled)*eqdsPull*eqdsQuantum, s.most)
		s.pulled = p.Number
	}
	s.gate(w)
}

// link returns the link of a flow in one of the two queues of its pacer.
func (c *EQDS) link(flow int32, busy bool) *int32 {
	if busy {
		return &c.receivers[flow].nextBusy
	}
	return &c.receivers[flow].nextIdle
}

// push appends a flow to a queue.
func (c *EQDS) push(q *eqdsQueue, flow int32, busy bool) {
	if q.count == 0 {
		q.first = flow
	} else {
		*c.link(q.last, busy) = flow
	}
	q.last = flow
	q.count++
}

// pop takes the first flow from a queue that is not empty.
func (c *EQDS) pop(q *eqdsQueue, busy bool) int32 {
	flow := q.first
	q.first = *c.link(flow, busy)
	q.count--
	return flow
}
