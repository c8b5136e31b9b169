package slurm

import (
	"reflect"
	"slices"
	"testing"
)

// TestQueue: tasks and jobs that are no arrays.
func TestQueue(t *testing.T) {
	want := []entry{
		{Job: 7, Task: 2, Name: "a", State: "RUNNING", Reason: "None"},
		{Job: 7, Task: 10, Name: "a", State: "PENDING", Reason: "Resources"},
		{Job: 9, Name: "a-merge", State: "PENDING", Reason: "DependencyNeverSatisfied"},
	}
	want = append(want, entry{Job: 10, Name: "b|c d", State: "RUNNING", Reason: "None"})
	text := "7|2|a|RUNNING|None\n7|10|a|PENDING|Resources\n9|N/A|a-merge|PENDING|DependencyNeverSatisfied\n10|N/A|b|c d|RUNNING|None\n\n"
	if got, err := parseQueue([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
}

// TestQueueHolds: what Slurm 22.05 prints of tasks that it could not start, and of
// tasks that a person holds.
func TestQueueHolds(t *testing.T) {
	for _, c := range []struct {
		reason       string
		failed, held bool
	}{
		{"launch failed requeued held", true, false},
		{"launch_failed_requeued_held", true, false},
		{"JobHoldMaxRequeue", true, false},
		{"JobHeldUser", false, true},
		{"JobHeldAdmin", false, true},
		{"job requeued in held state", false, true},
		{"Nodes required for job are DOWN, DRAINED or reserved", false, false},
	} {
		queue, err := parseQueue([]byte("5|1|a|PENDING|" + c.reason + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if e := queue[0]; e.launchFailed() != c.failed || e.held() != c.held || e.Reason != c.reason || jobName(e.Job, []int{e.Task}) != "5_[1]" {
			t.Errorf("%+v: launch failed %v, held %v; name %s", e, e.launchFailed(), e.held(), jobName(e.Job, []int{e.Task}))
		}
	}
}

// TestQueueRefuses: what is no queue is an error, never an empty queue, which would
// submit everything again.
func TestQueueRefuses(t *testing.T) {
	for _, text := range []string{
		"7|1|a|RUNNING", "7|1|a||None", "x|1|a|RUNNING|None", "0|1|a|RUNNING|None", "7|9-1|a|RUNNING|None", "7|1-3|a|PENDING|None", "7|-1|a|RUNNING|None", "7|1-5,...|a|PENDING|None",
		"7|1-999999999|a|PENDING|None", "slurm_load_jobs error: Unable to contact slurm controller", `{"jobs": []}`,
	} {
		if got, err := parseQueue([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestLive: which states run or may still run.
func TestLive(t *testing.T) {
	for state, want := range map[string]bool{
		"RUNNING": true, "PENDING": true, "SUSPENDED": true, "CONFIGURING": true, "COMPLETED": false, "FAILED": false,
		"COMPLETING": true, "REQUEUED": true, "NODE_FAIL": false, "CANCELLED": false, "TIMEOUT": false, "STAGE_OUT": true,
	} {
		if e := (entry{State: state}); e.live() != want {
			t.Errorf("%s: live %v", state, !want)
		}
	}
}

// TestTaskSets: sets are read as they are written.
func TestTaskSets(t *testing.T) {
	for text, tasks := range map[string][]int{"1": {1}, "1-3": {1, 2, 3}, "1-2,4,7-9": {1, 2, 4, 7, 8, 9}} {
		got, err := parseTasks(text)
		if err != nil || !slices.Equal(got, tasks) || taskSet(tasks) != text {
			t.Errorf("%s: %v, error %v; written %s", text, got, err, taskSet(tasks))
		}
	}
}

func FuzzQueue(f *testing.F) {
	f.Add([]byte("7|3|a|PENDING|Resources\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		queue, err := parseQueue(data)
		if err != nil {
			return
		}
		for _, e := range queue {
			if e.Job < 1 || e.State == "" || e.Task < 0 {
				t.Errorf("%+v", e)
			}
		}
	})
}
