package transport

import (
	"cmp"
	"slices"

	"repslab/fattree"
)

// EventKind says what happens to a flow at its sender.
type EventKind string

// The kinds of events.
const (
	EventSend    EventKind = "send"    // a packet leaves for the first time
	EventResend  EventKind = "resend"  // a packet that was declared lost leaves again
	EventRequest EventKind = "request" // a request to send again leaves, see [fattree.Spec.RequestsForRetransmission]
	EventProbe   EventKind = "probe"   // a probe leaves
	EventAck     EventKind = "ack"     // the balancer learns that a packet has arrived
	EventNack    EventKind = "nack"    // a packet that was trimmed is declared lost
	EventTimeout EventKind = "timeout" // a packet, or a request, is declared lost because no ACK came
	EventReply   EventKind = "reply"   // a probe, or a request, is answered
	EventFreeze  EventKind = "freeze"  // freezing mode begins
	EventThaw    EventKind = "thaw"    // freezing mode ends
	EventEnd     EventKind = "end"     // the sender knows that all packets have arrived
)

// Origin says where the EV of a packet comes from, in one word; empty if the balancer does not tell.
type Origin string

// The origins of balancers that draw, keep and rotate EVs. Those of REPS have the names of [repslab/reps.Origin].
const (
	OriginRandom   Origin = "random"   // drawn
	OriginRotation Origin = "rotation" // the next one of a fixed order
	OriginFixed    Origin = "fixed"    // the one of the flow
)

// Slot is a place of a balancer's memory of EVs.
type Slot struct {
	EV    uint16
	Valid bool // the EV is not used up
}

// Memory is what the choice of a flow's next EV rests on.
type Memory struct {
	Next   Origin // of the EV of the next packet
	Frozen bool   // the flow is in freezing mode
	Valid  int    // slots that are valid
	Slots  []Slot // none if the balancer keeps no EVs
}

// Inspector is a Balancer that shows what it remembers of a flow.
type Inspector interface {
	// Inspect returns what the choice of the flow's next EV rests on, and changes nothing. It appends the slots to dst.
	Inspect(flow int32, dst []Slot) Memory
}

// Event is something that happens to a flow at its sender.
type Event struct {
	Time   fattree.Picoseconds
	Flow   int32
	Kind   EventKind
	Packet int32 // number of the packet in its flow, or of the request, from 0; -1 if the event is of none
	// EV is that of the packet, -1 if there is none.
	EV int32
	// Path holds the choices on the way that the EV names, see [fattree.Run.AppendPath]; none without an EV, or if
	// switches choose themselves. At a network card with several links, which are used in turn, the first one is meant.
	Path []int32
	// Origin is where the EV of what is sent comes from.
	Origin Origin
	Marked bool                // the acknowledged packet carried a congestion mark
	RTT    fattree.Picoseconds // since the packet was last sent, of ACKs and NACKs of one packet; else 0
	Window float64             // cwnd after the event, packets
	// InFlight is the number of packets in flight after the event.
	InFlight int32
	// Memory is what the balancer remembers after the event; without slots if it is no [Inspector]. Its Next is the origin
	// of the packet that comes next.
	Memory
}

// WatchConfig says which events a run records.
type WatchConfig struct {
	Flows    []int32             // whose events are recorded
	From, To fattree.Picoseconds // events before From and from To on are not; a To of 0 is the end of the run
	Most     int                 // events of each flow, the first ones; 0 means 100,000
}

// defaultMostEvents is the default of WatchConfig.Most.
const defaultMostEvents = 100_000

// watch records events.
type watch struct {
	WatchConfig
	inspector Inspector  // nil if the balancer is none
	of        []*watched // by flow; nil if it is not watched
}

// watched holds the events of a flow. The flows of different hosts can be advanced at the same time.
type watched struct {
	events  []Event
	left    int64 // events that found no room
	frozen  bool
	slots   []Slot // room for those of events
	scratch []Slot
}

// Watch makes the following runs record the events of flows, which are then in [Run.Events]; none without flows. A
// flow that does not exist is passed over. Flows in connections of several messages are the connection, under the number of its
// first message. Events of a run cost memory: about 120 bytes each and 4 for each slot of a ring.
func (r *Run) Watch(cfg WatchConfig) { r.flows.watch = r.flows.newWatch(cfg) }

// Events returns the events of the last run in the order of their times, those of a time by flow, and the number of
// those that WatchConfig.Most left out. O(events log events).
func (r *Run) Events() (events []Event, left int64) {
	events, left = r.flows.watch.all()
	for i := range events {
		if e := &events[i]; e.EV >= 0 {
			e.Path = r.AppendPath(nil, e.Flow, uint16(e.EV), 0)
		}
	}
	return events, left
}

