//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package wholefile

import (
	"errors"
	"os"
	"syscall"
)

// locks reports whether lock works.
const locks = true

// lock locks an open file against other processes, until it is closed.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// move renames a temporary file and closes it, or removes it. Until the file has its new name, its lock keeps other
// processes from taking it for the file of a killed one.
func move(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, discard(f))
	}
	return f.Close()
}
