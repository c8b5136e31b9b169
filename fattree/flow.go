package fattree

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"repslab/faults"
)

// Picoseconds is simulated time.
type Picoseconds int64

// Units of simulated time.
const (
	Nanosecond  Picoseconds = 1000
	Microsecond             = 1000 * Nanosecond
)

// NoTrigger is the StartedBy and Fires of a flow without triggers: the zero value, because triggers are numbered
// from 1.
const NoTrigger = 0

// Flow is a message from one host to another.
type Flow struct {
	Source, Destination Host
	Bytes               int64       // payload of the message, without headers; at least 1
	Start               Picoseconds // when it may begin; with StartedBy the delay after the trigger
	StartedBy           int         // number of the trigger that starts it, or NoTrigger
	Fires               int         // number of the trigger that the end of this flow fires, or NoTrigger
	FiresOnDelivery     bool        // fire when the whole message has arrived, not when its sender knows it

	// Messages of one connection have the same Connection above 0 and the same hosts; 0 is a flow with a
	// connection of its own. A connection sends its messages one after the other, in the order in which they
	// begin. A message that begins while others are in flight follows right behind them. Window, balancer state
	// and RTT estimates carry over from message to message, and packet numbers continue. A message ends when its
	// sender knows that all its packets have arrived; only the last packet of the messages begun so far requests
	// an ACK. It is delivered with its last missing packet, whether or not the messages before it are.
	// uet-htsim does the same with -conn_reuse ([UEC-htsim]).
	Connection int
}

// NewFlow returns a flow that begins at the time start and has no triggers.
func NewFlow(source, destination Host, bytes int64, start Picoseconds) Flow {
	return Flow{Source: source, Destination: destination, Bytes: bytes, Start: start}
}

// TriggerKind selects the flows that a fired trigger starts.
type TriggerKind uint8

// The kinds of trigger, as in htsim's flow lists.
const (
	OneShot   TriggerKind = iota // the first firing starts all its flows
	MultiShot                    // each firing starts the next of its flows, in order
	Barrier                      // the Count-th firing starts all its flows
)

// Trigger starts flows when others end, as in collectives. A flow ends when its sender has the last
// acknowledgement; a flow with FiresOnDelivery fires its trigger earlier.
type Trigger struct {
	Kind  TriggerKind
	Count int // of a Barrier
}

// Workload lists the flows to send. A flow's number is its index.
type Workload struct {
	Flows    []Flow
	Triggers []Trigger // numbered from 1: Triggers[0] is trigger 1
	// BackgroundEvery makes every BackgroundEvery-th flow, beginning with the first, background traffic with
	// statistics of its own; 0 is none, otherwise at least 2.
	BackgroundEvery int
	// Parts divides a sum of workloads: each part has the next of the Flows. Nil is no division.
	Parts []WorkloadPart
	// Script makes the [Script] of a [Run]. The script starts all flows: they have no trigger and no Start. If Script
	// is nil, flows start at their times and by triggers.
	Script func() Script
}

// WorkloadPart is a part of a workload that is a sum.
type WorkloadPart struct {
	Name  string
	Flows int // number of its flows; 0 if by chance none started
}

// Part returns the range [first, end) of the flows of the part with a name, an empty one if there is no such part.
// O(parts).
func (w *Workload) Part(name string) (first, end int) {
	for _, p := range w.Parts {
		if end = first + p.Flows; p.Name == name {
			return first, end
		}
		first = end
	}
	return 0, 0
}

// Script starts flows during a run. The run calls it between slots, from one goroutine and in an order that does
// not depend on the number of workers. Times count from the beginning of the run.
type Script interface {
	// Reset goes back to the beginning.
	Reset()
	// Delivered reports that all of a flow has arrived at its destination; called only if [Network.TellsDelivery].
	Delivered(flow int32, at Picoseconds)
	// Ended reports that a flow has ended.
	Ended(flow int32, at Picoseconds)
	// Next returns the next time at which Play has something to do by itself, or [Idle] if it waits for flows
	// alone.
	Next() Picoseconds
	// Play acts for all times up to until, inclusive. It calls start once for each flow that begins, with the time
	// at which it begins.
	Play(until Picoseconds, start func(flow int32, at Picoseconds))
}

// Idle is returned by the Next of a Script that waits for flows alone.
const Idle Picoseconds = math.MaxInt64

