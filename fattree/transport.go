package fattree

import (
	"fmt"
	"math"
)

// Transport describes what the hosts of a network do: it takes in what reaches them, decides what they send, and
// when a flow has ended. The network knows of a flow its ends and its packets' words and nothing else. A
// Transport serves one [Run]; several goroutines use the hosts of different tiles at the same time. Package
// transport has those of the paper and of Ultra Ethernet.
type Transport interface {
	// Attach returns the hosts of a tile, not nil, which reach the network by e. It is called once for each
	// switch with hosts, when the Run is made.
	Attach(e *Edge) Hosts
	// Begin prepares for a run with the given streams and returns what it asks of the network.
	Begin(s Streams) Needs
}

// Hosts are those attached to a switch, as their transport runs them. A run calls Start once for each flow, after
// [Transport].Begin; and in a slot in which something arrives or is due first Receive, if packets arrive, and then
// Step: no method is called for each packet. The slices are valid during the call.
type Hosts interface {
	// Start announces a flow of one of the hosts that may send from a slot on, which can be a later one.
	Start(flow, slot int32)
	// Due returns a slot before which the hosts have nothing to do unless something arrives, such as that of
	// the next time-out: in a slot of the past they have something to do at once; [Never] if they only answer.
	// It is called between slots, also several times, must change nothing, and should be cheap.
	Due() int32
	// Receive takes in the packets that reach hosts in the slot [Edge].Slot, at least one, in the order in
	// which they are to be taken.
	Receive(packets []Crossing)
	// Step runs the rest of the slot of all hosts: headers arrive, and hosts send by methods of the Edge. It
	// may be called in slots in which nothing is due.
	Step(headers []Crossing)
}

// Never is a slot that never comes.
const Never = math.MaxInt32

// Needs lists what a [Transport] asks of the network in a run.
type Needs struct {
	Router  Router // lets switches choose their ports; may be nil
	Notes   bool   // headers carry notes
	Demands bool   // packets do too
	// Unmarked says that ports to hosts do not mark: receivers limit the load of their own links, or the delay tells of
	// it.
	Unmarked bool
}

// Windowed is a Transport whose flows have windows, for [Run.Trace].
type Windowed interface {
	// Window returns the congestion window of a flow in packets.
	Window(flow int32) float64
	// Frozen returns the number of flows in freezing mode.
	Frozen() int
}

// Edge is where the hosts of a tile meet the network: what a [Transport] sends leaves by it. Most need SpendSlot,
// Owes, Send, SendHeader and Finish, and SentAll where flows start others; the other methods serve networks with
// options. A parameter host counts from 0 within the tile: it is the number of the host less First. Methods may be
// called in Receive and Step, of whose slot Slot and Now are.
type Edge struct {
	// Of these the Transport counts Sent, Retransmitted, Duplicates, Recycled, Probes and Answered: what it
	// sends without counting it as Sent ends the run by an error.
	*Counts
	Slot     int32       // that is run
	Now      Picoseconds // its beginning
	First    int32       // number of the first host
	Hosts    int32       // attached to the switch
	tile     *tile
	nics     []port         // of the hosts
	reportAt int32          // slot of the last report
	reported int32          // reports in it
	answers  [2]*[]Crossing // what is put into the links of hosts, by slot of arrival from the first possible one on
}

// ReportPlace returns the place of the next report of the tile's hosts in the slot, in [0, [Network.ReportPlaces]). The
// few of a slot are adjacent, so that they share cache lines. Places are used again when no ACK with such a report can
// be under way any more.
func (e *Edge) ReportPlace() int32 {
	n := e.tile.net
	if e.reportAt != e.Slot {
		e.reportAt, e.reported = e.Slot, 0
	}
	at := (e.First*n.life+e.Hosts*(e.Slot%n.life))*n.arrivals() + e.reported
	e.reported++
	return at
}

// Network returns the network.
func (e *Edge) Network() *Network { return e.tile.net }

