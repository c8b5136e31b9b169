package slurm

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"repslab/mc"
)

// Job is an array of tasks that share a sweep, and the job that merges their files. It is
// kept as JSON beside them.
type Job struct {
	Name    string   `json:"name"`    // of the array in the queue, one of its kind; the merge's is Name-merge
	Dir     string   `json:"dir"`     // where the tasks run; absolute, or empty where they are submitted
	Program string   `json:"program"` // repslab, relative to Dir
	Sweep   []string `json:"sweep"`   // the arguments of the sweep, -o apart
	Part    string   `json:"part"`    // its -o: task i writes Part.i-of-N
	Output  string   `json:"output"`  // the merged file
	Tasks   int      `json:"tasks"`   // N, in [1, 1,000,000]
	Logs    string   `json:"logs"`    // folder of the tasks' messages, relative to Dir; empty leaves them to Slurm

	Resources
}

// Resources are the resources of a task; empty fields are left to the cluster.
type Resources struct {
	Partition string `json:"partition,omitempty"`
	Account   string `json:"account,omitempty"`
	Time      string `json:"time,omitempty"`   // limit of a task, as sbatch's --time takes it
	Memory    string `json:"memory,omitempty"` // of a task, as sbatch's --mem takes it
	CPUs      int    `json:"cpus"`             // of a task, in [1, 4096]
}

var (
	plainWord  = regexp.MustCompile(`^[A-Za-z0-9_.,+-]+$`)
	limitWord  = regexp.MustCompile(`^(\d+-)?\d+(:\d+){0,2}$`)
	memoryWord = regexp.MustCompile(`^\d+[KMGT]?$`)
)

// Validate reports every fault of the resources, as joined [*mc.FieldError] values.
func (r Resources) Validate() error {
	faults := mc.Faults{Package: "slurm"}
	for _, f := range []struct {
		name, value, must string
		ok                *regexp.Regexp
	}{
		{"Partition", r.Partition, "must consist of letters, digits and _.,+-", plainWord},
		{"Account", r.Account, "must consist of letters, digits and _.,+-", plainWord},
		{"Time", r.Time, "must be minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S", limitWord},
		{"Memory", r.Memory, "must be a number with K, M, G or T, or of MiB without", memoryWord},
	} {
		faults.Check(f.value == "" || f.ok.MatchString(f.value), f.name, f.value, "%s", f.must)
	}
	faults.Check(r.CPUs >= 1 && r.CPUs <= 4096, "CPUs", r.CPUs, "must be in [1, 4096]")
	return faults.Err()
}

// Validate reports every fault of the job, as joined [*mc.FieldError] values.
func (j Job) Validate() error {
	faults := mc.Faults{Package: "slurm"}
	faults.Add(j.Resources.Validate())
	faults.Check(j.Tasks >= 1 && j.Tasks <= 1_000_000, "Tasks", j.Tasks, "must be in [1, 1000000]")
	faults.Check(plainWord.MatchString(j.Name), "Name", j.Name, "must consist of letters, digits and _.,+-")
	for _, path := range append([]string{j.Dir, j.Part, j.Output}, j.Sweep...) {
		faults.Check(!strings.ContainsAny(path, "\n\r\x00"), "path", path, "must not have a line break")
	}
	return faults.Err()
}

// MergeName returns the name of the merging job.
func (j Job) MergeName() string { return j.Name + "-merge" }

// PartFile returns the path of the file that a task writes.
func (j Job) PartFile(task int) string {
	return filepath.Join(j.Dir, fmt.Sprintf("%s.%d-of-%d", j.Part, task, j.Tasks))
}

// ArrayScript returns the batch script of the array. Schedulers other than Slurm run
// it with the number of the task as its argument.
func (j Job) ArrayScript() string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	j.directives(&b, j.Name, "%a.%A.txt")
	fmt.Fprintf(&b, "#SBATCH --array=1-%d\n#SBATCH --cpus-per-task=%d\n", j.Tasks, j.CPUs)
	if j.Memory != "" {
		fmt.Fprintf(&b, "#SBATCH --mem=%s\n", j.Memory)
	}
	if j.Time != "" {
		fmt.Fprintf(&b, "#SBATCH --time=%s\n", j.Time)
	}
	fmt.Fprintf(&b, "# Task 1 to %d; any of them may run again, at any time.\n", j.Tasks)
	b.WriteString("task=${SLURM_ARRAY_TASK_ID:-${1:?must be the number of the task}}\n")
	j.enter(&b)
	fmt.Fprintf(&b, "exec %s --shard \"$task/%d\" --resume --wait --workers %d --quiet -o %s\n",
		words(j.Program, j.Sweep...), j.Tasks, j.CPUs, quote(j.Part))
	return b.String()
}

// mergeScript returns the batch script of the merging job.
func (j Job) mergeScript() string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	j.directives(&b, j.MergeName(), "merge.%j.txt")
	j.enter(&b)
	b.WriteString("exec " + j.MergeCommand() + "\n")
	return b.String()
}

// MergeCommand returns the shell command that merges the files of all tasks.
func (j Job) MergeCommand() string {
	return fmt.Sprintf("%s %s.*-of-%d -o %s", words(j.Program, "merge"), quote(j.Part), j.Tasks, quote(j.Output))
}

// directives writes the directives of both scripts. A requeued task adds to the log of
// its first run.
func (j Job) directives(b *strings.Builder, name, log string) {
	fmt.Fprintf(b, "#SBATCH --job-name=%s\n#SBATCH --requeue\n", name)
	if j.Logs != "" {
		fmt.Fprintf(b, "#SBATCH --output=%s/%s\n#SBATCH --open-mode=append\n", j.Logs, log)
	}
	if j.Partition != "" {
		fmt.Fprintf(b, "#SBATCH --partition=%s\n", j.Partition)
	}
	if j.Account != "" {
		fmt.Fprintf(b, "#SBATCH --account=%s\n", j.Account)
	}
}

// enter writes the step into the folder.
func (j Job) enter(b *strings.Builder) {
	if j.Dir != "" {
		fmt.Fprintf(b, "cd %s || exit 1\n", quote(j.Dir))
	}
}

// words returns a shell command.
func words(program string, arguments ...string) string {
	list := []string{quote(program)}
	for _, a := range arguments {
		list = append(list, quote(a))
	}
	return strings.Join(list, " ")
}

// safe are words that a shell takes as they are.
var safe = regexp.MustCompile(`^[A-Za-z0-9_./,:@%+=-]+$`)

// quote returns a word as a shell reads it.
func quote(word string) string {
	if safe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
