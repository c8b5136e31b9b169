package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReadmeShowsRealOutput runs the commands of the README's console blocks and
// compares what they print with what the README shows.
func TestReadmeShowsRealOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```console\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("the README shows no output")
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		command, want, _ := strings.Cut(block, "\n")
		args := strings.Fields(strings.TrimPrefix(command, "$ repslab"))
		if o := repslab(t, args...); o.code != exitDone || o.stdout != want {
			t.Errorf("%s: code %d, prints\n%s\nbut the README shows\n%s", command, o.code, o.stdout, want)
		}
	}
}

// TestReadmeCommandsExist checks that every command line in the README names
// flags that exist, by asking for its help.
func TestReadmeCommandsExist(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(models(), nil, nil)
	found := 0
	for line := range strings.Lines(string(readme)) {
		for i, piece := range strings.Split(line, "`") {
			if i%2 == 0 && !strings.HasPrefix(piece, "repslab ") && !strings.HasPrefix(piece, "$ repslab ") {
				continue
			}
			_, rest, ok := strings.Cut(piece, "repslab ")
			words := strings.Fields(rest)
			if !ok || len(words) == 0 || words[0] == "help" || strings.HasPrefix(piece, "go ") {
				continue
			}
			cmd, _, err := root.Find(words)
			if err != nil || cmd == root {
				t.Errorf("README: %q: no such command", piece)
				continue
			}
			found++
			for _, word := range words {
				name, isFlag := strings.CutPrefix(word, "--")
				if isFlag && cmd.Flags().Lookup(name) == nil {
					t.Errorf("README: %q: no flag --%s", piece, name)
				}
			}
		}
	}
	if found < 8 || !slices.Contains(strings.Fields(string(readme)), "go") {
		t.Errorf("only %d commands found in the README", found)
	}
}
