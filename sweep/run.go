package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"repslab/mc"
)

// Options controls how a sweep is run; the file does not depend on them.
type Options struct {
	Workers  int            // goroutines, in [0, mc.MaxWorkers]; 0 means GOMAXPROCS
	Resume   bool           // continue an existing file
	Wait     bool           // wait while another process writes the file, instead of failing
	Progress func(Progress) // called a few times a second, from one goroutine; may be nil
	Warn     func(string)   // called with each warning, from one goroutine; may be nil
}

// Progress reports the state of a running sweep.
type Progress struct {
	Points, PointsDone int
	Blocks, BlocksDone uint64  // of the shard; BlocksDone includes those that were resumed
	BlocksRun          uint64  // by this process
	WorstName          string  // the running point with the widest relative interval, empty if none is known
	WorstRelativeHalf  float64 // half the width of its interval over its estimate
	Running            int     // blocks
	Interrupted        bool
}

// progressEvery is the time between two reports of progress.
const progressEvery = 200 * time.Millisecond

// Run runs the missing part of the sweep and leaves the finished file at path: all blocks
// of its shard and, unless it is one shard of several, the rows of every point, in order.
// It returns the number of points that failed; their records hold the errors, and
// resuming the file runs them again. A point also fails if one of its functions panics
// (StoppingStatistic only in a sweep with a precision).
//
// After ctx is cancelled, the running blocks are finished and written, and Run returns
// ctx.Err(). After any other error all written records remain usable. If the file at path
// cannot be written, the error wraps [ErrExists], [ErrLocked], [ErrIrregular], [ErrForeign]
// or [ErrOther].
func (s *Sweep) Run(ctx context.Context, path string, o Options) (failed int, err error) {
	if o.Workers < 0 || o.Workers > mc.MaxWorkers {
		return 0, mc.NewFieldError("sweep", "Workers", o.Workers, "must be in [0, %d]", mc.MaxWorkers)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	x := newIndex(s)
	l, err := openLog(ctx, path, x, o)
	if err != nil {
		return 0, err
	}
	defer l.file.Close()
	x.warn(o.Warn)
	m := newManager(s, x, l, o)
	err = m.run(ctx)
	if err := errors.Join(err, l.flush()); err != nil {
		return m.failures, err
	}
	if ctx.Err() != nil && !m.finished() {
		return m.failures, ctx.Err()
	}
	if x.sorted && !l.appended {
		return m.failures, nil
	}
	return m.failures, l.replace(x)
}

// result is the result of a task.
type result struct {
	task     task
	line     []byte   // the record
	tally    mc.Tally // of a block
	warnings []string // of rows
	err      error
}

// run deals tasks to workers and records their results until all is done, ctx is
// cancelled or the file cannot be written. Where ctx is cancelled, running blocks are
// finished, but no rows that are computed from recorded blocks alone.
func (m *manager) run(ctx context.Context) error {
	work, stop := context.WithCancel(context.Background())
	defer stop()
	tasks, results := make(chan task), make(chan result, m.options.Workers)
	for range m.options.Workers {
		go worker(work, m.sweep, tasks, results)
	}
	defer close(tasks)
	folding := context.Background()
	if m.rowsOnly {
		folding = ctx
	}
	interrupt, interrupted := ctx.Done(), false
	var fault error
	for {
		for fault == nil && !interrupted && m.progress.Running < m.options.Workers {
			var t task
			var ok bool
			if t, ok, fault = m.next(folding); !ok {
				break
			}
			m.progress.Running++
			tasks <- t
		}
		if m.progress.Running == 0 {
			return fault
		}
		select {
		case <-interrupt:
			interrupt, interrupted = nil, true
			if m.rowsOnly {
				fault = ctx.Err()
				break
			}
			m.report(true)
			m.options.Warn(fmt.Sprintf("interrupted: finishing %d blocks; once more stops at once", m.progress.Running))
		case r := <-results:
			m.progress.Running--
			if fault == nil {
				fault = m.take(r)
				m.report(false)
			}
		}
		if fault != nil {
			stop()
		}
	}
}

// report passes the progress on, at most every progressEvery unless now is set.
func (m *manager) report(now bool) {
	if !now && time.Since(m.reported) < progressEvery {
		return
	}
	m.reported = time.Now()
	p := m.progress
	p.Interrupted = now
	for _, a := range m.active {
		if a.complete || a.replicas == 0 || a.unknown { // if it is complete, a worker may have its tally
			continue
		}
		e, err := a.statistic()
		if err != nil { // the file does not depend on progress, so the point goes on
			a.unknown = true
			m.options.Warn(fmt.Sprintf("%s: its interval is unknown: %v", m.sweep.Points[a.point].Name, err))
			continue
		}
		if half := (e.Hi - e.Lo) / 2 / math.Abs(e.Value); half > p.WorstRelativeHalf && !math.IsInf(half, 0) {
			p.WorstRelativeHalf, p.WorstName = half, m.sweep.Points[a.point].Name
		}
	}
	m.options.Progress(p)
}
