package fattree

// Granter is a Control with which receivers grant what senders may send: data packets
// carry the demand of their flow, and receivers answer with pulls, which return like ACKs.
// A window is either open or 0. Ports to hosts do not mark, because receivers limit the
// load of their own links.
type Granter interface {
	Control
	// Open sets the window of a flow that begins.
	Open(w *Window, flow int32)
	// Spend is called when a packet is about to leave; it returns the demand that the
	// packet carries to Ask. The Granter chooses its unit; package congestion counts quanta
	// of 512 bytes since the beginning of the flow.
	Spend(w *Window, t Transmission) (demand int32)
	// Ask is called when a packet with a demand from Spend, or only its header, reaches the
	// receiver.
	Ask(flow, demand int32, headerOnly bool, now Picoseconds)
	// Grant returns the pulls that are due, in a slice valid until the next call.
	Grant(now Picoseconds) []Pull
	// Granting reports whether receivers have pulls to send later.
	Granting() bool
	// Pulled is called when a pull reaches its sender.
	Pulled(w *Window, p Pull)
}

// Transmission reports a packet that leaves its host to a Granter.
type Transmission struct {
	Flow    int32
	Left    int32 // packets of the flow that are to be sent after it, lost ones included
	Sharing int32 // flows that wait for the host's link, this one included
}

// Pull is a receiver's grant. How many bytes it grants is the Granter's rule.
type Pull struct {
	Flow   int32
	Number int32  // pulls of the flow so far, this one included
	EV     uint16 // that it travels with
}

// granting is the state of a Run with a Granter.
type granting struct {
	Granter
	demands []int32       // by packet, as Run.sent
	headers wheel[packet] // on their way to receivers
	asking  []bool        // by flow: the timer of its request is set
}

// newGranting returns what a run needs if c is a Granter, else nil. It uses the
// memory of the run before.
func (r *Run) newGranting(c Control) *granting {
	granter, ok := c.(Granter)
	if !ok {
		return nil
	}
	g := r.grants
	if g == nil {
		g = &granting{
			demands: make([]int32, len(r.sent)),
			headers: newWheel[packet](8 * r.latest),
			asking:  make([]bool, len(r.senders)),
		}
	}
	g.Granter = granter
	g.headers.reset()
	clear(g.asking)
	return g
}

// spend lets a packet take its credit and carry a demand.
func (r *Run) spend(flow, psn int32, f *sender) {
	t := Transmission{Flow: flow, Left: f.total - f.next + f.lost, Sharing: 1}
	for next := r.nics[r.net.spec.Workload.Flows[flow].Source].head; next != none; next = r.senders[next].after {
		t.Sharing++
	}
	r.grants.demands[f.first*64+psn] = r.grants.Spend(&f.window, t)
}

// ask lets a flow's receiver know the demand of a packet that it has got.
func (r *Run) ask(flow, psn int32, headerOnly bool) {
	r.grants.Ask(flow, r.grants.demands[r.senders[flow].first*64+psn], headerOnly, r.now)
}

// announce lets the header of a packet reach its receiver after delay slots.
func (r *Run) announce(p packet, delay int32) {
	r.grants.headers.put(r.slot+delay, p)
	r.moving++
}

// grant takes in the headers that are due and sends the pulls that are.
func (r *Run) grant() {
	due := r.grants.headers.at(r.slot)
	r.moving -= len(due)
	for _, p := range due {
		r.ask(p.flow(), p.psn(), true)
	}
	r.grants.headers.empty(r.slot)
	for _, p := range r.grants.Grant(r.now) {
		r.reply(newPacket(p.Flow, 0, p.EV)|nackBit, report{received: p.Number, complete: pullMark}, 0)
	}
}

// takePull takes in a pull at its sender.
func (r *Run) takePull(p packet, number int32) {
	flow := p.flow()
	f := &r.senders[flow]
	if f.received < f.total {
		r.grants.Pulled(&f.window, Pull{Flow: flow, Number: number, EV: p.ev()})
		r.offer(flow, f)
	}
}

// requestPull sends a header on behalf of a flow that has lost packets and no
// credit: its receiver may know nothing of it. One is under way at a time; it is
// sent again after an RTO.
func (r *Run) requestPull(flow int32, f *sender) {
	if r.grants.asking[flow] || f.lost == 0 || f.window.Packets > 0 {
		return
	}
	r.grants.asking[flow] = true
	r.timers.put(r.slot+r.timeout, newPacket(flow, 0, 0)|markBit)
	ev, _ := r.balance.NextEV(flow, r.now)
	route := &r.net.routes[flow]
	p := newPacket(flow, r.lowestLost(f), ev)
	if delay, arrives := r.carryHeader(r.portTowards(route.from[1], &route.to, p, route.key(), forRouter{header: true}), p); arrives {
		r.announce(p, delay+1+r.net.latency[0])
	}
}

// renewRequest looks after a request whose timer is due.
func (r *Run) renewRequest(flow int32) {
	r.grants.asking[flow] = false
	if f := &r.senders[flow]; f.received < f.total {
		r.requestPull(flow, f)
	}
}
