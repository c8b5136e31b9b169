package congestion

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

const (
	creditOpen = 1 << 30 // packets: the window of a flow that only credit limits
	pullEVs    = 128     // EVs that pulls use in turn: 1 to 127, then 0
)

// creditRules are the constants of a receiver-driven control, and the rules in which EQDS and RCCC differ. Demands
// and grants are counted in quanta since the start of a flow.
type creditRules struct {
	quantumBits uint  // a quantum has 2^quantumBits bytes
	least, most int32 // quanta that a pull grants to a flow with unmet demand; a flow without unmet demand gets the most
	empty       int32 // a pull that grants nothing occupies the pacer as long as this many quanta
	timed       int32 // the pacer rounds the time of this many quanta down to picoseconds
	sharedEVs   bool  // all flows of a receiver share one rotation of EVs for pulls, instead of one for each flow
	everyTime   bool  // a flow with a met demand enters the queue of such flows even if it is there
	exactBytes  bool  // the last packet of a flow counts with its size, instead of the MTU
	inSlot      bool  // a pull leaves in the slot in which it is due, instead of the next one
	diameter    bool  // bandwidth-delay products use the longest paths of the network, instead of the flow's path
}

const creditRate = 0.99 // fraction of its links' rate that a receiver grants

// credit holds the state of all senders and receivers of a receiver-driven control: receivers grant the bytes that
// senders may send, at the rate of the receiver's links.
type credit struct {
	rules     creditRules
	mtu       int64               // bytes
	time      fattree.Picoseconds // time of rules.timed quanta
	early     fattree.Picoseconds // how long before it is due a pull may leave
	senders   []creditSender      // by flow
	receivers []creditReceiver    // by flow
	pacers    []creditPacer       // by host
	host      []fattree.Host      // destination of each flow
	loads     loads               // for networks with fewer uplinks than hosts
}

// creditSender is the state of a flow at its source.
type creditSender struct {
	credit      int64 // bytes
	most        int64 // bytes
	granted     int32 // quanta, by the pulls that have arrived
	speculating bool
}

// creditReceiver is the state of a flow at its destination.
type creditReceiver struct {
	demand  int32  // highest demand so far, quanta
	granted int32  // quanta
	most    int32  // quanta by which grants may exceed the demand
	ev      uint16 // EV of the last pull, if each flow has its own rotation
	active  bool   // in the pacer's queue of flows with a demand
	idle    bool   // in the pacer's queue of other flows
}

// creditPacer sends the pulls of a host.
type creditPacer struct {
	next       fattree.Picoseconds // time of the next pull
	ev         uint16              // EV of the last pull, if flows share the rotation
	busy, idle flowQueue
}

// reset prepares for a run of the network. Rates of receivers stay above leastRate; if leastRate is 0, they are
// all 1.
func (c *credit) reset(n *fattree.Network, random mc.Stream, rules creditRules, leastRate float64) {
	c.rules = rules
	c.mtu = int64(n.Spec().MTU)
	bits := float64(rules.timed << rules.quantumBits * 8000)
	c.time = fattree.Picoseconds(bits / (n.HostGbps() * float64(n.HostLinks())) / creditRate)
	c.early = 0
	if rules.inSlot {
		c.early = n.SlotTime() - 1
	}
	if len(c.senders) != n.Flows() {
		c.senders = make([]creditSender, n.Flows())
		c.receivers = make([]creditReceiver, n.Flows())
		c.host = make([]fattree.Host, n.Flows())
	}
	if len(c.pacers) != n.Hosts() {
		c.pacers = make([]creditPacer, n.Hosts())
	}
	c.loads.reset(n, random, leastRate)
	for i := range c.senders {
		bdp := n.BDP(int32(i))
		if rules.diameter {
			bdp = n.LongestBDP()
		}
		// At least two pulls, because a sender loses any credit above the limit.
		most := max(int64(1.5*bdp*float64(c.mtu)), int64(2*rules.most)<<rules.quantumBits)
		c.senders[i] = creditSender{credit: most, most: most, speculating: true}
		c.receivers[i] = creditReceiver{most: int32(most >> rules.quantumBits)}
		_, c.host[i] = n.Pair(int32(i))
		p := &c.pacers[c.host[i]]
		p.busy.push(int32(i)) // allocates the place
		p.idle.push(int32(i))
	}
	for i := range c.pacers {
		p := &c.pacers[i]
		*p = creditPacer{busy: flowQueue{ring: p.busy.ring}, idle: flowQueue{ring: p.idle.ring}}
	}
}

// gate opens or closes a window.
func (s *creditSender) gate(w *transport.Window) {
	w.Packets = 0
	if s.credit > 0 {
		w.Packets = creditOpen
	}
}

// stopSpeculating removes the rest of the speculative credit.
func (s *creditSender) stopSpeculating() {
	if s.speculating {
		s.speculating = false
		s.credit = min(s.credit, 0)
	}
}

// Open starts a flow with its speculative credit. O(1).
func (c *credit) Open(w *transport.Window, flow int32) { c.senders[flow].gate(w) }

// Acknowledge ends speculation. O(1).
func (c *credit) Acknowledge(w *transport.Window, ack transport.Acknowledgement) {
	s := &c.senders[ack.Flow]
	s.stopSpeculating()
	s.gate(w)
}

