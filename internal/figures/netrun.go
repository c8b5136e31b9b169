package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/fluid"
	"repslab/fattree/schedule"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
)

// netRun is the summary of a run of the network. Figures, tables and grades are made only from it.
type netRun struct {
	experiment.Kept
	Ideal fattree.Picoseconds // longest ideal completion time; 0 without keepWithIdeal

	Numbers map[string]float64  // numbers that only one figure needs
	FCTs    *digest             // us; nil without keepFlows
	Shares  *digest             // per-flow numbers that a figure draws
	Uplinks *uplinkTrace        // of a figure's first run only
	Losses  *lossTrace          // after a failure
	Step    schedule.StepResult // first step of a schedule

	by string // scheme and place, in words
}

// keepTimes keeps a run without its ideal. With thousands of flows, the ideal costs more than the run itself.
func keepTimes(r experiment.Replica) (netRun, error) {
	k := netRun{Kept: r.Keep()}
	if len(r.Steps) > 0 {
		k.Step = r.Steps[0]
	}
	return k, nil
}

// keepFlows keeps a run with the distribution of its completion times.
func keepFlows(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	k.FCTs = newDigest(lists.Map(r.FCTs(), func(fct fattree.Picoseconds) float64 { return float64(fct) / microseconds }))
	return k, err
}

// keepWithIdeal keeps a run and compares it with max-min fair rates on healthy links.
func keepWithIdeal(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	if err != nil {
		return k, err
	}
	ideal, err := idealOf(r)
	k.Ideal, _ = ideal.MaxFCT()
	return k, err
}

// idealOf returns completion times of a run's workload for max-min fair rates on healthy links.
func idealOf(r experiment.Replica) (fluid.Result, error) {
	spec := r.Network.Spec()
	return fluid.Ideal(fluid.Config{Topology: treeOf(spec), Workload: spec.Workload, MTU: spec.MTU, HeaderBytes: spec.HeaderBytes})
}

// keepComplete keeps a run; it is an error if a flow did not finish.
func keepComplete(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	if err == nil && !k.Complete() {
		err = fmt.Errorf("%d of %d flows did not finish", k.Flows-k.Finished, k.Flows)
	}
	return k, err
}

// Numbers of a run, in the form that [meanCount] takes.
func (r netRun) maxFCT() int64   { return int64(r.Most) }
func (r netRun) meanFCT() int64  { return int64(r.Mean) }
func (r netRun) p99FCT() int64   { return int64(r.P99) }
func (r netRun) lastEnd() int64  { return int64(r.End) }
func (r netRun) idealFCT() int64 { return int64(r.Ideal) }
func (r netRun) lost() int64     { return r.Lost }
func (r netRun) dropped() int64  { return r.Dropped }
func (r netRun) sent() int64     { return r.Sent }
func (r netRun) trimmed() int64  { return r.Trimmed }
func (r netRun) recycled() int64 { return r.Recycled }
func (r netRun) marked() int64   { return r.Marked }
func (r netRun) hops() int64     { return r.PacketHops }

func (r netRun) retransmitted() int64 { return r.Retransmitted }

// kept returns a function for a number that a figure keeps. The function panics on a run without this number.
func kept(key string) func(netRun) float64 {
	return func(r netRun) float64 {
		x, kept := r.Numbers[key]
		if !kept {
			panic(fmt.Sprintf("figures: no run has kept %q", key))
		}
		return x
	}
}

// mostRanks is the largest number of quantiles that a run keeps of a distribution.
const mostRanks = 200

// digest is a distribution of numbers: all of them, ascending. If there are more than mostRanks, it holds
// mostRanks quantiles by nearest rank; the last one is the largest number.
type digest struct {
	N     int // numbers
	Mean  float64
	Ranks []float64
}

// newDigest returns the distribution of ascending numbers.
func newDigest(sorted []float64) *digest {
	d := &digest{N: len(sorted), Mean: mean(sorted), Ranks: sorted}
	if d.N > mostRanks {
		d.Ranks = nil
		for k := range mostRanks {
			d.Ranks = append(d.Ranks, rank(sorted, float64(k+1)/mostRanks))
		}
	}
	return d
}

// pooled returns the distribution over all runs. It is exact if the runs have kept all numbers.
func pooled(runs netRuns, of func(netRun) *digest) digest {
	var all digest
	sum := 0.0
	for _, r := range runs {
		d := of(r)
		all.N, sum, all.Ranks = all.N+d.N, sum+float64(float64(d.N)*d.Mean), append(all.Ranks, d.Ranks...)
	}
	all.Mean = math.NaN()
	if all.N > 0 {
		all.Mean = sum / float64(all.N)
	}
	slices.Sort(all.Ranks)
	return all
}

// rank returns the p-quantile, NaN if there are no numbers.
func (d digest) rank(p float64) float64 { return rank(d.Ranks, p) }

// fcts and shares return the distributions that a run has kept.
func (r netRun) fcts() *digest   { return r.FCTs }
func (r netRun) shares() *digest { return r.Shares }

// addNetwork adds a trial on a network. Several goroutines call keep.
func addNetwork[K comparable, T any](l *engine.Trials[K, T], key K, replicas uint64, setup experiment.Setup, keep func(experiment.Replica) (T, error)) {
	l.Add(key, replicas, func() (engine.ReplicaRunner[T], error) {
		runner, err := setup.NewRunner()
		return func(ctx context.Context, seed, replica uint64) (kept T, err error) {
			r, err := runner.Run(ctx, seed, replica)
			if err != nil {
				return kept, err
			}
			return keep(r)
		}, err
	})
}
