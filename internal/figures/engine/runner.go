package engine

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"repslab/internal/runbook"
	"repslab/mc"
)

// Results holds the results of experiments by key.
type Results[K comparable, R any] map[K]R

// At returns the result of an experiment. It panics if there is none with this key.
func (r Results[K, R]) At(key K) R {
	result, found := r[key]
	if !found {
		panic(fmt.Sprintf("figures: no experiment is called %+v", key))
	}
	return result
}

// put adds a result. It panics if there is one with this key.
func (r Results[K, R]) put(key K, result R) {
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

// ReplicaRunner runs a replica and returns the part of it to keep. Only one goroutine uses it.
type ReplicaRunner[T any] func(ctx context.Context, seed, replica uint64) (T, error)

// Trial is an experiment with few, long replicas that are all kept. Each goroutine opens its own runner.
type Trial[K comparable, T any] struct {
	Key      K
	Replicas uint64
	Open     func() (ReplicaRunner[T], error)
}

// Trials are experiments that run together.
type Trials[K comparable, T any] []Trial[K, T]

// Add adds a trial.
func (l *Trials[K, T]) Add(key K, replicas uint64, open func() (ReplicaRunner[T], error)) {
	*l = append(*l, Trial[K, T]{key, replicas, open})
}

// job is a run that a trial has to do.
type job[T any] struct {
	trial int
	run   runbook.Run
	into  *T // receives the part to keep
}

// Run runs the replicas of all trials on all cores, except recorded ones, and returns each trial's replicas in
// order. The last trials, the largest ones in figures, run first.
func (l Trials[K, T]) Run(ctx context.Context, s Settings) (Results[K, []T], error) {
	all := Results[K, []T]{}
	var jobs []job[T]
	for i := len(l) - 1; i >= 0; i-- {
		t := l[i]
		kept := make([]T, t.Replicas)
		all.put(t.Key, kept)
		key := s.Recorder.key(t.Key, s.Seed)
		for k := range kept {
			run := runbook.Run{Key: key, Seed: s.Seed, Run: int64(k)}
			recorded, err := s.Recorder.recall(run, &kept[k])
			if err != nil {
				return nil, failed(ctx, t.Key, err)
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
		var run ReplicaRunner[T]
		opened := -1
		return func(ctx context.Context, block mc.Block) (none struct{}, err error) {
			for _, j := range jobs[block.First:block.End] {
				if opened != j.trial {
					run = nil // free its memory before the next runner allocates
					if run, err = l[j.trial].Open(); err != nil {
						return none, failed(ctx, l[j.trial].Key, err)
					}
					opened = j.trial
				}
				began := time.Now()
				kept, err := run(ctx, s.Seed, uint64(j.run.Run))
				if err == nil {
					err = take(s.Recorder, j.run, kept, j.into, time.Since(began).Seconds())
				}
				if err != nil {
					return none, failed(ctx, l[j.trial].Key, err)
				}
			}
			return none, nil
		}
	}
	_, err := mc.Run(ctx, s.plan(uint64(len(jobs))), newWorker, func(struct{}) mc.Estimate { return mc.Estimate{} })
	return all, err
}

// Estimation is an experiment with many, short replicas. Only a summary is kept.
type Estimation[K comparable, R any] struct {
	Key      K
	Replicas uint64
	Run      func(context.Context, mc.Plan) (R, error)
}

// Estimations run one after the other, each on all cores.
type Estimations[K comparable, R any] []Estimation[K, R]

// Add adds an estimation.
func (l *Estimations[K, R]) Add(key K, replicas uint64, run func(context.Context, mc.Plan) (R, error)) {
	*l = append(*l, Estimation[K, R]{key, replicas, run})
}

// Run runs the estimations and returns their results.
func (l Estimations[K, R]) Run(ctx context.Context, s Settings) (Results[K, R], error) {
	all := Results[K, R]{}
	for i, e := range l {
		var result R
		run := runbook.Run{Key: s.Recorder.key(e.Key, s.Seed), Seed: s.Seed, Run: -int64(e.Replicas)}
		recorded, err := s.Recorder.recall(run, &result)
		if err == nil && (!recorded || s.Recorder.again(run)) {
			var made R
			began := time.Now()
			if made, err = e.Run(ctx, s.Part(i, len(l)).plan(e.Replicas)); err == nil {
				err = take(s.Recorder, run, made, &result, time.Since(began).Seconds()*float64(cmp.Or(s.Workers, runtime.GOMAXPROCS(0))))
			}
		}
		if err != nil {
			return nil, failed(ctx, e.Key, err)
		}
		all.put(e.Key, result)
	}
	return all, ctx.Err()
}

// Simulating returns the function of an [Estimation] that runs a model's Simulate.
func Simulating[C, R any](simulate func(context.Context, C, mc.Plan) (R, error), cfg C) func(context.Context,
	mc.Plan) (R, error) {
	return func(ctx context.Context, plan mc.Plan) (R, error) { return simulate(ctx, cfg, plan) }
}