// tellsDelivery reports whether the script or a trigger needs to know when flows are delivered.
func (w *Workload) tellsDelivery() bool {
	return w.Script != nil || slices.ContainsFunc(w.Flows, func(f Flow) bool { return f.FiresOnDelivery })
}

// Background reports whether a flow is background traffic.
func (w *Workload) Background(flow int) bool {
	return w.BackgroundEvery > 0 && flow%w.BackgroundEvery == 0
}

// Limits of a workload, set by the fields of a packet's word.
const (
	MaxFlows          = 1 << 24
	MaxPacketsPerFlow = 1 << 22
	maxPackets        = 1 << 31 // of all flows, each flow's count rounded up to a multiple of 64
)

// empty reports whether the workload never has a flow.
func (w *Workload) empty() bool { return len(w.Flows) == 0 && w.Script == nil }

// Validate reports the faults of the first faulty flow or trigger of w in a network of the given number of hosts,
// or flows that can never start, as joined [*faults.FieldError] values.
func (w Workload) Validate(hosts int) error {
	bad := faults.List{Package: "fattree"}
	every := w.BackgroundEvery
	scripted := w.Script != nil
	bad.Check(!w.empty() && len(w.Flows) <= MaxFlows, "Flows", len(w.Flows), "must be in [1, %d]", MaxFlows)
	bad.Check(every == 0 || every >= 2 && len(w.Flows) != 1, "BackgroundEvery", every, "must be 0, or at least 2 with as many flows")
	flows := 0
	for _, p := range w.Parts {
		bad.Check(p.Flows >= 0, "Parts", p.Flows, "must not be negative")
		flows += p.Flows
	}
	bad.Check(w.Parts == nil || flows == len(w.Flows), "Parts", flows, "must have all %d flows", len(w.Flows))
	if err := bad.Err(); err != nil {
		return err
	}
	for i, f := range w.Flows {
		if err := f.validate(i, hosts, len(w.Triggers)); err != nil {
			return err
		}
		if scripted && (f.Start != 0 || f.StartedBy != NoTrigger || f.Fires != NoTrigger) {
			return refuse("Flows", i, "Start", ps(f.Start), "must be 0, without triggers, with a Script")
		}
	}
	if err := w.validateConnections(); err != nil {
		return err
	}
	for i, t := range w.Triggers {
		if t.Kind > Barrier {
			return refuse("Triggers", i, "Kind", t.Kind, "must be OneShot, MultiShot or Barrier")
		}
		if t.Kind == Barrier && t.Count < 1 {
			return refuse("Triggers", i, "Count", t.Count, "must be at least 1 for a barrier")
		}
	}
	return w.validateStarts()
}

// validate reports the faults of flow i.
func (f Flow) validate(i, hosts, triggers int) error {
	faults := flowFaults{flow: i}
	if f.Source < 0 || int(f.Source) >= hosts {
		faults.add("Source", f.Source, "must be in [0, %d]", hosts-1)
	}
	if f.Destination < 0 || int(f.Destination) >= hosts {
		faults.add("Destination", f.Destination, "must be in [0, %d]", hosts-1)
	}
	if f.Source == f.Destination && hosts > 1 {
		faults.add("Destination", f.Destination, "must differ from Source")
	}
	if f.Bytes < 1 {
		faults.add("Bytes", f.Bytes, "must be at least 1")
	}
	if f.Start < 0 {
		faults.add("Start", ps(f.Start), "must not be negative")
	}
	if f.Connection < 0 {
		faults.add("Connection", f.Connection, "must not be negative")
	}
	if f.FiresOnDelivery && f.Fires == NoTrigger {
		faults.add("FiresOnDelivery", true, "must be false without Fires")
	}
	within := fmt.Sprintf(" or in [1, %d]", triggers)
	if triggers == 0 {
		within = ": the workload has no triggers"
	}
	if f.StartedBy < 0 || f.StartedBy > triggers {
		faults.add("StartedBy", f.StartedBy, "must be NoTrigger (%d)%s", NoTrigger, within)
	}
	if f.Fires < 0 || f.Fires > triggers {
		faults.add("Fires", f.Fires, "must be NoTrigger (%d)%s", NoTrigger, within)
	}
	return errors.Join(faults.errs...)
}

// flowFaults collects the faults of a flow.
type flowFaults struct {
	flow int
	errs []error
}

