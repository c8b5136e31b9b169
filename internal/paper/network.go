package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/fluid"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/report"
)

const (
	mib          = 1 << 20 // bytes
	microseconds = 1e6     // picoseconds in one
	fullEVS      = 1 << 16
)

// dctcp is the congestion control of all figures but those about it.
func dctcp() fattree.Control { return congestion.DCTCP{} }

// permutation returns networks with a permutation that differs from replica to
// replica.
func (s Settings) permutation(spec fattree.Spec, bytes int64) func(uint64) (*fattree.Network, error) {
	return varied(spec, func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(spec.Topology.Hosts, traffic.Message{Bytes: bytes}, s.Seed, replica)
	})
}

// fixed returns a function that makes the network for a workload, or for the
// failure to make one.
func fixed(spec fattree.Spec) func(fattree.Workload, error) func(uint64) (*fattree.Network, error) {
	return func(w fattree.Workload, err error) func(uint64) (*fattree.Network, error) {
		if err != nil {
			return func(uint64) (*fattree.Network, error) { return nil, err }
		}
		spec.Workload = w
		return fattree.Fixed(spec)
	}
}

// experiment is a set-up, how often it is run, and what is kept of a run. keep is
// called by several goroutines.
type experiment[T any] struct {
	fattree.Setup
	replicas uint64
	keep     func(fattree.Replica) (T, error)
}

// simulate runs replicas of every set-up, on all cores, and returns what keep
// makes of each, by set-up and replica.
func simulate[T any](ctx context.Context, s Settings, setups []fattree.Setup, replicas uint64, keep func(fattree.Replica) (T, error)) ([][]T, error) {
	var all []experiment[T]
	for _, setup := range setups {
		all = append(all, experiment[T]{setup, replicas, keep})
	}
	return simulateEach(ctx, s, all)
}

// simulateEach runs experiments, on all cores, and returns what is kept, by
// experiment and replica. The last ones, in figures the largest, are run first.
func simulateEach[T any](ctx context.Context, s Settings, experiments []experiment[T]) ([][]T, error) {
	results := make([][]T, len(experiments))
	var order []int // the experiment of each job
	for i := len(experiments) - 1; i >= 0; i-- {
		for range experiments[i].replicas {
			order = append(order, i)
		}
	}
	// Replica number r of an experiment is the r-th of its jobs.
	replica := func(job int) uint64 { return uint64(job - slices.Index(order, order[job])) }
	newWorker := func() mc.Worker[[]T] {
		var runner *fattree.Runner
		at := -1 // whose runner it is
		return func(ctx context.Context, block mc.Block) (kept []T, err error) {
			for job := int(block.First); job < int(block.End); job++ {
				of := experiments[order[job]]
				if at != order[job] {
					runner = nil // its memory before that of the next
					if runner, err = of.NewRunner(); err != nil {
						return nil, err
					}
					at = order[job]
				}
				r, err := runner.Run(ctx, s.Seed, replica(job))
				if err != nil {
					return nil, err
				}
				k, err := of.keep(r)
				if err != nil {
					return nil, err
				}
				kept = append(kept, k)
			}
			return kept, nil
		}
	}
	job := 0
	_, err := mc.Run(ctx, s.plan(uint64(len(order)), 0, 1), newWorker, func(kept []T) mc.Estimate {
		for _, k := range kept {
			results[order[job]] = append(results[order[job]], k)
			job++
		}
		return mc.Estimate{}
	})
	return results, err
}

// networkRun is what figures keep of a run.
type networkRun struct {
	result    *fattree.Result
	complete  bool                  // every flow finished; without that there is nothing below
	fcts      []fattree.Picoseconds // ascending
	end       fattree.Picoseconds   // of the last flow
	slowdowns []float64             // ascending: FCT over that of the fluid ideal, flow by flow; nil without it
	ideal     fattree.Picoseconds   // longest FCT of the fluid ideal; 0 without it
}

// keepRun keeps a run and how it compares with the fluid ideal of healthy links.
func keepRun(r fattree.Replica) (networkRun, error) {
	k, err := keepTimes(r)
	if err != nil || !k.complete {
		return k, err
	}
	spec := r.Network.Spec()
	ideal, err := fluid.Ideal(fluid.Config{Topology: spec.Topology, Workload: spec.Workload, MTU: spec.MTU, HeaderBytes: spec.HeaderBytes})
	if err != nil {
		return k, err
	}
	k.ideal, _ = ideal.MaxFCT()
	for i, flow := range r.Result.Flows {
		k.slowdowns = append(k.slowdowns, ideal.Slowdown(i, flow.FCT()))
	}
	slices.Sort(k.slowdowns)
	return k, nil
}

