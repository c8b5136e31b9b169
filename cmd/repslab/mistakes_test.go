package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMistakes runs the command lines of testdata/mistakes.txt, mistakes that people make, and
// compares the messages, whatever the number of names to choose from. Each must end with code 2 and
// fit two lines of a wide terminal. With -update it rewrites the messages.
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
	names := regexp.MustCompile(`one of \d+ names`)
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
		fmt.Fprintf(&got, "%s%sexit %d\n\n", line, names.ReplaceAllString(o.stderr, "one of N names"), o.code)
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
		t.Errorf("%s; after a look run this test with -update", firstDifference(got.String(), want))
	}
}

// TestGivenTwice: a flag of one value that is given twice is an error that names it, in every command and
// whatever its kind; a flag that collects values is not.
func TestGivenTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, flag := range map[string]string{
		"evs --seed 1 --seed 2": "seed", "evs --evs 8 --evs=8": "evs", "evs --quiet --quiet=false": "quiet",
		"sweep evs -o a.jsonl --output b.jsonl": "output", "plot a.jsonl --x a --x b": "x", "prove --step L1 --step L2": "step",
		"reproduce fig02 -o a -o b": "output", "advise --evs 8 --evs 16": "evs",
	} {
		o := repslab(t, strings.Fields(line)...)
		if o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, "--"+flag+": ") || !strings.Contains(o.stderr, "must be given once") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	if o := repslab(t, strings.Fields("sweep evs --flows 1,2 --evs 8,16 --zip flows --zip evs --print-config")...); o.code != exitDone {
		t.Errorf("--zip twice: %+v", o)
	}
}

// TestImpossibleCombinations: they are left out with their reason, and the others run; if all are impossible
// it is an error. A sweep of the same grid is the same.
func TestImpossibleCombinations(t *testing.T) {
	t.Chdir(t.TempDir())
	args := strings.Fields("fattree --hosts 8 --message-bytes 10kB --lb mptcp-subflows,reps --cc dctcp,nscc,eqds --replicas 1")
	own := repslab(t, append(args, "--format", "json")...)
	for _, words := range []string{"--cc nscc --lb mptcp-subflows is left out: --cc: nscc must be", "--cc: eqds must be dctcp or none", "2 of 6 combinations are impossible"} {
		if rows, _ := rowsOf(t, own.stdout); own.code != exitDone || len(rows) != 4 || !strings.Contains(own.stderr, words) {
			t.Errorf("%+v", own)
		}
	}
	mustSweep(t, "a.jsonl", append([]string{"sweep", "-o", "a.jsonl"}, args...)...)
	again := repslab(t, "sweep", "--config", "a.jsonl", "-o", "b.jsonl")
	if shown := repslab(t, "show", "a.jsonl", "--format", "json"); shown.stdout != own.stdout || again.code != exitDone || string(fileBytes(t, "a.jsonl")) != string(fileBytes(t, "b.jsonl")) {
		t.Errorf("the sweep has\n%s\nagain: %+v", shown.stdout, again)
	}
	if o := repslab(t, strings.Fields("fattree --hosts 8 --lb mptcp-subflows --cc nscc,eqds")...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, "--cc: nscc") {
		t.Errorf("none is possible: %+v", o)
	}
}

// TestIgnoredRuns: runs that exact results do not have, an interval of one run and a result file of another
// format are not passed over in silence.
func TestIgnoredRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "one.jsonl", strings.Fields("sweep ballsbins --bins 8 --replicas 1 -o one.jsonl")...)
	for line, want := range map[string]string{
		"evs --evs 8 --replicas 100":                           "--replicas and --precision have no effect: results are exact",
		"evs --evs 8 --precision 0.1":                          "results are exact",
		"sweep evs --evs 8 --replicas 100 --print-config":      "results are exact",
		"evs --evs 8 --method exact,hash --replicas 3":         "",
		"ballsbins --bins 8 --replicas 1 --interval pm":        "--interval: one run has no interval",
		"show one.jsonl --interval pm":                         "--interval: one run has no interval",
		"ballsbins --bins 8 --replicas 2 --interval pm":        "",
		"sweep ballsbins --bins 8 -o a.csv":                    `-o: "a.csv" must not end in .csv: a result file has JSON lines`,
		"sweep ballsbins --bins 8 --replicas 2 -o a.something": "",
	} {
		o := repslab(t, strings.Fields(line)...)
		if !strings.Contains(o.stderr, want) || want == "" && o.stderr != "" || (o.code != exitDone) != strings.HasPrefix(want, "-o") {
			t.Errorf("%s: %+v, want %q", line, o, want)
		}
	}
}
