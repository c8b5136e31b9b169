package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Summary holds estimates of the means over runs of all statistics, see [Summary.Of].
type Summary struct {
	Replicas   uint64
	Unfinished uint64   // replicas in which a flow did not finish by the horizon
	TotalHops  uint64   // sum over all replicas
	LateRank   int64    // of a schedule: the rank that is late in most steps, the lowest of several; otherwise -1
	LateLink   [2]int64 // of a schedule: the ends of the link that is late in most steps, as LateRank

	// Entries are the numbers of valid entries after each ACK and each packet sent; empty without [Setup].Inside
	// or a ring.
	Entries *mc.Sample
	Groups  []Summary // one for each of Setup.Groups, with the statistics that are about flows

	estimates map[string]mc.Estimate // by the statistic's key
	spreads   map[string]Spread      // likewise
}

// Of returns the estimate of a statistic of [Statistics] in the unit of its key, with N = 0 if no run has the
// statistic. It panics if there is no such statistic. Intervals of times and slowdowns are on the logarithmic
// scale, intervals of counts and shares as [mc.Estimate.OfFew] says; runs that are all alike have none
// ([mc.Estimate.OrIdentical]). If a flow of some run did not finish, times and slowdowns have a bound instead of a
// value, see [mc.Estimate.Bound]. Lo is then the mean over all runs, with the bounds of [Replica.FCT] and
// Replica.end for times that are not known.
func (s Summary) Of(key string) mc.Estimate {
	e, known := s.estimates[key]
	if !known {
		panic("experiment: Summary.Of: " + key + " is not the key of a statistic")
	}
	return e
}

// Tally accumulates the statistics of runs exactly, with lower bounds for times that are not known. It implements
// [mc.Tally]; [Setup.NewExperiment] makes it.
type Tally struct {
	statistics []Statistic
	moments    []mc.Moments                 // by statistic; empty if the estimate follows from other numbers
	values     map[string]*mc.Sample        // by the key of a time or slowdown
	ratios     map[string]*mc.PairedMoments // by the key of a statistic that is a ratio
	unfinished mc.Count
	hops       mc.Count

	steps, lateRanks, lateLinks mc.Sample // by step

	entries mc.Sample // see Summary.Entries
	groups  []Group
	grouped []*Tally // by group
}

// newTally returns an empty tally of all flows and of groups of flows.
func newTally(groups ...Group) *Tally {
	list := Statistics()
	t := &Tally{statistics: list, moments: make([]mc.Moments, len(list)), values: map[string]*mc.Sample{}, ratios: map[string]*mc.PairedMoments{}, groups: groups}
	for _, s := range list {
		if s.HasSpread() {
			t.values[s.Key] = new(mc.Sample)
		}
		if s.ratio != [2]string{} {
			t.ratios[s.Key] = new(mc.PairedMoments)
		}
	}
	for range groups {
		t.grouped = append(t.grouped, newTally())
	}
	return t
}

// of returns the moments of a statistic.
func (t *Tally) of(key string) *mc.Moments { return &t.moments[t.index(key)] }

// index returns the place of a statistic in the list.
func (t *Tally) index(key string) int {
	if len(t.statistics) == 0 {
		panic("experiment: a Tally that Setup.NewExperiment did not make")
	}
	return slices.IndexFunc(t.statistics, func(s Statistic) bool { return s.Key == key })
}

// Parts implements [mc.Tally]. Times are in picoseconds, slowdowns in millionths.
func (t *Tally) Parts() []mc.NamedPart {
	var parts []mc.NamedPart
	for i, s := range t.statistics {
		if s.of != nil {
			parts = append(parts, mc.NamedPart{Name: s.Key, Part: &t.moments[i]})
			if values := t.values[s.Key]; values != nil {
				parts = append(parts, mc.NamedPart{Name: s.Key + "_values", Part: values})
			}
		} else if pairs := t.ratios[s.Key]; pairs != nil {
			parts = append(parts, mc.NamedPart{Name: s.Key, Part: pairs})
		}
	}
	for i, g := range t.grouped {
		for _, part := range g.Parts() {
			parts = append(parts, mc.NamedPart{Name: fmt.Sprintf("group_%d_%s", i, part.Name), Part: part.Part})
		}
	}
	return append(parts, mc.NamedPart{Name: "valid_entries", Part: &t.entries}, mc.NamedPart{Name: "unfinished", Part: &t.unfinished}, mc.NamedPart{Name: "all_packet_hops", Part: &t.hops},
		mc.NamedPart{Name: "steps", Part: &t.steps}, mc.NamedPart{Name: "late_ranks", Part: &t.lateRanks}, mc.NamedPart{Name: "late_links", Part: &t.lateLinks})
}

