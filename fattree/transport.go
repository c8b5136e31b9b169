package fattree

import (
	"fmt"
	"math"
)

// Transport describes what the hosts of a network do: it takes in arrivals, decides what hosts send, and decides
// when a flow has ended. The network knows only the ends of a flow and the words of its packets. A Transport
// serves one [Run]; several goroutines use the hosts of different tiles at the same time. Package transport
// implements the rules of the paper and of Ultra Ethernet.
type Transport interface {
	// Attach returns the hosts of a tile, not nil. They reach the network through e. It is called once for each
	// switch with hosts, when the Run is made.
	Attach(e *Edge) Hosts
	// Begin prepares for a run with the given streams and returns what the transport needs of the network.
	Begin(s Streams) Needs
}

// Hosts are the hosts attached to a switch. A run calls Start once for each flow, after [Transport].Begin. In a
// slot in which something arrives or is due, it first calls Receive, if packets arrive, and then Step. So no
// method is called for each packet. The slices are valid only during the call.
type Hosts interface {
	// Start announces a flow of one of the hosts. The flow may send from the given slot on, which can be a later
	// one.
	Start(flow, slot int32)
	// Due returns the next slot in which the hosts have something to do even if nothing arrives, such as the slot
	// of the next time-out. A slot in the past means at once; [Never] means that they only answer. It is called
	// between slots, possibly several times; it must change nothing and should be cheap.
	Due() int32
	// Receive takes in the packets, at least one, that reach hosts in the slot [Edge].Slot, in the order in which
	// hosts have to process them.
	Receive(packets []Crossing)
	// Step runs the rest of the slot for all hosts: it takes in headers, and hosts send by methods of the Edge. It
	// may be called in slots in which nothing is due.
	Step(headers []Crossing)
}

// Never is a slot that never comes.
const Never = math.MaxInt32

// Needs lists what a [Transport] needs of the network in a run.
type Needs struct {
	Router  Router  // lets switches choose their ports; may be nil
	Watcher Watcher // observes the packets that the hash routes beside the Router; may be nil
	Notes   bool    // headers carry notes
	Demands bool    // packets carry notes
	// Unmarked turns off marking at ports to hosts: receivers limit the load of their own links, or the delay
	// signals it.
	Unmarked bool
}

// Windowed is a Transport with a window for each flow, for [Run.Trace].
type Windowed interface {
	// Window returns the congestion window of a flow in packets.
	Window(flow int32) float64
	// Frozen returns the number of flows in freezing mode.
	Frozen() int
}

// Edge connects the hosts of a tile to the network: a [Transport] sends through it. Most transports need
// SpendSlot, Owes, Send, SendHeader and Finish, and SentAll if flows start others; the other methods serve
// networks with options. A parameter host counts from 0 within the tile: it is the number of the host minus First.
// Methods may be called in Receive and Step; Slot and Now are then the current slot.
type Edge struct {
	// The Transport itself counts Sent, Retransmitted, Duplicates, Recycled, Probes, Answered and Requests. Packets
	// that it sends without counting them as Sent end the run with an error.
	*Counts
	Slot     int32       // the current slot
	Now      Picoseconds // beginning of the slot
	First    int32       // number of the first host
	Hosts    int32       // attached to the switch
	tile     *tile
	nics     []port         // ports of the hosts
	reportAt int32          // slot of the last report
	reported int32          // reports in it
	answers  [2]*[]Crossing // the links of hosts for headers sent now, by slot of arrival: the first possible one and the next
}

// ReportPlace returns the place of the next report of the tile's hosts in this slot, in [0,
// [Network.ReportPlaces]). The reports of a slot are adjacent, so that they share cache lines. A place is used
// again only when no ACK with its report can be in flight any more.
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

// Owes reports whether the link of a host is still busy in the next slot. The host then has to call
// [Edge.SpendSlot] in that slot, even if it has nothing to send.
func (e *Edge) Owes(host int32) bool { return e.nics[host].debt >= oneSlot }

