package largepages

import (
	"os"
	"runtime/debug"
)

// CollectEarly lets the heap grow by a quarter between two collections, instead of doubling, unless GOGC is set.
func CollectEarly() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
}
