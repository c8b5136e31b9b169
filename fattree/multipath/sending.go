package multipath

import (
	"math/bits"
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/endpoint"
)

// sender is the state of a flow at its source.
type sender struct {
	window   transport.Window
	sent     []transmission // part of flows.sent
	total    int32          // packets; 0 before it begins
	next     int32          // number of the next new packet
	inFlight int32          // packets
	acked    int32          // packets
	complete int32          // packets that the receiver has without a gap
	lost     int32          // packets declared lost and not yet retransmitted
	lostFrom int32          // no packet below is lost
	filled   int32          // slot in which complete last grew; used with a timer for each connection
	lastAck  int32          // slot of the last SACK for another packet than the last one
	turn     endpoint.Turn  // in the line of its host
	probing  bool           // a reliability probe is in flight
}

// transmission is the last transmission of a packet.
type transmission struct {
	slot     int32
	ev       uint16
	state    packetState
	timeouts uint8 // time-outs in a row
}

// packetState is what the sender knows of a packet. It means nothing before the packet is sent.
type packetState uint8

const (
	inFlight packetState = iota
	lost
	acked
)

// mostBeyond is how many packets a receiver tracks beyond the first missing one, [MRC26].
const mostBeyond = 255 * 128

// start is the slot in which a flow begins.
type start struct{ slot, flow int32 }

// Start implements [fattree.Hosts].
func (h *hosts) Start(flow, slot int32) {
	at := len(h.starts)
	for at > 0 && h.starts[at-1].slot <= slot {
		at--
	}
	h.starts = slices.Insert(h.starts, at, start{slot, flow})
}

// beginFlows begins the flows that are due.
func (h *hosts) beginFlows() {
	for last := len(h.starts) - 1; last >= 0 && h.starts[last].slot <= h.Slot; last-- {
		flow := h.starts[last].flow
		h.starts = h.starts[:last]
		f := &h.senders[flow]
		f.window, f.total = h.initialWindow(), int32(h.Net.Packets(flow))
		f.sent = h.flows.sent[64*int(h.Net.FirstGroup(flow)):][:min(int(f.total), h.Net.Places(flow))]
		if from, known := h.heirs.Begin(h.Net, flow, h.traits.Inherit); known {
			f.window.Packets = h.senders[from].window.Packets
		}
		h.offer(flow, f)
	}
}

// initialWindow returns the window of a flow that begins: at most one and a half bandwidth-delay products, at the
// rate of all links of the host.
func (f *flows) initialWindow() transport.Window {
	most := max(1, 1.5*f.Net.LongestBDP())
	return transport.Window{Packets: min(float64(f.options.InitialWindow), most), Most: most}
}

// maySend reports whether a flow has something to send that fits into its window.
func (f *sender) maySend() bool {
	return float64(f.inFlight) < f.window.Packets && (f.lost > 0 || f.next < f.total && f.next < f.complete+mostBeyond)
}

// offer puts a flow into its host's line if it may send and does not stand there.
func (h *hosts) offer(flow int32, f *sender) {
	if f.turn != 0 || !f.maySend() {
		return
	}
	source, _ := h.Net.Pair(flow)
	h.Lines[source].Join(flow, &f.turn)
	h.ready.Add(int32(source) - h.First)
}

// serve lets hosts send that have something to send.
func (h *hosts) serve() {
	for word, ready := range h.ready {
		for ; ready != 0; ready &= ready - 1 {
			host := int32(word*64 + bits.TrailingZeros64(ready))
			l := &h.Lines[h.First+host]
			h.serveHost(host, l)
			if l.Head == endpoint.None && !h.Owes(host) {
				h.ready.Remove(host)
			}
		}
	}
}

// serveHost lets a host send a packet over each free link. If a flow has no path over a free link, it keeps its
// turn for the next slot.
func (h *hosts) serveHost(host int32, l *endpoint.Line) {
	free, pause := h.freeLinks(host), h.options.Pauses(h.Now)
	for skipped := int32(endpoint.None); free != 0 && l.Head != endpoint.None && l.Head != skipped; {
		flow := l.Head
		f := &h.senders[flow]
		l.Leave(&f.turn)
		if !f.maySend() {
			continue
		}
		if ev, recycled, ok := h.nextPath(flow, free, pause && f.lost == 0); ok {
			free &^= 1 << transport.PlaneOf(ev, h.planes)
			if recycled {
				h.Recycled++
			}
			h.send(host, flow, f, ev)
		} else if skipped == endpoint.None {
			skipped = flow
		}
		if f.maySend() {
			l.Join(flow, &f.turn)
		}
	}
}

// nextPath returns the EV of a flow's next packet, or false if the flow pauses.
func (h *hosts) nextPath(flow int32, free uint16, pause bool) (ev uint16, recycled, ok bool) {
	if pause {
		return 0, false, false
	}
	return h.paths.NextPath(flow, free, h.Now)
}

// freeLinks lets a host's link spend the slot if it is still busy. It returns a bit for each link that can begin a
// packet.
func (h *hosts) freeLinks(host int32) (free uint16) {
	if h.Links() == 0 {
		if h.SpendSlot(host) {
			return 0
		}
		return 1
	}
	for link := range h.Links() {
		if h.TurnTo(link); h.LinkFree() && h.LinkWorks() {
			free |= 1 << link
		}
	}
	return free
}

// send sends the next packet of a flow along a path: its lowest lost packet, or a new one.
func (h *hosts) send(host, flow int32, f *sender, ev uint16) {
	psn, again, note := f.next, f.lost > 0, fattree.Note(0)
	if again {
		psn, note = h.nextLost(f), fattree.NewNote(0, 1) // retransmissions go first, if switches allow it
		h.Retransmitted++
	} else if f.next++; f.next == f.total {
		h.SentAll(flow)
	}
	f.inFlight++
	h.Sent++
	p := fattree.NewPacket(flow, psn, ev)
	if again || f.next == f.total || float64(f.inFlight) >= f.window.Packets {
		p |= fattree.RequestBit
	}
	t := &f.sent[psn]
	*t = transmission{slot: h.Slot, ev: ev, timeouts: t.timeouts}
	h.timers.add(h.Slot+h.half, timer{flow, psn, 2 * periods(t.timeouts)})
	h.turnTo(ev)
	h.Send(host, p, note)
}

// nextLost removes the lowest lost packet from the lost packets of a flow and returns it.
func (h *hosts) nextLost(f *sender) (psn int32) {
	for f.sent[f.lostFrom].state != lost {
		f.lostFrom++
	}
	f.lost--
	return f.lostFrom
}

// turnTo makes a host with several links send next over the link to the plane of an EV.
func (h *hosts) turnTo(ev uint16) {
	if h.Links() > 0 {
		h.TurnTo(int32(transport.PlaneOf(ev, h.planes)))
	}
}

// sendHeader sends a header from one of the hosts along the path of its EV.
func (h *hosts) sendHeader(c fattree.Crossing) {
	h.turnTo(c.Packet.EV())
	h.PassHeader(h.Edge, c)
}
