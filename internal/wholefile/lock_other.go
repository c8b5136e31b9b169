//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package wholefile

import (
	"errors"
	"os"
)

// locks reports whether lock works.
const locks = false

// lock does nothing on systems without flock: there the user must ensure that only one process writes a
// file.
func lock(*os.File) error { return nil }

// move closes a temporary file and renames it, or removes it: some systems do not rename open files.
func move(f *os.File, path string) error {
	err := f.Close()
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
