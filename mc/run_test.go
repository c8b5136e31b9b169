package mc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// sumWorker returns the values of the first words of a block's replicas,
// finishing blocks out of order.
func sumWorker() Worker[[]uint64] {
	return func(_ context.Context, block Block) ([]uint64, error) {
		time.Sleep(time.Duration(block.First%7) * 100 * time.Microsecond)
		var words []uint64
		for r := block.First; r < block.End; r++ {
			g := NewStream(1, Algorithm, r).Rand()
			words = append(words, g.Uint64()%1000)
		}
		return words, nil
	}
}

func TestRunIsTheSameForAnyWorkers(t *testing.T) {
	for _, plan := range []Plan{
		{Replicas: 1}, {Replicas: 63}, {Replicas: 1000}, {Replicas: 4001},
		{Replicas: 100_000, Stop: Precision{Relative: 0.02}},
	} {
		var want []uint64
		var wantDone uint64
		for _, workers := range []int{1, 2, 3, 8} {
			plan.Workers = workers
			var words []uint64
			var m Moments
			done, err := Run(context.Background(), plan, sumWorker, func(block []uint64) Estimate {
				words = append(words, block...)
				for _, w := range block {
					m.Add(int64(w))
				}
				return m.Mean(DefaultConfidence)
			})
			if err != nil || done != uint64(len(words)) {
				t.Fatalf("%+v: done %d of %d words, error %v", plan, done, len(words), err)
			}
			if workers == 1 {
				want, wantDone = words, done
			}
			if done != wantDone || !slices.Equal(words, want) {
				t.Errorf("%+v: %d replicas differ from those of one worker (%d)", plan, done, wantDone)
			}
			if plan.Stop.Relative > 0 {
				if want := firstPrecise(words, plan.Stop); done != want || done == plan.Replicas {
					t.Errorf("stopped after %d replicas, want %d", done, want)
				}
			} else if done != plan.Replicas {
				t.Errorf("%+v: done %d", plan, done)
			}
		}
	}
}

// TestGoroutines: replicas use as many goroutines as the plan has workers, and one each if there
// are fewer workers than blocks.
func TestGoroutines(t *testing.T) {
	for _, c := range []struct {
		replicas      uint64
		workers, want int // goroutines of all replicas
	}{{1, 1, 1}, {1, 8, 8}, {3, 8, 8}, {5, 8, 8}, {3, 2, 3}, {7, 8, 8}, {8, 8, 8}, {20, 8, 20}} {
		var total atomic.Int64
		var begun sync.WaitGroup // so that no worker runs two blocks unless there are too few
		begun.Add(min(int(c.replicas), c.workers))
		newWorker := func() Worker[int] {
			first := true
			return func(ctx context.Context, _ Block) (int, error) {
				total.Add(int64(Goroutines(ctx)))
				if first {
					begun.Done()
					begun.Wait()
				}
				first = false
				return 0, nil
			}
		}
		_, err := Run(context.Background(), Plan{Replicas: c.replicas, Workers: c.workers}, newWorker, func(int) Estimate { return Estimate{} })
		if err != nil || total.Load() != int64(c.want) {
			t.Errorf("%d replicas on %d workers use %d goroutines, want %d; error %v", c.replicas, c.workers, total.Load(), c.want, err)
		}
	}
	if got := Goroutines(context.Background()); got != 1 {
		t.Errorf("%d goroutines without a plan, want 1", got)
	}
	if got := Goroutines(WithGoroutines(context.Background(), 0)); got != runtime.GOMAXPROCS(0) {
		t.Errorf("%d goroutines for 0, want GOMAXPROCS", got)
	}
}

// TestAlone: blocks of an experiment that runs alone do not overlap, also in a pair, and may use the
// goroutines of all workers.
func TestAlone(t *testing.T) {
	var running atomic.Int32
	alone := EachReplica(func() *sums { return new(sums) }, func(uint64) (func(context.Context, *sums, uint64) error, error) {
		return func(ctx context.Context, _ *sums, _ uint64) error {
			if now, count := running.Add(1), Goroutines(ctx); now != 1 || count != 4 {
				t.Errorf("%d replicas run at a time on %d goroutines, want 1 on 4", now, count)
			}
			time.Sleep(time.Millisecond)
			running.Add(-1)
			return nil
		}, nil
	})
	alone.Alone = true
	plan := Plan{Replicas: 20, Workers: 4}
	if _, done, err := alone.Run(context.Background(), plan); done != 20 || err != nil {
		t.Errorf("%d replicas, error %v", done, err)
	}
	other := EachReplica(func() *sums { return new(sums) }, func(uint64) (func(context.Context, *sums, uint64) error, error) {
		return func(context.Context, *sums, uint64) error { return nil }, nil
	})
	if _, done, err := Paired(other, alone).Run(context.Background(), plan); done != 20 || err != nil {
		t.Errorf("in a pair %d replicas, error %v", done, err)
	}
}

