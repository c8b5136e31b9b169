package experiment

import (
	"slices"

	"repslab/fattree"
)

// Statistic is a number of each run, or of some runs. [Summary.Of] estimates its mean.
type Statistic struct {
	Key   string // also the column in the rows of the fattree command
	Shown Shown  // numbers of the estimate that rows have
	// Inside says that the statistic needs [Setup].Inside, and a balancer that tells origins and entries.
	Inside bool

	kind  kind
	units float64                                      // numbers to a unit of the key, such as 1e6 picoseconds to a us; 0 means 1
	of    func(r *measured) (value int64, exists bool) // nil if the estimate follows from other numbers
	ratio [2]string                                    // the estimate is the ratio, at most 1, of the means of these two statistics
}

// Shown says which numbers of an estimate rows have.
type Shown uint8

// The values of Shown.
const (
	Ends         Shown = iota // the value, and the ends of its interval
	ErrorAndEnds              // the value, its standard error, and the ends
)

// kind says how the mean of a statistic is estimated.
type kind uint8

const (
	count    kind = iota // a whole number, at least 0, with the interval for few runs
	positive             // interval on the logarithmic scale
	amount               // at least 0, with the interval for few runs
	share                // in [0, 1], with the interval for few runs
	time                 // like positive, and a bound if runs did not finish
)

// HasSpread reports whether the statistic has a [Spread]: it is a time or slowdown of each run.
func (s Statistic) HasSpread() bool { return s.kind == time && s.of != nil }

// Numbers of runs are integers, so that their sums are exact.
const (
	microsecond   = 1e6 // picoseconds
	slowdownScale = 1e6
	partScale     = 1e9
)

// Statistics lists the statistics, including all of [fattree.Counters]. It is the only list: tallies, summaries
// and rows follow it. Result files keep its order; metrics.csv of internal/metric says which statistics are
// columns of rows.
func Statistics() []Statistic {
	list := []Statistic{
		{Key: "max_fct_us", Shown: ErrorAndEnds, kind: time, units: microsecond, of: over(fcts, slices.Max[[]int64])},
		{Key: "mean_fct_us", Shown: ErrorAndEnds, kind: time, units: microsecond, of: over(fcts, fattree.Mean[int64])},
		{Key: "p50_fct_us", kind: time, units: microsecond, of: over(fcts, nearestRank(0.5))},
		{Key: "p99_fct_us", kind: time, units: microsecond, of: over(fcts, nearestRank(0.99))},
		{Key: "p999_fct_us", kind: time, units: microsecond, of: over(fcts, nearestRank(0.999))},
		{Key: "end_us", kind: time, units: microsecond, of: func(r *measured) (int64, bool) { return int64(r.end), r.members == nil || r.flows > 0 }},
		{Key: "slowdown_p99", kind: time, units: slowdownScale, of: over(slowdowns, nearestRank(0.99))}, // FCT / unloaded FCT
		{Key: "reorder_depth_p99", of: number(func(r *fattree.Result) int64 { return int64(r.ReorderDepth(0.99)) })},
		{Key: "reroute_us", kind: positive, units: microsecond, of: number(func(r *fattree.Result) int64 { return int64(r.Reroute) })},
		{Key: "max_queue_packets", of: number(func(r *fattree.Result) int64 { return int64(r.MaxQueue) })},
		{Key: "flows", of: func(r *measured) (int64, bool) { return r.flows, true }},
		{Key: "finished", of: func(r *measured) (int64, bool) { return r.flows - r.unfinished, true }},
		{Key: "unfinished_flows", of: func(r *measured) (int64, bool) { return r.unfinished, true }},
		{Key: "ecn_marked_fraction", ratio: [2]string{"marked", "packet_hops"}},
		{Key: "recycled_fraction", ratio: [2]string{"recycled", "sent"}},
		{Key: "background_max_fct_us", kind: time, units: microsecond, of: over(background, slices.Max[[]int64])},
		{Key: "background_mean_fct_us", kind: time, units: microsecond, of: over(background, fattree.Mean[int64])},
		{Key: "step_us", Shown: ErrorAndEnds, kind: time, units: microsecond, of: (*measured).stepTime},
		{Key: "step_p99_us", kind: time, units: microsecond}, // over steps and replicas
		{Key: "network_wait", kind: share, units: partScale, of: (*measured).stepWaiting},
		{Key: "bytes", of: func(r *measured) (int64, bool) { return r.bytes, true }}, // of all messages
		{Key: "packets_lost", of: func(r *measured) (int64, bool) { return r.lost, true }},
	}
	list = append(list, insideStatistics()...)
	for _, c := range fattree.Counters() {
		list = append(list, Statistic{Key: c.Key, of: number(func(r *fattree.Result) int64 { return *c.Of(&r.Counts) })})
	}
	return list
}

