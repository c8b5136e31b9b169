package slurm

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"repslab/faults"
)

// Job is an array of tasks that share a sweep. They run where the script is submitted.
type Job struct {
	Name    string   // name of the array in the queue
	Program string   // path of repslab
	Sweep   []string // arguments of the sweep, without -o
	Output  string   // the merged file; task i writes Output.i-of-N
	Tasks   int      // N, in [1, 1,000,000]

	Resources
}

// Resources are the resources of a task. For empty fields the cluster decides.
type Resources struct {
	Partition string
	Account   string
	Time      string // time limit of a task, in the format of sbatch --time
	Memory    string // memory of a task, in the format of sbatch --mem
	CPUs      int    // CPUs of a task, in [1, 4096]
}

var (
	plainWord  = regexp.MustCompile(`^[A-Za-z0-9_.,+-]+$`)
	limitWord  = regexp.MustCompile(`^(\d+-)?\d+(:\d+){0,2}$`)
	memoryWord = regexp.MustCompile(`^\d+[KMGT]?$`)
)

// Validate reports every fault of the resources, as joined [*faults.FieldError] values.
func (r Resources) Validate() error {
	bad := faults.List{Package: "slurm"}
	for _, f := range []struct {
		name, value, must string
		ok                *regexp.Regexp
	}{
		{"Partition", r.Partition, "must consist of letters, digits and _.,+-", plainWord},
		{"Account", r.Account, "must consist of letters, digits and _.,+-", plainWord},
		{"Time", r.Time, "must be minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S", limitWord},
		{"Memory", r.Memory, "must be a number with K, M, G or T, or of MiB without", memoryWord},
	} {
		bad.Check(f.value == "" || f.ok.MatchString(f.value), f.name, f.value, "%s", f.must)
	}
	bad.Check(r.CPUs >= 1 && r.CPUs <= 4096, "CPUs", r.CPUs, "must be in [1, 4096]")
	return bad.Err()
}

// Validate reports every fault of the job, as joined [*faults.FieldError] values.
func (j Job) Validate() error {
	bad := faults.List{Package: "slurm"}
	bad.Add(j.Resources.Validate())
	bad.Check(j.Tasks >= 1 && j.Tasks <= 1_000_000, "Tasks", j.Tasks, "must be in [1, 1000000]")
	bad.Check(plainWord.MatchString(j.Name), "Name", j.Name, "must consist of letters, digits and _.,+-")
	for _, path := range append([]string{j.Output}, j.Sweep...) {
		bad.Check(!strings.ContainsAny(path, "\n\r\x00"), "path", path, "must not have a line break")
	}
	return bad.Err()
}

// script is the batch script of the array. A requeued task appends to the log of its first run.
// Schedulers other than Slurm can run the script with the number of the task as its argument.
var script = template.Must(template.New("").Parse(`#!/bin/sh
#SBATCH --job-name={{.Name}}
#SBATCH --requeue
#SBATCH --open-mode=append
{{- if .Partition}}
#SBATCH --partition={{.Partition}}
{{- end}}
{{- if .Account}}
#SBATCH --account={{.Account}}
{{- end}}
#SBATCH --array={{.Array}}
#SBATCH --cpus-per-task={{.CPUs}}
{{- if .Memory}}
#SBATCH --mem={{.Memory}}
{{- end}}
{{- if .Time}}
#SBATCH --time={{.Time}}
{{- end}}
# Tasks are numbered from 1 to {{.Tasks}}; any of them may run again, at any time.
task=${SLURM_ARRAY_TASK_ID:-${1:?must be the number of the task}}
exec {{.TaskCommand}}
`))

// ArrayScript returns the batch script of the given tasks, in ascending order.
func (j Job) ArrayScript(tasks []int) string {
	var b strings.Builder
	err := script.Execute(&b, struct {
		Job
		Array string
	}{j, taskSet(tasks)})
	if err != nil {
		panic(err) // the template fits the job, and a builder takes all
	}
	return b.String()
}

// MergeScript returns the script that merges the files of all tasks.
func (j Job) MergeScript() string {
	return fmt.Sprintf("#!/bin/sh\nexec %s merge %s.*-of-%d -o %s\n", quote(j.Program), quote(j.Output), j.Tasks, quote(j.Output))
}

// TaskCommand returns the shell command that runs the task with the number in $task.
func (j Job) TaskCommand() string {
	return fmt.Sprintf("%s --shard \"$task/%d\" --resume --wait --workers %d --quiet -o %s",
		words(append([]string{j.Program}, j.Sweep...)), j.Tasks, j.CPUs, quote(j.Output))
}

// mostTasks is the largest task number that Slurm allows with its default MaxArraySize.
const mostTasks = 1000

// Tasks returns the number of tasks for a sweep that takes one worker some seconds: tasks of five minutes
// each, or up to 16 shorter tasks of at least 15 seconds, but at most as many as blocks and at most
// 1,000, which every Slurm allows.
func Tasks(seconds float64, blocks uint64) int {
	const long, short, few = 300, 15, 16
	wanted := max(seconds/long, min(few, seconds/short), 1)
	return int(min(wanted+0.999, float64(max(blocks, 1)), mostTasks))
}

// Limit returns the time limit of each of some tasks, in minutes, for a sweep that takes one worker at most some
// seconds, in blocks of at most some seconds: a minute, and twice the time of a task that has one block more than
// the mean.
func Limit(seconds, block float64, tasks int) string {
	return strconv.FormatFloat(1+math.Ceil((seconds/float64(tasks)+block)/30), 'f', 0, 64)
}

// taskSet writes ascending numbers in the format of --array: 1-3,7.
func taskSet(tasks []int) string {
	var parts []string
	for i := 0; i < len(tasks); {
		j := i
		for j+1 < len(tasks) && tasks[j+1] == tasks[j]+1 {
			j++
		}
		part := strconv.Itoa(tasks[i])
		if j > i {
			part += "-" + strconv.Itoa(tasks[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}

// words returns the shell command of a list of words.
func words(list []string) string {
	quoted := make([]string, len(list))
	for i, word := range list {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// safe matches words that need no quotes in a shell.
var safe = regexp.MustCompile(`^[A-Za-z0-9_./,:@%+=-]+$`)

// quote returns a word as a shell reads it.
func quote(word string) string {
	if safe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
