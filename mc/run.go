package mc

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/internal/must"
)

// Plan describes how an experiment is run. The zero value of every field but Replicas
// is its documented default. Workers and Progress do not affect results.
type Plan struct {
	Seed     uint64         // seed of all streams of the experiment
	Replicas uint64         // in [1, MaxReplicas]; the most that are run if there is a stopping rule
	Workers  int            // goroutines in [0, MaxWorkers]; 0 means GOMAXPROCS. See [Goroutines]
	Stop     Precision      // stopping rule; the zero value runs all replicas
	Progress func(Progress) // called after each folded block, from one goroutine; may be nil

	alone bool // one block at a time
}

// Progress reports the state of a running experiment.
type Progress struct {
	Done, Total uint64 // replicas; a stopping rule may end the run before Total
}

// Validate reports every fault of the plan, as joined [*faults.FieldError] values.
func (p Plan) Validate() error {
	bad := faults.List{Package: "mc"}
	bad.Check(p.Replicas >= 1 && p.Replicas <= MaxReplicas, "Replicas", p.Replicas, "must be in [1, %d]", uint64(MaxReplicas))
	bad.Check(p.Workers >= 0 && p.Workers <= MaxWorkers, "Workers", p.Workers, "must be in [0, %d]", MaxWorkers)
	r := p.Stop.Relative
	bad.Check(r >= 0 && r < 1, "Stop.Relative", r, "must be in (0, 1), or 0 for none")
	return bad.Err()
}

// Limits of a plan. MaxReplicas keeps sums of squares of 50-bit observations
// exact in 128 bits.
const (
	MaxReplicas = 1 << 28
	MaxWorkers  = 4096
)

// Block is a range of replicas [First, End) that one worker runs and that is folded
// as a whole.
type Block struct {
	First, End uint64
}

// BlockSize returns the number of replicas in every block but the last, which may be
// shorter. It depends on Replicas and Stop alone, so a stopping rule sees the same
// prefixes for any number of workers. There are about 64 blocks, enough to keep workers busy.
func (p Plan) BlockSize() uint64 {
	if p.Stop.Relative > 0 {
		return precisionBlock
	}
	return min(max(1, p.Replicas/64), 1024)
}

// Worker runs the replicas of a block and returns their result. One goroutine at a time uses it, and it
// may keep scratch memory between blocks. When ctx is cancelled it should return ctx.Err() soon; the
// block then does not count.
type Worker[R any] func(ctx context.Context, block Block) (R, error)

// sharing is the context key of the number of goroutines that a replica may use.
type sharing struct{}

// WithGoroutines returns a context in which [Goroutines] returns count, or GOMAXPROCS if it is 0. It panics if
// ctx is nil or count is not in [0, MaxWorkers].
func WithGoroutines(ctx context.Context, count int) context.Context {
	mustNotBeNil("WithGoroutines", "ctx", ctx == nil)
	must.BeIn("mc: WithGoroutines", "count", count, 0, MaxWorkers)
	return context.WithValue(ctx, sharing{}, cmp.Or(count, runtime.GOMAXPROCS(0)))
}

// Goroutines returns the number of goroutines that a replica may use at a time. [Run] sets it in the
// context of a [Worker]: more than 1 if the plan has more workers than blocks. In any other context it is
// 1. Results must not depend on it. It panics if ctx is nil.
func Goroutines(ctx context.Context) int {
	mustNotBeNil("Goroutines", "ctx", ctx == nil)
	count, _ := ctx.Value(sharing{}).(int)
	return max(1, count)
}

// limit is the context key of the semaphore that limits the blocks computed at a time.
type limit struct{}

// WithWorkers returns a context that limits all runs in it together to count blocks at a time (GOMAXPROCS
// if count is 0), so that experiments that overlap use no more cores than one of them alone. Each run
// keeps the workers of its plan, with their scratch memory. The limit does not apply to a run that a
// block starts: it would wait for its own block to end. It panics if ctx is nil or count is not in
// [0, MaxWorkers].
func WithWorkers(ctx context.Context, count int) context.Context {
	mustNotBeNil("WithWorkers", "ctx", ctx == nil)
	must.BeIn("mc: WithWorkers", "count", count, 0, MaxWorkers)
	return context.WithValue(ctx, limit{}, make(chan struct{}, cmp.Or(count, runtime.GOMAXPROCS(0))))
}

