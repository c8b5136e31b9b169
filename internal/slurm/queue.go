package slurm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// entry is a line of the queue: a task, several pending ones of an array, or a job
// that is no array.
type entry struct {
	Job    int   // of the array, or of the job itself
	Tasks  []int // of the array; empty for other jobs
	Name   string
	States []string // in capitals, such as RUNNING; several where flags are added
	Reason string   // why it is pending, such as DependencyNeverSatisfied
	Detail string   // Slurm's description of the reason; usually empty
}

// name returns the entry as scancel takes it: 7, or 7_[1-3].
func (e entry) name() string {
	name := strconv.Itoa(e.Job)
	if len(e.Tasks) > 0 {
		name += "_[" + taskSet(e.Tasks) + "]"
	}
	return name
}

// why returns the description of the reason if there is one, else the reason.
func (e entry) why() string {
	if e.Detail != "" {
		return e.Detail
	}
	return e.Reason
}

// launchFailed says whether Slurm holds the entry because a node refused to start it
// or because it was requeued too often. Only the description tells the first from a
// hold by the user: Slurm 22.05 gives both the reason JobHeldUser. Some commands
// print underscores instead of spaces.
func (e entry) launchFailed() bool {
	why := strings.ReplaceAll(e.why(), "_", " ")
	return e.is("PENDING") && (why == "launch failed requeued held" || why == "JobHoldMaxRequeue")
}

// unstarted returns what Slurm holds because it could not start it, the tasks of an
// array together.
func unstarted(queue []entry) []entry {
	byJob := map[int]entry{}
	for _, e := range queue {
		if e.launchFailed() {
			e.Tasks = slices.Concat(byJob[e.Job].Tasks, e.Tasks)
			byJob[e.Job] = e
		}
	}
	var list []entry
	for _, job := range slices.Sorted(maps.Keys(byJob)) {
		slices.Sort(byJob[job].Tasks)
		list = append(list, byJob[job])
	}
	return list
}

// held says whether a user or an administrator holds the entry, until one of them
// releases it.
func (e entry) held() bool {
	why := strings.ToLower(e.Reason + e.Detail)
	return e.is("PENDING") && !e.launchFailed() && (strings.Contains(why, "held") || strings.Contains(why, "hold"))
}

// ended are the states of jobs that run no more.
var ended = map[string]bool{
	"BOOT_FAIL": true, "CANCELLED": true, "COMPLETED": true, "DEADLINE": true, "FAILED": true, "NODE_FAIL": true,
	"OUT_OF_MEMORY": true, "PREEMPTED": true, "REVOKED": true, "TIMEOUT": true,
}

// live says whether the entry runs or may still run.
func (e entry) live() bool {
	live := true
	for _, s := range e.States {
		if s == "COMPLETING" || s == "REQUEUED" {
			return true
		}
		live = live && !ended[s]
	}
	return live
}

// is says whether the entry has a state.
func (e entry) is(state string) bool {
	for _, s := range e.States {
		if s == state {
			return true
		}
	}
	return false
}

// maxQueueTasks bounds the tasks of one entry, so that a damaged range cannot take
// all memory.
const maxQueueTasks = 4_000_000

// queueJSON is what is read of squeue --json. Between versions of Slurm numbers
// became objects with the members set, infinite and number, and states lists.
type queueJSON struct {
	Jobs []struct {
		ID     loose `json:"job_id"`
		Array  loose `json:"array_job_id"`
		Task   loose `json:"array_task_id"`
		Tasks  loose `json:"array_task_string"`
		Name   loose `json:"name"`
		State  loose `json:"job_state"`
		Reason loose `json:"state_reason"`
		Detail loose `json:"state_description"`
	} `json:"jobs"`
	Errors []json.RawMessage `json:"errors"`
}

// loose is a text, a number, a list of texts or an object with a number, as texts.
type loose []string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *loose) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return err
	}
	*l = loosen(v)
	return nil
}

