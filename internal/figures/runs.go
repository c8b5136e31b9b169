package figures

import (
	"fmt"
	"math"

	"repslab/fattree/experiment"
	"repslab/internal/frame"
	"repslab/mc"
)

// Units, and the number of values of a 16-bit EV.
const (
	mebi         = 1 << 20 // bytes in 1 MiB
	microseconds = 1e6     // picoseconds in one microsecond
	fullEVS      = 1 << 16
	million      = 1e6
)

// netRuns are the replicas of an experiment on the network.
type netRuns []netRun

// count returns the mean of a count over all runs.
func (runs netRuns) count(of func(netRun) int64) mc.Estimate { return meanCount(runs, of) }

// meanCount returns the mean of a whole number over runs.
func meanCount[T any](runs []T, of func(T) int64) mc.Estimate {
	return mc.MeanOf(runs, of).OfFew(counted(1))
}

// listedAs returns an estimate with its observations to be listed with its claim, under a name.
func listedAs(e mc.Estimate, unit, name string) mc.Estimate {
	e.Basis.Quantity, e.Basis.Unit = name, unit
	return e
}

// mean returns the mean of a number. It is listed under the given name and the name of the runs.
func (runs netRuns) mean(of func(netRun) float64, unit, name string) mc.Estimate {
	return listedAs(meanOf(runs, of), unit, name+", "+runs.by())
}

// by returns the scheme and the place of the runs; empty without runs.
func (runs netRuns) by() string {
	if len(runs) == 0 {
		return ""
	}
	return runs[0].by
}

// time returns the mean of a time over runs, in microseconds, or a bound if a run is not complete.
func (runs netRuns) time(of func(netRun) int64) mc.Estimate {
	return experiment.TimeOf(runs, of, microseconds)
}

// resent returns the mean share of packets that are retransmissions, in per cent.
func (runs netRuns) resent() mc.Estimate {
	return inSupport(runs, func(r netRun) float64 { return 100 * float64(r.Retransmitted) / float64(r.Sent) }, shareOf(100, 0))
}

// finished returns the share of runs in which every flow finished, NaN without runs.
func (runs netRuns) finished() float64 {
	all := 0
	for _, r := range runs {
		if r.Complete() {
			all++
		}
	}
	return float64(all) / float64(len(runs))
}

// orUnfinished returns an estimate from the runs. If it has no value because some runs did not finish, the value
// becomes +Inf.
func (runs netRuns) orUnfinished(e mc.Estimate) mc.Estimate {
	if math.IsNaN(e.Value) && runs.finished() < 1 {
		e.Value = math.Inf(1)
	}
	return e
}

// maxFCT returns the mean over runs of the longest FCT, in microseconds.
func (runs netRuns) maxFCT() mc.Estimate {
	return listedAs(runs.time(netRun.maxFCT), "us", "maximum FCT of "+runs.by())
}

// over returns the mean longest FCT divided by the mean longest FCT of other runs.
func (runs netRuns) over(other netRuns) mc.Estimate {
	return listedAs(runs.ratio(other, netRun.maxFCT), "us", "maximum FCT of "+runs.by()+" over "+other.by())
}

// ratio returns the mean of a time divided by its mean in other runs. If a run of one side is not complete, the
// result is a bound; if runs of both sides are not, it has no value. It panics if the other runs are the same.
func (runs netRuns) ratio(other netRuns, of func(netRun) int64) mc.Estimate {
	runs.mustDiffer(other)
	return listedAs(experiment.OverOf(runs, other, of, microseconds), "us", runs.by()+" over "+other.by())
}

// isSame reports whether two lists are the same runs.
func (runs netRuns) isSame(other netRuns) bool {
	return len(runs) > 0 && len(other) > 0 && &runs[0] == &other[0]
}

// mustDiffer panics if two lists are the same runs. Their ratio is 1 in every run and says nothing, but it has a
// p-value (2^-5 for five runs) with which a claim about all balancers would become undecided.
func (runs netRuns) mustDiffer(other netRuns) {
	if runs.isSame(other) {
		panic(fmt.Sprintf("figures: a ratio of %s to itself", runs.by()))
	}
}

