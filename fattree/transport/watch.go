//go:build !js

package transport

import (
	"cmp"
	"slices"

	"repslab/fattree"
)

// watch records events.
type watch struct {
	WatchConfig
	run    *fattree.Run
	traits Traits     // of the balancer
	of     []*watched // by flow; nil if the flow is not watched
}

// watched holds the events of a flow. The flows of different hosts can be advanced at the same time.
type watched struct {
	events  []Event
	left    int64 // number of events that found no room
	frozen  bool
	slots   []Slot // memory for the slots of events
	scratch []Slot
	path    []int32 // path of the last event
}

// newWatch returns a recorder of events, or nil if there are no flows to watch.
func (f *flows) newWatch(cfg WatchConfig, run *fattree.Run) *watch {
	if len(cfg.Flows) == 0 {
		return nil
	}
	cfg.Most = cmp.Or(cfg.Most, defaultMostEvents)
	cfg.To = cmp.Or(cfg.To, fattree.Picoseconds(1<<63-1))
	w := &watch{WatchConfig: cfg, run: run, of: make([]*watched, len(f.senders))}
	for _, flow := range cfg.Flows {
		if flow >= 0 && int(flow) < len(w.of) {
			w.of[flow] = new(watched)
		}
	}
	return w
}

// reset forgets the events of the run before and prepares for a run with a balancer of the given traits.
func (w *watch) reset(t Traits) {
	if w == nil {
		return
	}
	w.traits = t
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

// next returns the origin of a flow's next EV, before it is chosen; empty if the flow is not watched.
func (w *watch) next(flow int32) Origin {
	if w == nil { // the common case, inlined
		return ""
	}
	return w.origin(flow)
}

// origin is next with a recorder.
func (w *watch) origin(flow int32) Origin {
	if w.traits.Inspect == nil || w.of[flow] == nil {
		return ""
	}
	of := w.of[flow]
	memory := w.traits.Inspect(flow, of.scratch[:0])
	of.scratch = memory.Slots
	return memory.Next
}

// emit records an event at the sender f, and the beginning or end of freezing mode with it. A nil watch records
// nothing.
func (w *watch) emit(e Event, f *sender) {
	if w == nil || w.of[e.Flow] == nil {
		return
	}
	of := w.of[e.Flow]
	e.Window, e.InFlight = f.window.Packets, f.inFlight
	if w.traits.Inspect != nil {
		e.Memory = w.traits.Inspect(e.Flow, of.scratch[:0])
		if of.scratch = e.Slots; w.Each == nil {
			e.Slots = of.keep(e.Slots)
		}
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

// add records an event, or passes it to Each, if its time is in range and there is room.
func (w *watch) add(of *watched, e Event) {
	switch {
	case e.Time < w.From || e.Time >= w.To:
	case w.Each != nil:
		if e.EV >= 0 {
			of.path = w.run.AppendPath(of.path[:0], e.Flow, uint16(e.EV), 0)
			e.Path = of.path
		}
		w.Each(e)
	case len(of.events) >= w.Most:
		of.left++
	default:
		of.events = append(of.events, e)
	}
}

// keep returns a permanent copy of slots.
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
