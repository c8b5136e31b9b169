//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// windowWidth returns the width of a terminal in characters, 0 if the terminal does not report it, and
// false if the file is not a terminal.
func windowWidth(f *os.File) (width int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}

// wasClosed reports whether a standard file was closed when the program began. Go's runtime then opens
// the null device in its place for reading and writing, whereas shells open it only for writing.
func wasClosed(f *os.File) bool {
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	here, errHere := f.Stat()
	null, errNull := os.Stat(os.DevNull)
	return err == nil && errHere == nil && errNull == nil && flags&unix.O_ACCMODE == unix.O_RDWR && os.SameFile(here, null)
}