// add is not inlined at each of its seven places: faults are rare.
//
//go:noinline
func (l *flowFaults) add(field string, value any, constraint string, args ...any) {
	l.errs = append(l.errs, refuse("Flows", l.flow, field, value, constraint, args...))
}

// validateStarts plays the workload through without a network, as if every flow ended as soon as it starts. Flows
// left over can never start.
func (w Workload) validateStarts() error {
	starts := NewStarter(w)
	started := 0
	var ready []int32
	for i, f := range w.Flows {
		if f.StartedBy == NoTrigger {
			ready = append(ready, int32(i))
		}
	}
	for len(ready) > 0 {
		flow := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		started++
		if trigger := w.Flows[flow].Fires; trigger != NoTrigger {
			ready = append(ready, starts.Fire(trigger)...)
		}
	}
	if started < len(w.Flows) {
		return faults.New("fattree", "Flows", len(w.Flows), "must all start, but %d of %d flows can never start: their triggers are fired too rarely", len(w.Flows)-started, len(w.Flows))
	}
	return nil
}

// Starter tracks which flows the next firing of a trigger starts. It is the [Script] of a workload without a
// script of its own: flows start at their times and by triggers. Only one goroutine at a time may use a Starter,
// except that Fire may be called at the same time for different triggers.
type Starter struct {
	flows    []Flow
	begun    bool    // flows without a trigger have been started
	firing   []int32 // flows with a trigger that Play has to fire
	triggers []Trigger
	waiting  [][]int32 // flows of each trigger not yet started, in order
	fired    []int     // firings of each trigger
	all      [][]int32 // waiting at the beginning
}

// NewStarter returns a Starter of a valid workload at its beginning. O(flows).
func NewStarter(w Workload) *Starter {
	s := &Starter{flows: w.Flows, triggers: w.Triggers, all: make([][]int32, len(w.Triggers)), waiting: make([][]int32, len(w.Triggers)), fired: make([]int, len(w.Triggers))}
	for i, f := range w.Flows {
		if f.StartedBy != NoTrigger {
			s.all[f.StartedBy-1] = append(s.all[f.StartedBy-1], int32(i))
		}
	}
	s.Reset()
	return s
}

// Reset forgets all firings. O(triggers), no allocation.
func (s *Starter) Reset() {
	copy(s.waiting, s.all)
	clear(s.fired)
	s.begun, s.firing = false, s.firing[:0]
}

// Fire returns the flows that this firing of a trigger, numbered from 1, starts; callers must not change the slice.
// O(1), no allocation.
func (s *Starter) Fire(trigger int) []int32 {
	i := trigger - 1
	s.fired[i]++
	waiting := s.waiting[i]
	started := len(waiting)
	switch t := s.triggers[i]; {
	case t.Kind == MultiShot:
		started = min(1, started)
	case t.Kind == Barrier && s.fired[i] < t.Count:
		started = 0
	}
	s.waiting[i] = waiting[started:]
	return waiting[:started]
}

// Delivered implements [Script].
func (s *Starter) Delivered(flow int32, _ Picoseconds) { s.hear(flow, true) }

// Ended implements [Script].
func (s *Starter) Ended(flow int32, _ Picoseconds) { s.hear(flow, false) }

// hear notes that a flow fires its trigger if the event, delivery or end, is the one that fires it.
func (s *Starter) hear(flow int32, delivered bool) {
	if f := &s.flows[flow]; f.Fires != NoTrigger && f.FiresOnDelivery == delivered {
		s.firing = append(s.firing, flow)
	}
}

// Next implements [Script].
func (s *Starter) Next() Picoseconds { return Idle }

// Play implements [Script]: flows that wait for others start at until, or later by their own Start.
func (s *Starter) Play(until Picoseconds, start func(flow int32, at Picoseconds)) {
	for _, flow := range s.firing {
		s.follow(flow, until, start)
	}
	s.firing = s.firing[:0]
	for i := 0; i < len(s.flows) && !s.begun; i++ {
		if f := &s.flows[i]; f.StartedBy == NoTrigger {
			start(int32(i), f.Start)
		}
	}
	s.begun = true
}

// follow starts the flows that wait for the end of a flow.
func (s *Starter) follow(flow int32, from Picoseconds, start func(flow int32, at Picoseconds)) {
	for _, next := range s.Fire(s.flows[flow].Fires) {
		start(next, from+s.flows[next].Start)
	}
}
