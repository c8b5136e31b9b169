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

	"repslab/internal/wholefile"
)

// log is a result file to which one process appends.
type log struct {
	file   *os.File
	number int32    // of the file in the index
	last   fileLine // last line of the file, without its data

	dirty  chan struct{} // holds a token while records wait for fsync
	synced chan error    // receives the first error of fsync; closed when the syncing goroutine ends
}

// lockedEvery is the time between two attempts to lock a file that another process
// writes.
const lockedEvery = time.Second

// openLog opens or creates the result file of a sweep and adds its records to the index.
// The options decide whether an existing file is continued, and whether to wait for
// another process. The file is locked until it is closed. Bytes after the last newline,
// which a crash leaves, are cut off.
func openLog(ctx context.Context, path string, x *index, o Options) (*log, error) {
	f, err := wholefile.OpenLocked(path)
	if o.Wait && errors.Is(err, ErrLocked) {
		o.Warn(fmt.Sprintf("waiting: %v", err))
	}
	for o.Wait && errors.Is(err, ErrLocked) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockedEvery):
			f, err = wholefile.OpenLocked(path)
		}
	}
	if err != nil {
		return nil, err
	}
	l := &log{file: f, dirty: make(chan struct{}, 1), synced: make(chan error, 1)}
	if err := l.prepare(ctx, x, o.Resume); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go l.syncAlways()
	return l, nil
}

// prepare makes a locked file ready to append to. It ends early with the error of ctx.
func (l *log) prepare(ctx context.Context, x *index, resume bool) error {
	header := x.sweep.Header.line()
	start, err := io.ReadAll(io.NewSectionReader(l.file, 0, int64(len(header))))
	switch {
	case err != nil:
		return err
	case len(start) < len(header) && bytes.HasPrefix(header, start): // new, or its writer was killed early
		x.files = append(x.files, l.file)
		return l.begin(header)
	case !resume:
		return fmt.Errorf("%s %w", l.file.Name(), ErrExists)
	}
	if l.last, err = x.scan(ctx, l.file); err != nil {
		return err
	}
	if x.repaired {
		if _, err := l.file.WriteAt(header, 0); err != nil {
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
	if err := l.write(header); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(l.file.Name()))
	if err != nil {
		return err
	}
	return errors.Join(l.file.Sync(), dir.Sync(), dir.Close())
}

// cut removes all bytes after the whole records and seeks to their end.
func (l *log) cut() error {
	if err := l.file.Truncate(l.last.end); err != nil {
		return err
	}
	_, err := l.file.Seek(l.last.end, io.SeekStart)
	return err
}

// unchanged returns an error if the file no longer ends where this process stopped writing, because
// another process cut it or wrote to it. The next record would leave a hole, or lie behind lines of the
// other process.
func (l *log) unchanged() error {
	info, err := l.file.Stat()
	if err != nil || info.Size() == l.last.end {
		return err
	}
	return fmt.Errorf("%s was changed by another process: it has %d bytes instead of %d",
		l.file.Name(), info.Size(), l.last.end)
}

// write appends a line with one call. A line that cannot be written whole is removed.
func (l *log) write(line []byte) error {
	if err := l.unchanged(); err != nil {
		return err
	}
	if _, err := l.file.Write(line); err != nil {
		return errors.Join(fmt.Errorf("sweep: %w", err), l.cut())
	}
	l.last = fileLine{number: l.last.number + 1, offset: l.last.end, end: l.last.end + int64(len(line))}
	return nil
}

// append adds a record, which is synced to the disk soon, and returns its place. It also returns the
// error of an earlier sync; flush returns errors of later ones.
func (l *log) append(line []byte) (entry, error) {
	if err := l.write(line); err != nil {
		return entry{}, err
	}
	e := entry{offset: l.last.offset, length: int32(len(line) - 1), line: int32(l.last.number), file: l.number}
	select {
	case err := <-l.synced:
		return e, err
	case l.dirty <- struct{}{}:
	default: // a sync that has not begun yet will cover this record
	}
	return e, nil
}

// syncAlways syncs the file whenever records were written since the last sync.
func (l *log) syncAlways() {
	defer close(l.synced)
	for range l.dirty {
		if err := l.file.Sync(); err != nil {
			l.synced <- err
			return
		}
	}
}

// flush waits until all records are on the disk; nothing may be appended after it. Its
// error also reports a file that another process has changed.
func (l *log) flush() error {
	close(l.dirty)
	return errors.Join(<-l.synced, l.file.Sync(), l.unchanged())
}

// replace replaces the log by the sorted file of an index, unless another file is at the path of the log.
// Such a file is kept: the sorted file then appears beside it, and the error wraps [ErrDisplaced].
func (l *log) replace(x *index) error {
	path := l.file.Name()
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
	own, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.file.Name())
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
