// Package recordtest compares what a test computes with what the test recorded before, in a file of testdata. Such a
// test pins every constant, unit, sign and bound that its cases depend on; whether the recorded numbers are right is
// the matter of other tests.
package recordtest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files of recorded results in testdata")

// Check fails t unless every line of a file of testdata is still among lines, in the same order; further lines are
// not recorded yet, and so a test's new cases and a row's new columns fail nothing. It shows the first line that is
// missing. With -update it writes the file instead.
func Check(t *testing.T, name string, lines []string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for number, before := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		at := slices.Index(lines[next:], before)
		if at < 0 {
			now := "the lines end"
			if next < len(lines) {
				now = lines[next]
			}
			t.Fatalf("%s:%d: recorded was\n%s\nand behind the line before it comes\n%s\nIf it should change, run the test with -update.", path, number+1, before, now)
		}
		next += at + 1
	}
}
