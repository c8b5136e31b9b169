package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"repslab/internal/wholefile"
)

// IsResult reports whether a regular file looks like a result file: its first line begins or
// ends like a header, even if the other end is damaged.
func IsResult(path string) bool {
	f, err := openRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	in := newLineReader(f)
	if start, _ := in.Peek(len(headerStart)); string(start) == headerStart {
		return true
	}
	line, err := in.next()
	return err == nil && sealed(line)
}

// replace replaces the log by the sorted file of an index, if the log is still the file
// at its path or if there is none. Another file at the path is kept: the sorted file then
// appears beside it, and the error wraps [ErrDisplaced].
func (l *log) replace(x *index) error {
	for {
		target, err := l.target()
		if err != nil {
			return err
		}
		moved := false
		err = writeSorted(x, target, func() error { // the file may have been replaced meanwhile
			again, err := l.target()
			if moved = again != target; moved {
				return ErrDisplaced
			}
			return err
		})
		if moved {
			continue
		}
		if path := l.file.Name(); err == nil && target != path {
			return fmt.Errorf("%s %w while the sweep ran; the finished sweep is in %s", path, ErrDisplaced, target)
		}
		return err
	}
}

// target returns the path for the sorted file.
func (l *log) target() (string, error) {
	path := l.file.Name()
	own, err := l.file.Stat()
	if err != nil {
		return "", err
	}
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && os.SameFile(own, there) {
		return path, nil
	}
	for i := 1; err == nil; i++ {
		beside := fmt.Sprintf("%s.displaced-%d", path, i)
		if _, err = os.Lstat(beside); errors.Is(err, fs.ErrNotExist) {
			return beside, nil
		}
	}
	return "", err
}

// writeSorted writes the sorted file of an index to path, where it appears if check
// returns no error.
func writeSorted(x *index, path string, check func() error) error {
	out := wholefile.Lazy(path)
	out.Last = check
	if err := x.writeSorted(out); err != nil {
		return errors.Join(err, out.Abort())
	}
	return out.Commit()
}

// writeMerged writes the sorted file of an index to path, under the lock of the file
// that it replaces.
func (x *index) writeMerged(ctx context.Context, path string, force bool) error {
	if err := wholefile.CheckRegular(path); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		old, err := wholefile.OpenLocked(path)
		if err != nil {
			return err
		}
		defer old.Close()
	}
	return writeSorted(x, path, func() error {
		if force {
			return nil
		}
		return x.covers(ctx, path)
	})
}

// covers returns an error unless there is no file at path, or an empty one, or one of
// the sweep whose intact records are all in the index.
func (x *index) covers(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	there, err := load(ctx, x.sweep, []string{path}, MergeOptions{Salvage: true, Warn: func(string) {}})
	defer there.close()
	if err != nil {
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
