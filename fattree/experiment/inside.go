package experiment

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/flight"
)

// insideCount is the index of a count in flowInside.counts.
type insideCount uint8

// The counts are exact. Valid, Stale, Random and Explore are parts of Told, by the EV's origin: a valid entry of
// the ring, a used entry in freezing mode, a draw, or a draw in the exploration after freezing mode.
const (
	valid insideCount = iota
	stale
	random
	explore
	told         // packets sent, retransmissions included, with an EV of known origin
	senders      // flows that have sent a packet
	keepers      // flows of a balancer that keeps EVs to send them again
	freezers     // flows of a balancer with a freezing mode
	distinctEVs  // different EVs in the packets of a flow
	markedAcks   // ACKs of packets with a congestion mark
	timeouts     // packets, and requests for retransmission, declared lost because no ACK came
	freezes      // times that freezing mode begins
	frozen       // picoseconds in freezing mode, until the flow's last event
	lasting      // picoseconds from the start to the end of flows, or of the run
	looks        // packets sent and ACKs: the events at which valid entries are counted
	validEntries // sum of the ring's valid entries after each of these events
	flightEVs    // different EVs of the packets in flight when the flow last sends a new one
	topEV        // share of them with the most frequent EV, in 1/partScale
	flights      // partScale for each flow that has sent a packet
	insideCounts
)

// flowInside counts what happens to a flow at its sender, from all its events ([transport.Event]). Messages of a
// connection are counted under its first message. If hosts cannot inspect the balancer
// ([transport.Traits]), origins and entries are not known.
type flowInside struct {
	counts  [insideCounts]int64
	entries []int64 // entries[k] counts the packets sent and ACKs after which the ring had k valid entries

	evs    map[int32]bool
	flight flight.EVs
	frozen bool                // state after the last event
	last   fattree.Picoseconds // time of the last event
}

// Group is a set of flows.
type Group struct {
	Name string
	// Of returns by flow whether the flow is in the group. It must depend only on the run.
	Of func(r Replica) []bool
}

// OfPart returns the group of the flows of the part with a name: see [fattree.Workload].Parts.
func OfPart(name string) Group {
	return Group{Name: name, Of: func(r Replica) []bool {
		in, workload := make([]bool, len(r.Result.Flows)), r.Network.Spec().Workload
		for first, end := workload.Part(name); first < end; first++ {
			in[first] = true
		}
		return in
	}}
}

// watchInside makes the following run record a flowInside for each flow of its network. It returns nil if the hosts
// record no events.
func watchInside(n *fattree.Network, run *transport.Run) []flowInside {
	if n.Spec().Profile == fattree.MRC {
		return nil
	}
	inside, all := make([]flowInside, n.Flows()), make([]int32, n.Flows())
	for i := range all {
		all[i], inside[i].evs = int32(i), map[int32]bool{}
	}
	run.Watch(transport.WatchConfig{Flows: all, Each: func(e transport.Event) { inside[e.Flow].note(e) }})
	return inside
}

// note counts an event.
func (f *flowInside) note(e transport.Event) {
	if f.frozen {
		f.counts[frozen] += int64(e.Time - f.last)
	}
	f.frozen, f.last = e.Frozen, e.Time
	if e.Keeps {
		f.counts[keepers] = 1
	}
	if e.Freezes {
		f.counts[freezers] = 1
	}
	switch e.Kind {
	case transport.EventTimeout:
		f.counts[timeouts]++
	case transport.EventFreeze:
		f.counts[freezes]++
	case transport.EventSend, transport.EventResend:
		f.noteSent(e)
		if e.Kind == transport.EventSend {
			f.flight.Send(e.EV, int(e.InFlight))
		}
		f.noteEntries(e.Memory.Valid)
	case transport.EventAck:
		if e.Marked {
			f.counts[markedAcks]++
		}
		f.noteEntries(e.Memory.Valid)
	}
}

// noteSent counts a packet sent and the origin of its EV.
func (f *flowInside) noteSent(e transport.Event) {
	if f.counts[senders] = 1; !f.evs[e.EV] {
		f.evs[e.EV] = true
		f.counts[distinctEVs]++
	}
	if e.Origin != "" {
		f.counts[told]++
	}
	if i := slices.Index([]transport.Origin{"ring", "stale", "random", "explore"}, e.Origin); i >= 0 {
		f.counts[valid+insideCount(i)]++
	}
}

// noteEntries counts the valid entries after an event.
func (f *flowInside) noteEntries(valid int) {
	f.counts[looks]++
	f.counts[validEntries] += int64(valid)
	f.entries = append(f.entries, make([]int64, max(0, valid+1-len(f.entries)))...)
	f.entries[valid]++
}

// add adds the counts of a flow.
func (f *flowInside) add(o *flowInside) {
	for i, n := range o.counts {
		f.counts[i] += n
	}
	f.entries = append(f.entries, make([]int64, max(0, len(o.entries)-len(f.entries)))...)
	for k, n := range o.entries {
		f.entries[k] += n
	}
	if different, most, all := o.flight.Count(); all > 0 {
		f.counts[flightEVs] += int64(different)
		f.counts[topEV] += int64(partScale * float64(most) / float64(all))
		f.counts[flights] += partScale
	}
}
