package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"repslab/mc"
)

// manager deals tasks to workers and records their results. One goroutine uses it.
type manager struct {
	sweep    *Sweep
	index    *index
	log      *log
	options  Options
	stop     mc.Precision
	rowsOnly bool // run no blocks: make the rows of points whose blocks are recorded

	active   []*activePoint // in order
	upcoming int            // the first point that has not begun
	failures int
	progress Progress
	reported time.Time // when the progress was
}

// activePoint is a point whose blocks are being run.
type activePoint struct {
	point    int
	tally    mc.Tally            // nil for an exact point
	next     uint64              // the first block that was neither dealt nor found recorded
	folded   uint64              // blocks in the tally; under a stopping rule these are the first ones
	wanted   uint64              // blocks that the point needs here
	early    map[uint64]mc.Tally // under a stopping rule: blocks that wait for an earlier one
	replicas uint64              // in the tally
	complete bool                // the tally has all the blocks that it needs
	dealt    bool                // a worker computes its rows
	unknown  bool                // progress leaves the point out: its stopping statistic panicked
}

// task is a block to run or, if rows is set, a tally to turn into rows.
type task struct {
	active *activePoint
	block  uint64
	rows   bool
}

func newManager(s *Sweep, x *index, l *log, o Options) *manager {
	m := &manager{sweep: s, index: x, log: l, options: o, stop: s.Header.Config.plan().Stop}
	m.progress.Points = len(s.Points)
	for point := range s.Points {
		recorded := x.recorded(point)
		m.progress.BlocksDone += recorded
		if x.hasRows(point) {
			m.progress.PointsDone++
			m.progress.Blocks += recorded
		} else {
			m.progress.Blocks += s.blocksHere(point)
		}
	}
	return m
}

// finished reports whether no point is left.
func (m *manager) finished() bool {
	return len(m.active) == 0 && m.upcoming == len(m.sweep.Points) && m.progress.Running == 0
}

// next returns a task, or false if there is none now. It ends early with the error of ctx.
func (m *manager) next(ctx context.Context) (task, bool, error) {
	for _, a := range m.active {
		if t, ok := m.taskOf(a); ok {
			return t, true, nil
		}
	}
	for m.upcoming < len(m.sweep.Points) {
		a := &activePoint{point: m.upcoming}
		m.upcoming++
		if err := m.activate(ctx, a); err != nil {
			return task{}, false, err
		}
		if !slices.Contains(m.active, a) {
			continue
		}
		if t, ok := m.taskOf(a); ok {
			return t, true, nil
		}
	}
	return task{}, false, nil
}

// activate begins a point with its recorded blocks, unless nothing can be done for it.
func (m *manager) activate(ctx context.Context, a *activePoint) error {
	a.complete = m.sweep.Points[a.point].Exact
	if m.index.hasRows(a.point) || a.complete && !m.sweep.whole() {
		return nil
	}
	if !a.complete {
		err := a.foldRecorded(ctx, m.index)
		if errors.As(err, new(pointError)) {
			return m.fail(a, err)
		}
		if err != nil || a.complete && !m.sweep.whole() || !a.complete && m.rowsOnly {
			return err
		}
	}
	m.active = append(m.active, a)
	return nil
}

// taskOf returns a task of a point, or false if it must wait for running tasks.
func (m *manager) taskOf(a *activePoint) (task, bool) {
	if a.complete {
		if a.dealt {
			return task{}, false
		}
		a.dealt = true
		return task{active: a, rows: true}, true
	}
	for blocks := m.sweep.blocksOf(a.point); a.next < blocks; a.next++ {
		if m.stop.Relative > 0 && a.next >= a.folded+2*uint64(m.options.Workers) {
			return task{}, false // blocks after the rule's end would be wasted
		}
		if m.sweep.mine(a.point, a.next) && !m.index.has(a.point, a.next) {
			a.next++
			return task{active: a, block: a.next - 1}, true
		}
	}
	return task{}, false
}

// begin gives a point an empty tally.
func (a *activePoint) begin(s *Sweep) (err error) {
	a.early, a.wanted = map[uint64]mc.Tally{}, s.blocksHere(a.point)
	a.tally, err = s.newTally(a.point)
	return err
}

// foldRecorded begins a point's tally with the recorded blocks of the shard. After a
// [pointError] the point fails; any other error ends the sweep.
func (a *activePoint) foldRecorded(ctx context.Context, x *index) error {
	s, stop := x.sweep, x.sweep.Header.Config.plan().Stop
	err := a.begin(s)
	if err != nil {
		return err
	}
	var tally mc.Tally
	for k := range s.blocksOf(a.point) {
		if !x.has(a.point, k) || !s.mine(a.point, k) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if tally == nil || stop.Relative > 0 { // under a rule a tally may have to wait
			if tally, err = s.newTally(a.point); err != nil {
				return err
			}
		}
		e := x.at(a.point, k)
		line, err := x.read(e)
		if err != nil {
			return err
		}
		if err = readBlock(line, tally); err == nil {
			err = a.fold(s, stop, k, tally)
		}
		if errors.As(err, new(pointError)) {
			return err
		}
		if err != nil {
			return x.wrap(e, err)
		}
	}
	return nil
}

// fold adds a block to a point's tally: at once or, under a stopping rule, in the order
// of the blocks and only up to the rule's end. Its error reports sums that are too large or
// is a [pointError].
func (a *activePoint) fold(s *Sweep, stop mc.Precision, k uint64, tally mc.Tally) error {
	if stop.Relative == 0 {
		return a.add(s, k, tally)
	}
	a.early[k] = tally
	for !a.complete {
		next, ok := a.early[a.folded]
		if !ok {
			return nil
		}
		delete(a.early, a.folded)
		if err := a.add(s, a.folded, next); err != nil || a.complete {
			return err
		}
		e, err := a.statistic()
		if err != nil {
			return err
		}
		a.complete = stop.Met(e)
	}
	return nil
}

