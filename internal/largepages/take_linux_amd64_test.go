package largepages

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// mostResident returns the most memory that the process has had, in bytes.
func mostResident(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	found := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if err != nil || found == nil {
		t.Skipf("this kernel does not tell how much memory a process has: %v", err)
	}
	kib, _ := strconv.Atoi(string(found[1]))
	return 1024 * kib
}

// TestLargePages: large pages are asked for what the heap takes next, and to ask again takes no memory.
func TestLargePages(t *testing.T) {
	const size = 1 << 30
	modes, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || strings.Contains(string(modes), "[never]") || sparing() {
		t.Skip("large pages are not asked for here")
	}
	Take(size)
	runtime.KeepAlive(slices.Repeat([]byte{1}, 1<<24)) // some of the heap is used, and garbage
	runtime.GC()
	before := mostResident(t)
	Take(size)
	if after := mostResident(t); after > before+size/4 {
		t.Errorf("the process has had %d bytes, %d before", after, before)
	}
	next := make([]byte, size/16)
	areas, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	// The first bytes can be what something small has left free before.
	at, large := uint64(uintptr(unsafe.Pointer(&next[len(next)/2]))), false
	for _, area := range regexp.MustCompile(`(?m)^([0-9a-f]+)-([0-9a-f]+) [^$]*?^VmFlags:(.*)$`).FindAllStringSubmatch(string(areas), -1) {
		from, _ := strconv.ParseUint(area[1], 16, 64)
		to, _ := strconv.ParseUint(area[2], 16, 64)
		large = large || from <= at && at < to && slices.Contains(strings.Fields(area[3]), "hg")
	}
	if !large {
		t.Error("large pages are not asked for what the heap takes next")
	}
	runtime.KeepAlive(next)
}
