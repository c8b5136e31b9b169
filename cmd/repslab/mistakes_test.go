package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMistakes runs the command lines of testdata/mistakes.txt, mistakes that people make, and
// compares the messages. Each must end with code 2 and fit two lines of a wide terminal. With
// -update it rewrites the messages.
func TestMistakes(t *testing.T) {
	const path, twoLines, fewest = "testdata/mistakes.txt", 2 * 120, 40
	want := string(fileBytes(t, path))
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl", "sweep", "recycled", "--bins", "8", "--replicas", "3", "-o", "r.jsonl")
	var got strings.Builder
	number := 0
	for line := range strings.Lines(want) {
		command, is := strings.CutPrefix(line, "$ repslab ")
		if !is {
			continue
		}
		number++
		o := repslab(t, words(command)...)
		if o.code != exitUsage || o.stdout != "" || len(o.stderr) > twoLines {
			t.Errorf("%s: code %d, %q on the standard output, message of %d bytes: %s",
				line, o.code, o.stdout, len(o.stderr), o.stderr)
		}
		fmt.Fprintf(&got, "%s%sexit %d\n\n", line, o.stderr, o.code)
	}
	if number < fewest {
		t.Errorf("%d mistakes, want at least %d", number, fewest)
	}
	if *update {
		t.Chdir(home)
		if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
