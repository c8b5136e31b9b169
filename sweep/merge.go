package sweep

import (
	"context"
	"fmt"
	"os"
	"runtime"
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
	x, size, err := load(ctx, s, paths, o)
	defer x.close()
	if err != nil {
		return Merged{}, err
	}
	if err := x.makeRows(ctx, o.Warn); err != nil {
		return Merged{}, err
	}
	m := Merged{Points: len(s.Points), Bytes: size}
	for point := range s.Points {
		m.Blocks += x.recorded(point)
		if x.hasRows(point) {
			m.PointsDone++
		} else if x.hasFailed(point) {
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
		warnTorn(f, n, o.Warn)
		size += n
	}
	x.warn(o.Warn)
	return x, size, x.dropUnfounded()
}

// close closes the files.
func (x *index) close() {
	for _, f := range x.files {
		f.Close()
	}
}

// makeRows adds the missing rows of all points whose blocks are complete. They are in a
// scratch file, which closing the index removes.
func (x *index) makeRows(ctx context.Context, warn func(string)) error {
	scratch, err := os.CreateTemp("", "repslab-rows-*")
	if err != nil {
		return err
	}
	x.files = append(x.files, scratch)
	if err := os.Remove(scratch.Name()); err != nil {
		return err
	}
	l := &log{file: scratch, number: int32(len(x.files) - 1)}
	m := newManager(x.sweep, x, l, Options{Workers: runtime.GOMAXPROCS(0), Progress: func(Progress) {}, Warn: warn})
	m.rowsOnly = true
	return m.run(ctx)
}
