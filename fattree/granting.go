package fattree

import "fmt"

// Granter is a Control with which receivers grant what senders may send: data packets
// carry the demand of their flow, and receivers answer with pulls, which return like ACKs.
// A window is 0 while the flow has no credit. Else it is at least 1: without end if credit alone
// limits the flow, or the window that the sender has beside it. The run panics on others. Ports to
// hosts do not mark, because receivers limit the load of their own links.
type Granter interface {
	Control
	// Open sets the window of a flow that begins.
	Open(w *Window, flow int32)
	// Spend is called when a packet is about to leave; it returns the demand that the
	// packet carries to Ask, in [0, 2^29); the run panics on others. The Granter chooses its unit;
	// package congestion counts quanta of 512 or 256 bytes since the beginning of the flow.
	Spend(w *Window, t Transmission) (demand int32)
	// Ask is called when a packet with a demand from Spend, or only its header, reaches the
	// receiver.
	Ask(flow, demand int32, headerOnly bool, now Picoseconds)
	// Grant returns the next pull of a host that is due, and false if there is none.
	Grant(host Host, now Picoseconds) (p Pull, due bool)
	// Granting reports whether a host has pulls to send later.
	Granting(host Host) bool
	// Pulled is called when a pull reaches its sender.
	Pulled(w *Window, p Pull)
}

// Observer is a Granter that also learns what the packets of its receivers have met.
type Observer interface {
	Granter
	// Observe is called before Ask for each packet, or what is left of it, that reaches a host.
	Observe(host Host, a Arrival)
}

// Arrival reports a packet that reaches its receiver.
type Arrival struct {
	Now     Picoseconds
	Marked  bool // it carries a congestion mark; false if it was trimmed
	Trimmed bool
	LastHop bool // it was trimmed at the port to the receiver
}

// Transmission reports a packet that leaves its host to a Granter.
type Transmission struct {
	Flow    int32
	Left    int32 // packets of the flow that are to be sent after it, lost ones included
	Sharing int32 // flows that wait for the host's link, this one included; with [Spec.DoubleTurns] their turns
	// The last packet of a flow can be shorter than the MTU: the bytes by which this packet is, and
	// those that are left.
	Short, ShortLeft int32
}

// Pull is a receiver's grant.
type Pull struct {
	Flow   int32
	Number int32  // granted to the flow so far, in the Granter's unit, this one included; below 2^29
	EV     uint16 // that it travels with
}

// granting is the state of a Run with a Granter.
type granting struct {
	Granter
	demands []int32  // by flow: that of the packet that it sent last
	asking  []bool   // by flow: the timer of its request is set
	short   []int32  // by flow: bytes by which its last packet is shorter than the MTU
	watches Observer // the Granter if it is one
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
		flows := len(r.senders)
		g = &granting{demands: make([]int32, flows), asking: make([]bool, flows), short: make([]int32, flows)}
		for i := range g.short {
			g.short[i] = int32(r.net.missing(int32(i)))
		}
	}
	g.Granter = granter
	g.watches, _ = c.(Observer)
	clear(g.asking)
	return g
}

// spend lets a packet take its credit, and returns the demand that it carries.
func (t *tile) spend(flow, psn int32, f *sender) (demand int32) {
	left := Transmission{Flow: flow, Left: f.total - f.next + f.lost, Sharing: 1}
	switch short, last := t.grants.short[flow], f.total-1; {
	case psn == last:
		left.Short = short
	case f.next < f.total || t.groups[f.first+last/64].lost>>(uint32(last)%64)&1 == 1:
		left.ShortLeft = short
	}
	host := t.ends[flow].source
	if t.doubles != nil {
		left.Sharing += int32(len(t.doubles[host]))
	} else {
		for next := t.hosts[host].head; next != none; next = t.senders[next].after {
			left.Sharing++
		}
	}
	demand = t.grants.Spend(&f.window, left)
	if uint32(demand) >= 1<<kindShift {
		panic(fmt.Sprintf("fattree: %T returns demand %d of flow %d, must be in [0, %d)", t.grants.Granter, demand, flow, 1<<kindShift))
	}
	t.grants.demands[flow] = demand
	return demand
}

// ask lets a flow's receiver know the demand of a packet, or of a header, that it has got.
func (t *tile) ask(c crossing, headerOnly bool) {
	flow := c.packet.flow()
	if watches := t.grants.watches; watches != nil && c.note.kind() != request {
		watches.Observe(Host(t.ends[flow].destination), Arrival{
			Now: t.now, Marked: !headerOnly && c.packet.marked(), Trimmed: headerOnly, LastHop: c.note.kind() >= lastHop,
		})
	}
	t.grants.Ask(flow, c.note.number(), headerOnly, t.now)
	t.granting.add(t.ends[flow].destination - t.sw.firstHost)
}

// grant sends the pulls that are due.
func (t *tile) grant() {
	for word, hosts := range t.granting {
		for i := range int32(64) {
			if hosts>>uint32(i)&1 == 0 {
				continue
			}
			host := t.sw.firstHost + int32(64*word) + i
			for {
				p, due := t.grants.Grant(Host(host), t.now)
				if !due {
					break
				}
				t.sendHeader(crossing{packet: newPacket(p.Flow, 0, p.EV).as(answer), note: noted(pull, p.Number)})
			}
			if !t.grants.Granting(Host(host)) {
				t.granting.remove(int32(64*word) + i)
			}
		}
	}
}

// takePull takes in a pull at its sender.
func (t *tile) takePull(c crossing) {
	flow := c.packet.flow()
	f := &t.senders[flow]
	if f.received < f.total || t.messages != nil { // the next message can use the credit
		t.grants.Pulled(&f.window, Pull{Flow: flow, Number: c.note.number(), EV: c.packet.ev()})
		t.offer(flow, f)
	}
}

// lostPull is the number of RTOs after which a flow that still has no credit asks again, because a pull may
// have been lost.
const lostPull = 32

// requestPull sends a header on behalf of a flow that has no credit, and lost packets or a message to
// start: its receiver may know nothing of it. It carries the demand of the packet that the flow sent last,
// which can be higher than those of lost ones sent before. One is under way at a time; it is sent again
// after an RTO, or if the receiver answers it, as by the rules of UltraEthernet, after lostPull of them.
// [UEC-htsim] sends none for a message, which then waits for ever if no pull is to come.
func (t *tile) requestPull(flow int32, f *sender) {
	if t.grants.asking[flow] || f.window.Packets > 0 || f.lost == 0 && !t.startsMessage(flow, f) {
		return
	}
	t.grants.asking[flow] = true
	t.agenda.add(t.slot+t.timeout, newPacket(flow, 0, renewRequest))
	ev, _ := t.balance.NextEV(flow, t.now)
	t.sendHeader(crossing{packet: newPacket(flow, 0, ev).as(outward), note: noted(request, t.grants.demands[flow])})
}
