package experiment

import (
	"cmp"
	"context"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Summary holds estimates of the means over runs of each run's statistics, [Summary.Of].
type Summary struct {
	Replicas   uint64
	Unfinished uint64   // replicas in which a flow did not finish by the horizon
	TotalHops  uint64   // of all replicas
	LateRank   int64    // the rank that is late in most steps, the first of them, or -1
	LateLink   [2]int64 // the ends of the link that is late in most steps, the first of them, or -1

	estimates map[string]mc.Estimate // by the key of the statistic
}

// Of returns the estimate of a statistic of [Statistics] in the unit of its key, with N = 0 if no run has the
// statistic; it panics if there is no such statistic. Intervals of times and slowdowns are on the logarithmic scale.
// If a flow of some run did not finish, times and slowdowns have no value but a bound, see [mc.Estimate.Bound]: Lo is
// the mean over all runs with the bounds of [Replica.FCT] and [Replica.End] in place of the unknown times.
func (s Summary) Of(key string) mc.Estimate {
	e, known := s.estimates[key]
	if !known {
		panic("experiment: Summary.Of: " + key + " is not the key of a statistic")
	}
	return e
}

// Tally accumulates the statistics of runs exactly, lower bounds in place of unknown times. It implements
// [mc.Tally]; [Setup.NewExperiment] makes it.
type Tally struct {
	statistics []Statistic
	moments    []mc.Moments // by statistic; of estimates that follow from other numbers they stay empty
	unfinished mc.Count
	hops       mc.Count

	steps, lateRanks, lateLinks mc.Sample // by step
}

// newTally returns an empty tally.
func newTally() *Tally {
	list := Statistics()
	return &Tally{statistics: list, moments: make([]mc.Moments, len(list))}
}

// of returns the moments of a statistic.
func (t *Tally) of(key string) *mc.Moments {
	return &t.moments[slices.IndexFunc(t.statistics, func(s Statistic) bool { return s.Key == key })]
}

// Parts implements [mc.Tally]. Times are in picoseconds, slowdowns in millionths.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for i, s := range t.statistics {
		if s.of != nil {
			parts = append(parts, mc.NamedPart{Name: s.Key, Part: &t.moments[i]})
		}
	}
	return append(parts, mc.NamedPart{Name: "unfinished", Part: &t.unfinished}, mc.NamedPart{Name: "all_packet_hops", Part: &t.hops},
		mc.NamedPart{Name: "steps", Part: &t.steps}, mc.NamedPart{Name: "late_ranks", Part: &t.lateRanks}, mc.NamedPart{Name: "late_links", Part: &t.lateLinks})
}

// StoppingStatistic implements [mc.Tally] by the mean of the maximum FCT, or of the time of steps, with lower bounds in
// place of unknown times: a run of bounds ends too.
func (t *Tally) StoppingStatistic() mc.Estimate {
	m := t.of("step_us")
	if m.N() == 0 {
		m = t.of("max_fct_us")
	}
	return m.PositiveMean(mc.DefaultConfidence)
}

// NewExperiment returns the experiment that runs replicas of s. Replica r has the
// streams of NewStreams(seed, r), so it meets the same hash salts under every balancer.
// Its errors are those of the functions of s and ctx.Err().
func (s Setup) NewExperiment() mc.Experiment[*Tally] {
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
	r := measure(run)
	for i, s := range t.statistics {
		if s.of == nil {
			continue
		}
		if value, exists := s.of(r); exists {
			t.moments[i].Add(value)
		}
	}
	t.hops += mc.Count(run.Result.PacketHops)
	if _, finished := run.End(); !finished {
		t.unfinished++
	}
	for _, s := range run.Steps {
		t.steps.Add(int64(s.Time))
		t.lateRanks.Add(int64(s.LateRank))
		t.lateLinks.Add(int64(s.LateLink[0])<<32 | int64(s.LateLink[1]))
	}
	if len(r.fcts) == 0 {
		return 0 // a schedule without messages
	}
	return fattree.Picoseconds(r.fcts[len(r.fcts)-1])
}

// Summary turns the tally into estimates.
func (t *Tally) Summary() Summary {
	s := Summary{Replicas: t.of("flows").N(), Unfinished: uint64(t.unfinished), TotalHops: uint64(t.hops), estimates: map[string]mc.Estimate{}}
	for i, statistic := range t.statistics {
		s.estimates[statistic.Key] = t.estimate(statistic, t.moments[i])
	}
	link := mode(&t.lateLinks)
	s.LateRank, s.LateLink = mode(&t.lateRanks), [2]int64{link >> 32, int64(int32(link))}
	return s
}

// estimate returns the estimate of a statistic, by its moments if it has a number in each run.
func (t *Tally) estimate(s Statistic, moments mc.Moments) (e mc.Estimate) {
	bounds := t.unfinished > 0
	switch {
	case s.ratio != [2]string{}:
		numerator, denominator := t.of(s.ratio[0]).Mean(mc.DefaultConfidence), t.of(s.ratio[1]).Mean(mc.DefaultConfidence)
		e = mc.Estimate{Value: numerator.Value / denominator.Value, StdErr: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1)}
	case s.of == nil:
		e, bounds = t.steps.Quantile(0.99, mc.DefaultConfidence), bounds && t.steps.N() > 0
	case s.kind == count:
		return moments.Mean(mc.DefaultConfidence).Per(cmp.Or(s.units, 1))
	default:
		e, bounds = moments.PositiveMean(mc.DefaultConfidence), bounds && moments.N() > 0
	}
	return e.Bound(bounds && s.kind == time, false).Per(cmp.Or(s.units, 1))
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
