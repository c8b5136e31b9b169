//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package console

import "os"

// windowWidth reports whether a file is a terminal; the width is not measured on this system.
func windowWidth(f *os.File) (width int, ok bool) {
	info, err := f.Stat()
	return 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// wasClosed reports nothing on this system.
func wasClosed(*os.File) bool { return false }
