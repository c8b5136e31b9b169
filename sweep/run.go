package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/mc"
)

// Options controls how a sweep is run. The file does not depend on it.
type Options struct {
	Workers  int            // goroutines, in [0, mc.MaxWorkers]; 0 means GOMAXPROCS
	Resume   bool           // continue an existing file, also one of a smaller sweep
	Wait     bool           // wait while another process writes the file, instead of failing
	Progress func(Progress) // called a few times a second, never twice at once; may be nil
	Warn     func(string)   // called with each warning, never twice at once; may be nil
}

// Progress reports the state of a running sweep.
type Progress struct {
	Points, PointsDone int
	Blocks, BlocksDone uint64  // blocks of the shard; BlocksDone includes resumed blocks
	BlocksRun          uint64  // blocks run by this process
	Point              string  // name of the current point; empty if its interval is not known
	RelativeHalf       float64 // half the width of the point's interval, relative to the estimate
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
// ctx.Err(). After any other error all written records remain usable.
//
// A file that is continued may be of a smaller sweep: with fewer replicas, fewer points or a larger [Config].Precision,
// and the same Block. Its blocks are used again, and the bytes of the finished file are those of a sweep that was asked
// for all at once. Rows are made again, exact ones too. Shards are not extended. If the file at path
// cannot be written, the error wraps [ErrExists], [ErrLocked], [ErrIrregular], [ErrForeign]
// or [ErrOther].
func (s *Sweep) Run(ctx context.Context, path string, o Options) (failed int, err error) {
	s.mustBeMade()
	bad := faults.List{Package: "sweep"}
	bad.Add(checks.Context("sweep", ctx))
	bad.In("Workers", o.Workers, 0, mc.MaxWorkers)
	if err := bad.Err(); err != nil {
		return 0, err
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	x := newIndex(s, o.Warn)
	l, err := openLog(ctx, path, x, o)
	if err != nil {
		return 0, err
	}
	defer l.File.Close()
	r := newRunner(x, l, o)
	err = r.run(ctx)
	errFlush := l.Flush()
	if errFlush != nil && (err == nil || errors.Is(err, ctx.Err())) {
		err = errFlush // an interruption does not hide that records may be lost
	}
	if err == nil {
		err = l.replace(x)
	}
	return r.failures, err
}

// runner runs the missing blocks of a sweep and makes the rows of points with recorded blocks. Its mutex
// guards all fields, the index and the log. While it is held, the only functions of a point that are
// called are the functions of its tally.
type runner struct {
	sweep    *Sweep
	index    *index
	log      *log
	options  Options
	stop     mc.Precision
	rowsOnly bool // run no blocks

	ctx    context.Context         // of the caller; no task begins after it is cancelled
	work   context.Context         // of the tasks
	cancel context.CancelCauseFunc // ends the work with an error of the whole sweep
	left   bool                    // ctx was cancelled before all was done

	mutex    sync.Mutex
	taken    *sync.Cond     // signals that the result of a task was taken
	upcoming int            // the first point that has not begun
	current  *activePoint   // its blocks are dealt; may be nil
	complete []*activePoint // points with rows to make

	running  int // tasks
	failures int
	progress Progress
	reported time.Time // time of the last progress report
}

// activePoint is a point whose blocks are being run.
type activePoint struct {
	point    int
	next     uint64   // the first block that was not dealt
	tally    mc.Tally // of the first blocks; nil for an exact point and for one of several shards
	scratch  mc.Tally // of one block
	folded   uint64   // blocks in the tally
	replicas uint64   // in the tally
	ended    bool     // the tally has all blocks that it needs, or the point failed
	unknown  bool     // progress leaves the point out: its stopping statistic panicked
}

// task is a block to run or, if rows is set, a tally to turn into rows.
type task struct {
	*activePoint
	number uint64 // of the block
	rows   bool
}

func newRunner(x *index, l *log, o Options) *runner {
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	s := x.sweep
	r := &runner{sweep: s, index: x, log: l, options: o, stop: s.Header.Config.plan().Stop}
	r.taken = sync.NewCond(&r.mutex)
	v := x.inventory()
	r.progress = Progress{
		Points: len(s.Points), PointsDone: v.Points, Blocks: v.Blocks + v.missing, BlocksDone: v.Blocks,
	}
	return r
}

// run runs workers until all is done, ctx is cancelled or the file cannot be written. After ctx
// is cancelled the running tasks are finished, unless only rows are made.
func (r *runner) run(ctx context.Context) error {
	parent := context.WithoutCancel(ctx)
	if r.rowsOnly {
		parent = ctx
	}
	r.ctx = ctx
	r.work, r.cancel = context.WithCancelCause(parent)
	defer r.cancel(nil)
	var workers sync.WaitGroup
	for range r.options.Workers {
		workers.Go(r.runTasks)
	}
	defer context.AfterFunc(ctx, func() {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		if !r.rowsOnly && r.running > 0 { // so the workers end after the warning
			r.options.Warn(fmt.Sprintf("interrupted: finishing %d blocks", r.running))
		}
	})()
	workers.Wait()
	if err := context.Cause(r.work); err != nil || !r.left {
		return err
	}
	return ctx.Err()
}

// runTasks runs tasks until there are no more. It keeps the scratch memory of one point.
func (r *runner) runTasks() {
	var run mc.Worker[mc.Tally]
	var ready *activePoint // the point that run is for
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for t, ok := r.next(); ok; t, ok = r.next() {
		if r.ctx.Err() != nil {
			r.left = true
			return
		}
		r.running++
		goroutines := r.goroutines(t.point)
		r.mutex.Unlock()
		var line []byte
		var warnings []string
		err := guarded(func() (err error) {
			if t.rows {
				line, warnings, err = r.sweep.rowsRecord(r.work, t.point, t.tally, t.replicas)
				return err
			}
			if ready != t.activePoint {
				ready = nil
				run = r.sweep.Points[t.point].Experiment.Checked().NewWorker(r.sweep.Header.Config.Seed)
				ready = t.activePoint
			}
			line, err = r.sweep.runBlock(mc.WithGoroutines(r.work, goroutines), run, t.point, t.number)
			return err
		})
		if err != nil {
			ready = nil // after a failure its scratch memory may be in any state
		}
		r.mutex.Lock()
		r.running--
		if r.work.Err() == nil {
			r.settle(t.activePoint, r.take(t, line, warnings, err))
			r.report()
		}
		r.taken.Broadcast()
	}
}

// goroutines returns the number of goroutines that a replica of a point may use: all workers if the
// experiment is Alone, and a share of them if fewer blocks are left than workers.
func (r *runner) goroutines(point int) int {
	if r.sweep.Points[point].Experiment.Alone {
		return r.options.Workers
	}
	left := max(1, r.progress.Blocks-r.progress.BlocksDone)
	return max(1, int(uint64(r.options.Workers)/left))
}

// next returns the next task of the points in order, or false if none will come. It waits while a
// stopping rule may still make further blocks unnecessary.
func (r *runner) next() (task, bool) {
	s := r.sweep
	for r.work.Err() == nil {
		a := r.current
		switch {
		case len(r.complete) > 0:
			a = r.complete[0]
			r.complete = r.complete[1:]
			return task{activePoint: a, rows: true}, true
		case a == nil && r.upcoming == len(s.Points):
			return task{}, false
		case a == nil:
			r.begin(&activePoint{point: r.upcoming})
			r.upcoming++
		case a.ended || a.next == s.blocksOf(a.point) || r.rowsOnly:
			r.current = nil
		case !s.mine(a.point, a.next) || r.index.has(a.point, a.next):
			a.next++
		case r.stop.Relative > 0 && a.next >= a.folded+2*uint64(r.options.Workers) && r.ctx.Err() == nil:
			r.taken.Wait()
		case s.Points[a.point].Experiment.Alone && r.running > 0:
			r.taken.Wait()
		default:
			a.next++
			return task{activePoint: a, number: a.next - 1}, true
		}
	}
	return task{}, false
}

// begin makes a point the current one and folds its recorded blocks, unless nothing can be
// done for it.
func (r *runner) begin(a *activePoint) {
	exact, whole := r.sweep.Points[a.point].Exact, r.sweep.whole()
	switch {
	case r.index.hasRows(a.point) || exact && !whole:
	case exact:
		r.complete = append(r.complete, a)
	case !whole:
		r.current = a
	default:
		r.current = a
		err := r.sweep.newTallies(a)
		if err == nil {
			err = r.fold(a)
		}
		r.settle(a, err)
	}
}

// fold adds recorded blocks to a point's tally, in order, up to the first that is missing or the
// end of a stopping rule. A [pointError] fails the point; any other error ends the sweep.
func (r *runner) fold(a *activePoint) error {
	for !a.ended && r.index.has(a.point, a.folded) {
		if r.ctx.Err() != nil {
			r.left = true
			return nil
		}
		e := r.index.at(a.point, a.folded)
		line, err := r.index.read(e)
		if err != nil {
			return err
		}
		if err = readBlock(line, a.scratch); err == nil {
			err = guarded(func() error { mc.MergeTally(a.tally, a.scratch); return nil })
		}
		if err != nil {
			return r.index.wrap(e, err)
		}
		a.replicas = r.sweep.block(a.folded).End
		a.folded++
		a.ended = a.folded == r.sweep.blocksOf(a.point)
		if r.stop.Relative > 0 && !a.ended {
			statistic, err := a.statistic()
			if err != nil {
				return err
			}
			a.ended = r.stop.Met(statistic)
		}
	}
	if a.ended {
		r.complete = append(r.complete, a)
	}
	return nil
}

// take records the result of a task.
func (r *runner) take(t task, line []byte, warnings []string, err error) error {
	place, blocks := t.number, r.sweep.blocksOf(t.point)
	switch {
	case t.ended && !t.rows: // by a failure or a stopping rule
		return nil
	case err != nil:
		return pointError{err}
	case t.rows:
		place = r.sweep.rowsPlace(t.point)
	}
	if err := r.record(t.point, place, line); err != nil {
		return err
	}
	for _, w := range warnings {
		r.options.Warn(w)
	}
	if t.rows {
		r.progress.PointsDone++
		r.progress.Blocks -= blocks - t.folded // blocks that the stopping rule made unnecessary
		return nil
	}
	r.progress.BlocksDone++
	r.progress.BlocksRun++
	if !r.sweep.whole() {
		return nil
	}
	return r.fold(t.activePoint)
}

// settle fails a point after a [pointError], and ends the sweep after any other error.
func (r *runner) settle(a *activePoint, err error) {
	if failure, is := errors.AsType[pointError](err); is {
		err = r.fail(a, failure)
	}
	if err != nil {
		r.cancel(err)
	}
}

// fail records the failure of a point.
func (r *runner) fail(a *activePoint, cause error) error {
	a.ended = true
	s, p := r.sweep, r.sweep.Points[a.point]
	parameters, err := s.parameters(nil, p)
	if err != nil {
		return err
	}
	line, err := valueRecord(s.ids[a.point], failedKind, Failure{a.point, parameters, cause.Error()})
	if err == nil {
		err = r.record(a.point, s.failurePlace(a.point), line)
	}
	if err != nil {
		return err
	}
	r.failures++
	r.options.Warn(fmt.Sprintf("%s failed: %v", p.Name, cause))
	return nil
}

// record appends a record of a point to the file and notes its place.
func (r *runner) record(point int, place uint64, line []byte) error {
	e, err := r.log.append(line)
	if err == nil {
		r.index.set(point, place, e)
	}
	return err
}

// report passes the progress on, at most every progressEvery.
func (r *runner) report() {
	if time.Since(r.reported) < progressEvery {
		return
	}
	r.reported = time.Now()
	p := r.progress
	if a := r.current; a != nil && a.replicas > 0 && !a.ended && !a.unknown {
		name := r.sweep.Points[a.point].Name
		e, err := a.statistic()
		half := (e.Hi - e.Lo) / 2 / math.Abs(e.Value)
		switch {
		case err != nil: // the point goes on, since the file does not depend on progress
			a.unknown = true
			r.options.Warn(fmt.Sprintf("%s: its interval is unknown: %v", name, err))
		case half > 0 && !math.IsInf(half, 0):
			p.Point, p.RelativeHalf = name, half
		}
	}
	r.options.Progress(p)
}
