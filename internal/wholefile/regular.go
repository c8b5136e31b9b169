package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrIrregular reports a path at which something other than a regular file exists.
var ErrIrregular = errors.New("must be a regular file")

// CheckRegular returns an error that wraps [ErrIrregular] if a directory, a pipe, a socket or a device
// exists at path. It opens nothing, since opening a pipe waits for the other end. A path at which nothing
// exists is not an error.
func CheckRegular(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // opening the file reports the error, if there is one
	}
	return fmt.Errorf("%s is %s, but %w", path, kindOf(info.Mode()), ErrIrregular)
}

// kindOf names the kind of a file that is not regular.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}
