package experiment

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
)

// InsideCount is the index of a count in [Inside].Counts.
type InsideCount uint8

// The counts are exact. Valid, Stale, Random and Explore are parts of Told, by the EV's origin: a valid entry of
// the ring, a used entry in freezing mode, a draw, or a draw in the exploration after freezing mode.
const (
	Valid InsideCount = iota
	Stale
	Random
	Explore
	Told         // packets sent, retransmissions included, with an EV of known origin
	Senders      // flows that have sent a packet
	Keepers      // flows of a balancer that keeps EVs to send them again
	Freezers     // flows of a balancer with a freezing mode
	DistinctEVs  // different EVs in the packets of a flow
	MarkedAcks   // ACKs of packets with a congestion mark
	Timeouts     // packets, and requests for retransmission, declared lost because no ACK came
	Freezes      // times that freezing mode begins
	Frozen       // picoseconds in freezing mode, until the flow's last event
	Lasting      // picoseconds from the start to the end of flows, or of the run
	Looks        // packets sent and ACKs: the events at which valid entries are counted
	ValidEntries // sum of the ring's valid entries after each of these events
	insideCounts
)

// Inside counts what happens to a flow at its sender, from all its events ([transport.Event]). Messages of a
// connection are counted under its first message. Without a [transport.Inspector] as the balancer, origins and
// entries are not known.
type Inside struct {
	Counts  [insideCounts]int64
	Entries []int64 // Entries[k] counts the packets sent and ACKs after which the ring had k valid entries

	evs    map[int32]bool
	frozen bool                // state after the last event
	last   fattree.Picoseconds // time of the last event
}

// Group is a set of flows.
type Group struct {
	Name string
	// Of returns by flow whether the flow is in the group. It must depend only on the run.
	Of func(r Replica) []bool
}

// watchInside makes the following run record an Inside for each flow of its network. It returns nil if the hosts
// record no events.
func watchInside(n *fattree.Network, run *transport.Run) []Inside {
	if n.Spec().Profile == fattree.MRC {
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
	if e.Keeps {
		f.Counts[Keepers] = 1
	}
	if e.Freezes {
		f.Counts[Freezers] = 1
	}
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
