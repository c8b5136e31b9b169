package mc

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Plan describes how an experiment is run. The zero value of every field but Replicas
// is its documented default. Workers and Progress do not affect results.
type Plan struct {
	Seed     uint64         // of all streams of the experiment
	Replicas uint64         // number of replicas, with a stopping rule at most, in [1, MaxReplicas]
	Workers  int            // goroutines in [0, MaxWorkers]; 0 means GOMAXPROCS
	Stop     Precision      // stopping rule; the zero value runs all replicas
	Progress func(Progress) // called after each folded block, from one goroutine; may be nil
}

// Progress reports the state of a running experiment.
type Progress struct {
	Done, Total uint64 // replicas; a stopping rule may end before Total
}

// Validate reports every fault of the plan, as joined [*FieldError] values.
func (p Plan) Validate() error {
	faults := Faults{Package: "mc"}
	faults.Check(p.Replicas >= 1 && p.Replicas <= MaxReplicas, "Replicas", p.Replicas, "must be in [1, %d]", uint64(MaxReplicas))
	faults.Check(p.Workers >= 0 && p.Workers <= MaxWorkers, "Workers", p.Workers, "must be in [0, %d]", MaxWorkers)
	r := p.Stop.Relative
	faults.Check(r == 0 || r > 0 && r < 1, "Stop.Relative", r, "must be in (0, 1), or 0 for none")
	return faults.Err()
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

// Worker runs the replicas of a block and returns their result. One goroutine at a
// time uses it, and it may keep scratch memory between blocks. When ctx is cancelled
// it should return ctx.Err() soon; that block then does not count.
type Worker[R any] func(ctx context.Context, block Block) (R, error)

// Run deals the plan's replicas in blocks to workers, each made once by
// newWorker, and passes the results to fold in the order of their blocks, from
// one goroutine. fold returns the statistic of the plan's stopping rule (the
// zero Estimate if it has none). Run returns the number of replicas
// folded, which is less than planned only if the stopping rule was met or an
// error occurred: the first error of a block in order, or ctx.Err(). Blocks
// folded before an error are whole and in order, so they remain usable. A newWorker that
// returns nil is an error of the first block. Run panics if ctx, newWorker or fold is nil.
//
// A panic of newWorker or of a worker is not recovered: it ends the program.
//
// At most four blocks per worker are under way or waiting to be folded. When
// Run returns no worker is running any more.
func Run[R any](ctx context.Context, plan Plan, newWorker func() Worker[R], fold func(R) Estimate) (uint64, error) {
	mustNotBeNil("Run", "ctx", ctx == nil)
	mustNotBeNil("Run", "newWorker", newWorker == nil)
	mustNotBeNil("Run", "fold", fold == nil)
	if err := plan.Validate(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	outcomes, room := startWorkers(ctx, plan, newWorker)
	defer func() {
		cancel()
		for range outcomes { // until no worker runs
		}
	}()

	early := make(map[uint64]outcome[R]) // blocks that wait for an earlier one
	var done uint64                      // replicas folded
	for next := uint64(0); done < plan.Replicas; {
		o, ok := early[next]
		if !ok {
			if o, ok = <-outcomes; !ok {
				return done, ctx.Err()
			}
			early[o.index] = o
			continue
		}
		if o.err != nil {
			return done, o.err
		}
		delete(early, next)
		<-room
		next++
		estimate := fold(o.result)
		done = min(next*plan.BlockSize(), plan.Replicas)
		if plan.Progress != nil {
			plan.Progress(Progress{Done: done, Total: plan.Replicas})
		}
		if plan.Stop.Met(estimate) {
			break
		}
	}
	return done, nil
}

// startWorkers starts the plan's workers. They send the outcomes of all blocks, in any
// order, and close the channel after the last or when ctx is cancelled. room holds a token
// for each block that is dealt and not yet folded; the reader takes it out.
func startWorkers[R any](
	ctx context.Context, plan Plan, newWorker func() Worker[R],
) (outcomes chan outcome[R], room chan struct{}) {
	size := plan.BlockSize()
	blocks := (plan.Replicas + size - 1) / size
	workers := plan.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(uint64(workers), blocks))
	room = make(chan struct{}, 4*workers)
	outcomes = make(chan outcome[R], 4*workers) // never blocks: as many as there are tokens
	var dealt atomic.Uint64
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			run := newWorker()
			if run == nil {
				run = func(context.Context, Block) (result R, err error) {
					return result, errors.New("mc: Run: newWorker returned no worker")
				}
			}
			for {
				select {
				case room <- struct{}{}:
				case <-ctx.Done():
				}
				if ctx.Err() != nil { // select may choose room all the same
					return
				}
				i := dealt.Add(1) - 1
				if i >= blocks {
					return
				}
				result, err := run(ctx, Block{First: i * size, End: min((i+1)*size, plan.Replicas)})
				outcomes <- outcome[R]{i, result, err}
			}
		})
	}
	go func() {
		running.Wait()
		close(outcomes)
	}()
	return outcomes, room
}

// outcome is the result of block number index.
type outcome[R any] struct {
	index  uint64
	result R
	err    error
}

// CheckEvery returns the number of rounds between two checks of a context, for rounds
// of the given cost in balls or bins: about 2^20 balls, some milliseconds.
func CheckEvery(cost int) int {
	return max(1, 1<<20/max(1, cost))
}
