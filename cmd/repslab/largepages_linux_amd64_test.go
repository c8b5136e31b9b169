package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestLargePages: the heap has memory for which large pages are asked, and holds none of it.
func TestLargePages(t *testing.T) {
	const bytes = 64 << 20
	if modes, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(modes), "[never]") {
		t.Skip("this kernel has no large pages")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	takeLargePages(bytes)
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+bytes/2 || after.HeapSys < before.HeapSys+bytes/2 {
		t.Errorf("%d bytes are in use, %d before; the heap has %d, %d before", after.HeapAlloc, before.HeapAlloc, after.HeapSys, before.HeapSys)
	}
	areas, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	if !regexp.MustCompile(`(?m)^VmFlags:.* hg\b`).Match(areas) {
		t.Error("large pages are asked for nowhere")
	}
}