// TestWithWorkers: overlapping runs compute as many blocks at a time as their context allows, and
// runs inside a block do not wait for it.
func TestWithWorkers(t *testing.T) {
	const workers = 3
	ctx := WithWorkers(context.Background(), workers)
	var computing, most atomic.Int64
	count := func([]uint64) Estimate { return Estimate{} }
	worker := func() Worker[[]uint64] {
		inner := sumWorker()
		return func(ctx context.Context, block Block) ([]uint64, error) {
			now := computing.Add(1)
			defer computing.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			_, err := Run(ctx, Plan{Replicas: 2 * workers, Workers: workers}, sumWorker, count)
			return nil, errors.Join(err, func() error { _, err := inner(ctx, block); return err }())
		}
	}
	var runs sync.WaitGroup
	for range workers {
		runs.Go(func() {
			if _, err := Run(ctx, Plan{Replicas: 100, Workers: workers}, worker, count); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if most.Load() != workers {
		t.Errorf("%d blocks at a time, want %d", most.Load(), workers)
	}
	if turns := WithWorkers(ctx, 0).Value(limit{}).(chan struct{}); cap(turns) != runtime.GOMAXPROCS(0) {
		t.Errorf("%d blocks at a time for 0, want GOMAXPROCS", cap(turns))
	}
}

// firstPrecise returns the first multiple of 64 observations that meets a rule.
func firstPrecise(words []uint64, rule Precision) uint64 {
	var m Moments
	for i, w := range words {
		m.Add(int64(w))
		if e := m.Mean(DefaultConfidence); (i+1)%64 == 0 && (e.Hi-e.Lo)/2 <= rule.Relative*e.Value {
			return uint64(i + 1)
		}
	}
	return 0
}

func TestRunReportsProgressInOrder(t *testing.T) {
	var seen []uint64
	plan := Plan{Replicas: 500, Workers: 3, Progress: func(p Progress) {
		if p.Total != 500 {
			t.Errorf("total %d", p.Total)
		}
		seen = append(seen, p.Done)
	}}
	if _, err := Run(context.Background(), plan, sumWorker, func([]uint64) Estimate { return Estimate{} }); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(seen) || seen[len(seen)-1] != 500 {
		t.Errorf("progress %v", seen)
	}
}

var errBroken = errors.New("broken")

// TestRunReturnsTheFirstErrorInOrder lets blocks 3 and 5 fail. Whichever fails first, blocks 0 to 2 are
// folded and the error of block 3 is returned.
func TestRunReturnsTheFirstErrorInOrder(t *testing.T) {
	for _, workers := range []int{1, 4} {
		plan := Plan{Replicas: 640, Workers: workers}
		newWorker := func() Worker[int] {
			return func(_ context.Context, block Block) (int, error) {
				switch index := block.First / 10; index {
				case 3:
					time.Sleep(5 * time.Millisecond)
					return 0, fmt.Errorf("block 3: %w", errBroken)
				case 5:
					return 0, errors.New("block 5")
				}
				return 1, nil
			}
		}
		folded := 0
		done, err := Run(context.Background(), plan, newWorker, func(n int) Estimate { folded += n; return Estimate{} })
		if !errors.Is(err, errBroken) || done != 30 || folded != 3 {
			t.Errorf("workers %d: done %d, folded %d, error %v", workers, done, folded, err)
		}
	}
}

func TestRunStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var active, waiting atomic.Int32
	newWorker := func() Worker[int] {
		return func(ctx context.Context, block Block) (int, error) {
			active.Add(1)
			defer active.Add(-1)
			if block.First >= 100 {
				if waiting.Add(1) == 2 { // both workers are waiting
					cancel()
				}
				<-ctx.Done()
				time.Sleep(time.Duration(block.First/5) * time.Millisecond) // blocks take different times
				return 0, ctx.Err()
			}
			return int(block.End - block.First), nil
		}
	}
	folded := 0
	done, err := Run(ctx, Plan{Replicas: 6400, Workers: 2}, newWorker, func(n int) Estimate {
		folded += n
		return Estimate{}
	})
	if !errors.Is(err, context.Canceled) || done != 100 || folded != 100 {
		t.Errorf("done %d, folded %d, error %v; want 100, 100, canceled", done, folded, err)
	}
	if active.Load() != 0 {
		t.Error("a worker still runs after Run returned")
	}
}

// TestRunHoldsBack makes the first block slow: at most four blocks per worker may pile up behind it.
func TestRunHoldsBack(t *testing.T) {
	const workers = 2
	release := make(chan struct{})
	var started atomic.Int32
	newWorker := func() Worker[int] {
		return func(_ context.Context, block Block) (int, error) {
			if started.Add(1) == 4*workers {
				close(release)
			}
			if block.First == 0 {
				<-release
				time.Sleep(20 * time.Millisecond)
				if n := started.Load(); n > 4*workers {
					t.Errorf("%d blocks started while the first was not folded", n)
				}
			}
			return 0, nil
		}
	}
	if _, err := Run(context.Background(), Plan{Replicas: 64, Workers: workers}, newWorker, func(int) Estimate { return Estimate{} }); err != nil {
		t.Fatal(err)
	}
}

func TestPlanValidate(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		want []string
	}{
		{Plan{}, []string{"Replicas (0) must be in [1, 268435456]"}},
		{Plan{Replicas: 1, Workers: -1}, []string{"Workers (-1) must be in [0, 4096]"}},
		{Plan{Stop: Precision{Relative: 1.5}}, []string{"Replicas (0)", "Stop.Relative (1.5) must be in (0, 1)"}},
	} {
		_, err := Run(context.Background(), c.plan, sumWorker, func([]uint64) Estimate { return Estimate{} })
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: error %v, want %q", c.plan, err, want)
			}
		}
	}
}

