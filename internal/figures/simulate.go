package figures

import (
	"context"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Experiment is a set-up, how often it is run, and what is kept of a run. keep is
// called by several goroutines.
type ReplicatedSetup[T any] struct {
	fattree.Setup
	Replicas uint64
	Keep     func(fattree.Replica) (T, error)
}

// Simulate runs replicas of every set-up, on all cores, and returns what keep
// makes of each, by set-up and replica.
func Simulate[T any](ctx context.Context, s Settings, setups []fattree.Setup, replicas uint64, keep func(fattree.Replica) (T, error)) ([][]T, error) {
	var all []ReplicatedSetup[T]
	for _, setup := range setups {
		all = append(all, ReplicatedSetup[T]{setup, replicas, keep})
	}
	return SimulateEach(ctx, s, all)
}

// SimulateEach runs experiments, on all cores, and returns what is kept, by
// experiment and replica. The last ones, in figures the largest, are run first.
func SimulateEach[T any](ctx context.Context, s Settings, experiments []ReplicatedSetup[T]) ([][]T, error) {
	results := make([][]T, len(experiments))
	var order []int // the experiment of each job
	for i := len(experiments) - 1; i >= 0; i-- {
		for range experiments[i].Replicas {
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
				k, err := of.Keep(r)
				if err != nil {
					return nil, err
				}
				kept = append(kept, k)
			}
			return kept, nil
		}
	}
	job := 0
	_, err := mc.Run(ctx, s.Plan(uint64(len(order)), 0, 1), newWorker, func(kept []T) mc.Estimate {
		for _, k := range kept {
			results[order[job]] = append(results[order[job]], k)
			job++
		}
		return mc.Estimate{}
	})
	return results, err
}
