package fattree

import (
	"fmt"
	"math"
	"slices"
)

// mostReorder is the largest reordering depth that is counted separately.
const mostReorder = 4095

// Unfinished is the End of a flow that did not finish.
const Unfinished = -1

// FlowResult holds the start and end of a flow, and what it loses.
type FlowResult struct {
	// Start is Unfinished if a [Workload].Script has not started the flow. End is the time that the transport
	// reported, usually the arrival of the last ACK; or Unfinished.
	Start, End Picoseconds

	// Lost is the number of its data packets that did not arrive: dropped, trimmed, lost on failed links or corrupted.
	// The messages of a connection are counted under its first one.
	Lost int32
}

// FCT returns the flow's completion time in picoseconds, or Unfinished.
func (f FlowResult) FCT() Picoseconds {
	if f.End == Unfinished {
		return Unfinished
	}
	return f.End - f.Start
}

// Counts holds exact counts of a run's data packets. To add a counter, add a field, the code that counts it, and
// an entry of [Counters].
type Counts struct {
	Sent          int64 // by hosts, retransmissions included
	Retransmitted int64 // part of Sent
	Delivered     int64 // to hosts, duplicates included
	Duplicates    int64 // part of Delivered
	Dropped       int64 // by full queues
	Trimmed       int64 // to the header by full queues
	Lost          int64 // on failed links
	Corrupted     int64 // discarded by their receivers
	Inside        int64 // still in queues and on links at the end
	Marked        int64 // ECN marks set
	Recycled      int64 // sent with an EV used before
	Probes        int64 // packets without data sent by transport.Options.Sleek; only the counts of losses include them
	Answered      int64 // probes that arrived
	Requests      int64 // headers by which senders ask to retransmit, see transport.Slips.RequestsForRetransmission
	PacketHops    int64 // dequeued at switch ports
	MaxQueue      int32 // largest queue of any port at any time, packets

	// Reroute is the longest time from a link's failure to the last data packet sent into it
	// before its repair; 0 if no link failed or no data packet was lost.
	Reroute Picoseconds
}

// Result holds the outcome of one run.
type Result struct {
	Flows []FlowResult // by flow
	Slots int64        // until the last flow had finished, or the horizon

	Counts

	reorder []int64 // packets by how far they came behind the highest number of their flow, up to the farthest
}

func newResult(n *Network) Result {
	r := Result{Flows: make([]FlowResult, len(n.routes))}
	for i := range r.Flows {
		if r.Flows[i].End = Unfinished; n.spec.Workload.Script != nil {
			r.Flows[i].Start = Unfinished
		}
	}
	return r
}

// Finished returns the number of flows that finished.
func (r *Result) Finished() int {
	count := 0
	for _, f := range r.Flows {
		if f.End != Unfinished {
			count++
		}
	}
	return count
}

// FCTs returns the completion times of the finished flows in ascending order, in
// picoseconds.
func (r *Result) FCTs() []Picoseconds {
	list := make([]Picoseconds, 0, len(r.Flows))
	for _, f := range r.Flows {
		if f.End != Unfinished {
			list = append(list, f.FCT())
		}
	}
	slices.Sort(list)
	return list
}

// LastEnd returns the end of the last flow, and false unless all flows finished.
func (r *Result) LastEnd() (Picoseconds, bool) {
	last := Picoseconds(0)
	for _, f := range r.Flows {
		if f.End == Unfinished {
			return 0, false
		}
		last = max(last, f.End)
	}
	return last, true
}

// Mean returns the mean of times or other whole numbers, rounded down. It panics if there are none.
func Mean[T ~int64](values []T) T {
	checkPart(1, len(values))
	sum := T(0)
	for _, v := range values {
		sum += v
	}
	return sum / T(len(values))
}

// NearestRank returns the p-quantile of sorted values by nearest rank. It panics unless p
// is in (0, 1] and sorted is not empty.
func NearestRank[T ~int64](sorted []T, p float64) T {
	checkPart(p, len(sorted))
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// checkPart panics unless p is in (0, 1] and there are values.
func checkPart(p float64, values int) {
	if !(p > 0 && p <= 1 && values > 0) {
		panic(fmt.Sprintf("fattree: p (%v) must be in (0, 1], and the number of values (%d) at least 1", p, values))
	}
}

// ReorderDepth returns the p-quantile over packets of the reordering depth: the highest
// packet number of the flow received before, less the packet's own; 0 for packets in
// order, at most 4095. It panics unless p is in (0, 1].
func (r *Result) ReorderDepth(p float64) int {
	checkPart(p, 1)
	var total int64
	for _, count := range r.reorder {
		total += count
	}
	rank := int64(math.Ceil(p * float64(total)))
	var below int64
	for depth, count := range r.reorder {
		if below += count; below >= rank {
			return depth
		}
	}
	return mostReorder
}
