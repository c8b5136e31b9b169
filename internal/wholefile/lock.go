package wholefile

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked reports a file that another process has locked.
var ErrLocked = errors.New("is being written by another process")

// OpenLocked opens or creates a regular file and locks it against other processes until it
// is closed. The error wraps [ErrLocked] if another process holds the lock.
func OpenLocked(path string) (*os.File, error) {
	for {
		if err := CheckRegular(path); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			return nil, errors.Join(fmt.Errorf("%s %w", path, err), f.Close())
		}
		if isAt(f, path) { // the last writer may have replaced it
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// isAt reports whether an open file is still at its path.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	there, errThere := os.Stat(path)
	return err == nil && errThere == nil && os.SameFile(mine, there)
}
