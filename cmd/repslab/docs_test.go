package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
)

// documents are the files whose commands are run: each in a folder of its own,
// its commands in order.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"../../README.md", "../../CONTRIBUTING.md", "../../docs/*.md", "../../docs/generated/*.md"} {
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

// refreshed returns the lines of a document with what a command prints instead. A line after "..."
// becomes the one that begins with the most of its words.
func refreshed(want, got []string) (lines []string) {
	next := 0
	for i, line := range want {
		if line == "..." {
			lines = append(lines, line)
			continue
		}
		best := next
		if i > 0 && want[i-1] == "..." {
			for k := next; k < len(got); k++ {
				if sameWords(strings.TrimSuffix(line, "…"), got[k]) > sameWords(strings.TrimSuffix(line, "…"), got[best]) {
					best = k
				}
			}
		}
		if best >= len(got) {
			return lines
		}
		if begin, open := strings.CutSuffix(line, "…"); !open || !strings.HasPrefix(got[best], begin) {
			line = got[best]
		}
		lines, next = append(lines, line), best+1
	}
	if len(want) == 0 || want[len(want)-1] != "..." {
		lines = append(lines, got[next:]...)
	}
	return lines
}

// sameWords counts the words that two lines begin with.
func sameWords(a, b string) (n int) {
	x, y := strings.Fields(a), strings.Fields(b)
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// TestRefreshed: lines keep their places between "...", with new numbers.
func TestRefreshed(t *testing.T) {
	got := []string{" evs  lb", "---", "  16  ops  7", "  16  reps  8", " 256  ops  9", " 256  reps  10"}
	for _, c := range [][2][]string{
		{{" evs lb", "--", "..."}, {" evs  lb", "---", "..."}},
		{{"...", " 256 ops 1", " 256 reps 2"}, {"...", " 256  ops  9", " 256  reps  10"}},
		{{" evs lb", "...", "  16 reps 0", "...", " 256 reps 2"}, {" evs  lb", "...", "  16  reps  8", "...", " 256  reps  10"}},
		{{"old"}, got}, {nil, got}, {{"...", " 256  reps…"}, {"...", " 256  reps…"}},
	} {
		if lines := refreshed(c[0], got); !slices.Equal(lines, c[1]) || !shows(lines, got) {
			t.Errorf("%q becomes %q, want %q", c[0], lines, c[1])
		}
	}
}

// TestDocumentsShowRealOutput runs the commands of the console blocks of the
// README, CONTRIBUTING.md and the docs, in order, and compares what they print. With -update it
// rewrites the blocks. docs/tutorial.md, docs/tutorial-sigcomm25.md, docs/training.md and docs/guide.md take seconds,
// and need REPSLAB_LONG=1 or -update.
func TestDocumentsShowRealOutput(t *testing.T) {
	long := []string{"docs/tutorial.md", "docs/tutorial-sigcomm25.md", "docs/training.md", "docs/guide.md"}
	least := map[string]int{"README.md": 2, "docs/tutorial.md": 11}
	if os.Getenv("REPSLAB_LONG") == "" && !*update {
		delete(least, "docs/tutorial.md")
	}
	commands := map[string]int{}
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			if slices.Contains(long, name) && os.Getenv("REPSLAB_LONG") == "" && !*update {
				t.Skip("needs REPSLAB_LONG=1")
			}
			path, err := filepath.Abs("../../" + name)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			updated := text
			for _, block := range blocks(text, "console") {
				for _, part := range strings.Split("\n"+block, "\n$ repslab ")[1:] {
					command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
					o := repslab(t, words(command)...)
					if *update && o.code == exitDone {
						lines := strings.Join(refreshed(printed(want), printed(o.stdout)), "\n")
						if want == "" && lines != "" {
							lines += "\n"
						}
						shown := "$ repslab " + command + "\n"
						updated = strings.Replace(updated, shown+want, shown+lines, 1)
					} else if o.code != exitDone || !shows(printed(want), printed(o.stdout)) {
						t.Errorf("repslab %s: code %d, prints\n%s\nbut the document shows\n%s\n%s", command, o.code, o.stdout, want, o.stderr)
					}
					commands[name]++
				}
			}
			if updated != text {
				writeText(t, path, updated)
			}
			if name == "docs/tutorial.md" {
				checkTutorialNumbers(t, text)
			}
		})
	}
	for name, least := range least {
		if commands[name] < least {
			t.Errorf("%s: %d commands run, want at least %d", name, commands[name], least)
		}
	}
}

