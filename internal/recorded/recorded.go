// Package recorded compares what a test computes with what the test recorded before, in a file of testdata. Such a
// test pins every constant, unit, sign and bound that its cases depend on; whether the recorded numbers are right is
// the matter of other tests.
package recorded

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files of recorded results in testdata")

// shown is how many differing lines a failure prints.
const shown = 3

// Check fails t if lines differ from those of a file of testdata. With -update it writes the file instead.
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
	before := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(before) != len(lines) {
		t.Fatalf("%s has %d lines, now %d", path, len(before), len(lines))
	}
	differ := 0
	for i := range lines {
		if lines[i] == before[i] {
			continue
		}
		if differ++; differ <= shown {
			t.Errorf("%s:%d: now\n%s\nbefore\n%s", path, i+1, lines[i], before[i])
		}
	}
	if differ > shown {
		t.Errorf("%s: %d of %d lines differ; if they should, run the test with -update", path, differ, len(lines))
	}
}
