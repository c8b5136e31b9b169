//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package wholefile

import "os"

// lock does nothing on systems without flock: there the user must ensure that only one process writes a
// file.
func lock(*os.File) error { return nil }
