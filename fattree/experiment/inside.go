package experiment

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
)

// InsideCount is one of the counts of an [Inside].
type InsideCount uint8

// The counts, exact. Valid, Stale, Random and Explore are the packets of Told with an EV from a valid entry of the
// ring, of a used one in freezing mode, drawn, and drawn in the exploration after freezing mode.
const (
	Valid InsideCount = iota
	Stale
	Random
	Explore
	Told         // packets sent, retransmissions included, with an EV of which the balancer tells where it comes from
	Senders      // flows that have sent a packet
	DistinctEVs  // different EVs of the packets that a flow sends
	MarkedAcks   // ACKs of packets with a congestion mark
	Timeouts     // packets, and requests to send again, declared lost because no ACK came
	Freezes      // times that freezing mode begins
	Frozen       // picoseconds in freezing mode, until the flow's last event
	Lasting      // picoseconds from the start to the end of flows, or of the run
	Looks        // packets sent and ACKs
	ValidEntries // of the ring after each of these, summed
	insideCounts
)

// Inside counts what happens to a flow at its sender, by all of its events ([transport.Event]). Messages of a
// connection count at its first one. A balancer that is no [transport.Inspector] tells neither origins nor entries.
type Inside struct {
	Counts  [insideCounts]int64
	Entries []int64 // by number of valid entries of the ring, how often packets sent and ACKs left so many

	evs    map[int32]bool
	frozen bool                // after the last event
	last   fattree.Picoseconds // time of it
}

// Group is a set of flows.
type Group struct {
	Name string
	// Of returns, by flow, whether the flows of a run are in the group. It must depend on the run alone.
	Of func(r Replica) []bool
}

// watchInside makes the following run count inside each flow of its network; it returns nil if its hosts record no
// events.
func watchInside(n *fattree.Network, run *transport.Run) []Inside {
	if n.Spec().Transport == fattree.MRC {
		return nil
	}
	inside, all := make([]Inside, n.Flows()), make([]int32, n.Flows())
	for i := range all {
		all[i], inside[i].evs = int32(i), map[int32]bool{}
	}
	run.Watch(transport.WatchConfig{Flows: all, Each: func(e transport.Event) { inside[e.Flow].note(e) }})
	return inside
}

// note counts an event.
func (f *Inside) note(e transport.Event) {
	if f.frozen {
		f.Counts[Frozen] += int64(e.Time - f.last)
	}
	f.frozen, f.last = e.Frozen, e.Time
	switch e.Kind {
	case transport.EventTimeout:
		f.Counts[Timeouts]++
	case transport.EventFreeze:
		f.Counts[Freezes]++
	case transport.EventSend, transport.EventResend:
		f.noteSent(e)
		f.noteEntries(e.Memory.Valid)
	case transport.EventAck:
		if e.Marked {
			f.Counts[MarkedAcks]++
		}
		f.noteEntries(e.Memory.Valid)
	}
}

// noteSent counts a packet sent and the origin of its EV.
func (f *Inside) noteSent(e transport.Event) {
	if f.Counts[Senders] = 1; !f.evs[e.EV] {
		f.evs[e.EV] = true
		f.Counts[DistinctEVs]++
	}
	if e.Origin != "" {
		f.Counts[Told]++
	}
	if i := slices.Index([]transport.Origin{"ring", "stale", "random", "explore"}, e.Origin); i >= 0 {
		f.Counts[Valid+InsideCount(i)]++
	}
}

// noteEntries counts the valid entries after an event.
func (f *Inside) noteEntries(valid int) {
	f.Counts[Looks]++
	f.Counts[ValidEntries] += int64(valid)
	f.Entries = append(f.Entries, make([]int64, max(0, valid+1-len(f.Entries)))...)
	f.Entries[valid]++
}

// add adds the counts of a flow.
func (f *Inside) add(o *Inside) {
	for i, n := range o.Counts {
		f.Counts[i] += n
	}
	f.Entries = append(f.Entries, make([]int64, max(0, len(o.Entries)-len(f.Entries)))...)
	for k, n := range o.Entries {
		f.Entries[k] += n
	}
}
