package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"repslab/mc"
)

// MergeOptions controls how files are merged.
type MergeOptions struct {
	Salvage bool         // leave corrupted lines out, with a warning each, instead of failing
	Force   bool         // replace any file at the output's path
	Warn    func(string) // called from one goroutine; may be nil
}

// Merged counts the parts of a merged file.
type Merged struct {
	Points, PointsDone int
	Blocks             uint64 // recorded
	Failed             int    // points with a failure and no rows
	Bytes              int64  // read
}

// Merge merges files of a sweep, in any order, into the file at path, which appears whole
// and has its records in order. Each may be a shard, an unfinished file or a merged one.
// Missing rows are computed for points whose blocks are complete. Repeated records count
// once; records that contradict each other, and corrupted lines, are errors. Unless Force
// is set, an existing file at path is replaced only if it belongs to the sweep and all
// its records are merged; otherwise the error wraps [ErrKept].
func Merge(ctx context.Context, s *Sweep, paths []string, path string, o MergeOptions) (Merged, error) {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if err := mayMerge(s, path, o.Force); err != nil {
		return Merged{}, err
	}
	x, size, err := load(ctx, s, paths, o)
	defer x.close()
	if err != nil {
		return Merged{}, err
	}
	if err := x.makeRows(ctx, o.Warn); err != nil {
		return Merged{}, err
	}
	m := Merged{Points: len(s.Points), Blocks: x.recorded, Bytes: size}
	for point := range s.Points {
		if x.rows[point].length > 0 {
			m.PointsDone++
		} else if x.failed[point].length > 0 {
			m.Failed++
		}
	}
	return m, x.writeMerged(ctx, path, o.Force)
}

// load returns an index of files, and their size. The caller must close the index, also
// after an error.
func load(ctx context.Context, s *Sweep, paths []string, o MergeOptions) (x *index, size int64, err error) {
	x = newIndex(s)
	var skip func(error)
	if o.Salvage {
		skip = func(err error) { o.Warn(fmt.Sprintf("%v; the line is left out", err)) }
	}
	for _, path := range paths {
		f, err := openRegular(path)
		if err != nil {
			return x, size, err
		}
		n, err := x.scan(ctx, f, true, skip)
		if err != nil {
			return x, size, err
		}
		if n == 0 {
			return x, size, fmt.Errorf("%s: %w: it has no whole line", path, ErrForeign)
		}
		if info, err := f.Stat(); err == nil && info.Size() > n {
			o.Warn(fmt.Sprintf("%s: the last %d bytes are a line without an end, which is left out", path, info.Size()-n))
		}
		size += n
	}
	for _, path := range x.damaged {
		o.Warn(path + damagedText)
	}
	if x.duplicates > 0 {
		o.Warn(fmt.Sprintf("%d records are there twice and count once: %s", x.duplicates, x.firstTwice))
	}
	return x, size, x.dropUnfounded()
}

// close closes the files.
func (x *index) close() {
	for _, f := range x.files {
		f.Close()
	}
}

// makeRows adds the missing rows of all points whose blocks are complete. They are in a
// scratch file, which closing the index removes. One goroutine for each core folds
// points.
func (x *index) makeRows(ctx context.Context, warn func(string)) error {
	scratch, err := os.CreateTemp("", "repslab-rows-*")
	if err != nil {
		return err
	}
	x.files = append(x.files, scratch)
	if err := os.Remove(scratch.Name()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	points := make(chan int)
	var mutex sync.Mutex
	var fault error
	offset := int64(0)
	keep := func(place *entry, line []byte, warnings []string) error {
		mutex.Lock()
		defer mutex.Unlock()
		if _, err := scratch.WriteAt(line, offset); err != nil {
			return err
		}
		*place = entry{offset: offset, length: int32(len(line) - 1), file: int32(len(x.files) - 1)}
		offset += int64(len(line))
		for _, w := range warnings {
			warn(w)
		}
		return nil
	}
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			in := newReader(x)
			for point := range points {
				if err := x.rowsFromBlocks(ctx, in, point, keep); err != nil {
					mutex.Lock()
					fault = cmp.Or(fault, err) // later ones may report the cancellation
					mutex.Unlock()
					cancel()
				}
			}
		})
	}
	for point := range x.sweep.Points {
		if x.rows[point].length == 0 && ctx.Err() == nil {
			points <- point
		}
	}
	close(points)
	running.Wait()
	return cmp.Or(fault, ctx.Err())
}

// rowsFromBlocks computes the rows of a point, or the record of its failure, if its
// blocks are complete, and passes them to keep with the place to note.
func (x *index) rowsFromBlocks(ctx context.Context, in *reader, point int, keep func(place *entry, line []byte, warnings []string) error) error {
	s := x.sweep
	a := &activePoint{point: point}
	var err error
	if !s.Points[point].Exact {
		if x.blocks[point] == nil {
			return nil
		}
		err = x.foldRecorded(ctx, in, a)
		failed := errors.As(err, new(pointError))
		if !failed && (err != nil || !a.complete) {
			return err
		}
	}
	var rows Rows
	var line []byte
	if err == nil {
		err = guarded(func() (err error) {
			rows, line, err = s.rowsOf(ctx, point, a.tally, a.replicas)
			return err
		})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		name := s.Points[point].Name
		if line, err = s.failureRecord(point, err); err != nil {
			return fmt.Errorf("sweep: %s: %w", name, err)
		}
		return keep(&x.failed[point], line, []string{name + " failed"})
	}
	return keep(&x.rows[point], line, rows.Warnings)
}

// foldRecorded begins a point's tally with the recorded blocks of the shard. After a
// [pointError] the point fails; any other error ends the sweep.
func (x *index) foldRecorded(ctx context.Context, in *reader, a *activePoint) error {
	stop := x.sweep.Header.Config.plan().Stop
	if err := a.begin(x.sweep); err != nil {
		return err
	}
	var tally mc.Tally
	for k := range x.sweep.blocksOf(a.point) {
		if !x.has(a.point, k) || !x.sweep.mine(a.point, k) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if tally == nil || stop.Relative > 0 { // under a rule a tally may have to wait
			var err error
			if tally, err = x.sweep.newTally(a.point); err != nil {
				return err
			}
		}
		if err := x.readTally(in, a.point, k, tally); err != nil {
			return err
		}
		err := a.fold(x.sweep, stop, k, tally)
		if errors.As(err, new(pointError)) {
			return err
		}
		if err != nil {
			e := x.blocks[a.point][k]
			return &lineError{x.files[e.file].Name(), int(e.line), err}
		}
	}
	return nil
}
