package main

import (
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
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

// TestLargePages: large pages are asked for, and to ask again takes no memory.
func TestLargePages(t *testing.T) {
	const bytes = 1 << 30
	if modes, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(modes), "[never]") {
		t.Skip("this kernel has no large pages")
	}
	takeLargePages(bytes)
	runtime.KeepAlive(slices.Repeat([]byte{1}, 1<<24)) // some of the heap is used, and garbage
	runtime.GC()
	before := mostResident(t)
	takeLargePages(bytes)
	if after := mostResident(t); after > before+bytes/4 {
		t.Errorf("the process has had %d bytes, %d before", after, before)
	}
	areas, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	if !regexp.MustCompile(`(?m)^VmFlags:.* hg\b`).Match(areas) {
		t.Error("large pages are asked for nowhere")
	}
}