// newWatch returns what records events, or nil if there are no flows to watch.
func (f *flows) newWatch(cfg WatchConfig) *watch {
	if len(cfg.Flows) == 0 {
		return nil
	}
	cfg.Most = cmp.Or(cfg.Most, defaultMostEvents)
	cfg.To = cmp.Or(cfg.To, fattree.Picoseconds(1<<63-1))
	w := &watch{WatchConfig: cfg, of: make([]*watched, len(f.senders))}
	for _, flow := range cfg.Flows {
		if flow >= 0 && int(flow) < len(w.of) {
			w.of[flow] = new(watched)
		}
	}
	return w
}

// reset forgets the events of the run before and prepares for one with a balancer.
func (w *watch) reset(b Balancer) {
	if w == nil {
		return
	}
	w.inspector, _ = b.(Inspector)
	for _, of := range w.of {
		if of != nil {
			*of = watched{}
		}
	}
}

// all returns the recorded events, in order.
func (w *watch) all() (events []Event, left int64) {
	if w == nil {
		return nil, 0
	}
	for _, of := range w.of {
		if of != nil {
			events, left = append(events, of.events...), left+of.left
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
	return events, left
}

// next returns the origin of a flow's next EV, before it is chosen; nothing if nobody watches the flow.
func (w *watch) next(flow int32) Origin {
	if w == nil || w.inspector == nil || w.of[flow] == nil {
		return ""
	}
	of := w.of[flow]
	memory := w.inspector.Inspect(flow, of.scratch[:0])
	of.scratch = memory.Slots
	return memory.Next
}

// note records an event at the sender f, with a freezing mode that has begun or ended with it. A nil watch records
// nothing.
func (w *watch) note(e Event, f *sender) {
	if w == nil || w.of[e.Flow] == nil {
		return
	}
	of := w.of[e.Flow]
	e.Window, e.InFlight = f.window.Packets, f.inFlight
	if w.inspector != nil {
		e.Memory = w.inspector.Inspect(e.Flow, of.scratch[:0])
		of.scratch, e.Slots = e.Slots, of.keep(e.Slots)
	}
	w.add(of, e)
	if e.Frozen == of.frozen {
		return
	}
	of.frozen = e.Frozen
	changed := Event{Time: e.Time, Flow: e.Flow, Kind: EventThaw, Packet: none, EV: none, Window: e.Window, InFlight: e.InFlight, Memory: e.Memory}
	if e.Frozen {
		changed.Kind = EventFreeze
	}
	w.add(of, changed)
}

// add records an event if it is in time and there is room.
func (w *watch) add(of *watched, e Event) {
	switch {
	case e.Time < w.From || e.Time >= w.To:
	case len(of.events) >= w.Most:
		of.left++
	default:
		of.events = append(of.events, e)
	}
}

// keep returns a copy of slots that stays.
func (of *watched) keep(slots []Slot) []Slot {
	if len(slots) == 0 {
		return nil
	}
	if len(of.slots) < len(slots) {
		of.slots = make([]Slot, max(4096, len(slots)))
	}
	kept := of.slots[:len(slots):len(slots)]
	of.slots = of.slots[len(slots):]
	copy(kept, slots)
	return kept
}

// noteSent records that a packet, or with psn none a request or a probe, leaves. The origin of its EV was noted before.
func (h *hosts) noteSent(kind EventKind, flow, psn int32, ev uint16, origin Origin, f *sender) {
	h.watch.note(Event{Time: h.Now, Flow: flow, Kind: kind, Packet: psn, EV: int32(ev), Origin: origin}, f)
}

// noteAnswer records what a flow has learned of a packet, or of something else with psn none.
func (h *hosts) noteAnswer(kind EventKind, flow, psn int32, p fattree.Packet, rtt fattree.Picoseconds, f *sender) {
	h.watch.note(Event{Time: h.Now, Flow: flow, Kind: kind, Packet: psn, EV: int32(p.EV()), Marked: p.Marked(), RTT: rtt}, f)
}

// noteLost records that a packet is declared lost.
func (h *hosts) noteLost(flow, psn int32, ev uint16, kind Kind, f *sender) {
	e := Event{Time: h.Now, Flow: flow, Kind: EventTimeout, Packet: psn, EV: int32(ev)}
	if kind == Nacked {
		e.Kind, e.RTT = EventNack, h.sinceSent(f, psn)
	}
	h.watch.note(e, f)
}
