package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"repslab/internal/cases"
)

// Columns of docs/generated/questions.csv.
const (
	questionID = iota
	questionText
	questionLook
	questionCommands // one on each line
	questionPublished
	questionSeconds
	questionOut
	questionRemark
)

// askedAgain is the most seconds that a question took if it is asked again by REPSLAB_LONG=1.
const askedAgain = 4

// TestQuestions: the commands that answer what researchers ask exist, and say what docs/generated/questions.csv tells.
// With REPSLAB_LONG=1 the short ones are asked again; with -update besides all are, and the file has their times: some
// 12 minutes, so -timeout 1h.
func TestQuestions(t *testing.T) {
	path, err := filepath.Abs("../../docs/generated/questions.csv")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(string(file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	root, again := newRoot(cases.All(), nil, nil), 0
	long := os.Getenv("REPSLAB_LONG") != ""
	rewrite := *update && long
	for _, q := range table[1:] {
		var commands [][]string
		for line := range strings.SplitSeq(q[questionCommands], "\n") {
			if of, ok := strings.CutPrefix(line, "repslab "); ok {
				commands = append(commands, words(of))
			}
		}
		for _, c := range commands {
			cmd, _, err := root.Find(c)
			if err != nil || cmd == root {
				t.Errorf("%s: %q: no such command", q[questionID], c)
				continue
			}
			for _, word := range c {
				if flag, isFlag := strings.CutPrefix(word, "--"); isFlag && cmd.Flags().Lookup(flag) == nil {
					t.Errorf("%s: no flag --%s", q[questionID], flag)
				}
			}
		}
		if n := strings.Count(q[questionCommands], "\n") + 1; n > 2 || q[questionOut] == "" {
			t.Errorf("%s: %d commands, came out %q; want one or two, and what came out", q[questionID], n, q[questionOut])
		}
		seconds, _ := strconv.ParseFloat(q[questionSeconds], 64)
		if len(commands) == 0 || commands[0][0] == "reproduce" || !long || !rewrite && seconds > askedAgain {
			continue
		}
		again++
		began := time.Now()
		out := ask(t, q[questionID], commands)
		if rewrite {
			q[questionOut], q[questionSeconds] = out, strconv.FormatFloat(math.Ceil(time.Since(began).Seconds()), 'f', -1, 64)
		} else if out != q[questionOut] {
			t.Errorf("%s: came out\n%s\nbut the file has\n%s", q[questionID], out, q[questionOut])
		}
	}
	if len(table) < 36 || long && again < 15 {
		t.Errorf("%d questions, %d asked again; want at least 35 and 15", len(table)-1, again)
	}
	if rewrite {
		var text strings.Builder
		if err := csv.NewWriter(&text).WriteAll(table); err != nil {
			t.Fatal(err)
		}
		writeText(t, path, text.String())
	}
}

// ask runs the commands of a question in a folder of their own and returns what they print: rows separated by
// semicolons.
func ask(t *testing.T, id string, commands [][]string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var rows []string
	for _, c := range commands {
		o := repslab(t, c...)
		if o.code != exitDone {
			t.Errorf("%s: repslab %s: code %d, %s", id, strings.Join(c, " "), o.code, o.stderr)
		}
		for _, line := range printed(o.stdout) {
			if words := strings.Fields(line); len(words) > 0 && strings.Trim(line, "-") != "" {
				rows = append(rows, strings.Join(words, " "))
			}
		}
	}
	return strings.Join(rows, "; ")
}
