package fluid

import (
	"math"

	"repslab/fattree"
)

// Unfinished is the end of a flow that never ends, because it needs a dead link
// or is started by one that does.
const Unfinished fattree.Picoseconds = -1

// Result is when each flow began and ended.
type Result struct {
	Start []fattree.Picoseconds // by flow; Unfinished where its trigger was never fired
	End   []fattree.Picoseconds // by flow: its sender has the last acknowledgement; or Unfinished
}

// FCT returns the completion time of a flow, and false if it never ends.
func (r Result) FCT(flow int) (fattree.Picoseconds, bool) {
	if r.End[flow] == Unfinished {
		return 0, false
	}
	return r.End[flow] - r.Start[flow], true
}

// Slowdown returns a flow's completion time elsewhere, say in the packet model,
// as a multiple of the one here; 1 is ideal. It is NaN if the flow never ends here.
func (r Result) Slowdown(flow int, fct fattree.Picoseconds) float64 {
	ideal, ok := r.FCT(flow)
	if !ok {
		return math.NaN()
	}
	return float64(fct) / float64(ideal)
}

// Finished returns the number of flows that end.
func (r Result) Finished() int {
	count := 0
	for _, end := range r.End {
		if end != Unfinished {
			count++
		}
	}
	return count
}

// MaxFCT returns the longest completion time, and false unless all flows end.
func (r Result) MaxFCT() (fattree.Picoseconds, bool) {
	longest := fattree.Picoseconds(0)
	for flow := range r.End {
		fct, ok := r.FCT(flow)
		if !ok {
			return 0, false
		}
		longest = max(longest, fct)
	}
	return longest, true
}

// MeanFCT returns the mean completion time rounded down to a picosecond, and
// false unless all flows end.
func (r Result) MeanFCT() (fattree.Picoseconds, bool) {
	// A completion time is below 2^50 ps; 2^24 flows' sum may pass 2^63, so whole
	// parts and remainders are summed apart.
	flows := int64(len(r.End))
	whole, rest := int64(0), int64(0)
	for flow := range r.End {
		fct, ok := r.FCT(flow)
		if !ok {
			return 0, false
		}
		whole += fct / flows
		rest += fct % flows
	}
	return whole + rest/flows, true
}

// LastEnd returns the end of the last flow, the metric of collectives, and false
// unless all flows end.
func (r Result) LastEnd() (fattree.Picoseconds, bool) {
	last := fattree.Picoseconds(0)
	for _, end := range r.End {
		if end == Unfinished {
			return 0, false
		}
		last = max(last, end)
	}
	return last, true
}