// Send puts a packet on the link of its host. The link must not be busy: one packet a slot, which is not checked.
// O(1).
func (e *Edge) Send(host int32, p Packet, n Note) {
	t := e.tile
	if t.sw.nic {
		t.departByNIC(p, n)
		return
	}
	nic, ends := &e.nics[host], t.run.ends[p>>flowShift]
	*t.dataUp = append(*t.dataUp, Crossing{p, n, t.portTo(ends.destination, ends, p)<<portShift | uint32(nic.phase())})
	nic.debt += nic.perPacket
}

// SendEmpty is Send for a packet without data. The packet waits in queues like others but takes only a header's
// time on the host's link.
func (e *Edge) SendEmpty(host int32, p Packet) {
	e.Send(host, p, 0)
	if !e.tile.sw.nic {
		nic := &e.nics[host]
		nic.debt -= nic.perPacket - nic.perHeader
	}
}

// Another reports whether the link of a host can begin one more packet in this slot after the one just sent. It
// can if links count bytes and the packet sent was short. waits says that another packet waits.
func (e *Edge) Another(host int32, sent Packet, waits bool) bool {
	t := e.tile
	return t.mayBeShort(sent) && !t.sw.nic && t.another(&e.nics[host], sent, waits)
}

// SendHeader sends a header from a host of the tile to the host of its flow that the header travels to; before a
// sink, to the sender. waits says that the host has packets to send: the header then waits for the packet on the
// wire, and delays the packets by its own time. O(1).
func (e *Edge) SendHeader(c Crossing, waits bool) {
	t := e.tile
	if t.run.oneSwitch {
		bucket := t.downlink[header].at(t.slot + t.net.headers[0])
		*bucket = append(*bucket, c)
		return
	}
	if t.sw.nic {
		t.sendByNIC(&c, waits)
		return
	}
	ends := t.run.ends[c.Packet>>flowShift]
	host, to := ends.destination, ends.source
	if c.Packet.Outward() {
		host, to = to, host
	}
	p := &e.nics[host-e.First]
	leaves := p.passAhead(c.Phase(), ifTrue(waits)).later(t.net.lags[0])
	slot := t.slot + t.net.headers[0] + leaves.slot()
	if t.run.router != nil && waits && t.yields(host, p) {
		slot++
	}
	bucket := t.uplink[header].at(slot)
	*bucket = append(*bucket, Crossing{c.Packet, c.Note, t.portTo(to, ends, c.Packet)<<portShift | uint32(leaves.phase())})
}

// SentAll notes that a flow has sent all its packets for the first time. The network then expects the end of the
// flow a round trip later at the earliest, and its delivery a one-way trip later. A transport must call it if flows
// of other switches wait for the end of the flow.
func (e *Edge) SentAll(flow int32) {
	if t := e.tile; t.run.isNews(flow) {
		least := t.net.Way(flow).least
		if t.run.scripted {
			least = t.net.Way(flow).leastOut
		}
		t.worker.ending = append(t.worker.ending, t.slot+least)
	}
}

// Deliver notes that a flow is complete at its destination: the packet with the given number, counted from the flow's
// first one, is the last to arrive, in this slot. A transport must call it once for each flow if
// [Network.TellsDelivery], and otherwise never.
func (e *Edge) Deliver(flow, number int32) {
	t := e.tile
	at := e.Now + t.net.Way(flow).outRounding
	switch last := int32(t.net.spec.Packets(t.net.spec.Workload.Flows[flow].Bytes)) - 1; {
	case last == 0 && !t.net.Connects():
		at -= t.net.Shortage(flow, 0, nil)
	case number == last: // it may follow other packets, and then saves time on one link only
		at -= Picoseconds(float64(8000*t.net.Missing(flow)) / t.net.outline.Links[0].Gbps)
	}
	t.worker.news = append(t.worker.news, news{flow, true, at})
}