// SpendSlot reports whether a host's link is still busy with an earlier packet. If so, this slot is used up for that
// packet. Call it once in a slot for each host that wants to send, before Send, and for each host that Owes. O(1).
func (e *Edge) SpendSlot(host int32) (busy bool) {
	nic := &e.nics[host]
	if nic.debt < oneSlot {
		return false
	}
	nic.debt -= oneSlot
	return true
}

// Owes reports whether the link of a host will be busy in the next slot. Hosts have to spend that slot on it,
// by [Edge.SpendSlot], also if they have nothing to send.
func (e *Edge) Owes(host int32) bool { return e.nics[host].debt >= oneSlot }

// Send puts a packet on the link of its host, which must not be busy: one in a slot, which is not checked. O(1).
func (e *Edge) Send(host int32, p Packet, n Note) {
	t := e.tile
	if t.sw.nic {
		t.departByNIC(p, n)
		return
	}
	nic, ends := &e.nics[host], t.ends[p>>flowShift]
	*t.dataUp = append(*t.dataUp, Crossing{p, n, t.portTo(ends.destination, ends, p)<<portShift | uint32(nic.phase())})
	nic.debt += nic.perPacket
}

// SendEmpty is Send for a packet without data, which waits in queues as others do but takes no more of the
// host's link than a header.
func (e *Edge) SendEmpty(host int32, p Packet) {
	e.Send(host, p, 0)
	if !e.tile.sw.nic {
		nic := &e.nics[host]
		nic.debt -= nic.perPacket - nic.perHeader
	}
}

// Another reports whether the link of a host can begin one more packet in the slot behind the one just sent,
// because links know the bytes of packets and that one was short; waits says that another one waits.
func (e *Edge) Another(host int32, sent Packet, waits bool) bool {
	t := e.tile
	return t.byBytes && !t.sw.nic && t.another(&e.nics[host], sent, waits)
}

// SendHeader sends a header to the host of its flow that it travels to, from the other one, which is one of the
// tile; before a sink to the sender. waits says that the host has packets to send: then the header waits for the
// packet on the wire, and takes its time from the packets. O(1).
func (e *Edge) SendHeader(c Crossing, waits bool) {
	t := e.tile
	if t.oneSwitch {
		bucket := t.downlink[header].at(t.slot + t.net.headers[0])
		*bucket = append(*bucket, c)
		return
	}
	if t.sw.nic {
		t.sendByNIC(&c, waits)
		return
	}
	ends := t.ends[c.Packet>>flowShift]
	host, to := ends.destination, ends.source
	if c.Packet.Outward() {
		host, to = to, host
	}
	p := &e.nics[host-e.First]
	leaves := p.passAhead(c.Phase(), ifTrue(waits)).later(t.net.lags[0])
	slot := t.slot + t.net.headers[0] + leaves.slot()
	if t.router != nil && waits && t.yields(host, p) {
		slot++
	}
	bucket := t.uplink[header].at(slot)
	*bucket = append(*bucket, Crossing{c.Packet, c.Note, t.portTo(to, ends, c.Packet)<<portShift | uint32(leaves.phase())})
}

// SentAll notes that a flow has sent all its packets for the first time: it can end from a round trip later on, and
// be delivered after half of it. A transport must call it if flows of other switches wait for the end of the flow.
func (e *Edge) SentAll(flow int32) {
	if t := e.tile; t.isNews(flow) {
		least := t.net.Way(flow).Least
		if t.scripted {
			least = t.net.Way(flow).leastOut
		}
		t.worker.ending = append(t.worker.ending, t.slot+least)
	}
}

// Deliver notes that the last packet of a flow to arrive at its host, of some number, does so in the slot. A transport
// must call it once for each flow if [Network.TellsDelivery], and not else.
func (e *Edge) Deliver(flow, number int32) {
	t := e.tile
	at := e.Now + t.net.Way(flow).outRounding
	switch last := t.net.routes[flow].packets - 1; {
	case last == 0:
		at -= t.net.Shortage(flow)
	case number == last: // behind another one, it is faster through one link
		at -= Picoseconds(float64(8000*t.net.Missing(flow)) / t.net.outline.Links[0].Gbps)
	}
	t.worker.news = append(t.worker.news, news{flow, true, at})
}

