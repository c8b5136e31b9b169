package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// entry is a line of the queue: a task of an array, or a job that is no array.
type entry struct {
	Job    int // of the array, or of the job itself
	Task   int // of the array, from 1; 0 for other jobs
	Name   string
	State  string // in capitals, such as RUNNING
	Reason string // why it is pending, such as DependencyNeverSatisfied, or Slurm's description
}

// launchFailed reports whether Slurm holds the entry because a node refused to start it
// or because it was requeued too often. Some commands print underscores instead of spaces.
func (e entry) launchFailed() bool {
	why := strings.ReplaceAll(e.Reason, "_", " ")
	return e.State == "PENDING" && (why == "launch failed requeued held" || why == "JobHoldMaxRequeue")
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

// queueFormat is the format that squeue is asked for: the number of the job or array, the
// tasks, the name, the state and the reason.
const queueFormat = "%F|%K|%j|%T|%r"

// parseQueue reads the output of squeue in queueFormat, a line for each task.
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
		var errJob, errTask error
		e.Job, errJob = strconv.Atoi(f[0])
		if f[1] != "" && f[1] != "N/A" {
			e.Task, errTask = strconv.Atoi(f[1])
		}
		if errJob != nil || errTask != nil || e.Job < 1 || e.Task < 0 || e.State == "" {
			return nil, fmt.Errorf("slurm: squeue printed %q, which must have the number of a job, that of a task and a state", line)
		}
		queue = append(queue, e)
	}
	return queue, nil
}

// jobName returns the name of a job, or of tasks of an array, in the notation of scancel: 7, or
// 7_[1-3].
func jobName(job int, tasks []int) string {
	tasks = slices.DeleteFunc(slices.Sorted(slices.Values(tasks)), func(t int) bool { return t == 0 })
	if len(tasks) == 0 {
		return strconv.Itoa(job)
	}
	return fmt.Sprintf("%d_[%s]", job, taskSet(tasks))
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
