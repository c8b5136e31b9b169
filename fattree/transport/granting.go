package transport

import (
	"fmt"

	"repslab/fattree"
)

// granting holds the state of a Run with a Granter.
type granting struct {
	Granter
	observe   func(fattree.Host, Arrival) // see ControlTraits.Observe
	demands   []int32                     // by flow: demand of the packet that it sent last
	requested []bool                      // by flow: the timer of its request for a pull is set
	short     []int32                     // by flow: bytes that its last packet lacks of the MTU
}

// newGranting returns the state for a Granter, or nil without one. It reuses the memory of the run before.
func (f *flows) newGranting(t ControlTraits) *granting {
	if t.Granter == nil {
		return nil
	}
	g := f.grants
	if g == nil {
		flows := len(f.senders)
		g = &granting{demands: make([]int32, flows), requested: make([]bool, flows), short: make([]int32, flows)}
		for i := range g.short {
			g.short[i] = int32(f.Net.Missing(int32(i)))
		}
	}
	g.Granter, g.observe = t.Granter, t.Observe
	clear(g.requested)
	return g
}

// spend charges a packet to the credit of its flow, and returns the demand that the packet carries.
func (h *hosts) spend(flow, psn int32, f *sender) (demand int32) {
	left := Transmission{Flow: flow, Left: f.total - f.next + f.lost, Sharing: 1}
	switch short, last := h.grants.short[flow], f.total-1; {
	case psn == last:
		left.Short = short
	case f.next < f.total || h.groups[f.first+last/64].lost>>(uint32(last)%64)&1 == 1:
		left.ShortLeft = short
	}
	host := h.source(flow)
	if h.doubles != nil {
		left.Sharing += int32(len(h.doubles[host]))
	} else {
		for next := h.Lines[host].Head; next != none; next = h.senders[next].turn.Behind() {
			left.Sharing++
		}
	}
	demand = h.grants.Spend(&f.window, left)
	if uint32(demand) >= fattree.MostNoted {
		panic(fmt.Sprintf("transport: %T returns demand %d of flow %d, must be in [0, %d)", h.grants.Granter, demand, flow, fattree.MostNoted))
	}
	h.grants.demands[flow] = demand
	return demand
}

// ask tells the receiver of a flow the demand of a packet or header that has arrived.
func (h *hosts) ask(c fattree.Crossing, headerOnly bool) {
	flow := c.Packet.Flow()
	if observe := h.grants.observe; observe != nil && c.Note.Kind() != request {
		observe(fattree.Host(h.destination(flow)), Arrival{
			Now: h.Now, Marked: !headerOnly && c.Packet.Marked(), Trimmed: headerOnly, LastHop: c.Note.Kind() >= fattree.LastHop,
		})
	}
	h.grants.Ask(flow, c.Note.Number(), headerOnly, h.Now)
	h.granting.Add(h.destination(flow) - h.First)
}

// grant sends the pulls that are due.
func (h *hosts) grant() {
	for word, hosts := range h.granting {
		for i := range int32(64) {
			if hosts>>uint32(i)&1 == 0 {
				continue
			}
			host := h.First + int32(64*word) + i
			for {
				p, due := h.grants.Grant(fattree.Host(host), h.Now)
				if !due {
					break
				}
				h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(p.Flow, 0, p.EV).As(fattree.Answer), Note: fattree.NewNote(pull, p.Number)})
			}
			if !h.grants.Granting(fattree.Host(host)) {
				h.granting.Remove(int32(64*word) + i)
			}
		}
	}
}

// receivePull takes in a pull at the sender.
func (h *hosts) receivePull(c fattree.Crossing) {
	flow := c.Packet.Flow()
	f := &h.senders[flow]
	if f.received < f.total || h.messages != nil { // the next message can use the credit
		h.grants.Pulled(&f.window, Pull{Flow: flow, Number: c.Note.Number(), EV: c.Packet.EV()})
		h.offer(flow, f)
	}
}

// lostPull is the number of RTOs after which a flow that still has no credit requests a pull again, because a pull
// may have been lost.
const lostPull = 32

// requestPull sends a request header for a flow that has no credit but lost packets or a message to start: its
// receiver may not know that. The header carries the demand of the packet that the flow sent last, which can be
// higher than the demands of earlier, lost packets. Only one request is in flight at a time. It is sent again
// after an RTO. If the receiver answers requests, as under UltraEthernet, it is sent again only after lostPull
// RTOs. [UEC-htsim] sends none for a message, which then waits forever if no pull comes.
func (h *hosts) requestPull(flow int32, f *sender) {
	if h.grants.requested[flow] || f.window.Packets > 0 || f.lost == 0 && !h.startsMessage(flow, f) {
		return
	}
	h.grants.requested[flow] = true
	h.agenda.add(h.Slot+h.timeout, fattree.NewPacket(flow, 0, renewRequest))
	ev, _ := h.balance.NextEV(flow, h.Now)
	h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(flow, 0, ev).As(fattree.Outward), Note: fattree.NewNote(request, h.grants.demands[flow])})
}