// StoppingStatistic implements [mc.Tally]. It is the mean of the maximum FCT, or of the time of steps, with lower
// bounds for times that are not known, so that a plan ends even if all its times are bounds.
func (t *Tally) StoppingStatistic() mc.Estimate {
	m := t.of("step_us")
	if m.N() == 0 {
		m = t.of("max_fct_us")
	}
	return m.PositiveMean(mc.DefaultConfidence)
}

// NewExperiment returns the experiment that runs replicas of s. Replica r has the streams of NewStreams(seed, r),
// so it meets the same hash salts under every balancer. It returns the errors of the functions of s, and
// ctx.Err().
func (s Setup) NewExperiment() mc.Experiment[*Tally] {
	s.Groups = slices.Clone(s.Groups)
	return mc.EachReplica(func() *Tally { return newTally(s.Groups...) }, func(seed uint64) (func(context.Context, *Tally, uint64) error, error) {
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
	t.hops += mc.Count(run.Result.PacketHops)
	if _, finished := run.End(); !finished {
		t.unfinished++
	}
	for _, s := range run.Steps {
		t.steps.Add(int64(s.Time))
		t.lateRanks.Add(int64(s.LateRank))
		t.lateLinks.Add(int64(s.LateLink[0])<<32 | int64(s.LateLink[1]))
	}
	for i, g := range t.groups {
		group := measure(run, g.Of(run))
		if t.grouped[i].addMeasured(group); group.unfinished > 0 {
			t.grouped[i].unfinished++
		}
	}
	r := measure(run, nil)
	t.addMeasured(r)
	if len(r.fcts) == 0 {
		return 0 // a schedule without messages
	}
	return fattree.Picoseconds(r.fcts[len(r.fcts)-1])
}

// addMeasured accumulates the numbers of some flows.
func (t *Tally) addMeasured(r *measured) {
	for i, s := range t.statistics {
		if s.of == nil {
			continue
		}
		if value, exists := s.of(r); exists {
			t.moments[i].Add(value)
			if values := t.values[s.Key]; values != nil {
				values.Add(value)
			}
		}
	}
	for key, pairs := range t.ratios {
		of := t.statistics[t.index(key)].ratio
		part, exists := t.statistics[t.index(of[0])].of(r)
		if whole, _ := t.statistics[t.index(of[1])].of(r); exists {
			pairs.Add(part, whole)
		}
	}
	if r.inside == nil || r.inside.counts[validEntries] == 0 {
		return // without a ring
	}
	for k, n := range r.inside.entries {
		t.entries.AddMany(int64(k), uint64(n))
	}
}

// Summary returns the estimates of the tally.
func (t *Tally) Summary() Summary {
	s := Summary{Replicas: t.of("flows").N(), Unfinished: uint64(t.unfinished), TotalHops: uint64(t.hops), Entries: &t.entries, estimates: map[string]mc.Estimate{}, spreads: map[string]Spread{}}
	for i, statistic := range t.statistics {
		e := t.estimate(statistic, t.moments[i])
		if s.estimates[statistic.Key] = e; statistic.HasSpread() && t.unfinished == 0 {
			s.spreads[statistic.Key] = spreadOf(t.values[statistic.Key])
		}
	}
	link := mode(&t.lateLinks)
	s.LateRank, s.LateLink = mode(&t.lateRanks), [2]int64{link >> 32, int64(int32(link))}
	for _, g := range t.grouped {
		s.Groups = append(s.Groups, g.Summary())
	}
	return s
}

// estimate returns the estimate of a statistic. It uses moments if the statistic has a number in each run.
func (t *Tally) estimate(s Statistic, moments mc.Moments) (e mc.Estimate) {
	bounds := t.unfinished > 0
	switch {
	case s.ratio != [2]string{}:
		e = t.ratios[s.Key].Ratio(mc.DefaultConfidence).OfFew(mc.Support{Most: 1})
	case s.of == nil:
		e, bounds = t.steps.Quantile(0.99, mc.DefaultConfidence), bounds && t.steps.N() > 0
	case moments.N() == 0:
		return moments.Mean(mc.DefaultConfidence)
	case s.kind == count:
		e = moments.Mean(mc.DefaultConfidence).OfFew(mc.Support{Most: math.Inf(1), Step: cmp.Or(s.units, 1)})
	case s.kind == share:
		e = moments.Mean(mc.DefaultConfidence).OfFew(mc.Support{Most: partScale})
	case s.kind == amount:
		e = moments.Mean(mc.DefaultConfidence).OfFew(mc.Support{Most: math.Inf(1)})
	default:
		e = moments.PositiveMean(mc.DefaultConfidence).OrIdentical()
	}
	return e.Bound(bounds && s.kind == time, false).Per(cmp.Or(s.units, 1))
}

// mode returns the most frequent observation, the least of several, or -1 if there are none.
func mode(s *mc.Sample) int64 {
	value, most := int64(-1), uint64(0)
	for v, n := range s.Counts() {
		if n > most {
			value, most = v, n
		}
	}
	return value
}