// insideStatistics lists the statistics that follow from Replica.inside. Numbers and fractions are in units of
// 1/partScale. A count exists only if some flow can have it: OPS has neither a ring nor a freezing mode.
func insideStatistics() (list []Statistic) {
	needs := map[insideCount]insideCount{valid: keepers, stale: freezers, explore: freezers, freezes: freezers, frozen: freezers}
	add := func(key string, kind kind, part, whole insideCount) {
		list = append(list, Statistic{Key: key, Inside: true, kind: kind, units: partScale, of: func(r *measured) (int64, bool) {
			if r.inside == nil {
				return 0, false
			}
			if needed, is := needs[part]; is && r.inside.counts[needed] == 0 {
				return 0, false
			}
			n, of := r.inside.counts[part], r.inside.counts[whole]
			switch {
			case kind == count:
				of = 1
			case kind == share: // messages of a connection are counted under its first one
				n = min(n, of)
			}
			return int64(partScale * float64(n) / float64(max(1, of))), of > 0 && (part != validEntries || n > 0)
		}})
	}
	add("valid_share", share, valid, told)
	add("stale_share", share, stale, told)
	add("random_share", share, random, told)
	add("explore_share", share, explore, told)
	add("ring_valid_mean", amount, validEntries, looks)
	add("distinct_evs_mean", amount, distinctEVs, senders)
	add("flight_evs_mean", amount, flightEVs, senders)
	add("top_ev_share", share, topEV, flights)
	add("freezes", count, freezes, 0)
	add("frozen_share", share, frozen, lasting)
	add("timeouts", count, timeouts, 0)
	add("marked_acks", count, markedAcks, 0)
	return list
}

// number returns the function of a statistic that exists for every run, but not for groups of flows.
func number(of func(*fattree.Result) int64) func(*measured) (int64, bool) {
	return func(r *measured) (int64, bool) { return of(r.Result), r.members == nil }
}

// over returns the function of a statistic over sorted numbers of flows. It exists if there are any numbers.
func over(numbers func(*measured) []int64, of func(sorted []int64) int64) func(*measured) (int64, bool) {
	return func(r *measured) (value int64, exists bool) {
		if list := numbers(r); len(list) > 0 {
			return of(list), true
		}
		return 0, false
	}
}

// nearestRank returns the function of a quantile by nearest rank.
func nearestRank(p float64) func(sorted []int64) int64 {
	return func(sorted []int64) int64 { return fattree.NearestRank(sorted, p) }
}

// measured is a run with the numbers that several statistics need.
type measured struct {
	Replica
	members                     []bool      // the flows to measure; nil for all
	inside                      *flowInside // sum over these flows; nil if nothing was counted
	bytes, lost                 int64       // sums over all messages: their bytes, and the packets that did not arrive
	flows, unfinished           int64
	end                         fattree.Picoseconds // end of the last flow, or of the run if a flow did not end
	fcts, slowdowns, background []int64             // sorted; in background, FCTs of background flows in ps, which fcts omits
}

func fcts(r *measured) []int64       { return r.fcts }
func slowdowns(r *measured) []int64  { return r.slowdowns }
func background(r *measured) []int64 { return r.background }

// measure returns the numbers of some flows of a run, or of all if members is nil, with lower bounds for times
// that are not known. If members is set, background flows count like others.
func measure(run Replica, members []bool) *measured {
	r := &measured{Replica: run, members: members}
	if run.inside != nil {
		r.inside = new(flowInside)
	}
	workload := run.Network.Spec().Workload
	for i, f := range run.Result.Flows {
		if members != nil && !members[i] {
			continue
		}
		r.bytes += workload.Flows[i].Bytes
		r.lost += int64(f.Lost)
		r.flows++
		fct, finished := run.FCT(i)
		if r.inside != nil {
			r.inside.add(&run.inside[i])
			r.inside.counts[lasting] += int64(fct)
		}
		if r.end = max(r.end, f.End); !finished {
			r.unfinished++
		}
		if members == nil && workload.Background(i) {
			r.background = append(r.background, int64(fct))
			continue
		}
		r.fcts = append(r.fcts, int64(fct))
		r.slowdowns = append(r.slowdowns, int64(slowdownScale*float64(fct)/float64(run.Network.Unloaded(int32(i)))))
	}
	if r.unfinished > 0 {
		r.end = run.lasted()
	}
	slices.Sort(r.fcts)
	slices.Sort(r.slowdowns)
	slices.Sort(r.background)
	return r
}

// stepTime is the mean time of the steps of a schedule.
func (r *measured) stepTime() (int64, bool) {
	if len(r.Steps) == 0 || r.members != nil {
		return 0, false
	}
	sum := fattree.Picoseconds(0)
	for _, s := range r.Steps {
		sum += s.Time
	}
	return int64(sum) / int64(len(r.Steps)), true
}

// stepWaiting is the mean of [schedule.StepResult.Waiting], if all steps end.
func (r *measured) stepWaiting() (int64, bool) {
	if len(r.Steps) == 0 || r.cut || r.members != nil {
		return 0, false
	}
	sum := 0.0
	for _, s := range r.Steps {
		sum += s.Waiting
	}
	return int64(partScale * sum / float64(len(r.Steps))), true
}