// loosen returns the texts of a value; null and what is not set have none.
func loosen(v any) []string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case json.Number:
		return []string{v.String()}
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, loosen(item)...)
		}
		return all
	case map[string]any:
		if set, ok := v["set"].(bool); ok && !set {
			return nil
		}
		return loosen(v["number"])
	}
	return nil
}

// text returns the first text, or "".
func (l loose) text() string {
	if len(l) == 0 {
		return ""
	}
	return l[0]
}

// parseJSON reads what squeue --json printed, in any of the shapes of Slurm 21.08 to
// 24.11.
func parseJSON(data []byte) ([]entry, error) {
	var q queueJSON
	if err := json.Unmarshal(data, &q); err != nil {
		return nil, fmt.Errorf("slurm: squeue --json printed no queue: %w", err)
	}
	if q.Jobs == nil {
		return nil, fmt.Errorf("slurm: squeue --json printed no jobs; its errors: %s", bytes.Join(rawBytes(q.Errors), []byte(", ")))
	}
	var queue []entry
	for _, j := range q.Jobs {
		e, err := newEntry(j.ID.text(), j.Array.text(), j.Task.text(), j.Tasks.text())
		if err != nil {
			return nil, err
		}
		e.Name, e.Reason, e.Detail = j.Name.text(), j.Reason.text(), j.Detail.text()
		for _, s := range j.State {
			e.States = append(e.States, strings.ToUpper(s))
		}
		if len(e.States) == 0 {
			return nil, fmt.Errorf("slurm: squeue --json gives job %d no state", e.Job)
		}
		queue = append(queue, e)
	}
	return queue, nil
}

// rawBytes returns messages as bytes.
func rawBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i, m := range list {
		all[i] = m
	}
	return all
}

// textFormat is what squeue is asked for where it has no JSON.
const textFormat = "%F|%K|%j|%T|%r"

// parseText reads what squeue printed in the format of textFormat.
func parseText(data []byte) ([]entry, error) {
	var queue []entry
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 5 {
			return nil, fmt.Errorf("slurm: squeue printed %q, which is not in the format %s", line, textFormat)
		}
		if f[1] == "N/A" {
			f[1] = ""
		}
		e, err := newEntry(f[0], f[0], "", f[1])
		if err != nil {
			return nil, err
		}
		e.Name, e.States, e.Reason = f[2], []string{f[3]}, f[4]
		queue = append(queue, e)
	}
	return queue, nil
}

// newEntry returns an entry of a job, or of tasks of an array: one, or a set.
func newEntry(id, array, task, tasks string) (entry, error) {
	var e entry
	job := id
	if array != "" && array != "0" {
		job = array
	}
	n, err := strconv.Atoi(job)
	if err != nil || n < 1 {
		return e, fmt.Errorf("slurm: the queue has a job with the number %q", job)
	}
	e.Job = n
	if tasks == "" && array != "" && array != "0" {
		tasks = task
	}
	if tasks != "" {
		e.Tasks, err = parseTasks(tasks)
	}
	return e, err
}

// parseTasks reads a set of tasks such as 1,3-9:2%4, in which %4 is the most that
// run at the same time.
func parseTasks(text string) ([]int, error) {
	set, _, _ := strings.Cut(text, "%")
	var tasks []int
	for part := range strings.SplitSeq(set, ",") {
		span, stepText, stepped := strings.Cut(part, ":")
		first, last, ranged := strings.Cut(span, "-")
		if !ranged {
			last = first
		}
		if !stepped {
			stepText = "1"
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		step, errStep := strconv.Atoi(stepText)
		if errors.Join(errA, errB, errStep) != nil || a < 0 || b < a || step < 1 || (b-a)/step >= maxQueueTasks-len(tasks) {
			return nil, fmt.Errorf("slurm: the queue has the tasks %q", text)
		}
		for t := a; t <= b; t += step {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

// taskSet writes rising numbers as --array takes them: 1-3,7.
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
