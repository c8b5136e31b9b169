package slurm

import (
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
	State  string // in capitals, such as RUNNING
	Reason string // why it is pending, such as DependencyNeverSatisfied, or Slurm's description
}

// name returns the entry in the notation of scancel: 7, or 7_[1-3].
func (e entry) name() string {
	name := strconv.Itoa(e.Job)
	if len(e.Tasks) > 0 {
		name += "_[" + taskSet(e.Tasks) + "]"
	}
	return name
}

// launchFailed reports whether Slurm holds the entry because a node refused to start it
// or because it was requeued too often. Some commands print underscores instead of spaces.
func (e entry) launchFailed() bool {
	why := strings.ReplaceAll(e.Reason, "_", " ")
	return e.State == "PENDING" && (why == "launch failed requeued held" || why == "JobHoldMaxRequeue")
}

// unstarted returns the entries that Slurm holds because it could not start them, the tasks of an
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

// held reports whether a user or an administrator holds the entry, until one of them
// releases it.
func (e entry) held() bool {
	why := strings.ToLower(e.Reason)
	return e.State == "PENDING" && !e.launchFailed() && (strings.Contains(why, "held") || strings.Contains(why, "hold"))
}

// live reports whether the entry runs or may still run.
func (e entry) live() bool {
	switch e.State {
	case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
		"PREEMPTED", "REVOKED", "TIMEOUT":
		return false
	}
	return true // COMPLETING and REQUEUED included
}

// maxQueueTasks bounds the tasks of one entry, so that a damaged range cannot take
// all memory.
const maxQueueTasks = 4_000_000

// queueFormat is the format that squeue is asked for: the number of the job or array, the
// tasks, the name, the state and the reason.
const queueFormat = "%F|%K|%j|%T|%r"

// parseQueue reads the output of squeue in queueFormat.
func parseQueue(data []byte) ([]entry, error) {
	var queue []entry
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		f := strings.Split(line, "|")
		last := len(f) - 1
		if last < 4 {
			return nil, fmt.Errorf("slurm: squeue printed %q, which is not in the format %s", line, queueFormat)
		}
		e := entry{Name: strings.Join(f[2:last-1], "|"), State: f[last-1], Reason: f[last]}
		var err error
		if e.Job, err = strconv.Atoi(f[0]); err != nil || e.Job < 1 {
			return nil, fmt.Errorf("slurm: the queue has a job with the number %q", f[0])
		}
		if e.State == "" {
			return nil, fmt.Errorf("slurm: the queue has job %d without a state", e.Job)
		}
		if f[1] != "" && f[1] != "N/A" {
			if e.Tasks, err = parseTasks(f[1]); err != nil {
				return nil, err
			}
		}
		queue = append(queue, e)
	}
	return queue, nil
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
