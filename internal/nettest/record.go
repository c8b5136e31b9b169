package nettest

import (
	"fmt"
	"strings"

	"repslab/fattree"
)

// Record returns a line with the outcome of a run: its slots, its counts, the reordering depth of one packet in
// ten, and the end of each flow in a sum that depends on their order.
func Record(r *fattree.Result) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%d", r.Slots)
	for _, c := range fattree.Counters() {
		fmt.Fprintf(&line, " %d", *c.Of(&r.Counts))
	}
	ends := uint64(0)
	for _, f := range r.Flows {
		ends = 31*ends + uint64(f.End) + uint64(f.Start)<<1
	}
	depth := 0
	if r.Delivered > r.Duplicates {
		depth = r.ReorderDepth(0.9)
	}
	fmt.Fprintf(&line, " %d %d %d %d %x", r.Inside, r.MaxQueue, r.Reroute, depth, ends)
	return line.String()
}
