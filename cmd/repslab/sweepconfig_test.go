package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestSweepOfEqualPoints: values that give the same parameters twice are one point.
func TestSweepOfEqualPoints(t *testing.T) {
	t.Chdir(t.TempDir())
	once := mustSweep(t, "a.jsonl", strings.Fields("sweep coalescing --bins 8,16 --threshold 16 --rounds 5 --replicas 4 -o a.jsonl")...)
	twice := mustSweep(t, "b.jsonl", strings.Fields("sweep coalescing --bins 8,16,8 --threshold 16,2*8 --rounds 5 --replicas 4 -o b.jsonl")...)
	_, want, _ := bytes.Cut(once, []byte("\n"))
	if _, got, _ := bytes.Cut(twice, []byte("\n")); !bytes.Equal(got, want) {
		t.Errorf("with equal points\n%s\nwithout\n%s", got, want)
	}
}

// TestSweepConfig: the printed configuration, read again, is the same sweep; zipped
// lists run together; unknown keys are refused.
func TestSweepConfig(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"sweep", "recycled", "--bins", "8..32:x2", "--max-rounds", "10,20,30", "--zip", "bins,max-rounds", "--replicas", "20"}
	printed := repslab(t, append(args, "--print-config")...)
	if printed.code != exitDone || !strings.Contains(printed.stdout, `"bins": "8,16,32"`) {
		t.Fatalf("%+v", printed)
	}
	write := func(text string) {
		if err := os.WriteFile("c.json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(printed.stdout)
	if again := repslab(t, "sweep", "--config", "c.json", "--print-config"); again != printed {
		t.Errorf("printed %+v, read and printed %+v", printed, again)
	}
	want := mustSweep(t, "a.jsonl", append(args, "-o", "a.jsonl")...)
	if got := mustSweep(t, "b.jsonl", "sweep", "--config", "c.json", "-o", "b.jsonl"); !bytes.Equal(got, want) {
		t.Error("the sweep of the configuration file differs")
	}
	if o := repslab(t, "export", "a.jsonl"); strings.Count(o.stdout, "\n") != 4 || !strings.Contains(o.stdout, "\n32,") {
		t.Errorf("zipped: %q", o.stdout)
	}
	write(`{"model": "sleepy", "parameters": {"ms": [0, "2", 3]}, "replicas": 5}`)
	if o := sleepy("sweep", "--config", "c.json", "--plan"); o.code != exitDone || !strings.HasPrefix(o.stdout, "3 points, 15 blocks of 1 replicas; ") {
		t.Errorf("%+v", o)
	}
	write(`{"model": "fattree", "parameters": {"hosts": 16, "lb": ["ops", "reps"], "failure": ["none", "cables=1,at=5", "cables=1..2"]}}`)
	if o := repslab(t, "sweep", "--config", "c.json", "--print-config"); o.code != exitDone ||
		!strings.Contains(o.stdout, `"failure": "none|cables=1,at=5|cables=1|cables=2"`) || !strings.Contains(o.stdout, `"lb": "ops,reps"`) {
		t.Errorf("lists of texts: %+v", o)
	}
	for _, bad := range []struct{ text, want string }{
		{`{"model": "sleepy", "seed": [1, 2]}`, `"1,2"`},
		{`{"model": "sleepy", "speed": 1}`, `unknown field "speed"`},
		{`{"model": "sleepy", "parameters": {"bins": 1}}`, `parameter "bins" must be ms`},
		{`{"model": "sleepy", "parameters": {"ms": {"a": 1}}}`, "must be a string, a number or a list"},
		{`{"model": "sleepy"} {}`, "one JSON object"},
		{`{"model": "golf"}`, `model "golf" must be one of`},
		{`{"model": "sleepy", "parameters": {"ms": true}}`, "must be a string"},
		{`{"model": "sleepy", "zip": ["colour"]}`, `"colour" must be a parameter`},
	} {
		write(bad.text)
		if o := sleepy("sweep", "--config", "c.json", "-o", "x.jsonl"); o.code != exitUsage || !strings.Contains(o.stderr, bad.want) {
			t.Errorf("%s: %+v", bad.text, o)
		}
	}
}
