package transport

import "repslab/fattree"

// EventKind says what happens to a flow at its sender.
type EventKind string

// The kinds of events.
const (
	EventSend    EventKind = "send"    // a packet leaves for the first time
	EventResend  EventKind = "resend"  // a packet that was declared lost leaves again
	EventRequest EventKind = "request" // a request for retransmission leaves, see [Slips.RequestsForRetransmission]
	EventProbe   EventKind = "probe"   // a probe leaves
	EventAck     EventKind = "ack"     // the balancer learns that a packet has arrived
	EventNack    EventKind = "nack"    // a packet that was trimmed is declared lost
	EventTimeout EventKind = "timeout" // a packet, or a request, is declared lost because no ACK came
	EventReply   EventKind = "reply"   // a probe, or a request, is answered
	EventFreeze  EventKind = "freeze"  // freezing mode begins
	EventThaw    EventKind = "thaw"    // freezing mode ends
	EventEnd     EventKind = "end"     // the sender knows that all packets have arrived
)

// Origin says in one word where the EV of a packet comes from; empty if the balancer does not tell.
type Origin string

// The origins for balancers that draw, keep and rotate EVs. Origins of REPS have the names of
// [repslab/reps.Origin].
const (
	OriginRandom   Origin = "random"   // drawn
	OriginRotation Origin = "rotation" // the next one of a fixed order
	OriginFixed    Origin = "fixed"    // the only EV of the flow
)

// Slot is one entry of a balancer's memory of EVs.
type Slot struct {
	EV    uint16
	Valid bool // the EV is not used up
}

// Memory is the state from which a balancer chooses a flow's next EV.
type Memory struct {
	Next    Origin // origin of the EV of the next packet
	Keeps   bool   // the balancer keeps EVs to send them again
	Freezes bool   // the balancer has a freezing mode
	Frozen  bool   // the flow is in freezing mode
	Valid   int    // number of valid slots
	Slots   []Slot // nil if the balancer keeps no EVs
}

// Event is something that happens to a flow at its sender.
type Event struct {
	Time   fattree.Picoseconds
	Flow   int32
	Kind   EventKind
	Packet int32 // number of the packet in its flow, or of the request, from 0; -1 if the event has neither
	// EV of the packet; -1 without one.
	EV int32
	// Path holds the choices on the way of a packet with the EV, see [fattree.Run.AppendPath]; empty without an
	// EV, or if switches choose themselves. For a network card, which uses its links in turn, the path begins with
	// the first link.
	Path []int32
	// Origin says where the EV of the sent packet, probe or request comes from.
	Origin   Origin
	Recycled bool                // the EV of the packet sent was used before, as counted by Result.Recycled
	Marked   bool                // the acknowledged packet carried a congestion mark
	RTT      fattree.Picoseconds // for the ACK or NACK of one packet, time since the packet was last sent; otherwise 0
	Window   float64             // cwnd after the event, packets
	// InFlight is the number of packets in flight after the event.
	InFlight int32
	// Memory is the balancer's memory after the event; it has no slots without [Traits].Inspect. Next is
	// the origin of the EV of the next packet.
	Memory
}

// WatchConfig says which events a run records.
type WatchConfig struct {
	Flows    []int32             // flows to record
	From, To fattree.Picoseconds // events in [From, To) are recorded; a To of 0 is the end of the run
	Most     int                 // record only the first Most events of each flow; 0 means 100,000
	// Each, if set, is called for every event instead of recording it, and Most does not apply. Events of flows of
	// different hosts come concurrently. Path and Slots of the event are valid only during the call.
	Each func(e Event)
}

// defaultMostEvents is the default of WatchConfig.Most.
const defaultMostEvents = 100_000

// Watch makes the following runs record the events of flows for [Run.Events]; without flows it turns recording off.
// Flows that do not exist are ignored. The messages of a connection are recorded under its first one. Each event
// takes about 170 bytes and 4 for each slot of a ring, and as much again when Events is called. Hosts of other
// packages record nothing.
func (r *Run) Watch(cfg WatchConfig) {
	if f, ok := r.hosts.(*flows); ok {
		f.watch = f.newWatch(cfg, r.Run)
	}
}

// Events returns the events of the last run in order of time, then of flow, and the number of events that
// WatchConfig.Most left out. O(events log events).
func (r *Run) Events() (events []Event, left int64) {
	if f, ok := r.hosts.(*flows); ok {
		events, left = f.watch.all()
	}
	for i := range events {
		if e := &events[i]; e.EV >= 0 {
			e.Path = r.AppendPath(nil, e.Flow, uint16(e.EV), 0)
		}
	}
	return events, left
}

// emitSent records that a request or a probe leaves. origin is the origin of its EV.
func (h *hosts) emitSent(kind EventKind, flow int32, ev uint16, origin Origin, f *sender) {
	h.watch.emit(Event{Time: h.Now, Flow: flow, Kind: kind, Packet: none, EV: int32(ev), Origin: origin}, f)
}

// emitAnswer records what a flow learns of a packet, or, with psn none, of a request or probe.
func (h *hosts) emitAnswer(kind EventKind, flow, psn int32, p fattree.Packet, rtt fattree.Picoseconds, f *sender) {
	h.watch.emit(Event{Time: h.Now, Flow: flow, Kind: kind, Packet: psn, EV: int32(p.EV()), Marked: p.Marked(), RTT: rtt}, f)
}

// emitLost records that a packet is declared lost.
func (h *hosts) emitLost(flow, psn int32, ev uint16, kind Kind, f *sender) {
	e := Event{Time: h.Now, Flow: flow, Kind: EventTimeout, Packet: psn, EV: int32(ev)}
	if kind == Nacked {
		e.Kind, e.RTT = EventNack, h.sinceSent(f, psn)
	}
	h.watch.emit(e, f)
}
