package slurm

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

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

// script is the batch script of the array or, with Merge, of the merging job. A requeued task
// adds to the log of its first run. Schedulers other than Slurm run the array's script with the
// number of the task as its argument.
var script = template.Must(template.New("").Funcs(template.FuncMap{"quote": quote}).Parse(`#!/bin/sh
#SBATCH --job-name={{if .Merge}}{{.MergeName}}{{else}}{{.Name}}{{end}}
#SBATCH --requeue
{{- if .Logs}}
#SBATCH --output={{.Logs}}/{{if .Merge}}merge.%j{{else}}%a.%A{{end}}.txt
#SBATCH --open-mode=append
{{- end}}
{{- if .Partition}}
#SBATCH --partition={{.Partition}}
{{- end}}
{{- if .Account}}
#SBATCH --account={{.Account}}
{{- end}}
{{- if not .Merge}}
#SBATCH --array=1-{{.Tasks}}
#SBATCH --cpus-per-task={{.CPUs}}
{{- if .Memory}}
#SBATCH --mem={{.Memory}}
{{- end}}
{{- if .Time}}
#SBATCH --time={{.Time}}
{{- end}}
# Task 1 to {{.Tasks}}; any of them may run again, at any time.
task=${SLURM_ARRAY_TASK_ID:-${1:?must be the number of the task}}
{{- end}}
{{- if .Dir}}
cd {{quote .Dir}} || exit 1
{{- end}}
exec {{if .Merge}}{{.MergeCommand}}{{else}}{{.TaskCommand}}{{end}}
`))

// ArrayScript returns the batch script of the array.
func (j Job) ArrayScript() string { return j.script(false) }

// script returns the batch script of the array or of the merging job.
func (j Job) script(merge bool) string {
	var b strings.Builder
	err := script.Execute(&b, struct {
		Job
		Merge bool
	}{j, merge})
	if err != nil {
		panic(err) // the template fits the job, and a builder takes all
	}
	return b.String()
}

// TaskCommand returns the shell command that runs the task whose number is in $task.
func (j Job) TaskCommand() string {
	return fmt.Sprintf("%s --shard \"$task/%d\" --resume --wait --workers %d --quiet -o %s",
		words(append([]string{j.Program}, j.Sweep...)), j.Tasks, j.CPUs, quote(j.Part))
}

// MergeCommand returns the shell command that merges the files of all tasks.
func (j Job) MergeCommand() string {
	return fmt.Sprintf("%s merge %s.*-of-%d -o %s", quote(j.Program), quote(j.Part), j.Tasks, quote(j.Output))
}

// words returns a shell command.
func words(list []string) string {
	quoted := make([]string, len(list))
	for i, word := range list {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
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