// add adds a block to a point's tally. Its error reports sums that are too large.
func (a *activePoint) add(s *Sweep, k uint64, tally mc.Tally) error {
	if err := guarded(func() error { mc.MergeTally(a.tally, tally); return nil }); err != nil {
		return err
	}
	block := s.block(k)
	a.replicas += block.End - block.First
	a.folded++
	a.complete = a.folded == a.wanted
	return nil
}

// take records the result of a worker. An error means that the file cannot be written.
func (m *manager) take(r result) error {
	a := r.task.active
	if !slices.Contains(m.active, a) {
		return nil // the point has failed
	}
	switch {
	case r.err != nil:
		return m.fail(a, r.err)
	case r.task.rows:
		return m.takeRows(a, r)
	case a.complete:
		return nil // after the stopping rule's end
	}
	return m.takeBlock(a, r)
}

// takeBlock records a block.
func (m *manager) takeBlock(a *activePoint, r result) error {
	if err := m.record(a, r.task.block, r.line); err != nil {
		return err
	}
	m.progress.BlocksDone++
	m.progress.BlocksRun++
	if err := a.fold(m.sweep, m.stop, r.task.block, r.tally); err != nil {
		return m.fail(a, err)
	}
	if a.complete && !m.sweep.whole() {
		m.drop(a)
	}
	return nil
}

// takeRows records the rows of a point.
func (m *manager) takeRows(a *activePoint, r result) error {
	if err := m.record(a, m.sweep.rowsPlace(a.point), r.line); err != nil {
		return err
	}
	m.progress.PointsDone++
	if blocks := m.sweep.blocksOf(a.point); a.folded < blocks { // the rule ended it early
		m.progress.Blocks -= blocks - a.folded
	}
	m.drop(a)
	for _, w := range r.warnings {
		m.options.Warn(w)
	}
	return nil
}

// fail records the failure of a point and drops the point.
func (m *manager) fail(a *activePoint, cause error) error {
	line, err := m.sweep.failureRecord(a.point, cause)
	if err != nil {
		return err
	}
	if err := m.record(a, m.sweep.failurePlace(a.point), line); err != nil {
		return err
	}
	m.failures++
	m.drop(a)
	m.options.Warn(fmt.Sprintf("%s failed: %v", m.sweep.Points[a.point].Name, cause))
	return nil
}

// record appends a record of a point to the file and notes its place.
func (m *manager) record(a *activePoint, place uint64, line []byte) error {
	e, err := m.log.append(line)
	if err == nil {
		m.index.set(a.point, place, e)
		m.index.refill()
	}
	return err
}

// drop removes a point from the active ones.
func (m *manager) drop(a *activePoint) {
	m.active = slices.DeleteFunc(m.active, func(b *activePoint) bool { return a == b })
}

// worker runs tasks until there are no more. It keeps the scratch memory of one point.
func worker(ctx context.Context, s *Sweep, tasks <-chan task, results chan<- result) {
	var run mc.Worker[mc.Tally]
	var ready *activePoint // the point that run is for
	for t := range tasks {
		a, r := t.active, result{task: t}
		r.err = guarded(func() (err error) {
			if t.rows {
				r.line, r.warnings, err = s.rowsOf(ctx, a.point, a.tally, a.replicas)
				return err
			}
			if ready != a {
				ready = nil
				run = s.Points[a.point].Experiment.NewWorker(s.Header.Config.Seed)
				ready = a
			}
			block := s.block(t.block)
			if r.tally, err = run(ctx, block); err == nil {
				r.line = blockRecord(s.ids[a.point], block, r.tally)
				err = checkLength(r.line)
			}
			return err
		})
		if r.err != nil {
			ready = nil // after a failure its scratch memory may be in any state
		}
		results <- r
	}
}

// pointError is a panic of a point's own functions: the point fails, and the sweep goes on.
type pointError struct{ error }

// statistic returns the stopping statistic of a point's tally. The error is a [pointError].
func (a *activePoint) statistic() (e mc.Estimate, err error) {
	err = guarded(func() error { e = a.tally.StoppingStatistic(); return nil })
	if err != nil {
		err = pointError{fmt.Errorf("StoppingStatistic: %w", err)}
	}
	return e, err
}

// newTally returns an empty tally of a point, whose parts can be read. The error is a
// [pointError].
func (s *Sweep) newTally(point int) (tally mc.Tally, err error) {
	err = guarded(func() error {
		tally = s.Points[point].Experiment.NewTally()
		tally.Parts()
		return nil
	})
	if err != nil {
		err = pointError{fmt.Errorf("NewTally: %w", err)}
	}
	return tally, err
}

// guarded runs f and turns a panic into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}

// rowsOf returns the record of a point's rows, and their warnings.
func (s *Sweep) rowsOf(ctx context.Context, point int, tally mc.Tally, replicas uint64) ([]byte, []string, error) {
	p, stop := s.Points[point], s.Header.Config.plan().Stop
	found, err := p.Fold(ctx, tally, replicas)
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.rows(p, found, replicas)
	if err != nil {
		return nil, nil, err
	}
	rows.Number = point
	if !p.Exact && stop.Relative > 0 && !stop.Met(tally.StoppingStatistic()) {
		rows.Warnings = append(rows.Warnings, fmt.Sprintf(
			"%s: the precision of %v was not reached with %d replicas", p.Name, stop.Relative, replicas))
	}
	line, err := rowsRecord(s.ids[point], rows)
	return line, rows.Warnings, err
}