// TestPlanLimits: the first and last values of a plan that are accepted, and those beyond them.
func TestPlanLimits(t *testing.T) {
	for _, c := range []struct {
		plan Plan
		ok   bool
	}{
		{Plan{Replicas: 1}, true}, {Plan{Replicas: MaxReplicas}, true}, {Plan{Replicas: MaxReplicas + 1}, false},
		{Plan{Replicas: 1, Workers: MaxWorkers}, true}, {Plan{Replicas: 1, Workers: MaxWorkers + 1}, false},
		{Plan{Replicas: 1, Stop: Precision{Relative: 1e-300}}, true}, {Plan{Replicas: 1, Stop: Precision{Relative: 0.999}}, true},
		{Plan{Replicas: 1, Stop: Precision{Relative: 1}}, false}, {Plan{Replicas: 1, Stop: Precision{Relative: -1e-300}}, false},
		{Plan{Replicas: 1, Stop: Precision{Relative: math.NaN()}}, false},
	} {
		if err := c.plan.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: error %v", c.plan, err)
		}
	}
}

// TestRunWithoutFunctions: a nil function panics in the goroutine of the caller. A nil context, and a worker
// that newWorker does not return, are errors.
func TestRunWithoutFunctions(t *testing.T) {
	ctx, plan := context.Background(), Plan{Replicas: 10}
	fold := func([]uint64) Estimate { return Estimate{} }
	var none context.Context
	if _, err := Run(none, plan, sumWorker, fold); err == nil || err.Error() != "mc: ctx (<nil>) must not be nil: pass context.Background()" {
		t.Errorf("without a context: error %v", err)
	}
	mustPanic(t, "mc: Run: newWorker must not be nil", func() { Run(ctx, plan, nil, fold) })
	mustPanic(t, "mc: Run: fold must not be nil", func() { Run(ctx, plan, sumWorker, nil) })
	done, err := Run(ctx, plan, func() Worker[[]uint64] { return nil }, fold)
	if done != 0 || err == nil || err.Error() != "mc: Run: newWorker returned no worker" {
		t.Errorf("without a worker: done %d, error %v", done, err)
	}
}

// TestPrecisionMet: the half width counts, relative to the magnitude, and never
// before 64 observations.
func TestPrecisionMet(t *testing.T) {
	rule := Precision{Relative: 0.1}
	for _, c := range []struct {
		name string
		e    Estimate
		want bool
	}{
		{"half width at the bound", Estimate{Value: 10, Lo: 9, Hi: 11, N: 64}, true},
		{"half width above it", Estimate{Value: 10, Lo: 8.9, Hi: 11.1, N: 64}, false},
		{"negative estimate", Estimate{Value: -10, Lo: -11, Hi: -9, N: 64}, true},
		{"too few observations", Estimate{Value: 10, Lo: 10, Hi: 10, N: 63}, false},
		{"no estimate", Estimate{Value: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), N: 64}, false},
	} {
		if got := rule.Met(c.e); got != c.want {
			t.Errorf("%s: met = %v, want %v", c.name, got, c.want)
		}
	}
	if (Precision{}).Met(Estimate{Value: 10, Lo: 10, Hi: 10, N: 1000}) {
		t.Error("no rule is met")
	}
}

// TestRunStartsNothingWhenCancelled: with a context that is cancelled before Run no block
// is run, however the workers' select statements choose.
func TestRunStartsNothingWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var blocks atomic.Int64
	newWorker := func() Worker[int] {
		return func(context.Context, Block) (int, error) { return int(blocks.Add(1)), nil }
	}
	for range 100 {
		n, err := Run(ctx, Plan{Replicas: 1000, Workers: 4}, newWorker, func(int) Estimate { return Estimate{} })
		if n != 0 || !errors.Is(err, context.Canceled) {
			t.Fatalf("%d replicas, error %v", n, err)
		}
	}
	if got := blocks.Load(); got != 0 {
		t.Errorf("%d blocks were run", got)
	}
}
