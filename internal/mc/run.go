package mc

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Plan says how many replicas an experiment takes and who runs them. The zero
// value of every field but Replicas is its documented default.
type Plan struct {
	Seed     uint64         // of all streams of the experiment
	Replicas uint64         // how many; with a Precision the most that are run; at least 1
	Workers  int            // goroutines; 0 means GOMAXPROCS
	Stop     Precision      // the stopping rule; the zero value runs all replicas
	Progress func(Progress) // called after each folded block, from one goroutine; may be nil
}

// Progress tells how far an experiment is.
type Progress struct {
	Done, Total uint64 // replicas; Total is the cap where a stopping rule may end earlier
}

// Validate reports every fault of the plan.
func (p Plan) Validate() error {
	var errs []error
	if p.Replicas < 1 || p.Replicas > MaxReplicas {
		errs = append(errs, fmt.Errorf("mc: Replicas (%d) must be in [1, %d]", p.Replicas, uint64(MaxReplicas)))
	}
	if p.Workers < 0 || p.Workers > MaxWorkers {
		errs = append(errs, fmt.Errorf("mc: Workers (%d) must be in [0, %d]", p.Workers, MaxWorkers))
	}
	return errors.Join(append(errs, p.Stop.validate())...)
}

// Limits of a plan. MaxReplicas keeps sums of squares of 50-bit observations
// exact in 128 bits.
const (
	MaxReplicas = 1 << 28
	MaxWorkers  = 4096
)

// Block is a range of replicas [First, End) that one worker runs in one go and
// that is folded as a whole.
type Block struct {
	First, End uint64
}

// BlockSize returns the replicas of a block, the last one apart. It is a function
// of the plan's data alone, never of its workers, so that a stopping rule looks at
// the same prefixes whoever runs them. Some 64 blocks keep the workers evenly
// loaded to the end.
func (p Plan) BlockSize() uint64 {
	if p.Stop.Relative > 0 {
		return precisionBlock
	}
	return min(max(1, p.Replicas/64), 1024)
}

// Worker runs the replicas of a block and returns what they gave. It is used by
// one goroutine at a time and keeps its scratch memory between blocks. When ctx
// is cancelled it should return ctx.Err() soon; that block then does not count.
type Worker[R any] func(ctx context.Context, block Block) (R, error)

// Run deals the plan's replicas in blocks to workers, each made once by
// newWorker, and passes the results to fold in the order of their blocks, from
// one goroutine. fold returns the estimate that the plan's stopping rule judges
// (the zero Estimate where there is none). Run returns the number of replicas
// folded, which is less than planned only if the stopping rule was met or an
// error occurred: the first error of a block in order, or ctx.Err(). Blocks
// folded before an error are whole and in order, so they remain usable.
//
// At most four blocks per worker are under way or waiting to be folded. When
// Run returns no worker is running any more.
func Run[R any](ctx context.Context, plan Plan, newWorker func() Worker[R], fold func(R) Estimate) (uint64, error) {
	if err := plan.Validate(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	size := plan.BlockSize()
	blocks := (plan.Replicas + size - 1) / size
	workers := plan.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := newPool(ctx, newWorker, size, plan.Replicas, int(min(uint64(workers), blocks)))
	defer p.drain()
	defer cancel()

	early := make(map[uint64]outcome[R]) // blocks that wait for an earlier one
	var next uint64
	for next < blocks {
		o, ok := early[next]
		if !ok {
			if o, ok = <-p.outcomes; !ok {
				return min(next*size, plan.Replicas), ctx.Err()
			}
			early[o.index] = o
			continue
		}
		if o.err != nil {
			return min(next*size, plan.Replicas), o.err
		}
		delete(early, next)
		<-p.room
		next++
		estimate := fold(o.result)
		done := min(next*size, plan.Replicas)
		if plan.Progress != nil {
			plan.Progress(Progress{Done: done, Total: plan.Replicas})
		}
		if plan.Stop.Met(estimate) {
			return done, nil
		}
	}
	return plan.Replicas, nil
}

// outcome is what a worker made of block number index.
type outcome[R any] struct {
	index  uint64
	result R
	err    error
}

// pool is a running set of workers.
type pool[R any] struct {
	room     chan struct{} // a token per block that is dealt and not yet folded
	outcomes chan outcome[R]
}

// newPool starts workers that run blocks of size replicas up to the given total
// and send their outcomes, in any order, until all are sent or ctx is done.
func newPool[R any](ctx context.Context, newWorker func() Worker[R], size, replicas uint64, workers int) *pool[R] {
	p := &pool[R]{
		room:     make(chan struct{}, 4*workers),
		outcomes: make(chan outcome[R], 4*workers), // never blocks: as many as there are tokens
	}
	indices := make(chan uint64)
	go func() {
		defer close(indices)
		for i := uint64(0); i*size < replicas; i++ {
			select {
			case p.room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case indices <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			run := newWorker()
			for i := range indices {
				result, err := run(ctx, Block{First: i * size, End: min((i+1)*size, replicas)})
				p.outcomes <- outcome[R]{i, result, err}
			}
		})
	}
	go func() {
		running.Wait()
		close(p.outcomes)
	}()
	return p
}

// drain waits until no worker runs; the context must be cancelled or all blocks
// dealt.
func (p *pool[R]) drain() {
	for range p.outcomes {
	}
}

// Pause returns how many rounds of the given cost, in balls or bins, a worker may
// run between two looks at its context: about 2^20 of them, some milliseconds.
func Pause(cost int) int {
	return max(1, 1<<20/max(1, cost))
}
