package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPooledSweeps: the file of a sweep with pooled lists keeps how they are used: its configuration gives the same
// bytes, scripts for Slurm have the flag, and lists that are not pooled are another sweep. Replica r of --flows-out
// has list r.
func TestPooledSweeps(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, bytes := range []string{"1000", "2000", "3000"} {
		text := "Nodes 4\nConnections 2\n0->1 start 0 size " + bytes + "\n2->3 start 0 size " + bytes + "\n"
		if err := os.WriteFile(string('a'+rune(i))+".cm", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want string, args ...string) {
		t.Helper()
		if o := repslab(t, args...); !strings.Contains(o.stdout+o.stderr, want) {
			t.Fatalf("%v: %+v, want %q", args, o, want)
		}
	}
	pooled := []string{"sweep", "fattree", "--flows=a.cm,b.cm,c.cm", "--lb=ops,reps"}
	run("", append(pooled, "--pool=flows", "-o=s.jsonl", "--flows-out=f.csv")...)
	run("", "sweep", "--config=s.jsonl", "-o=again.jsonl")
	run("pool is [flows] there and [] here", append(pooled, "-o=s.jsonl", "--resume")...)
	run("--pool=flows", append(pooled, "--pool=flows", "-o=slurm.jsonl", "--tasks=2", "--print-script")...)
	run("a.cm,b.cm,c.cm", "export", "s.jsonl", "--columns=flow_list,replicas,flows")
	run("unknown flag --pool", "recycled", "--pool=bins")
	one, err := os.ReadFile("s.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if two, err := os.ReadFile("again.jsonl"); err != nil || !bytes.Equal(one, two) {
		t.Errorf("the configuration gives another file, error %v", err)
	}
	flows, err := os.ReadFile("f.csv")
	if err != nil {
		t.Fatal(err)
	}
	head, rows, _ := strings.Cut(string(flows), "\n")
	keys := strings.Split(head, ",")
	for line := range strings.Lines(rows) {
		cells := strings.Split(line, ",")
		replica, size := cells[slices.Index(keys, "replica")], cells[slices.Index(keys, "bytes")]
		if size != map[string]string{"0": "1000", "1": "2000", "2": "3000"}[replica] {
			t.Errorf("replica %s has messages of %s bytes", replica, size)
		}
	}
}
