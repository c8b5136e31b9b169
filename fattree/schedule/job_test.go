package schedule

import (
	"fmt"
	"strings"
	"testing"

	"repslab/fattree"
)

// panicOf returns what f panics with, as text, or "" if it returns.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// TestJobsThatCannotBePlayed: a job or schedule with a field left out or out of range is refused by name, and is not
// played as if it were another one.
func TestJobsThatCannotBePlayed(t *testing.T) {
	valid := func() Job {
		s, err := RingAllreduce(3, 30)
		if err != nil {
			t.Fatal(err)
		}
		return Job{Schedule: s, Hosts: []fattree.Host{0, 1, 2}, Steps: 1}
	}
	send := 0 // the first operation of rank 0
	for name, c := range map[string]struct {
		change func(*Job)
		want   string
	}{
		"zero":      {func(j *Job) { *j = Job{} }, "Job.Schedule (<nil>) must be set"},
		"no steps":  {func(j *Job) { j.Steps = 0 }, "Job.Steps (0) must be at least 1"},
		"no hosts":  {func(j *Job) { j.Hosts = j.Hosts[:2] }, "Job.Hosts (2) must have a host for each of the 3 ranks"},
		"no ops":    {func(j *Job) { j.Schedule.Ops = nil }, "Job.Schedule ("},
		"needs":     {func(j *Job) { j.Schedule.Needs = nil }, "Needs (0) must have an entry for each of the"},
		"kind":      {func(j *Job) { j.Schedule.Ops[send].Kind = 3 }, "{Kind:3"},
		"rank":      {func(j *Job) { j.Schedule.Ops[send].Rank = 3 }, "Rank:3"},
		"peer":      {func(j *Job) { j.Schedule.Ops[send].Peer = 2 }, "Peer:2"},
		"match":     {func(j *Job) { j.Schedule.Ops[send].Match = 0 }, "Match:0"},
		"no match":  {func(j *Job) { j.Schedule.Ops[send].Match = -1 }, "Match:-1"},
		"amount":    {func(j *Job) { j.Schedule.Ops[send].Amount++ }, "Amount:11"},
		"negative":  {func(j *Job) { j.Schedule.Ops[send].Amount = -1 }, "Amount:-1"},
		"calc":      {func(j *Job) { j.Schedule.Ops[lastCalc(j.Schedule)].Amount = MaxCalc + 1 }, "Amount:4000000000000001"},
		"edge":      {func(j *Job) { j.Schedule.Needs[1] = []Edge{{Before: 1}} }, "Needs[1] ([{1 false}])"},
		"edge away": {func(j *Job) { j.Schedule.Needs[1] = []Edge{{Before: 99}} }, "Needs[1] ([{99 false}])"},
		"edge out":  {func(j *Job) { j.Schedule.Needs[1] = []Edge{{Before: 20}} }, "Needs[1] ([{20 false}]) must name other operations in [0, 26], of rank 0"},
		"order": {func(j *Job) {
			moved := lastCalc(j.Schedule)
			j.Schedule.Ops[moved].Rank, j.Schedule.Needs[moved] = 0, nil
		}, "not below the one before"},
	} {
		j := valid()
		c.change(&j)
		for use, f := range map[string]func(){"Workload": func() { j.Workload() }, "NewPlayer": func() {
			NewPlayer(Job{Schedule: j.Schedule, Hosts: j.Hosts, Steps: j.Steps, Latency: func(_, _ fattree.Host) fattree.Picoseconds { return 1 }})
		}} {
			if got := panicOf(f); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s panics with %q, want %q", name, use, got, c.want)
			}
		}
	}
	j := valid()
	if got := panicOf(func() { j.Workload(); NewPlayer(j); Ideal(j.Schedule) }); got != "" {
		t.Errorf("a valid job panics with %q", got)
	}
	j.Schedule.Needs[0], j.Schedule.Needs[1] = []Edge{{Before: 1}}, []Edge{{Before: 0}}
	if got := panicOf(func() { Ideal(j.Schedule) }); !strings.Contains(got, "schedule: Needs (") {
		t.Errorf("Ideal of operations that wait for each other panics with %q", got)
	}
}

// lastCalc returns the last calc of a schedule.
func lastCalc(s *Schedule) (op int) {
	for i := range s.Ops {
		if s.Ops[i].Kind == Calc {
			op = i
		}
	}
	return op
}
