package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPrintScript: the script that is printed runs without Slurm too, task by task,
// and its last line merges to the file of one run.
func TestPrintScript(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"sweep", "recycled", "--bins", "8,16", "--threshold", "2*ln(n)", "--max-rounds", "40,90", "--zip", "bins,max-rounds", "--replicas", "50"}
	want := mustSweep(t, "one.jsonl", append(args, "-o", "one.jsonl")...)
	o := repslab(t, append(args, "-o", "r.jsonl", "--print-script", "--tasks", "3", "--time", "30", "--memory", "1G", "--partition", "short", "--account", "lab")...)
	if o.code != exitDone || !strings.HasPrefix(o.stdout, "#!/bin/sh\n#SBATCH ") {
		t.Fatalf("%+v", o)
	}
	if err := os.Symlink(os.Args[0], programFile); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", here+":"+os.Getenv("PATH"))
	script := strings.TrimSpace(o.stdout)
	merge := strings.TrimPrefix(script[strings.LastIndex(script, "\n")+1:], "#")
	for _, command := range [][]string{{script, "sh", "2"}, {script, "sh", "3"}, {script, "sh", "1"}, {script, "sh", "1"}, {merge}} {
		if out, err := exec.Command("sh", append([]string{"-c"}, command...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if !bytes.Equal(fileBytes(t, "r.jsonl"), want) {
		t.Error("the tasks of the script make another file than one run")
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
