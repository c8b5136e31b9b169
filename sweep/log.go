package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"repslab/internal/store"
	"repslab/internal/wholefile"
)

// log is a result file to which one process appends.
type log struct {
	*store.Log
	number int32    // of the file in the index
	last   fileLine // last line of the file, without its data
}

// lockedEvery is the time between two attempts to lock a file that another process
// writes.
const lockedEvery = time.Second

// openLog opens or creates the result file of a sweep and adds its records to the index.
// The options decide whether an existing file is continued, and whether to wait for
// another process. The file is locked until it is closed. Bytes after the last newline,
// which a crash leaves, are cut off.
func openLog(ctx context.Context, path string, x *index, o Options) (*log, error) {
	f, err := store.Open(path)
	if o.Wait && errors.Is(err, ErrLocked) {
		o.Warn(fmt.Sprintf("waiting: %v", err))
	}
	for o.Wait && errors.Is(err, ErrLocked) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockedEvery):
			f, err = store.Open(path)
		}
	}
	if err != nil {
		return nil, err
	}
	l := &log{Log: f}
	x.grows = o.Resume
	if err := l.prepare(ctx, x, o.Resume); err != nil {
		return nil, errors.Join(err, f.File.Close()) // what the file has is not ours
	}
	if x.extended != nil {
		return l.extend(ctx, x, o)
	}
	return l, nil
}

// prepare makes a locked file ready to append to. It ends early with the error of ctx.
func (l *log) prepare(ctx context.Context, x *index, resume bool) error {
	header := x.sweep.Header.line()
	start, err := io.ReadAll(io.NewSectionReader(l.File, 0, int64(len(header))))
	switch {
	case err != nil:
		return err
	case len(start) < len(header) && bytes.HasPrefix(header, start): // new, or its writer was killed early
		x.files = append(x.files, l.File)
		return l.begin(header)
	case !resume:
		return fmt.Errorf("%s %w", l.Name(), ErrExists)
	}
	if l.last, err = x.scan(ctx, l.File); err != nil {
		return err
	}
	if x.repaired {
		if _, err := l.WriteAt(header, 0); err != nil {
			return err
		}
	}
	if err := x.finish(); err != nil {
		return err
	}
	return l.cut()
}

// begin writes the header of a new file and makes the file's name durable.
func (l *log) begin(header []byte) error {
	if err := l.cut(); err != nil {
		return err
	}
	if _, err := l.append(header); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(l.Name()))
	if err != nil {
		return err
	}
	return errors.Join(l.Sync(), dir.Sync(), dir.Close())
}

// cut removes all bytes after the whole records and seeks to their end.
func (l *log) cut() error { return l.Cut(l.last.end) }

// append adds a record and returns its place.
func (l *log) append(line []byte) (entry, error) {
	start, err := l.Append(line)
	if err != nil {
		return entry{}, fmt.Errorf("sweep: %w", err)
	}
	l.last = fileLine{number: l.last.number + 1, offset: start, end: l.End}
	return entry{offset: start, length: int32(len(line) - 1), line: int32(l.last.number), file: l.number}, nil
}

// replace replaces the log by the sorted file of an index, unless another file is at the path of the log.
// Such a file is kept: the sorted file then appears beside it, and the error wraps [ErrDisplaced].
func (l *log) replace(x *index) error {
	path := l.Name()
	err := x.writeFile(path, l.undisplaced)
	if !errors.Is(err, ErrDisplaced) {
		return err
	}
	beside := ""
	for i := 1; errors.Is(err, ErrDisplaced); i++ {
		beside = fmt.Sprintf("%s.displaced-%d", path, i)
		unused := func() error { return checkUnused(beside) }
		if err = unused(); err == nil {
			err = x.writeFile(beside, unused) // another sweep may take the name meanwhile
		}
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s %w while the sweep ran; the finished sweep is in %s", path, ErrDisplaced, beside)
}

// checkUnused returns [ErrDisplaced] if a file is at path.
func checkUnused(path string) error {
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		return ErrDisplaced
	}
	return err
}

// undisplaced returns [ErrDisplaced] if another file is at the log's path.
func (l *log) undisplaced() error {
	own, err := l.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !os.SameFile(own, there):
		return ErrDisplaced
	}
	return err
}

// writeFile writes the sorted file of an index. It appears at path if check returns no error.
func (x *index) writeFile(path string, check func() error) error {
	out := wholefile.Lazy(path)
	out.Last = check
	return out.Fill(x.writeSorted)
}