// numberWithUnit matches a number of a sentence that is a result or a setting.
var numberWithUnit = regexp.MustCompile(`[0-9][0-9.,]* (?:us|µs|ms|%|times)`)

// checkTutorialNumbers checks the sentences of the tutorial against the files that its commands wrote to
// the working directory: each phrase with results, made of these, is there, and no other sentence has a
// number with a unit, but for settings.
func checkTutorialNumbers(t *testing.T, text string) {
	t.Helper()
	for i, block := range blocks(text, "console") {
		text = strings.Replace(text, block, fmt.Sprintf("block %d", i), 1)
	}
	rows := map[string]float64{} // FCT by lb, failure and EVs
	out := repslab(t, "show", "evs.jsonl", "--format", "json").stdout + repslab(t, "evs", "--flows", "32", "--evs", "256,65536", "--format", "json").stdout
	all, _ := rowsOf(t, out)
	for _, r := range all {
		if share, ok := r["imbalance_mean"].(float64); ok {
			rows[fmt.Sprint("imbalance ", r["evs"])] = 100 * share
			continue
		}
		rows[fmt.Sprint(r["lb"], " ", r["failure"], " ", r["evs"])] = r["max_fct_us"].(float64)
		rows["rto"] = r["rto_us"].(float64)
	}
	const failed = " cables=1,at=20 "
	least, most, within := math.Inf(1), 0.0, 0.0
	for _, evs := range []string{"64", "256", "1024", "4096", "16384", "65536"} {
		ratio := rows["ops"+failed+evs] / rows["reps"+failed+evs]
		least, most = min(least, ratio), max(most, ratio)
	}
	best := min(rows["reps none 256"], rows["reps none 1024"], rows["reps none 4096"], rows["reps none 16384"], rows["reps none 65536"])
	for _, evs := range []string{"256", "1024", "4096", "16384", "65536"} {
		within = max(within, 100*(rows["reps none "+evs]/best-1))
	}
	for _, phrase := range []string{
		fmt.Sprintf("%.0f %% more than its share of 256 EVs, and %.1f %% more of 65,536", rows["imbalance 256"], rows["imbalance 65536"]),
		fmt.Sprintf("come down from %.0f us to %.0f", rows["ops none 16"], rows["ops none 4096"]),
		fmt.Sprintf("REPS takes %.0f us with 16 EVs and is within %.0f %% of its best from 256 on", rows["reps none 16"], math.Ceil(within)),
		fmt.Sprintf("takes %.0f us longer", rows["reps"+failed+"256"]-rows["reps none 256"]),
		fmt.Sprintf("(`rto_us = %.5g`)", rows["rto"]),
		fmt.Sprintf("OPS takes %.0f us", rows["ops"+failed+"256"]),
		fmt.Sprintf("%.1f to %.1f times as long", least, most),
		fmt.Sprintf("and %.1f times with 16", rows["ops"+failed+"16"]/rows["reps"+failed+"16"]),
		fmt.Sprintf("gains from 65,536 EVs, by %.0f %%", 100*(1-rows["ops none 65536"]/rows["ops none 256"])),
		"failing 20 us after the start", "until the 95 % interval is within 1 %", "95 % intervals", // settings
	} {
		if !strings.Contains(text, phrase) {
			t.Errorf("docs/tutorial.md does not say %q", phrase)
		}
		text = strings.ReplaceAll(text, phrase, "")
	}
	if left := numberWithUnit.FindAllString(text, -1); left != nil {
		t.Errorf("docs/tutorial.md has numbers that are not checked: %q", left)
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
	root := newRoot(cases.All(), nil, nil)
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
					flag, _, _ = strings.Cut(flag, "=")
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
	for _, m := range cases.All() {
		if !strings.Contains(text, fmt.Sprintf("\n## `repslab %s`", m.Name)) {
			t.Errorf("docs/models.md: no section for repslab %s", m.Name)
		}
	}
}