// shown is [netRuns.ratio] for tables and drawings, in which the base itself has the ratio 1 without an interval.
func (runs netRuns) shown(other netRuns, of func(netRun) int64) mc.Estimate {
	if !runs.isSame(other) {
		return runs.ratio(other, of)
	}
	partial := !experiment.AllComplete(runs)
	return mc.Estimate{Value: 1, Lo: math.Inf(-1), Hi: math.Inf(1)}.Bound(partial, partial)
}

// overIdeal returns the mean longest FCT divided by the ideal one.
func (runs netRuns) overIdeal() mc.Estimate {
	above := func(r netRun) int64 { return max(0, r.maxFCT()-r.idealFCT()) }
	return mc.RatioOf(runs, above, runs, netRun.idealFCT, microseconds).Plus(1).Bound(!experiment.AllComplete(runs), false)
}

// lostOver returns the packets lost on failed links, divided by the packets that other runs lost, from paired
// replicas.
func (runs netRuns) lostOver(other netRuns) mc.Estimate {
	return runs.packetsOver(other, netRun.lost, "lost on failed links")
}

// packetsOver returns a number of packets, divided by the number in other runs, from paired replicas. It panics if
// the other runs are the same.
func (runs netRuns) packetsOver(other netRuns, of func(netRun) int64, name string) mc.Estimate {
	runs.mustDiffer(other)
	return listedAs(mc.RatioOf(runs, of, other, of, 1), "packets", name+", "+runs.by()+" over "+other.by())
}

// reroute returns the mean time from a failure to the last data packet sent into it, in
// microseconds.
func (runs netRuns) reroute() mc.Estimate {
	of := func(r netRun) int64 { return int64(r.Reroute) }
	e := mc.MeanOf(runs, of).OfFew(positive(0)).Per(microseconds)
	return listedAs(e, "us", "failure to last data packet sent into it, "+runs.by())
}

// cells returns means over runs. A bound has a null mean, and its ends are in the cells after it. The speed-up is
// the longest FCT of OPS divided by the longest FCT of the runs.
func (runs netRuns) cells(ops netRuns) cells {
	var ideal any
	if e := runs.count(netRun.idealFCT).Per(microseconds); e.Value > 0 {
		ideal = e.Value
	}
	count := func(of func(netRun) int64) float64 { return runs.count(of).Value }
	return cells{{"max_fct_us", frame.WithErrorAndEnds(runs.maxFCT())},
		{"mean_fct_us", frame.WithErrorAndEnds(runs.time(netRun.meanFCT))},
		{"p99_fct_us", frame.WithEnds(runs.time(netRun.p99FCT))}, {"end_us", frame.WithEnds(runs.time(netRun.lastEnd))},
		{"ideal_max_fct_us", ideal}, {"speedup_over_ops", frame.WithEnds(ops.shown(runs, netRun.maxFCT))},
		{"ecn_marked_fraction", count(netRun.marked) / count(netRun.hops)},
		{"recycled_fraction", count(netRun.recycled) / count(netRun.sent)},
		{"retransmitted", count(netRun.retransmitted)},
		{"dropped", count(netRun.dropped)},
		{"trimmed", count(netRun.trimmed)},
		{"max_queue_packets", count(func(r netRun) int64 { return int64(r.MaxQueue) })},
		{"packet_hops", count(netRun.hops)},
		{"flows", count(func(r netRun) int64 { return int64(r.Flows) })},
		{"finished", count(func(r netRun) int64 { return int64(r.Finished) })},
		{"finished_share", runs.finished()},
	}
}

// millionths returns a number in millionths, rounded, for moments.
func millionths(x float64) int64 { return int64(math.Round(million * x)) }

// meanOf returns the mean over runs of a number that is not negative, rounded to millionths.
func meanOf[T any](runs []T, of func(T) float64) mc.Estimate {
	return inSupport(runs, of, positive(0))
}

// rank returns the p-quantile of ascending values by nearest rank, NaN if there are none.
func rank(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// mean returns the mean of numbers, NaN if there are none.
func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}
