package fattree

import (
	"context"
	"slices"

	"repslab/mc"
)

// Summary holds estimates of the means over runs of each run's statistics. Times are in
// picoseconds. Completion times are those of runs in which every flow finished; an
// estimate has N = 0 if no run has the statistic.
type Summary struct {
	MaxFCT, MeanFCT, P99FCT, P999FCT mc.Estimate
	End                              mc.Estimate // of the last flow, from the beginning of the run
	SlowdownP99                      mc.Estimate // p99 over flows of FCT / unloaded FCT
	BackgroundMaxFCT                 mc.Estimate // of background flows, which the other statistics leave out
	BackgroundMeanFCT                mc.Estimate
	ReorderP99                       mc.Estimate // packets
	Reroute                          mc.Estimate
	MaxQueue                         mc.Estimate // packets

	Flows, Finished                                     mc.Estimate
	Sent, Retransmitted, Dropped, Trimmed, Lost, Marked mc.Estimate // packets
	Corrupted                                           mc.Estimate // packets
	Recycled, PacketHops                                mc.Estimate

	Replicas   uint64
	Unfinished uint64 // replicas in which a flow did not finish by the horizon
	TotalHops  uint64 // of all replicas
}

// slowdownScale makes slowdowns integers, so that their sums are exact.
const slowdownScale = 1e6

// The statistics of a run, in the order of Tally.moments.
const (
	statMaxFCT = iota
	statMeanFCT
	statP99
	statP999
	statEnd
	statSlowdown
	statReorder
	statReroute
	statMaxQueue
	statFlows
	statFinished
	statSent
	statRetransmitted
	statDropped
	statTrimmed
	statLost
	statCorrupted
	statMarked
	statRecycled
	statHops
	statBackgroundMax
	statBackgroundMean
	statCount
)

// statNames are the keys of the statistics.
var statNames = [statCount]string{
	statMaxFCT: "max_fct", statMeanFCT: "mean_fct", statP99: "p99_fct", statP999: "p999_fct", statEnd: "end",
	statSlowdown: "slowdown_p99", statReorder: "reorder_p99", statReroute: "reroute", statMaxQueue: "max_queue",
	statFlows: "flows", statFinished: "finished", statSent: "sent", statRetransmitted: "retransmitted",
	statDropped: "dropped", statTrimmed: "trimmed", statLost: "lost", statCorrupted: "corrupted", statMarked: "marked",
	statRecycled: "recycled", statHops: "packet_hops",
	statBackgroundMax: "background_max_fct", statBackgroundMean: "background_mean_fct",
}

// Tally accumulates the statistics of runs exactly. It implements [mc.Tally];
// [Setup.NewExperiment] makes it.
type Tally struct {
	moments    [statCount]mc.Moments
	unfinished mc.Count
	hops       mc.Count
}

// Parts implements [mc.Tally]. Times are in picoseconds, slowdowns in millionths.
func (t *Tally) Parts() []mc.NamedPart {
	parts := make([]mc.NamedPart, 0, statCount+2)
	for i := range t.moments {
		parts = append(parts, mc.NamedPart{Name: statNames[i], Part: &t.moments[i]})
	}
	return append(parts, mc.NamedPart{Name: "unfinished", Part: &t.unfinished}, mc.NamedPart{Name: "all_packet_hops", Part: &t.hops})
}

// StoppingStatistic implements [mc.Tally] by the mean of the maximum FCT.
func (t *Tally) StoppingStatistic() mc.Estimate {
	return t.moments[statMaxFCT].Mean(mc.DefaultConfidence)
}

// NewExperiment returns the experiment that runs replicas of s. Replica r has the
// streams of NewStreams(seed, r), so it meets the same hash salts under every balancer.
// Its errors are those of the functions of s and ctx.Err().
func (s Setup) NewExperiment() mc.Experiment[*Tally] {
	newTally := func() *Tally { return new(Tally) }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
		runner, err := s.NewRunner()
		return func(ctx context.Context, t *Tally, replica uint64) error {
			r, err := runner.Run(ctx, seed, replica)
			if err == nil {
				t.add(r.Network, r.Result)
			}
			return err
		}, err
	})
}

// add accumulates a run.
func (t *Tally) add(n *Network, r *Result) {
	t.hops += mc.Count(r.PacketHops)
	for _, c := range []struct {
		stat  int
		value int64
	}{
		{statReorder, int64(r.ReorderDepth(0.99))}, {statReroute, r.Reroute}, {statMaxQueue, int64(r.MaxQueue)},
		{statFlows, int64(len(r.Flows))}, {statFinished, int64(r.Finished())},
		{statSent, r.Sent}, {statRetransmitted, r.Retransmitted}, {statDropped, r.Dropped}, {statTrimmed, r.Trimmed},
		{statLost, r.Lost}, {statCorrupted, r.Corrupted}, {statMarked, r.Marked}, {statRecycled, r.Recycled}, {statHops, r.PacketHops},
	} {
		t.moments[c.stat].Add(c.value)
	}
	end, finished := r.LastEnd()
	if !finished {
		t.unfinished++
		return
	}
	t.moments[statEnd].Add(end)
	t.addTimes(n, r)
}

// addTimes accumulates the completion times of a run in which all flows finished.
func (t *Tally) addTimes(n *Network, r *Result) {
	var fcts, background, slowdowns []int64
	for i, f := range r.Flows {
		if n.spec.Workload.Background(i) {
			background = append(background, f.FCT())
			continue
		}
		fcts = append(fcts, f.FCT())
		slowdowns = append(slowdowns, int64(slowdownScale*float64(f.FCT())/float64(n.Unloaded(int32(i)))))
	}
	slices.Sort(fcts)
	slices.Sort(slowdowns)
	t.moments[statMaxFCT].Add(fcts[len(fcts)-1])
	t.moments[statMeanFCT].Add(Mean(fcts))
	t.moments[statP99].Add(NearestRank(fcts, 0.99))
	t.moments[statP999].Add(NearestRank(fcts, 0.999))
	t.moments[statSlowdown].Add(NearestRank(slowdowns, 0.99))
	if len(background) > 0 {
		t.moments[statBackgroundMax].Add(slices.Max(background))
		t.moments[statBackgroundMean].Add(Mean(background))
	}
}

// Summary turns the tally into estimates.
func (t *Tally) Summary() Summary {
	mean := func(stat int) mc.Estimate { return t.moments[stat].Mean(mc.DefaultConfidence) }
	return Summary{
		MaxFCT: mean(statMaxFCT), MeanFCT: mean(statMeanFCT), P99FCT: mean(statP99), P999FCT: mean(statP999),
		End: mean(statEnd), SlowdownP99: mean(statSlowdown).Per(slowdownScale),
		ReorderP99: mean(statReorder), Reroute: mean(statReroute), MaxQueue: mean(statMaxQueue),
		Flows: mean(statFlows), Finished: mean(statFinished),
		Sent: mean(statSent), Retransmitted: mean(statRetransmitted), Dropped: mean(statDropped),
		Trimmed: mean(statTrimmed), Lost: mean(statLost), Corrupted: mean(statCorrupted), Marked: mean(statMarked),
		Recycled: mean(statRecycled), PacketHops: mean(statHops),
		BackgroundMaxFCT: mean(statBackgroundMax), BackgroundMeanFCT: mean(statBackgroundMean),
		Replicas: t.moments[statSent].N(), Unfinished: uint64(t.unfinished), TotalHops: uint64(t.hops),
	}
}