// Lose ends speculation if the packet was trimmed. O(1).
func (c *credit) Lose(w *transport.Window, loss transport.Loss) {
	if s := &c.senders[loss.Flow]; loss.Kind == transport.Nacked {
		s.stopSpeculating()
		s.gate(w)
	}
}

// Spend takes a packet's bytes from the flow's credit and returns its demand in quanta since the start. The demand
// is at least 0: a sender may have more credit than it needs. O(1).
func (c *credit) Spend(w *transport.Window, t transport.Transmission) (demand int32) {
	return c.spend(w, t, c.senders[t.Flow].most)
}

// spend is Spend with a limit of the flow's credit, in bytes.
func (c *credit) spend(w *transport.Window, t transport.Transmission, most int64) (demand int32) {
	s := &c.senders[t.Flow]
	bytes, left := c.mtu, int64(t.Left)*c.mtu
	if c.rules.exactBytes {
		bytes, left = bytes-int64(t.Short), left-int64(t.ShortLeft)
	}
	s.credit -= bytes
	s.gate(w)
	wanted := min(left, most) - s.credit
	if s.speculating && t.Left > 0 {
		// At least a packet whatever the credit, so that short flows do not wait.
		wanted = max(wanted, c.mtu)
	}
	wanted /= int64(t.Sharing)
	return max(0, s.granted+int32((wanted+1<<c.rules.quantumBits-1)>>c.rules.quantumBits))
}

// Ask records a demand at the receiver. A higher demand, or a header without its packet, makes the receiver pull.
// O(1).
func (c *credit) Ask(flow, demand int32, headerOnly bool, now fattree.Picoseconds) {
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
	p.busy.push(flow)
}

// Observe counts a packet for the receiver's rate. O(1), and a step for each period that has ended.
func (c *credit) Observe(host fattree.Host, a transport.Arrival) { c.loads.observe(host, a) }

// Granting reports whether a receiver has pulls to send. O(1).
func (c *credit) Granting(host fattree.Host) bool {
	p := &c.pacers[host]
	return p.busy.count+p.idle.count > 0
}

// Grant returns the next due pull of a receiver. O(1).
func (c *credit) Grant(host fattree.Host, now fattree.Picoseconds) (pull transport.Pull, due bool) {
	p := &c.pacers[host]
	if p.next > now+c.early || !c.Granting(host) {
		return pull, false
	}
	flow, grant := c.grant(p)
	if grant == 0 {
		grant = c.rules.empty
	}
	p.next += c.loads.stretch(host, now, c.time*fattree.Picoseconds(grant)/fattree.Picoseconds(c.rules.timed))
	ev := &c.receivers[flow].ev
	if c.rules.sharedEVs {
		ev = &p.ev
	}
	*ev = (*ev + 1) % pullEVs
	return transport.Pull{Flow: flow, Number: c.receivers[flow].granted, EV: *ev}, true
}

// grant makes the next grant of a pacer; the pacer must have a flow to serve.
func (c *credit) grant(p *creditPacer) (flow, quanta int32) {
	if p.busy.count > 0 {
		return c.grantBusy(p)
	}
	flow = p.idle.pop()
	r := &c.receivers[flow]
	r.granted += c.rules.most
	if r.idle = r.granted-r.demand < r.most; r.idle { // idle flows have no unmet demand
		p.idle.push(flow)
	}
	return flow, c.rules.most
}

// grantBusy makes a grant to the first flow with an unmet demand. The flow goes to the end of its queue, or of the
// other queue if its demand is now met.
func (c *credit) grantBusy(p *creditPacer) (flow, quanta int32) {
	flow = p.busy.pop()
	r := &c.receivers[flow]
	quanta = min(max(r.demand-r.granted, c.rules.least), c.rules.most)
	r.granted += quanta
	if r.active = r.granted < r.demand; r.active {
		p.busy.push(flow)
	} else if !r.idle || c.rules.everyTime {
		r.idle = true
		p.idle.push(flow)
	}
	return flow, quanta
}

// Pulled adds the grant of a pull to the flow's credit. Pulls carry sums, so lost and reordered pulls do no harm.
// O(1).
func (c *credit) Pulled(w *transport.Window, p transport.Pull) {
	s := &c.senders[p.Flow]
	s.stopSpeculating()
	if p.Number > s.granted {
		s.credit = min(s.credit+int64(p.Number-s.granted)<<c.rules.quantumBits, s.most)
		s.granted = p.Number
	}
	s.gate(w)
}

// flowQueue is a queue of flows in a ring of a power of two places, which grows when it is full.
type flowQueue struct {
	ring         []int32
	first, count int32
}

// push appends a flow. Amortized O(1).
func (q *flowQueue) push(flow int32) {
	if size := int32(len(q.ring)); q.count == size {
		grown := make([]int32, max(1, 2*size))
		for i := range q.count {
			grown[i] = q.ring[(q.first+i)&(size-1)]
		}
		q.ring, q.first = grown, 0
	}
	q.ring[(q.first+q.count)&int32(len(q.ring)-1)] = flow
	q.count++
}

// pop takes the first flow from a queue that is not empty.
func (q *flowQueue) pop() (flow int32) {
	flow = q.ring[q.first]
	q.first = (q.first + 1) & int32(len(q.ring)-1)
	q.count--
	return flow
}
