package experiment

import (
	"context"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Statistics holds a T for each statistic of a run. Times are in picoseconds, queues, depths
// and counts in packets: [fattree.Counts] explains them and Reroute. ReorderP99 is [fattree.Result.ReorderDepth].
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
	StepTime                                    T // mean over the steps of a schedule
	StepWaiting                                 T // mean of [schedule.StepResult.Waiting], if all steps end
	Bytes                                       T // of all messages
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
		{"step_time", &s.StepTime}, {"step_waiting", &s.StepWaiting}, {"bytes", &s.Bytes},
	}
}

// Summary holds estimates of the means over runs of each run's statistics; an estimate has N = 0 if no
// run has the statistic. Intervals of times and slowdowns are on the logarithmic scale. If a flow of some
// run did not finish, times and slowdowns have no value but a bound, see [mc.Estimate.Bound]: Lo is the
// mean over all runs with the bounds of [Replica.FCT] and [Replica.End] in place of the unknown times.
type Summary struct {
	Statistics[mc.Estimate]

	Replicas   uint64
	Unfinished uint64 // replicas in which a flow did not finish by the horizon
	TotalHops  uint64 // of all replicas

	StepP99  mc.Estimate // of StepTime, over steps and replicas
	LateRank int64       // the rank that is late in most steps, and the ends of the link that is; the first of them, or -1
	LateLink [2]int64
}

// Slowdowns and parts of a time are scaled to integers, so that their sums are exact.
const (
	slowdownScale = 1e6
	partScale     = 1e9
)

// Tally accumulates the statistics of runs exactly, lower bounds in place of unknown times. It implements
// [mc.Tally]; [Setup.NewExperiment] makes it.
type Tally struct {
	moments    Statistics[mc.Moments]
	unfinished mc.Count
	hops       mc.Count

	steps, lateRanks, lateLinks mc.Sample // by step
}

// Parts implements [mc.Tally]. Times are in picoseconds, slowdowns in millionths.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for _, m := range t.moments.all() {
		parts = append(parts, mc.NamedPart{Name: m.key, Part: m.of})
	}
	return append(parts, mc.NamedPart{Name: "unfinished", Part: &t.unfinished}, mc.NamedPart{Name: "all_packet_hops", Part: &t.hops},
		mc.NamedPart{Name: "steps", Part: &t.steps}, mc.NamedPart{Name: "late_ranks", Part: &t.lateRanks}, mc.NamedPart{Name: "late_links", Part: &t.lateLinks})
}

// StoppingStatistic implements [mc.Tally] by the mean of the maximum FCT, or of the time of steps, with lower bounds in
// place of unknown times: a run of bounds ends too.
func (t *Tally) StoppingStatistic() mc.Estimate {
	if t.moments.StepTime.N() > 0 {
		return t.moments.StepTime.PositiveMean(mc.DefaultConfidence)
	}
	return t.moments.MaxFCT.PositiveMean(mc.DefaultConfidence)
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
				t.add(r)
			}
			return err
		}, err
	})
}

// add accumulates a run and returns its longest completion time.
func (t *Tally) add(run Replica) (longest fattree.Picoseconds) {
	r := run.Result
	t.hops += mc.Count(r.PacketHops)
	m := &t.moments
	m.ReorderP99.Add(int64(r.ReorderDepth(0.99)))
	m.Reroute.Add(int64(r.Reroute))
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
	end, finished := run.End()
	if !finished {
		t.unfinished++
	}
	m.End.Add(int64(end))
	t.addSteps(run)
	return t.addTimes(run)
}

// addSteps accumulates the steps of a run.
func (t *Tally) addSteps(run Replica) {
	if len(run.Steps) == 0 {
		return
	}
	sum, waiting := fattree.Picoseconds(0), 0.0
	for _, s := range run.Steps {
		sum, waiting = sum+s.Time, waiting+s.Waiting
		t.steps.Add(int64(s.Time))
		t.lateRanks.Add(int64(s.LateRank))
		t.lateLinks.Add(int64(s.LateLink[0])<<32 | int64(s.LateLink[1]))
	}
	steps := len(run.Steps)
	t.moments.StepTime.Add(int64(sum) / int64(steps))
	if !run.Cut {
		t.moments.StepWaiting.Add(int64(partScale * waiting / float64(steps)))
	}
}

// addTimes accumulates the completion times of a run and returns the longest.
func (t *Tally) addTimes(run Replica) (longest fattree.Picoseconds) {
	var fcts, background []fattree.Picoseconds
	var slowdowns []int64
	workload := run.Network.Spec().Workload
	bytes := int64(0)
	for _, f := range workload.Flows {
		bytes += f.Bytes
	}
	t.moments.Bytes.Add(bytes)
	for i := range run.Result.Flows {
		fct, _ := run.FCT(i)
		if workload.Background(i) {
			background = append(background, fct)
			continue
		}
		fcts = append(fcts, fct)
		slowdowns = append(slowdowns, int64(slowdownScale*float64(fct)/float64(run.Network.Unloaded(int32(i)))))
	}
	slices.Sort(fcts)
	slices.Sort(slowdowns)
	if len(fcts) == 0 {
		return 0 // a schedule without messages
	}
	longest = fcts[len(fcts)-1]
	t.moments.MaxFCT.Add(int64(longest))
	t.moments.MeanFCT.Add(int64(fattree.Mean(fcts)))
	t.moments.P99FCT.Add(int64(fattree.NearestRank(fcts, 0.99)))
	t.moments.P999FCT.Add(int64(fattree.NearestRank(fcts, 0.999)))
	t.moments.SlowdownP99.Add(fattree.NearestRank(slowdowns, 0.99))
	if len(background) > 0 {
		t.moments.BackgroundMaxFCT.Add(int64(slices.Max(background)))
		t.moments.BackgroundMeanFCT.Add(int64(fattree.Mean(background)))
	}
	return longest
}

// times lists the statistics that are times, or multiples of one.
func (s *Statistics[T]) times() []*T {
	return []*T{&s.MaxFCT, &s.MeanFCT, &s.P99FCT, &s.P999FCT, &s.End, &s.SlowdownP99,
		&s.BackgroundMaxFCT, &s.BackgroundMeanFCT, &s.StepTime}
}

// Summary turns the tally into estimates.
func (t *Tally) Summary() Summary {
	s := Summary{Replicas: t.moments.Sent.N(), Unfinished: uint64(t.unfinished), TotalHops: uint64(t.hops)}
	means := s.all()
	for i, moments := range t.moments.all() {
		*means[i].of = moments.of.Mean(mc.DefaultConfidence)
	}
	s.Reroute = t.moments.Reroute.PositiveMean(mc.DefaultConfidence)
	times := s.times()
	for i, moments := range t.moments.times() {
		*times[i] = moments.PositiveMean(mc.DefaultConfidence).Bound(t.unfinished > 0 && moments.N() > 0, false)
	}
	s.SlowdownP99, s.StepWaiting = s.SlowdownP99.Per(slowdownScale), s.StepWaiting.Per(partScale)
	s.StepP99 = t.steps.Quantile(0.99, mc.DefaultConfidence).Bound(t.unfinished > 0 && t.steps.N() > 0, false)
	link := mode(&t.lateLinks)
	s.LateRank, s.LateLink = mode(&t.lateRanks), [2]int64{link >> 32, int64(int32(link))}
	return s
}

// mode returns the most frequent observation, the least of them, or -1 if there is none.
func mode(s *mc.Sample) int64 {
	value, most := int64(-1), uint64(0)
	for v, n := range s.Counts() {
		if n > most {
			value, most = v, n
		}
	}
	return value
}
