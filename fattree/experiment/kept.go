package experiment

import (
	"math"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Kept is the summary of one run: its counts, and the least, mean, 99th percentile and longest of its flows'
// completion times. A program that keeps summaries of several setups compares them run by run, with [TimeOf] and
// [OverOf]; a [Tally] keeps only sums over runs. Times are lower bounds unless the run is [Kept.Complete].
type Kept struct {
	fattree.Counts
	Flows    int
	Finished int
	Cut      bool // a step of a schedule did not end

	Least, Mean, P99, Most fattree.Picoseconds // completion times; 0 without flows
	End                    fattree.Picoseconds // end of the last flow
}

// Keep returns the summary of the run. O(flows log flows).
func (r Replica) Keep() Kept {
	k := Kept{Counts: r.outcome().Counts, Flows: len(r.Result.Flows), Finished: r.Result.Finished(), Cut: r.cut}
	k.End, _ = r.End()
	if fcts := r.FCTs(); len(fcts) > 0 {
		k.Least, k.Mean, k.P99, k.Most = fcts[0], fattree.Mean(fcts), fattree.NearestRank(fcts, 0.99), fcts[len(fcts)-1]
	}
	return k
}

// FCTs returns the completion times of all flows, as in [Replica.FCT], in ascending order.
func (r Replica) FCTs() []fattree.Picoseconds {
	fcts := make([]fattree.Picoseconds, len(r.outcome().Flows))
	for i := range fcts {
		fcts[i], _ = r.FCT(i)
	}
	slices.Sort(fcts)
	return fcts
}

// Complete reports whether every flow finished and no step was cut.
func (k Kept) Complete() bool { return k.Finished == k.Flows && !k.Cut }

// Run is a kept run: [Kept], or a struct that embeds it and has more numbers.
type Run interface{ Complete() bool }

// AllComplete reports whether every run is complete.
func AllComplete[R Run](runs []R) bool {
	return !slices.ContainsFunc(runs, func(r R) bool { return !r.Complete() })
}

// TimeOf returns the mean over kept runs of a time, which the function of returns in picoseconds. The estimate is in
// units of units picoseconds: 1e6 gives us. It has the interval for few runs ([mc.Estimate.OfFew]), and the times of
// all runs as its basis. If a run is not complete, it is a bound without a basis: see [mc.Estimate.Bound]. O(runs).
func TimeOf[R Run](runs []R, of func(R) int64, units float64) mc.Estimate {
	return mc.MeanOf(runs, of).OfFew(mc.Support{Most: math.Inf(1)}).Per(units).Bound(!AllComplete(runs), false)
}

// OverOf returns the ratio of the mean time of runs to the mean time of others, paired by their index
// ([mc.RatioOf]). The function of returns the time of a run; the basis holds the times divided by units. If a run of
// one side is not complete, the ratio is a bound; if runs of both sides are not complete, it has neither value nor
// bound. O(runs).
func OverOf[R Run](runs, others []R, of func(R) int64, units float64) mc.Estimate {
	pairs := min(len(runs), len(others))
	return mc.RatioOf(runs, of, others, of, units).Bound(!AllComplete(runs[:pairs]), !AllComplete(others[:pairs]))
}
