package nettest

import (
	"fmt"

	"repslab/fattree"
)

// Record returns a line with the outcome of a run: its slots, the counts of packets, a quantile of the reordering
// depth, and the end of each flow in a sum that depends on their order. A new count does not change it.
func Record(r *fattree.Result) string {
	ends := uint64(0)
	for _, f := range r.Flows {
		ends = 31*ends + uint64(f.End) + uint64(f.Start)<<1
	}
	depth := 0
	if r.Delivered > r.Duplicates {
		depth = r.ReorderDepth(0.9)
	}
	return fmt.Sprint(r.Slots, r.Sent, r.Retransmitted, r.Recycled, r.Marked, r.Dropped, r.Trimmed, r.Lost, r.Corrupted, r.Delivered, r.Duplicates,
		r.Probes, r.Answered, r.Requests, r.PacketHops, r.Inside, r.MaxQueue, int64(r.Reroute), depth) + fmt.Sprintf(" %x", ends)
}