// keepTimes keeps a run without an ideal, which costs more than the run itself
// where thousands of flows come and go.
func keepTimes(r fattree.Replica) (networkRun, error) {
	k := networkRun{result: r.Result}
	if k.end, k.complete = r.Result.LastEnd(); k.complete {
		k.fcts = r.Result.FCTs()
	}
	return k, nil
}

// networkRuns are the replicas of a set-up.
type networkRuns []networkRun

// The completion times of a complete run in picoseconds.
func (r networkRun) maxFCT() int64   { return r.fcts[len(r.fcts)-1] }
func (r networkRun) meanFCT() int64  { return fattree.Mean(r.fcts) }
func (r networkRun) p99FCT() int64   { return fattree.NearestRank(r.fcts, 0.99) }
func (r networkRun) lastEnd() int64  { return r.end }
func (r networkRun) idealFCT() int64 { return r.ideal }

// count returns the mean over all runs of a count.
func (runs networkRuns) count(of func(*fattree.Result) int64) mc.Estimate {
	var m mc.Moments
	for _, r := range runs {
		m.Add(of(r.result))
	}
	return m.Mean(mc.DefaultConfidence)
}

// time returns the mean over the complete runs of a time, in microseconds.
func (runs networkRuns) time(of func(networkRun) int64) mc.Estimate {
	var m mc.Moments
	for _, r := range runs {
		if r.complete {
			m.Add(of(r))
		}
	}
	return m.Mean(mc.DefaultConfidence).Per(microseconds)
}

// maxFCT returns the mean over runs of the longest FCT, in microseconds.
func (runs networkRuns) maxFCT() mc.Estimate { return runs.time(networkRun.maxFCT) }

// over returns the mean longest FCT as a multiple of that of other runs, over the
// replicas that are complete in both.
func (runs networkRuns) over(other networkRuns) mc.Estimate {
	return runs.ratio(other, networkRun.maxFCT)
}

// ratio returns the mean of a time as a multiple of that of other runs, over the
// replicas that are complete in both.
func (runs networkRuns) ratio(other networkRuns, of func(networkRun) int64) mc.Estimate {
	var p mc.PairedMoments
	for i, r := range runs {
		if r.complete && other[i].complete {
			p.Add(of(r), of(other[i]))
		}
	}
	return p.Ratio(mc.DefaultConfidence)
}

// overIdeal returns the mean longest FCT as a multiple of that of the fluid ideal.
func (runs networkRuns) overIdeal() mc.Estimate {
	var p mc.PairedMoments
	for _, r := range runs {
		if r.complete {
			p.Add(r.maxFCT(), r.ideal)
		}
	}
	return p.Ratio(mc.DefaultConfidence)
}

// networkColumns head what cells returns.
func networkColumns() []report.Column {
	return numbers("max_fct_us", "max_fct_us_se", "max_fct_us_lo", "max_fct_us_hi", "mean_fct_us", "mean_fct_us_se", "p99_fct_us", "end_us",
		"ideal_max_fct_us", "speedup_over_ops", "speedup_lo", "speedup_hi",
		"ecn_marked_fraction", "recycled_fraction", "retransmitted", "dropped", "trimmed", "max_queue_packets", "packet_hops", "flows", "finished", "seed", "replicas")
}

// cells returns means over runs, completion times over complete ones; the speed-up is the longest FCT of OPS over that
// of the runs.
func (runs networkRuns) cells(ops networkRuns, seed uint64) []any {
	m, avg, speedup := runs.maxFCT(), runs.time(networkRun.meanFCT), ops.over(runs)
	var ideal any
	if e := runs.time(networkRun.idealFCT); e.Value > 0 {
		ideal = e.Value
	}
	row := []any{m.Value, m.StdErr, m.Lo, m.Hi, avg.Value, avg.StdErr, runs.time(networkRun.p99FCT).Value, runs.time(networkRun.lastEnd).Value,
		ideal, speedup.Value, speedup.Lo, speedup.Hi}
	hops := runs.count(func(r *fattree.Result) int64 { return r.PacketHops }).Value
	sent := runs.count(func(r *fattree.Result) int64 { return r.Sent }).Value
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
		row = append(row, runs.count(c.of).Value/c.per)
	}
	return append(row, seed, len(runs))
}

// interval writes an estimate with its interval, if it has one.
func interval(e mc.Estimate, format string) string {
	if math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0) {
		return fmt.Sprintf(format+" (no interval)", e.Value)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", e.Value, e.Lo, e.Hi)
}

// percent returns an estimate of a ratio as the percentage by which it is above 1.
func percent(ratio mc.Estimate) mc.Estimate {
	ratio.Value, ratio.Lo, ratio.Hi, ratio.StdErr = 100*(ratio.Value-1), 100*(ratio.Lo-1), 100*(ratio.Hi-1), 100*ratio.StdErr
	return ratio
}
