//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package wholefile

import "os"

// lock does nothing where the system has no flock: there the user must see to it
// that one process writes a file.
func lock(*os.File) error { return nil }
