package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "add the digests of new results to testdata/results.golden")

// TestResultsAreNumbered: the digest of each model's reference runs is the one that is
// recorded for its number of streams. It changes with the model's numbers, and only a
// new number may have a new digest.
func TestResultsAreNumbered(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the digests are those of amd64; floating-point results of other architectures may differ")
	}
	const path = "testdata/results.golden"
	recorded := strings.Fields(string(fileBytes(t, path)))
	var added []string
	for _, m := range models() {
		digest, err := m.sample()
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		name := fmt.Sprintf("%s/%d", m.name, m.streams)
		switch i := slices.Index(recorded, name); {
		case i >= 0 && recorded[i+1] != digest:
			t.Errorf("the results of %s changed: their digest is %s, that of %s is %s; raise streams in reference.go and run this test with -update", m.name, digest, name, recorded[i+1])
		case i < 0 && !*update:
			t.Errorf("%s has no digest: run this test with -update", name)
		case i < 0:
			added = append(added, name+" "+digest+"\n")
		}
	}
	if len(added) > 0 {
		if err := os.WriteFile(path, append(fileBytes(t, path), strings.Join(added, "")...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReferenceSeesStreams: another seed, the smallest change of all streams, changes
// the digest of every model that draws.
func TestReferenceSeesStreams(t *testing.T) {
	for _, m := range models() {
		seen := map[string]bool{}
		for seed := uint64(1); seed <= 3; seed++ {
			digest, err := m.digestOf(references()[m.name].grids, seed)
			if err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			seen[digest] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s: three seeds have %d digests", m.name, len(seen))
		}
	}
}
