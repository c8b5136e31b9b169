package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cluster is a Slurm of one process without a clock: time is the number of sleeps.
type cluster struct {
	t        *testing.T
	jobs     []*fakeJob
	number   int // of the last job
	commands []string
	sleeps   int

	blocks, written map[int]uint64 // of a task: what its shard has, and what its file holds

	turn func(c *cluster) // what happens during a sleep
	fail map[string]error // commands that do not answer

	reasons string // what sinfo prints of nodes that are out of service
}

// fakeJob is an array, or with tasks nil another job.
type fakeJob struct {
	number int
	name   string
	tasks  map[int]string // states
	held   map[int]string // tasks that Slurm holds, with its description
	state  string         // without tasks
	reason string
	detail string // Slurm's description of the reason
	after  int    // the array it waits for
}

// hold requeues a task of the array and holds it with a description, as Slurm does
// when a node refuses to start it.
func (j *fakeJob) hold(task int, description string) {
	j.tasks[task], j.held[task] = "PENDING", description
}

var errDown = errors.New("slurm: squeue: unable to contact the controller")

// run is the Run of a client.
func (c *cluster) run(_ context.Context, stdin string, command ...string) ([]byte, error) {
	c.commands = append(c.commands, strings.Join(command, " "))
	if err := c.fail[command[0]]; err != nil {
		return nil, err
	}
	switch command[0] {
	case "sbatch":
		return c.submit(stdin, command)
	case "squeue":
		return c.queue(), nil
	case "scancel":
		for _, word := range command[2:] {
			c.cancel(word)
		}
		return nil, nil
	case "sinfo":
		return []byte(c.reasons), nil
	}
	c.t.Fatalf("command %q", command)
	return nil, nil
}

// cancel cancels a job, or tasks of an array: 7, or 7_[1-3].
func (c *cluster) cancel(word string) {
	number, set, array := strings.Cut(strings.TrimSuffix(word, "]"), "_[")
	for _, j := range c.jobs {
		if strconv.Itoa(j.number) != number {
			continue
		}
		if !array {
			j.state = "CANCELLED"
			continue
		}
		tasks, err := parseTasks(set)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, task := range tasks {
			delete(j.held, task)
			j.tasks[task] = "CANCELLED"
		}
	}
}

func (c *cluster) submit(script string, command []string) ([]byte, error) {
	c.number++
	j := &fakeJob{number: c.number, state: "PENDING"}
	for line := range strings.Lines(script) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "#SBATCH --job-name="); ok {
			j.name = name
		}
	}
	for _, word := range command {
		if set, ok := strings.CutPrefix(word, "--array="); ok {
			tasks, err := parseTasks(set)
			if err != nil {
				c.t.Fatal(err)
			}
			j.tasks, j.held = map[int]string{}, map[int]string{}
			for _, task := range tasks {
				j.tasks[task] = "PENDING"
			}
		}
		if after, ok := strings.CutPrefix(word, "--dependency=afterok:"); ok {
			first, _, _ := strings.Cut(after, ",")
			j.after, _ = strconv.Atoi(first)
		}
	}
	c.jobs = append(c.jobs, j)
	return fmt.Appendf(nil, "%d;cluster\n", c.number), nil
}

// queue prints all jobs as squeue of Slurm 22.05 does, and one of another user's.
func (c *cluster) queue() []byte {
	text := "900|N/A|other|RUNNING|None\n"
	for _, j := range c.jobs {
		if j.tasks == nil {
			text += fmt.Sprintf("%d|N/A|%s|%s|%s\n", j.number, j.name, j.state, cmp.Or(j.detail, j.reason))
			continue
		}
		for task, state := range j.tasks {
			reason := cmp.Or(j.held[task], j.detail, j.reason)
			if _, held := j.held[task]; held {
				reason = cmp.Or(j.held[task], "JobHeldUser")
			}
			text += fmt.Sprintf("%d|%d|%s|%s|%s\n", j.number, task, j.name, state, reason)
		}
	}
	return []byte(text)
}

// schedule ends what runs with a state, writing blocks for those that complete, and
// starts what is pending.
func (c *cluster) schedule(end func(job, task int) string) {
	for _, j := range c.jobs {
		for _, task := range slices.Sorted(keysOf(j.tasks)) {
			if _, held := j.held[task]; held {
				continue
			}
			switch j.tasks[task] {
			case "PENDING":
				j.tasks[task] = "RUNNING"
			case "RUNNING":
				j.tasks[task] = end(j.number, task)
				if j.tasks[task] == "COMPLETED" {
					c.written[task] = c.blocks[task]
				}
			}
		}
		if j.after > 0 && j.state == "PENDING" {
			j.state, j.reason = c.dependent(j.after)
		}
	}
}

// parseTasks reads a set of tasks such as 1-3,7.
func parseTasks(text string) (tasks []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if err := errors.Join(errA, errB); err != nil {
			return nil, err
		}
		for t := a; t <= b; t++ {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

func keysOf(m map[int]string) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// dependent returns the state and reason of a job that depends on an array by
// afterok.
func (c *cluster) dependent(array int) (state, reason string) {
	state = "COMPLETED"
	for _, j := range c.jobs {
		if j.number != array {
			continue
		}
		for _, s := range j.tasks {
			switch s {
			case "PENDING", "RUNNING":
				return "PENDING", "Dependency"
			case "COMPLETED":
			default:
				return "PENDING", "DependencyNeverSatisfied"
			}
		}
	}
	return state, "None"
}

// newCluster returns a cluster and who follows four tasks of ten blocks on it.
func newCluster(t *testing.T, turn func(*cluster)) (*cluster, *Follower, *[]string) {
	c := &cluster{t: t, blocks: map[int]uint64{}, written: map[int]uint64{}, turn: turn, fail: map[string]error{}}
	for task := 1; task <= 4; task++ {
		c.blocks[task] = 10
	}
	var told []string
	f := &Follower{
		Job:    testJob(),
		Client: Client{Run: c.run},
		Inspect: func(task int) (Part, error) {
			return Part{Blocks: c.written[task], Finished: c.written[task] == c.blocks[task]}, nil
		},
		Sleep: func(ctx context.Context, _ time.Duration) error {
			if c.sleeps++; c.sleeps > 1000 {
				t.Fatal("following has no end")
			}
			c.turn(c)
			return ctx.Err()
		},
		Progress: func(Progress) {},
		Tell:     func(text string) { told = append(told, text) },
	}
	return c, f, &told
}

func testJob() Job {
	return Job{
		Name: "repslab-1", Dir: "/d", Program: "./repslab", Sweep: []string{"sweep", "recycled", "--threshold=2*ln(n)"},
		Part: "part", Output: "/o's.jsonl", Tasks: 4, Logs: "log", Resources: Resources{CPUs: 1},
	}
}

// submissions returns how often each task was submitted.
func (c *cluster) submissions() map[int]int {
	n := map[int]int{}
	for _, j := range c.jobs {
		for task := range j.tasks {
			n[task]++
		}
	}
	return n
}
