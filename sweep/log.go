package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"repslab/internal/wholefile"
)

// log is a result file to which one process appends.
type log struct {
	file     *os.File
	number   int32 // of the file in the index
	size     int64 // of the whole records
	appended bool
	changed  bool // by another process, which was reported

	dirty chan struct{} // holds a token while records wait for fsync
	done  chan struct{} // closed when the syncing goroutine has ended
	mutex sync.Mutex
	fault error // of fsync
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
	for told := false; o.Wait && errors.Is(err, ErrLocked); f, err = wholefile.OpenLocked(path) {
		if !told {
			told = true
			o.Warn(fmt.Sprintf("waiting: %v", err))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockedEvery):
		}
	}
	if err != nil {
		return nil, err
	}
	l := &log{file: f, dirty: make(chan struct{}, 1), done: make(chan struct{})}
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
	case len(start) < len(header) && bytes.HasPrefix(header, start): // new, or its writer was killed at once
		return l.begin(x, header)
	case !resume:
		return fmt.Errorf("%s %w", l.file.Name(), ErrExists)
	}
	if l.size, err = x.scan(ctx, l.file, false, nil); err != nil {
		return err
	}
	if l.size == 0 {
		return noLine(l.file.Name())
	}
	if len(x.damaged) > 0 {
		if _, err := l.file.WriteAt(header, 0); err != nil {
			return err
		}
	}
	if err := x.dropUnfounded(); err != nil {
		return err
	}
	x.refill()
	return l.cut()
}

// begin writes the header of a new file and makes the file's name durable.
func (l *log) begin(x *index, header []byte) error {
	x.files = append(x.files, l.file)
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
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	_, err := l.file.Seek(l.size, io.SeekStart)
	return err
}

// unchanged returns an error the first time that the file no longer ends where this
// process stopped writing: another one cut it or wrote to it. A further record would
// leave a hole, or lie behind lines of another writer.
func (l *log) unchanged() error {
	info, err := l.file.Stat()
	if err != nil || info.Size() == l.size || l.changed {
		return err
	}
	l.changed = true
	return fmt.Errorf("%s was changed by another process: it has %d bytes instead of %d",
		l.file.Name(), info.Size(), l.size)
}

// write appends a line with one call. A line that cannot be written whole is removed.
func (l *log) write(line []byte) error {
	if err := l.unchanged(); err != nil {
		return err
	}
	if _, err := l.file.Write(line); err != nil {
		return errors.Join(fmt.Errorf("sweep: %w", err), l.cut())
	}
	l.size += int64(len(line))
	l.appended = true
	return nil
}

// append adds a record, which is synced to the disk soon, and returns its place. It also
// returns the error of an earlier sync; flush returns the others.
func (l *log) append(line []byte) (entry, error) {
	e := entry{offset: l.size, length: int32(len(line) - 1), file: l.number}
	if err := l.write(line); err != nil {
		return entry{}, err
	}
	select {
	case l.dirty <- struct{}{}:
	default: // a sync that covers this record is still to begin
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return e, l.fault
}

// syncAlways syncs the file whenever records were written since the last sync.
func (l *log) syncAlways() {
	defer close(l.done)
	for range l.dirty {
		if err := l.file.Sync(); err != nil {
			l.mutex.Lock()
			l.fault = errors.Join(l.fault, err)
			l.mutex.Unlock()
		}
	}
}

// flush waits until all records are on the disk; nothing may be appended after it. Its
// error also reports a file that another process has changed.
func (l *log) flush() error {
	close(l.dirty)
	<-l.done
	return errors.Join(l.fault, l.file.Sync(), l.unchanged())
}
