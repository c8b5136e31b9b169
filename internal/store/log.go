// Package store keeps finished work in files to which one process appends lines: result files of sweeps and recorded
// runs. A file is locked while it is open, its lines are on the disk soon after they were appended, and a line that was
// not written whole is cut off. What the lines hold, and their checksums (internal/seal), are their owner's business.
package store

import (
	"errors"
	"fmt"
	"io"
	"os"

	"repslab/internal/wholefile"
)

// Log is a locked file to which this process alone appends. Its end must be set by [Log.Cut] before the first line. A
// Log with only a File appends without a sync. It is not safe for concurrent use.
type Log struct {
	*os.File
	End int64 // of the last whole line

	syncs  bool          // lines must be on the disk
	dirty  chan struct{} // holds a token while lines wait for fsync; nil before the first line
	synced chan error    // receives the first error of fsync; closed when the syncing goroutine ends
}

// Open opens or creates a file and locks it until it is closed. The error wraps [wholefile.ErrLocked] if another
// process has locked it.
func Open(path string) (*Log, error) {
	f, err := wholefile.OpenLocked(path)
	if err != nil {
		return nil, err
	}
	return &Log{File: f, syncs: true}, nil
}

// Cut removes all bytes after end, where the next line begins.
func (l *Log) Cut(end int64) error {
	l.End = end
	if err := l.Truncate(end); err != nil {
		return err
	}
	_, err := l.Seek(end, io.SeekStart)
	return err
}

// unchanged returns an error if the file no longer ends where this process stopped writing, because
// another process cut it or wrote to it. The next line would leave a hole, or lie behind lines of the
// other process.
func (l *Log) unchanged() error {
	info, err := l.Stat()
	if err != nil || info.Size() == l.End {
		return err
	}
	return fmt.Errorf("%s was changed by another process: it has %d bytes instead of %d", l.Name(), info.Size(), l.End)
}

// Append appends a line with one call, which is synced to the disk soon, and returns where it begins. A line that
// cannot be written whole is removed. Append also returns the error of an earlier sync; [Log.Flush] returns errors of
// later ones.
func (l *Log) Append(line []byte) (start int64, err error) {
	if err := l.unchanged(); err != nil {
		return 0, err
	}
	if _, err := l.Write(line); err != nil {
		return 0, errors.Join(err, l.Cut(l.End))
	}
	start, l.End = l.End, l.End+int64(len(line))
	if l.syncs && l.dirty == nil {
		l.dirty, l.synced = make(chan struct{}, 1), make(chan error, 1)
		go l.syncAlways()
	}
	select {
	case err := <-l.synced:
		return start, err
	case l.dirty <- struct{}{}:
	default: // a sync that has not begun yet will cover this line
	}
	return start, nil
}

// syncAlways syncs the file whenever lines were written since the last sync.
func (l *Log) syncAlways() {
	defer close(l.synced)
	for range l.dirty {
		if err := l.Sync(); err != nil {
			l.synced <- err
			return
		}
	}
}

// Flush waits until all lines are on the disk; nothing may be appended after it. Its error also reports a file that
// another process has changed. A second call does nothing.
func (l *Log) Flush() error {
	if !l.syncs {
		return nil
	}
	l.syncs = false
	var err error
	if l.dirty != nil {
		close(l.dirty)
		err = <-l.synced
	}
	return errors.Join(err, l.Sync(), l.unchanged())
}

// Close flushes and closes the file, which unlocks it.
func (l *Log) Close() error { return errors.Join(l.Flush(), l.File.Close()) }
