package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documents are the files whose commands are run: each in a folder of its own,
// its commands in order.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"../../README.md", "../../CONTRIBUTING.md", "../../docs/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %v", pattern, paths, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			texts[strings.TrimPrefix(path, "../../")] = string(text)
		}
	}
	return texts
}

// blocks returns the fenced code blocks of a document in a language.
func blocks(text, language string) (list []string) {
	for _, block := range strings.Split(text, "```"+language+"\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		list = append(list, block)
	}
	return list
}

// words splits a command line at blanks, but for what is between single quotes.
func words(line string) (list []string) {
	for i, piece := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, piece)
		} else {
			list = append(list, strings.Fields(piece)...)
		}
	}
	return list
}

// shows says whether a document shows what a command prints: a line "..." stands
// for any lines, and "…" for the rest of its line.
func shows(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "...":
		return shows(want[1:], got) || len(got) > 0 && shows(want, got[1:])
	case len(got) == 0:
		return false
	}
	begin, open := strings.CutSuffix(want[0], "…")
	if got[0] != want[0] && !(open && strings.HasPrefix(got[0], begin)) {
		return false
	}
	return shows(want[1:], got[1:])
}

// TestDocumentsShowRealOutput runs the commands of the console blocks of the
// README, CONTRIBUTING.md and the docs, in order, and compares what they print.
func TestDocumentsShowRealOutput(t *testing.T) {
	commands := map[string]int{}
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, block := range blocks(text, "console") {
				for _, part := range strings.Split("\n"+block, "\n$ repslab ")[1:] {
					command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
					o := repslab(t, words(command)...)
					if o.code != exitDone || !shows(printed(want), printed(o.stdout)) {
						t.Errorf("repslab %s: code %d, prints\n%s\nbut the document shows\n%s\n%s", command, o.code, o.stdout, want, o.stderr)
					}
					commands[name]++
				}
			}
		})
	}
	for name, least := range map[string]int{"README.md": 2, "docs/tutorial.md": 11} {
		if commands[name] < least {
			t.Errorf("%s: %d commands run, want at least %d", name, commands[name], least)
		}
	}
}

// printed splits an output into lines; the last line may or may not be ended.
func printed(text string) []string {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// TestShows: what a document leaves open fits, and nothing else.
func TestShows(t *testing.T) {
	got := []string{"a", "b = 3", "c"}
	for _, want := range [][]string{{"a", "b = 3", "c"}, {"..."}, {"a", "..."}, {"...", "b = …", "..."}, {"a", "...", "b = 3", "c"}} {
		if !shows(want, got) {
			t.Errorf("%q does not show %q", want, got)
		}
	}
	for _, want := range [][]string{nil, {"a"}, {"a", "b", "c"}, {"...", "d"}, {"c", "..."}, {"a", "b = …", "c", "d"}, {"a", "c …", "c"}} {
		if shows(want, got) {
			t.Errorf("%q shows %q", want, got)
		}
	}
}

// TestDocumentsCommandsExist checks that every command line in the README and
// the docs names commands and flags that exist.
func TestDocumentsCommandsExist(t *testing.T) {
	root := newRoot(models(), nil, nil)
	found := map[string]int{}
	for name, text := range documents(t) {
		for line := range strings.Lines(text) {
			for i, piece := range strings.Split(line, "`") {
				if i%2 == 0 && !strings.HasPrefix(piece, "repslab ") && !strings.HasPrefix(piece, "$ repslab ") {
					continue
				}
				before, rest, ok := strings.Cut(piece, "repslab ")
				words := strings.Fields(rest)
				if !ok || strings.TrimPrefix(before, "$ ") != "" || len(words) == 0 || words[0] == "help" {
					continue
				}
				cmd, _, err := root.Find(words)
				if err != nil || cmd == root {
					t.Errorf("%s: %q: no such command", name, piece)
					continue
				}
				found[name]++
				for _, word := range words {
					flag, isFlag := strings.CutPrefix(word, "--")
					if isFlag && cmd.Flags().Lookup(flag) == nil {
						t.Errorf("%s: %q: no flag --%s", name, piece, flag)
					}
				}
			}
		}
	}
	if found["README.md"] < 8 || found["docs/tutorial.md"] < 6 {
		t.Errorf("commands found: %v", found)
	}
}

// TestDocumentsLinks checks that what the README and the docs link to is there.
func TestDocumentsLinks(t *testing.T) {
	found := 0
	for name, text := range documents(t) {
		for _, piece := range strings.Split(text, "](")[1:] {
			target, _, _ := strings.Cut(piece, ")")
			target, _, _ = strings.Cut(target, "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(name), target)); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: links to %s, which is not there", name, target)
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d links found", found)
	}
}

// TestModelReference: docs/models.md has a section for every model.
func TestModelReference(t *testing.T) {
	text := documents(t)["docs/models.md"]
	for _, m := range models() {
		if !strings.Contains(text, fmt.Sprintf("\n## `repslab %s`", m.name)) {
			t.Errorf("docs/models.md: no section for repslab %s", m.name)
		}
	}
}
