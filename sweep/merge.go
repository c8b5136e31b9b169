package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"repslab/internal/checks"
	"repslab/internal/store"
	"repslab/internal/wholefile"
)

// MergeOptions controls how files are merged.
type MergeOptions struct {
	Salvage bool         // leave corrupted lines out, each with a warning, instead of failing
	Force   bool         // replace any file at the output's path
	Warn    func(string) // called with each warning, never twice at once; may be nil
}

// Merge merges files of the sweep, in any order, into the file at path, which appears whole and has its
// records in order. Each file may be a shard, an unfinished file or a merged file. Missing rows are
// computed for points whose blocks are complete. Repeated records count once; records that contradict
// each other, and corrupted lines, are errors. Unless Force is set, an existing file at path is replaced
// only if it belongs to the sweep and all its records are merged; otherwise the error wraps [ErrKept].
func (s *Sweep) Merge(ctx context.Context, paths []string, path string, o MergeOptions) (Inventory, error) {
	s.mustBeMade()
	if err := checks.Context("sweep", ctx); err != nil {
		return Inventory{}, err
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	x := newIndex(s, o.Warn)
	x.anyShard, x.salvage = true, o.Salvage
	defer x.close()
	err := x.load(ctx, paths)
	if err == nil {
		err = x.makeRows(ctx)
	}
	if err != nil {
		return Inventory{}, err
	}
	return x.inventory(), x.writeMerged(ctx, path, o.Force)
}

// load adds files to the index.
func (x *index) load(ctx context.Context, paths []string) error {
	for _, path := range paths {
		f, err := openRegular(path)
		if err != nil {
			return err
		}
		last, err := x.scan(ctx, f)
		if err != nil {
			return err
		}
		warnTorn(f, last.end, x.warn)
	}
	return x.finish()
}

// close closes the files.
func (x *index) close() {
	for _, f := range x.files {
		f.Close()
	}
}

// makeRows adds the missing rows of all points with complete blocks. It writes them to a scratch file,
// which is removed when the index is closed.
func (x *index) makeRows(ctx context.Context) error {
	scratch, err := os.CreateTemp("", "repslab-rows-*")
	if err != nil {
		return err
	}
	x.files = append(x.files, scratch)
	if err := os.Remove(scratch.Name()); err != nil {
		return err
	}
	r := newRunner(x, &log{Log: &store.Log{File: scratch}, number: int32(len(x.files) - 1)}, Options{Warn: x.warn})
	r.rowsOnly = true
	return r.run(ctx)
}

// writeMerged writes the sorted file of an index to path, under the lock of the file
// that it replaces.
func (x *index) writeMerged(ctx context.Context, path string, force bool) error {
	if _, err := os.Stat(path); err == nil {
		old, err := wholefile.OpenLocked(path)
		if err != nil {
			return err
		}
		defer old.Close()
	}
	return x.writeFile(path, func() error {
		if force {
			return nil
		}
		return x.covers(ctx, path)
	})
}

// covers returns nil if there is no file at path, if the file is empty, or if it belongs to
// the sweep and all its intact records are in the index; otherwise it returns an error.
func (x *index) covers(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	there := newIndex(x.sweep, func(string) {})
	there.anyShard, there.salvage = true, true
	defer there.close()
	if err := there.load(ctx, []string{path}); err != nil {
		return fmt.Errorf("%w %w", ErrKept, err)
	}
	lost := 0
	for point := range x.sweep.Points {
		for place := range x.sweep.rowsPlace(point) + 1 {
			if there.has(point, place) && !x.has(point, place) {
				lost++
			}
		}
	}
	if lost > 0 {
		return fmt.Errorf("%w %s, which %w: %d of them", ErrKept, path, errLoss, lost)
	}
	return nil
}

// Inventory counts the parts of a sweep, or of its shard, that a file holds.
type Inventory struct {
	Blocks   uint64 // recorded blocks of the shard
	Points   int    // points with rows
	Failed   int    // points that failed and have no rows
	Finished bool   // only failed points are left to run
	Bytes    int64  // bytes of the records and headers read

	missing uint64 // blocks of the shard that are needed and not recorded
}

// Inspect returns the inventory of the file at path; it is empty if there is no file, or
// no whole line in it. The error wraps [ErrForeign], [ErrOther] or [ErrIrregular], or names the
// damaged line. O(file size).
func (s *Sweep) Inspect(path string) (Inventory, error) {
	s.mustBeMade()
	x := newIndex(s, func(string) {})
	defer x.close()
	err := x.load(context.Background(), []string{path})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoLine):
		return Inventory{}, nil
	case err != nil:
		return Inventory{}, err
	}
	return x.inventory(), nil
}

// inventory counts the records of an index.
func (x *index) inventory() Inventory {
	v := Inventory{Bytes: x.size, Finished: true}
	for point := range x.sweep.Points {
		rows, missing := x.hasRows(point), v.missing
		for k := range x.sweep.blocksOf(point) {
			switch {
			case !x.sweep.mine(point, k):
			case x.has(point, k):
				v.Blocks++
			case !rows: // with rows, a missing block lies beyond the end of the stopping rule
				v.missing++
			}
		}
		switch {
		case rows:
			v.Points++
		case x.has(point, x.sweep.failurePlace(point)):
			v.Failed++
		case x.sweep.whole() || v.missing > missing:
			v.Finished = false
		}
	}
	return v
}
