package experiment

import (
	"context"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Statistics holds a T for each statistic of a run. Times are in picoseconds, queues, depths
// and counts in packets.
type Statistics[T any] struct {
	MaxFCT, MeanFCT, P99FCT, P999FCT            T
	End                                         T // of the last flow, from the beginning of the run
	SlowdownP99                                 T // p99 over flows of FCT / unloaded FCT
	ReorderP99                                  T
	Reroute                                     T
	MaxQueue                                    T
	Flows, Finished                             T
	Sent, Retransmitted, Dropped, Trimmed, Lost T
	Corrupted, Marked, Recycled, PacketHops     T
	BackgroundMaxFCT, BackgroundMeanFCT         T // of background flows, which the other times leave out
}

// named is a statistic with its name in result files.
type named[T any] struct {
	key string
	of  *T
}

// all lists the statistics. Result files keep their order.
func (s *Statistics[T]) all() []named[T] {
	return []named[T]{
		{"max_fct", &s.MaxFCT}, {"mean_fct", &s.MeanFCT}, {"p99_fct", &s.P99FCT}, {"p999_fct", &s.P999FCT},
		{"end", &s.End}, {"slowdown_p99", &s.SlowdownP99}, {"reorder_p99", &s.ReorderP99}, {"reroute", &s.Reroute},
		{"max_queue", &s.MaxQueue}, {"flows", &s.Flows}, {"finished", &s.Finished}, {"sent", &s.Sent},
		{"retransmitted", &s.Retransmitted}, {"dropped", &s.Dropped}, {"trimmed", &s.Trimmed}, {"lost", &s.Lost},
		{"corrupted", &s.Corrupted}, {"marked", &s.Marked}, {"recycled", &s.Recycled}, {"packet_hops", &s.PacketHops},
		{"background_max_fct", &s.BackgroundMaxFCT}, {"background_mean_fct", &s.BackgroundMeanFCT},
	}
}

// Summary holds estimates of the means over runs of each run's statistics. Completion times
// are those of runs in which every flow finished; an estimate has N = 0 if no run has the
// statistic.
type Summary struct {
	Statistics[mc.Estimate]

	Replicas   uint64
	Unfinished uint64 // replicas in which a flow did not finish by the horizon
	TotalHops  uint64 // of all replicas
}

// slowdownScale makes slowdowns integers, so that their sums are exact.
const slowdownScale = 1e6

// Tally accumulates the statistics of runs exactly. It implements [mc.Tally];
// [Setup.NewExperiment] makes it.
type Tally struct {
	moments    Statistics[mc.Moments]
	unfinished mc.Count
	hops       mc.Count
}

// Parts implements [mc.Tally]. Times are in picoseconds, slowdowns in millionths.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for _, m := range t.moments.all() {
		parts = append(parts, mc.NamedPart{Name: m.key, Part: m.of})
	}
	return append(parts, mc.NamedPart{Name: "unfinished", Part: &t.unfinished}, mc.NamedPart{Name: "all_packet_hops", Part: &t.hops})
}

// StoppingStatistic implements [mc.Tally] by the mean of the maximum FCT.
func (t *Tally) StoppingStatistic() mc.Estimate {
	return t.moments.MaxFCT.Mean(mc.DefaultConfidence)
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
func (t *Tally) add(n *fattree.Network, r *fattree.Result) {
	t.hops += mc.Count(r.PacketHops)
	m := &t.moments
	m.ReorderP99.Add(int64(r.ReorderDepth(0.99)))
	m.Reroute.Add(r.Reroute)
	m.MaxQueue.Add(int64(r.MaxQueue))
	m.Flows.Add(int64(len(r.Flows)))
	m.Finished.Add(int64(r.Finished()))
	m.Sent.Add(r.Sent)
	m.Retransmitted.Add(r.Retransmitted)
	m.Dropped.Add(r.Dropped)
	m.Trimmed.Add(r.Trimmed)
	m.Lost.Add(r.Lost)
	m.Corrupted.Add(r.Corrupted)
	m.Marked.Add(r.Marked)
	m.Recycled.Add(r.Recycled)
	m.PacketHops.Add(r.PacketHops)
	end, finished := r.LastEnd()
	if !finished {
		t.unfinished++
		return
	}
	m.End.Add(end)
	t.addTimes(n, r)
}

// addTimes accumulates the completion times of a run in which all flows finished.
func (t *Tally) addTimes(n *fattree.Network, r *fattree.Result) {
	var fcts, background, slowdowns []int64
	workload := n.Spec().Workload
	for i, f := range r.Flows {
		if workload.Background(i) {
			background = append(background, f.FCT())
			continue
		}
		fcts = append(fcts, f.FCT())
		slowdowns = append(slowdowns, int64(slowdownScale*float64(f.FCT())/float64(n.Unloaded(int32(i)))))
	}
	slices.Sort(fcts)
	slices.Sort(slowdowns)
	t.moments.MaxFCT.Add(fcts[len(fcts)-1])
	t.moments.MeanFCT.Add(fattree.Mean(fcts))
	t.moments.P99FCT.Add(fattree.NearestRank(fcts, 0.99))
	t.moments.P999FCT.Add(fattree.NearestRank(fcts, 0.999))
	t.moments.SlowdownP99.Add(fattree.NearestRank(slowdowns, 0.99))
	if len(background) > 0 {
		t.moments.BackgroundMaxFCT.Add(slices.Max(background))
		t.moments.BackgroundMeanFCT.Add(fattree.Mean(background))
	}
}

// Summary turns the tally into estimates.
func (t *Tally) Summary() Summary {
	s := Summary{Replicas: t.moments.Sent.N(), Unfinished: uint64(t.unfinished), TotalHops: uint64(t.hops)}
	means := s.all()
	for i, moments := range t.moments.all() {
		*means[i].of = moments.of.Mean(mc.DefaultConfidence)
	}
	s.SlowdownP99 = s.SlowdownP99.Per(slowdownScale)
	return s
}
