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

// Merge merges files of the sweep, in any order, into the file at path, which appears whole
// and has its records in order. Each may be a shard, an unfinished file or a merged one.
// Missing rows are computed for points whose blocks are complete. Repeated records count
// once; records that contradict each other, and corrupted lines, are errors. Unless Force
// is set, an existing file at path is replaced only if it belongs to the sweep and all
// its records are merged; otherwise the error wraps [ErrKept].
func (s *Sweep) Merge(ctx context.Context, paths []string, path string, o MergeOptions) (Inventory, error) {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	x, err := load(ctx, s, paths, o)
	defer x.close()
	if err == nil {
		err = x.makeRows(ctx, o.Warn)
	}
	if err != nil {
		return Inventory{}, err
	}
	return x.inventory(), x.writeMerged(ctx, path, o.Force)
}

// load returns an index of files. The caller must close the index, also after an error.
func load(ctx context.Context, s *Sweep, paths []string, o MergeOptions) (*index, error) {
	x := newIndex(s)
	var skip func(error)
	if o.Salvage {
		skip = func(err error) { o.Warn(fmt.Sprintf("%v; the line is left out", err)) }
	}
	for _, path := range paths {
		f, err := openRegular(path)
		if err != nil {
			return x, err
		}
		n, err := x.scan(ctx, f, true, skip)
		if err == nil && n == 0 {
			err = noLine(path)
		}
		if err != nil {
			return x, err
		}
		warnTorn(f, n, o.Warn)
	}
	x.warn(o.Warn)
	return x, x.dropUnfounded()
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