// limited returns a worker that computes a block when the semaphore of the context lets it.
func limited[R any](ctx context.Context, run Worker[R]) Worker[R] {
	turns, _ := ctx.Value(limit{}).(chan struct{})
	if turns == nil {
		return run
	}
	return func(ctx context.Context, block Block) (R, error) {
		turns <- struct{}{}
		defer func() { <-turns }()
		return run(context.WithValue(ctx, limit{}, nil), block)
	}
}

// Run deals the plan's replicas in blocks to workers and passes the results to fold, in the order of the
// blocks and from one goroutine. newWorker is called once for each worker. fold returns the statistic of
// the plan's stopping rule (the zero Estimate if there is no rule). Run returns the number of replicas
// folded. It is less than planned only if the stopping rule was met or there is an error: the faults of the
// plan, a [*faults.FieldError] if ctx is nil, the error of the first block that fails, or ctx.Err(). Blocks folded
// before an error are whole and in order, so they remain usable. If newWorker returns nil, the first block
// fails. Run panics if newWorker or fold is nil.
//
// A panic of newWorker or of a worker is not recovered: it ends the program.
//
// At most four blocks per worker are being computed or waiting to be folded. When Run returns, all
// workers have ended.
func Run[R any](ctx context.Context, plan Plan, newWorker func() Worker[R], fold func(R) Estimate) (uint64, error) {
	mustNotBeNil("Run", "newWorker", newWorker == nil)
	mustNotBeNil("Run", "fold", fold == nil)
	if err := errors.Join(checks.Context("mc", ctx), plan.Validate()); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	outcomes, running := startWorkers(ctx, plan, newWorker)
	defer running.Wait()
	defer cancel()

	var done uint64 // replicas folded
	for next := range outcomes {
		o, ok := <-next
		if !ok {
			break
		}
		if o.err != nil {
			return done, o.err
		}
		estimate := fold(o.result)
		done = min(done+plan.BlockSize(), plan.Replicas)
		if plan.Progress != nil {
			plan.Progress(Progress{Done: done, Total: plan.Replicas})
		}
		if done == plan.Replicas || plan.Stop.Met(estimate) {
			return done, nil
		}
	}
	return done, ctx.Err()
}

// outcome is the result of a block.
type outcome[R any] struct {
	result R
	err    error
}

// startWorkers starts the plan's workers and a goroutine that deals blocks to them. It returns, in the
// order of the blocks, a channel for the outcome of each. After ctx is cancelled no block begins: the
// channel of a block that was already dealt is closed, and so is outcomes. running counts the goroutines.
func startWorkers[R any](
	ctx context.Context, plan Plan, newWorker func() Worker[R],
) (outcomes chan chan outcome[R], running *sync.WaitGroup) {
	type job struct {
		block   Block
		outcome chan outcome[R]
	}
	size := plan.BlockSize()
	goroutines := cmp.Or(plan.Workers, runtime.GOMAXPROCS(0))
	workers := int(min(uint64(goroutines), (plan.Replicas+size-1)/size))
	if plan.alone {
		workers = 1
	}
	jobs := make(chan job)
	outcomes = make(chan chan outcome[R], 4*workers-1) // one more outcome is with the reader
	running = new(sync.WaitGroup)
	running.Go(func() {
		defer close(jobs)
		defer close(outcomes)
		for first := uint64(0); first < plan.Replicas; first += size {
			j := job{Block{First: first, End: min(first+size, plan.Replicas)}, make(chan outcome[R], 1)}
			select {
			case outcomes <- j.outcome:
			case <-ctx.Done():
				return
			}
			jobs <- j
		}
	})
	for i := range workers {
		running.Go(func() {
			ctx := WithGoroutines(ctx, (goroutines+i)/workers)
			run := newWorker()
			if run == nil {
				run = func(context.Context, Block) (result R, err error) {
					return result, errors.New("mc: Run: newWorker returned no worker")
				}
			}
			run = limited(ctx, run)
			for j := range jobs {
				if ctx.Err() == nil {
					result, err := run(ctx, j.block)
					j.outcome <- outcome[R]{result, err}
				}
				close(j.outcome)
			}
		})
	}
	return outcomes, running
}
