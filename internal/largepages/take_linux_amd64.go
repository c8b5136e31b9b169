package largepages

import (
	"bytes"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"unsafe"
)

// Take asks Linux to back the next bytes of the heap, at most half of the machine's memory, with pages of
// 2 MiB, which it often gives only to programs that ask. With pages of 4 KiB a large network spends a quarter of its
// time on address translation, and more on taking them. It asks for memory that nobody has touched and leaves it to the
// heap, so that only what is used later is taken. It does nothing where memory is promised sparingly. About 2 ms for
// 1 GiB.
func Take(size int) {
	var machine syscall.Sysinfo_t
	if syscall.Sysinfo(&machine) != nil || sparing() {
		return
	}
	size = min(size, int(machine.Totalram*uint64(machine.Unit)/2))
	var memory strings.Builder // unlike a slice it is not cleared where the heap has used it before
	memory.Grow(size)
	memory.WriteByte(0)
	_ = syscall.Madvise(unsafe.Slice(unsafe.StringData(memory.String()), size), syscall.MADV_HUGEPAGE) // in vain without such pages
	debug.FreeOSMemory()
}

// sparing reports whether memory that is not used counts, against a limit of the process (ulimit -v, ulimit -d) or of
// the machine.
func sparing() bool {
	for _, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(resource, &limit) != nil || limit.Cur != ^uint64(0) {
			return true
		}
	}
	mode, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	return err != nil || bytes.HasPrefix(mode, []byte("2"))
}
