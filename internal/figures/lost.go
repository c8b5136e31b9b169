package figures

import (
	"repslab/fattree"
	"repslab/mc"
)

// LostColumns head what [Runs.LostCells] returns.
func LostColumns() []string { return []string{"lost", "lost_lo", "lost_hi", "corrupted", "reroute_us"} }

// LostPackets returns the packets lost on dead links.
func LostPackets(r *fattree.Result) int64 { return r.Lost }

// Reroute returns the mean time from a failure to the last packet sent into it, in
// microseconds.
func (runs Runs) Reroute() mc.Estimate {
	return runs.Count(func(r *fattree.Result) int64 { return r.Reroute }).Per(Microseconds)
}

// LostCells returns what failures did: packets lost on dead links and by bit
// errors, and the time from a failure to the last packet sent into it.
func (runs Runs) LostCells() []any {
	lost := runs.Count(LostPackets)
	return []any{lost.Value, lost.Lo, lost.Hi, runs.Count(func(r *fattree.Result) int64 { return r.Corrupted }).Value, runs.Reroute().Value}
}

// Lost returns the packets lost under some runs as a multiple of those under
// others, replicas paired.
func (runs Runs) Lost(other Runs) mc.Estimate {
	var p mc.PairedMoments
	for i, r := range runs {
		p.Add(r.Result.Lost, other[i].Result.Lost)
	}
	return p.Ratio(mc.DefaultConfidence)
}
