package main

import (
	"bytes"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"repslab/internal/slurm"
)

// TestPrintScript: the script runs without Slurm too, task by task. The next script has the tasks that are not
// finished; the number of tasks it takes from the parts. The last script merges to the file of one run.
func TestPrintScript(t *testing.T) {
	inPath(t)
	t.Chdir(t.TempDir())
	args := []string{"sweep", "recycled", "--bins", "8,16", "--threshold", "2*ln(n)", "--max-rounds", "40,90", "--zip", "bins,max-rounds", "--replicas", "50"}
	want := mustSweep(t, "one.jsonl", append(args, "-o", "one.jsonl")...)
	args = append(args, "-o", "r.jsonl", "--print-script")
	script := func(said string, more ...string) string {
		t.Helper()
		o := repslab(t, append(args, more...)...)
		if o.code != exitDone || !strings.HasPrefix(o.stdout, "#!/bin/sh\n") || !strings.Contains(o.stderr, said) {
			t.Fatalf("%+v, want the message %q", o, said)
		}
		return o.stdout
	}
	run := func(script string, task ...string) {
		t.Helper()
		if out, err := exec.Command("sh", append([]string{"-c", script, "sh"}, task...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	first := script("0 of 3 tasks finished", "--tasks", "3", "--time", "30", "--memory", "1G", "--partition", "short", "--account", "lab")
	run(first, "2")
	run(first, "2") // changes nothing
	rest := script("1 of 3 tasks finished")
	if !strings.Contains(rest, "#SBATCH --array=1,3\n") {
		t.Errorf("the tasks that are left: %s", rest)
	}
	run(rest, "1")
	run(rest, "3")
	run(script("3 of 3 tasks finished"))
	if !bytes.Equal(fileBytes(t, "r.jsonl"), want) {
		t.Error("the tasks of the scripts make another file than one run")
	}
}

// TestPrintScriptOfOtherParts: parts of another sweep are named, and no script is printed.
func TestPrintScriptOfOtherParts(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "r.jsonl.1-of-2", "sweep", "recycled", "--bins", "8", "--replicas", "20", "--shard", "1/2", "-o", "r.jsonl")
	o := repslab(t, "sweep", "recycled", "--bins", "16", "--replicas", "20", "-o", "r.jsonl", "--print-script")
	if o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, "r.jsonl.1-of-2") {
		t.Errorf("%+v", o)
	}
}

// TestShardOfSlurmArray takes the shard from the variables of an array task.
func TestShardOfSlurmArray(t *testing.T) {
	for _, c := range []struct {
		id, count, least string
		want             string
	}{{"3", "8", "1", "3/8"}, {"0", "8", "0", "1/8"}, {"9", "8", "1", ""}, {"", "", "", ""}} {
		env := map[string]string{"SLURM_ARRAY_TASK_ID": c.id, "SLURM_ARRAY_TASK_COUNT": c.count, "SLURM_ARRAY_TASK_MIN": c.least}
		s, err := parseShard("slurm", func(name string) string { return env[name] })
		if (err == nil) != (c.want != "") || err == nil && s.String() != c.want {
			t.Errorf("%+v: %v, error %v", c, s, err)
		}
	}
}

// TestResourcesHaveFlags: each field of the resources but CPUs, which --workers sets, has a flag of sweep.
func TestResourcesHaveFlags(t *testing.T) {
	flags := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	new(slurmFlags).add(flags)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[slurm.Resources]()) {
		flag, known := slurmFlag(f.Name)
		if known == (f.Name == "CPUs") || known && flags.Lookup(flag) == nil {
			t.Errorf("%s has the flag %q, known: %v", f.Name, flag, known)
		}
	}
}
