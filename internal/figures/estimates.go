package figures

import (
	"math"

	"repslab/fattree"
	"repslab/internal/table"
	"repslab/mc"
)

// million is one over the unit in which numbers are kept that are not integers.
const million = 1e6

// Millionths returns a number in millionths, rounded, as moments take it.
func Millionths(x float64) int64 { return int64(math.Round(million * x)) }

// OfMillionths returns the mean of moments of [Millionths].
func OfMillionths(m mc.Moments) mc.Estimate { return m.Mean(mc.DefaultConfidence).Per(million) }

// MeanOf returns the mean over runs of a number that is kept in millionths.
func MeanOf[T any](runs []T, of func(T) float64) mc.Estimate {
	var m mc.Moments
	for _, r := range runs {
		m.Add(Millionths(of(r)))
	}
	return OfMillionths(m)
}

// Count returns the mean over all runs of a count.
func (runs Runs) Count(of func(*fattree.Result) int64) mc.Estimate {
	var m mc.Moments
	for _, r := range runs {
		m.Add(of(r.Result))
	}
	return m.Mean(mc.DefaultConfidence)
}

// Time returns the mean over the complete runs of a time, in microseconds.
func (runs Runs) Time(of func(Run) int64) mc.Estimate {
	var m mc.Moments
	for _, r := range runs {
		if r.Complete {
			m.Add(of(r))
		}
	}
	return m.Mean(mc.DefaultConfidence).Per(Microseconds)
}

// MaxFCT returns the mean over runs of the longest FCT, in microseconds.
func (runs Runs) MaxFCT() mc.Estimate { return runs.Time(Run.MaxFCT) }

// Over returns the mean longest FCT as a multiple of that of other runs, over the
// replicas that are complete in both.
func (runs Runs) Over(other Runs) mc.Estimate {
	return runs.Ratio(other, Run.MaxFCT)
}

// Ratio returns the mean of a time as a multiple of that of other runs, over the
// replicas that are complete in both.
func (runs Runs) Ratio(other Runs, of func(Run) int64) mc.Estimate {
	var p mc.PairedMoments
	for i, r := range runs {
		if r.Complete && other[i].Complete {
			p.Add(of(r), of(other[i]))
		}
	}
	return p.Ratio(mc.DefaultConfidence)
}

// OverIdeal returns the mean longest FCT as a multiple of that of the fluid ideal.
func (runs Runs) OverIdeal() mc.Estimate {
	var p mc.PairedMoments
	for _, r := range runs {
		if r.Complete {
			p.Add(r.MaxFCT(), r.ideal)
		}
	}
	return p.Ratio(mc.DefaultConfidence)
}

// Columns head what [Runs.Cells] returns.
func RunColumns() []table.Column {
	return table.Numbers("max_fct_us", "max_fct_us_se", "max_fct_us_lo", "max_fct_us_hi", "mean_fct_us", "mean_fct_us_se", "p99_fct_us", "end_us",
		"ideal_max_fct_us", "speedup_over_ops", "speedup_lo", "speedup_hi",
		"ecn_marked_fraction", "recycled_fraction", "retransmitted", "dropped", "trimmed", "max_queue_packets", "packet_hops", "flows", "finished", "seed", "replicas")
}

// Cells returns means over runs, completion times over complete ones; the speed-up
// is the longest FCT of OPS over that of the runs.
func (runs Runs) Cells(ops Runs, seed uint64) []any {
	m, avg, speedup := runs.MaxFCT(), runs.Time(Run.MeanFCT), ops.Over(runs)
	var ideal any
	if e := runs.Time(Run.idealFCT); e.Value > 0 {
		ideal = e.Value
	}
	row := []any{m.Value, m.StdErr, m.Lo, m.Hi, avg.Value, avg.StdErr, runs.Time(Run.P99FCT).Value, runs.Time(Run.LastEnd).Value,
		ideal, speedup.Value, speedup.Lo, speedup.Hi}
	hops := runs.Count(func(r *fattree.Result) int64 { return r.PacketHops }).Value
	sent := runs.Count(func(r *fattree.Result) int64 { return r.Sent }).Value
	for _, c := range []struct {
		per float64
		of  func(*fattree.Result) int64
	}{
		{hops, func(r *fattree.Result) int64 { return r.Marked }},
		{sent, func(r *fattree.Result) int64 { return r.Recycled }},
		{1, func(r *fattree.Result) int64 { return r.Retransmitted }},
		{1, func(r *fattree.Result) int64 { return r.Dropped }},
		{1, func(r *fattree.Result) int64 { return r.Trimmed }},
		{1, func(r *fattree.Result) int64 { return int64(r.MaxQueue) }},
		{1, func(r *fattree.Result) int64 { return r.PacketHops }},
		{1, func(r *fattree.Result) int64 { return int64(len(r.Flows)) }},
		{1, func(r *fattree.Result) int64 { return int64(r.Finished()) }},
	} {
		row = append(row, runs.Count(c.of).Value/c.per)
	}
	return append(row, seed, len(runs))
}