// Finish notes the end of a flow, and panics if the flow has already ended. The end for an ACK that arrives in
// this slot is Now + [Way].Rounding, which undoes the rounding of latencies to slots. Flows that wait for the end
// start in the next slot at the earliest.
func (e *Edge) Finish(flow int32, end Picoseconds) {
	if e.Finished(flow) {
		panic(fmt.Sprintf("fattree: flow %d ends twice", flow))
	}
	t := e.tile
	if !t.run.oneSwitch { // rounding to slots, and links to slower links, can make it early by less than a packet
		end = max(end, t.run.result.Flows[flow].Start+t.net.Unloaded(flow))
	}
	t.run.result.Flows[flow].End = end
	t.finished++
	t.lastEnd = max(t.lastEnd, t.slot)
	if t.run.isNews(flow) {
		t.ended++
		t.worker.news = append(t.worker.news, news{flow, false, end})
	} else if t.net.spec.Workload.Flows[flow].Fires != NoTrigger {
		t.run.starts.follow(flow, Picoseconds(t.slot+1)*t.net.slotTime, t.run.start)
	}
}

// Answer is a fast SendHeader for hosts with one link, if switches do not choose ports. It takes the header of a
// packet back to its source.
func (e *Edge) Answer(host int32, p Packet, n Note, phase Moment, waits bool) {
	t := e.tile
	leaves := e.nics[host].passAhead(phase, ifTrue(waits)).later(t.net.lags[0])
	ends, list := t.run.ends[p>>flowShift], e.answers[leaves/aSlot%2]
	*list = append(*list, Crossing{p, n, t.portTo(ends.source, ends, p)<<portShift | uint32(leaves.phase())})
}

// ifTrue returns all ones if x, otherwise 0.
func ifTrue(x bool) (mask uint64) {
	if x {
		mask = 1
	}
	return -mask
}

// Join puts a packet into the queue of its port at once, for networks with a sink.
func (e *Edge) Join(p Packet, n Note) {
	t := e.tile
	t.single[0] = Crossing{p, n, t.toward(p) << portShift}
	t.enqueue(t.single[:])
}

// LinkPhase returns by how much the link of a host lags behind the beginning of the slot.
func (e *Edge) LinkPhase(host int32) Moment { return e.nics[host].phase() }

// BeginAt lets the idle link of a host begin its next packet at a phase of the slot.
func (e *Edge) BeginAt(host int32, phase Moment) {
	if p := &e.nics[host]; p.perPacket > 0 {
		p.debt = max(p.debt, uint32(phase)<<10) // debt may be left from a packet of several slots
	} else if p.debt < oneSlot {
		p.debt = uint32(phase) << 10
	}
}

// Links returns the number of links of the tile's only host if it has a NIC of its own ([Switch].NIC), otherwise
// 0.
func (e *Edge) Links() int32 {
	if !e.tile.sw.nic {
		return 0
	}
	return e.tile.sw.count
}

// LinkFree reports whether the next link of a host with a NIC of its own can begin a packet in this slot.
func (e *Edge) LinkFree() bool { return e.tile.linkFree(uint32(e.tile.sw.first + e.tile.nextLink)) }

// PassLink skips the next link of a host with a NIC of its own.
func (e *Edge) PassLink() { e.tile.takeLink() }

// TurnTo makes a link of a host with a NIC of its own the next one, in [0, Links()).
func (e *Edge) TurnTo(link int32) { e.tile.nextLink = link }

// LinkWorks reports whether the next link of a host with a NIC of its own has not failed.
func (e *Edge) LinkWorks() bool { return e.tile.ports[e.tile.sw.first+e.tile.nextLink].side != failed }

// Finished reports whether a flow has ended.
func (e *Edge) Finished(flow int32) bool { return e.tile.run.result.Flows[flow].End != Unfinished }

// Reordered counts a packet that arrived depth packets behind the highest one of its flow.
func (e *Edge) Reordered(depth int32) { e.tile.reorder[min(depth, mostReorder)]++ }

// NewHeader returns a header that answers a packet or header that arrived at a phase of the slot
// ([Crossing.Phase]).
func NewHeader(p Packet, n Note, phase Moment) Crossing { return Crossing{p, n, uint32(phase)} }