// Finish notes that a flow ends at a time, for the first time or it panics. In the slot of the last ACK that is
// Now + [Way].Rounding, which takes back the rounding of latencies to slots. Flows that wait for the end start in
// the next slot at the earliest.
func (e *Edge) Finish(flow int32, end Picoseconds) {
	if e.Finished(flow) {
		panic(fmt.Sprintf("fattree: flow %d ends twice", flow))
	}
	t := e.tile
	if !t.oneSwitch { // whole slots, and links that lead to slower ones, can make it early by less than a packet
		end = max(end, t.result.Flows[flow].Start+t.net.Unloaded(flow))
	}
	t.result.Flows[flow].End = end
	t.finished++
	t.lastEnd = max(t.lastEnd, t.slot)
	if t.isNews(flow) {
		t.ended++
		t.worker.news = append(t.worker.news, news{flow, false, end})
	} else if t.net.spec.Workload.Flows[flow].Fires != NoTrigger {
		t.starts.follow(flow, Picoseconds(t.slot+1)*t.net.slotTime, t.start)
	}
}

// Answer is SendHeader for hosts with one link whose switches do not choose ports: it takes the header of a
// packet back to its source.
func (e *Edge) Answer(host int32, p Packet, n Note, phase Moment, waits bool) {
	t := e.tile
	leaves := e.nics[host].passAhead(phase, ifTrue(waits)).later(t.net.lags[0])
	ends, list := t.ends[p>>flowShift], e.answers[leaves/aSlot%2]
	*list = append(*list, Crossing{p, n, t.portTo(ends.source, ends, p)<<portShift | uint32(leaves.phase())})
}

// ifTrue returns all ones if x, else 0.
func ifTrue(x bool) (mask uint64) {
	if x {
		mask = 1
	}
	return -mask
}

// Join puts a packet into the queue of its port at once, as before a sink.
func (e *Edge) Join(p Packet, n Note) {
	t := e.tile
	t.single[0] = Crossing{p, n, t.toward(p) << portShift}
	t.enqueue(t.single[:])
}

// LinkPhase returns by how much the link of a host lags behind the slots.
func (e *Edge) LinkPhase(host int32) Moment { return e.nics[host].phase() }

// BeginAt lets the link of a host, which is idle, begin its next packet at a phase of the slot.
func (e *Edge) BeginAt(host int32, phase Moment) {
	if p := &e.nics[host]; p.perPacket > 0 {
		p.debt = max(p.debt, uint32(phase)<<10) // perhaps left of a packet of several slots
	} else if p.debt < oneSlot {
		p.debt = uint32(phase) << 10
	}
}

// Links returns the number of links of the tile's only host if it has a NIC of its own ([Switch].NIC), else 0.
func (e *Edge) Links() int32 {
	if !e.tile.sw.nic {
		return 0
	}
	return e.tile.sw.count
}

// LinkFree reports whether the next link of a host with a NIC of its own can begin a packet in the slot.
func (e *Edge) LinkFree() bool { return e.tile.linkFree(uint32(e.tile.sw.first + e.tile.nextLink)) }

// PassLink passes over the next link of a host with a NIC of its own.
func (e *Edge) PassLink() { e.tile.takeLink() }

// TurnTo makes a link of a host with a NIC of its own the next one, in [0, Links()).
func (e *Edge) TurnTo(link int32) { e.tile.nextLink = link }

// LinkWorks reports whether the next link of a host with a NIC of its own has not failed.
func (e *Edge) LinkWorks() bool { return e.tile.ports[e.tile.sw.first+e.tile.nextLink].side != failed }

// Finished reports whether a flow has ended.
func (e *Edge) Finished(flow int32) bool { return e.tile.result.Flows[flow].End != Unfinished }

// Reordered notes that a packet came some packets behind the highest one of its flow.
func (e *Edge) Reordered(depth int32) { e.tile.reorder[min(depth, mostReorder)]++ }

// NewHeader returns a header that is sent in answer to a packet or header that arrived at a phase of the slot
// ([Crossing.Phase]).
func NewHeader(p Packet, n Note, phase Moment) Crossing { return Crossing{p, n, uint32(phase)} }
