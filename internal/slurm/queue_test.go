package slurm

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestQueueShapes: the same queue in the shapes of several versions of Slurm.
func TestQueueShapes(t *testing.T) {
	want := []entry{
		{Job: 7, Tasks: []int{2}, Name: "a", States: []string{"RUNNING"}, Reason: "None"},
		{Job: 7, Tasks: []int{3, 5, 6, 8, 10}, Name: "a", States: []string{"PENDING"}, Reason: "Resources"},
		{Job: 9, Name: "a-merge", States: []string{"PENDING"}, Reason: "DependencyNeverSatisfied"},
	}
	for version, text := range map[string]string{
		"22.05": `{"errors": [], "jobs": [
			{"job_id": 8, "array_job_id": 7, "array_task_id": 2, "array_task_string": "", "name": "a", "job_state": "RUNNING", "state_reason": "None"},
			{"job_id": 7, "array_job_id": 7, "array_task_id": null, "array_task_string": "3,5-6,8-10:2%4", "name": "a", "job_state": "PENDING", "state_reason": "Resources"},
			{"job_id": 9, "array_job_id": 0, "array_task_id": null, "array_task_string": "", "name": "a-merge", "job_state": "PENDING", "state_reason": "DependencyNeverSatisfied"}]}`,
		"23.02": `{"errors": [], "jobs": [
			{"job_id": 8, "array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": true, "infinite": false, "number": 2}, "array_task_string": "", "name": "a", "job_state": "RUNNING", "state_reason": "None"},
			{"job_id": 7, "array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": false, "infinite": false, "number": 0}, "array_task_string": "3,5-6,8-10:2%4", "name": "a", "job_state": "PENDING", "state_reason": "Resources"},
			{"job_id": 9, "array_job_id": {"set": true, "infinite": false, "number": 0}, "array_task_id": {"set": false, "infinite": false, "number": 0}, "array_task_string": "", "name": "a-merge", "job_state": "PENDING", "state_reason": "DependencyNeverSatisfied"}]}`,
		"24.05": `{"jobs": [
			{"job_id": 8, "array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": true, "infinite": false, "number": 2}, "array_task_string": "", "name": "a", "job_state": ["RUNNING"], "state_reason": "None"},
			{"job_id": 7, "array_job_id": {"set": true, "infinite": false, "number": 7}, "array_task_id": {"set": false}, "array_task_string": "3,5-6,8-10:2%4", "name": "a", "job_state": ["PENDING"], "state_reason": "Resources"},
			{"job_id": 9, "array_job_id": {"set": false}, "array_task_id": {"set": false}, "array_task_string": "", "name": "a-merge", "job_state": ["PENDING"], "state_reason": "DependencyNeverSatisfied"}]}`,
	} {
		if got, err := parseJSON([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, error %v, want %+v", version, got, err, want)
		}
	}
	text := "7|2|a|RUNNING|None\n7|3,5-6,8-10:2%4|a|PENDING|Resources\n9|N/A|a-merge|PENDING|DependencyNeverSatisfied\n\n"
	if got, err := parseText([]byte(text)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("text: %+v, error %v, want %+v", got, err, want)
	}
}

// TestQueueHolds: what Slurm 22.05 prints of tasks that it could not start, and of
// tasks that a person holds.
func TestQueueHolds(t *testing.T) {
	const shape = `{"jobs": [{"job_id": 6, "array_job_id": 5, "array_task_id": 1, "name": "a", "job_state": "PENDING", "state_reason": "%s", "state_description": "%s"}]}`
	for _, c := range []struct {
		reason, description, text string
		failed, held              bool
	}{
		{"JobHeldUser", "launch failed requeued held", "launch failed requeued held", true, false},
		{"JobHoldMaxRequeue", "", "JobHoldMaxRequeue", true, false},
		{"JobHeldUser", "", "JobHeldUser", false, true},
		{"JobHeldAdmin", "", "JobHeldAdmin", false, true},
		{"JobHeldUser", "job requeued in held state", "job requeued in held state", false, true},
		{"Resources", "Nodes required for job are DOWN, DRAINED or reserved", "Nodes required for job are DOWN, DRAINED or reserved", false, false},
	} {
		queue, err := parseJSON(fmt.Appendf(nil, shape, c.reason, c.description))
		if err != nil {
			t.Fatal(err)
		}
		fromText, err := parseText([]byte("5|1|a|PENDING|" + c.text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(queue, fromText...) {
			if e.launchFailed() != c.failed || e.held() != c.held || e.why() != c.text || e.name() != "5_[1]" {
				t.Errorf("%+v: launch failed %v, held %v, because of %q; name %s", e, e.launchFailed(), e.held(), e.why(), e.name())
			}
		}
	}
}

// TestQueueRefuses: what is no queue is an error, never an empty queue, which would
// submit everything again.
func TestQueueRefuses(t *testing.T) {
	for _, text := range []string{
		"", "{}", `{"errors": [{"error": "down"}]}`, `{"jobs": 3}`, `{"jobs": [{"job_id": 0, "job_state": "RUNNING"}]}`,
		`{"jobs": [{"job_id": 1}]}`, `{"jobs": [{"job_id": 1, "job_state": "RUNNING", "array_task_string": "1-5,..."}]}`,
		`{"jobs": [{"job_id": 1, "job_state": "RUNNING", "array_task_string": "1-999999999"}]}`,
	} {
		if got, err := parseJSON([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, text := range []string{"7|1|a|RUNNING", "x|1|a|RUNNING|None", "7|9-1|a|RUNNING|None"} {
		if got, err := parseText([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestLive: which states run or may still run.
func TestLive(t *testing.T) {
	for states, want := range map[string]bool{
		"RUNNING": true, "PENDING": true, "SUSPENDED": true, "CONFIGURING": true, "COMPLETED": false, "FAILED": false,
		"COMPLETED COMPLETING": true, "PENDING REQUEUED": true, "NODE_FAIL REQUEUED": true, "CANCELLED": false, "TIMEOUT": false, "STAGE_OUT": true,
	} {
		if e := (entry{States: strings.Fields(states)}); e.live() != want {
			t.Errorf("%s: live %v", states, !want)
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
	f.Add([]byte(`{"jobs": [{"job_id": 7, "array_job_id": {"set": true, "number": 7}, "array_task_string": "3,5-6%4", "name": "a", "job_state": ["PENDING"]}]}`))
	f.Add([]byte("7|3,5-6|a|PENDING|Resources\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func([]byte) ([]entry, error){parseJSON, parseText} {
			queue, err := read(data)
			if err != nil {
				continue
			}
			for _, e := range queue {
				if e.Job < 1 || len(e.States) == 0 || len(e.Tasks) > maxQueueTasks {
					t.Errorf("%+v", e)
				}
			}
		}
	})
}
