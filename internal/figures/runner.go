package figures

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"repslab/fattree/experiment"
	"repslab/internal/runbook"
	"repslab/mc"
)

// results holds the results of experiments by key.
type results[K comparable, R any] map[K]R

// at returns the result of an experiment. It panics if there is none with this key.
func (r results[K, R]) at(key K) R {
	result, found := r[key]
	if !found {
		panic(fmt.Sprintf("figures: no experiment is called %+v", key))
	}
	return result
}

// put adds a result. It panics if there is one with this key.
func (r results[K, R]) put(key K, result R) {
	if _, twice := r[key]; twice {
		panic(fmt.Sprintf("figures: two experiments are called %+v", key))
	}
	r[key] = result
}

// failed adds the experiment's name to its error, unless the experiment was cancelled.
func failed(ctx context.Context, key any, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%+v: %w", key, err)
}

// replicaRunner runs a replica and returns the part of it to keep. Only one goroutine uses it.
type replicaRunner[T any] func(ctx context.Context, seed, replica uint64) (T, error)

// trial is an experiment with few, long replicas that are all kept. Each goroutine opens its own runner.
type trial[K comparable, T any] struct {
	key      K
	replicas uint64
	open     func() (replicaRunner[T], error)
}

// trials are experiments that run together.
type trials[K comparable, T any] []trial[K, T]

// add adds a trial.
func (l *trials[K, T]) add(key K, replicas uint64, open func() (replicaRunner[T], error)) {
	*l = append(*l, trial[K, T]{key, replicas, open})
}

// addNetwork adds a trial on a network. Several goroutines call keep.
func (l *trials[K, T]) addNetwork(key K, replicas uint64, setup experiment.Setup, keep func(experiment.Replica) (T, error)) {
	l.add(key, replicas, func() (replicaRunner[T], error) {
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

// job is a run that a trial has to do.
type job[T any] struct {
	trial int
	run   runbook.Run
	into  *T // receives the part to keep
}

// run runs the replicas of all trials on all cores, except recorded ones, and returns each trial's replicas in
// order. The last trials, the largest ones in figures, run first.
func (l trials[K, T]) run(ctx context.Context, s Settings) (results[K, []T], error) {
	all := results[K, []T]{}
	var jobs []job[T]
	for i := len(l) - 1; i >= 0; i-- {
		t := l[i]
		kept := make([]T, t.replicas)
		all.put(t.key, kept)
		key := s.Recorder.key(t.key, s.Seed)
		for k := range kept {
			run := runbook.Run{Key: key, Seed: s.Seed, Run: int64(k)}
			recorded, err := s.Recorder.recall(run, &kept[k])
			if err != nil {
				return nil, failed(ctx, t.key, err)
			}
			if !recorded || s.Recorder.again(run) {
				jobs = append(jobs, job[T]{i, run, &kept[k]})
			}
		}
	}
	if len(jobs) == 0 {
		return all, ctx.Err()
	}
	newWorker := func() mc.Worker[struct{}] {
		var run replicaRunner[T]
		opened := -1
		return func(ctx context.Context, block mc.Block) (none struct{}, err error) {
			for _, j := range jobs[block.First:block.End] {
				if opened != j.trial {
					run = nil // free its memory before the next runner allocates
					if run, err = l[j.trial].open(); err != nil {
						return none, failed(ctx, l[j.trial].key, err)
					}
					opened = j.trial
				}
				began := time.Now()
				kept, err := run(ctx, s.Seed, uint64(j.run.Run))
				if err == nil {
					err = take(s.Recorder, j.run, kept, j.into, time.Since(began).Seconds())
				}
				if err != nil {
					return none, failed(ctx, l[j.trial].key, err)
				}
			}
			return none, nil
		}
	}
	_, err := mc.Run(ctx, s.plan(uint64(len(jobs))), newWorker, func(struct{}) mc.Estimate { return mc.Estimate{} })
	return all, err
}

// estimation is an experiment with many, short replicas. Only a summary is kept.
type estimation[K comparable, R any] struct {
	key      K
	replicas uint64
	run      func(context.Context, mc.Plan) (R, error)
}

// estimations run one after the other, each on all cores.
type estimations[K comparable, R any] []estimation[K, R]

// add adds an estimation.
func (l *estimations[K, R]) add(key K, replicas uint64, run func(context.Context, mc.Plan) (R, error)) {
	*l = append(*l, estimation[K, R]{key, replicas, run})
}

// run runs the estimations and returns their results.
func (l estimations[K, R]) run(ctx context.Context, s Settings) (results[K, R], error) {
	all := results[K, R]{}
	for i, e := range l {
		var result R
		run := runbook.Run{Key: s.Recorder.key(e.key, s.Seed), Seed: s.Seed, Run: -int64(e.replicas)}
		recorded, err := s.Recorder.recall(run, &result)
		if err == nil && (!recorded || s.Recorder.again(run)) {
			var made R
			began := time.Now()
			if made, err = e.run(ctx, s.part(i, len(l)).plan(e.replicas)); err == nil {
				err = take(s.Recorder, run, made, &result, time.Since(began).Seconds()*float64(cmp.Or(s.Workers, runtime.GOMAXPROCS(0))))
			}
		}
		if err != nil {
			return nil, failed(ctx, e.key, err)
		}
		all.put(e.key, result)
	}
	return all, ctx.Err()
}

// simulating returns the function of an [estimation] that runs a model's Simulate.
func simulating[C, R any](simulate func(context.Context, C, mc.Plan) (R, error), cfg C) func(context.Context,
	mc.Plan) (R, error) {
	return func(ctx context.Context, plan mc.Plan) (R, error) { return simulate(ctx, cfg, plan) }
}
