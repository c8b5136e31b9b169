package slurm

import (
	"os/exec"
	"strings"
	"testing"
)

// TestScripts: what Slurm is told is in the scripts, and a shell reads back the
// words that went in.
func TestScripts(t *testing.T) {
	j := testJob()
	j.Resources = Resources{Partition: "short", Account: "lab", Time: "1-00:30", Memory: "2G", CPUs: 3}
	j.Sweep = []string{"sweep", "--threshold=2*ln(n)", "it's", "$HOME `x` \\", ""}
	if err := j.Validate(); err != nil {
		t.Fatal(err)
	}
	array := j.ArrayScript([]int{1, 2, 4})
	for _, want := range []string{
		"#!/bin/sh\n#SBATCH --job-name=repslab\n", "--array=1-2,4\n", "--cpus-per-task=3\n", "--mem=2G\n", "--time=1-00:30\n",
		"--partition=short\n", "--account=lab\n", "--requeue\n", "--open-mode=append\n",
	} {
		if !strings.Contains(array, want) {
			t.Errorf("no %q in\n%s", want, array)
		}
	}
	for _, script := range []string{array, j.MergeScript()} {
		text := strings.Replace(script, "exec repslab", `printf '<%s>'`, 1)
		for _, number := range []string{"SLURM_ARRAY_TASK_ID=2", "X=1"} {
			out, err := exec.Command("env", number, "sh", "-c", text, "script", "2").CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := "<sweep><--threshold=2*ln(n)><it's><$HOME `x` \\><><--shard><2/4><--resume><--wait><--workers><3><--quiet><-o></o's.jsonl>"
			if script != array {
				want = "<merge></o's.jsonl.*-of-4><-o></o's.jsonl>"
			}
			if string(out) != want {
				t.Errorf("%s: the shell reads %s, want %s", number, out, want)
			}
		}
	}
	if out, err := exec.Command("sh", "-c", array).CombinedOutput(); err == nil || !strings.Contains(string(out), "must be the number of the task") {
		t.Errorf("without a number: %v, %s", err, out)
	}
}

// TestJobRefuses: what could break out of a script is refused.
func TestJobRefuses(t *testing.T) {
	for want, change := range map[string]func(*Job){
		`Partition ("a b")`:    func(j *Job) { j.Partition = "a b" },
		`Account ("x\ny")`:     func(j *Job) { j.Account = "x\ny" },
		`Time ("soon")`:        func(j *Job) { j.Time = "soon" },
		`Memory ("2 G")`:       func(j *Job) { j.Memory = "2 G" },
		"CPUs (0)":             func(j *Job) { j.CPUs = 0 },
		"Tasks (0)":            func(j *Job) { j.Tasks = 0 },
		`Name ("")`:            func(j *Job) { j.Name = "" },
		`must not have a line`: func(j *Job) { j.Output = "/a\nb" },
	} {
		j := testJob()
		change(&j)
		if err := j.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestTasks: the tasks that a sweep is cut into.
func TestTasks(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		blocks  uint64
		want    int
	}{{0, 0, 1}, {10, 100, 1}, {31, 100, 3}, {600, 100, 16}, {600, 5, 5}, {30_000, 5000, 100}, {3e6, 1e6, 1000}} {
		if got := Tasks(c.seconds, c.blocks); got != c.want {
			t.Errorf("Tasks(%v, %d) = %d, want %d", c.seconds, c.blocks, got, c.want)
		}
	}
}

// TestLimit: the limit is a minute, and twice the mean time of a task and of a block, rounded up. sbatch takes it.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		seconds, block float64
		tasks          int
		want           string
	}{{0, 0, 1, "1"}, {30, 0, 1, "2"}, {31, 0, 1, "3"}, {1200, 0, 10, "5"}, {1200, 120, 10, "9"}, {1e9, 1e6, 1000, "66668"}} {
		j := testJob()
		if j.Time = Limit(c.seconds, c.block, c.tasks); j.Time != c.want || j.Validate() != nil {
			t.Errorf("Limit(%v, %v, %d) = %s, want %s", c.seconds, c.block, c.tasks, j.Time, c.want)
		}
	}
}

// testJob is a job of four tasks.
func testJob() Job {
	return Job{Name: "repslab", Program: "repslab", Output: "/o's.jsonl", Tasks: 4, Resources: Resources{CPUs: 1}}
}
