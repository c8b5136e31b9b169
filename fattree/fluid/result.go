package fluid

import (
	"math"

	"repslab/fattree"
)

// Unfinished is the end of a flow that needs a failed link, or that waits for such a flow.
const Unfinished fattree.Picoseconds = -1

// Result holds the start and the end of each flow.
type Result struct {
	Start []fattree.Picoseconds // by flow; Unfinished if its trigger never fired
	End   []fattree.Picoseconds // by flow: its sender has the last acknowledgement; or Unfinished
}

// FCT returns the completion time of a flow, and false if it never ends.
func (r Result) FCT(flow int) (fattree.Picoseconds, bool) {
	if r.End[flow] == Unfinished {
		return 0, false
	}
	return r.End[flow] - r.Start[flow], true
}

// Slowdown returns the ratio of another completion time of a flow, such as the packet model's, to the completion
// time in r; 1 is ideal. It is NaN if the flow never ends in r.
func (r Result) Slowdown(flow int, fct fattree.Picoseconds) float64 {
	ideal, ok := r.FCT(flow)
	if !ok {
		return math.NaN()
	}
	return float64(fct) / float64(ideal)
}

// Finished returns the number of flows that end.
func (r Result) Finished() (count int) {
	for _, end := range r.End {
		if end != Unfinished {
			count++
		}
	}
	return count
}

// all reports whether all flows end.
func (r Result) all() bool { return r.Finished() == len(r.End) }

// MaxFCT returns the longest completion time, and false unless all flows end.
func (r Result) MaxFCT() (longest fattree.Picoseconds, ok bool) {
	if !r.all() {
		return 0, false
	}
	for flow := range r.End {
		longest = max(longest, r.End[flow]-r.Start[flow])
	}
	return longest, true
}

// LastEnd returns the end of the last flow, the metric of collectives, and false unless all
// flows end.
func (r Result) LastEnd() (last fattree.Picoseconds, ok bool) {
	if !r.all() {
		return 0, false
	}
	for _, end := range r.End {
		last = max(last, end)
	}
	return last, true
}
