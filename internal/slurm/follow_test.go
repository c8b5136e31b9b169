package slurm

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
)

// allComplete is a cluster on which nothing goes wrong.
func allComplete(c *cluster) { c.schedule(func(int, int) string { return "COMPLETED" }) }

// TestFollowToTheEnd: one array and one merging job, which has ended when following
// does.
func TestFollowToTheEnd(t *testing.T) {
	c, f, told := newCluster(t, allComplete)
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(c.submissions(), map[int]int{1: 1, 2: 1, 3: 1, 4: 1}) || len(c.jobs) != 2 || c.jobs[1].state != "COMPLETED" || len(*told) != 1 {
		t.Errorf("submissions %v, %d jobs, told %q", c.submissions(), len(c.jobs), *told)
	}
	if !strings.Contains(strings.Join(c.commands, "\n"), "sbatch --parsable --chdir=/d --array=1-4\nsbatch --parsable --chdir=/d --dependency=afterok:1") {
		t.Errorf("commands %q", c.commands)
	}
}

// TestFollowSubmitsAgainWhatFailed: tasks that fail in any way, with some blocks
// done, run again, the others do not; the merging job is replaced.
func TestFollowSubmitsAgainWhatFailed(t *testing.T) {
	for _, state := range []string{"FAILED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "DEADLINE"} {
		c, f, told := newCluster(t, func(c *cluster) {
			c.schedule(func(job, task int) string {
				if job == 1 && task%2 == 0 {
					c.written[task] = 3
					return state
				}
				return "COMPLETED"
			})
		})
		if err := f.Run(context.Background()); err != nil {
			t.Fatalf("%s: %v", state, err)
		}
		if !maps.Equal(c.submissions(), map[int]int{1: 1, 2: 2, 3: 1, 4: 2}) || len(*told) != 2 || !strings.Contains((*told)[1], "tasks 2,4 of 4 have ended unfinished") {
			t.Errorf("%s: submissions %v, told %q", state, c.submissions(), *told)
		}
		if last := c.jobs[len(c.jobs)-1]; c.jobs[1].state != "CANCELLED" || last.name != "repslab-1-merge" || last.state != "COMPLETED" {
			t.Errorf("%s: the first merging job is %s, the last %+v", state, c.jobs[1].state, last)
		}
	}
}

// TestFollowForgottenJobs: a controller that forgets all jobs, and does not answer
// for a while, loses nothing.
func TestFollowForgottenJobs(t *testing.T) {
	c, f, told := newCluster(t, nil)
	c.turn = func(c *cluster) {
		c.fail = map[string]error{}
		switch c.sleeps {
		case 1:
			c.jobs = nil
		case 3, 4, 5:
			c.fail["squeue"] = errDown
		case 6:
			c.fail["sbatch"] = errDown
		}
		allComplete(c)
	}
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(*told, "\n"), "does not answer") {
		t.Errorf("told %q", *told)
	}
	for task := 1; task <= 4; task++ {
		if c.written[task] != 10 {
			t.Errorf("task %d has %d blocks", task, c.written[task])
		}
	}
}

// TestFollowGivesUpWithoutProgress: a task that ends three times with no new block
// ends the sweep; one that does a block each time goes on.
func TestFollowGivesUpWithoutProgress(t *testing.T) {
	c, f, _ := newCluster(t, func(c *cluster) { c.schedule(func(int, int) string { return "FAILED" }) })
	if err := f.Run(context.Background()); !errors.Is(err, ErrFutile) || c.submissions()[1] != maxFutile {
		t.Errorf("error %v after %d submissions, want %v after %d", err, c.submissions()[1], ErrFutile, maxFutile)
	}
	c, f, _ = newCluster(t, func(c *cluster) {
		c.schedule(func(_, task int) string {
			if c.written[task]++; c.written[task] < 10 {
				return "TIMEOUT"
			}
			return "COMPLETED"
		})
	})
	if err := f.Run(context.Background()); err != nil || c.submissions()[3] != 10 {
		t.Errorf("error %v after %d submissions, want none after 10", err, c.submissions()[3])
	}
}

// TestFollowStopsWhenCancelled: who cancels tasks means it; who comes back wants
// them, and what is cancelled by then is submitted again.
func TestFollowStopsWhenCancelled(t *testing.T) {
	c, f, _ := newCluster(t, func(c *cluster) {
		if c.sleeps == 2 {
			for task := range c.jobs[0].tasks {
				c.jobs[0].tasks[task] = "CANCELLED"
			}
		}
		allComplete(c)
	})
	if err := f.Run(context.Background()); !errors.Is(err, ErrCancelled) || len(c.jobs) != 2 {
		t.Fatalf("error %v, %d jobs", err, len(c.jobs))
	}
	if err := f.Run(context.Background()); err != nil || !maps.Equal(c.submissions(), map[int]int{1: 2, 2: 2, 3: 2, 4: 2}) {
		t.Errorf("error %v, submissions %v", err, c.submissions())
	}
}

// TestFollowCompletingWhenAttached: what was cancelled before somebody came back, and
// is only now over, is no new cancellation.
func TestFollowCompletingWhenAttached(t *testing.T) {
	c, f, _ := newCluster(t, nil)
	c.number = 1
	c.jobs = []*fakeJob{{number: 1, name: "repslab-1", tasks: map[int]string{1: "COMPLETING", 2: "CANCELLED"}}}
	c.turn = func(c *cluster) {
		if c.sleeps == 1 {
			c.jobs[0].tasks[1] = "CANCELLED"
		}
		allComplete(c)
	}
	if err := f.Run(context.Background()); err != nil || !maps.Equal(c.submissions(), map[int]int{1: 2, 2: 2, 3: 1, 4: 1}) {
		t.Errorf("error %v, submissions %v", err, c.submissions())
	}
}

// TestFollowLeftAndAttached: an interruption leaves the jobs running, and attaching again
// submits no job twice.
func TestFollowLeftAndAttached(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c, f, _ := newCluster(t, func(*cluster) { cancel() })
	if err := f.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	c.turn = allComplete
	if err := f.Run(context.Background()); err != nil || len(c.jobs) != 2 {
		t.Errorf("error %v, %d jobs", err, len(c.jobs))
	}
	// All is done: Slurm need not even be there.
	c.fail["squeue"] = errDown
	if err := f.Run(context.Background()); err != nil || len(c.jobs) != 2 {
		t.Errorf("error %v, %d jobs", err, len(c.jobs))
	}
	c.written[2] = 9
	if err := f.Run(context.Background()); !errors.Is(err, errDown) {
		t.Errorf("error %v, want %v", err, errDown)
	}
}

// TestFollowFailedPoints: a task that finishes its file and exits with 1 is not run
// again, and the merging job, which never will, is cancelled.
func TestFollowFailedPoints(t *testing.T) {
	c, f, _ := newCluster(t, func(c *cluster) {
		c.schedule(func(_, task int) string {
			c.written[task] = c.blocks[task]
			return "FAILED"
		})
	})
	if err := f.Run(context.Background()); err != nil || len(c.jobs) != 2 || c.jobs[1].state != "CANCELLED" {
		t.Errorf("error %v, %d jobs, the second %+v", err, len(c.jobs), c.jobs[1])
	}
}

// TestFollowHeld: a job that a user or an administrator holds is told of once, and
// waited for.
func TestFollowHeld(t *testing.T) {
	for _, c := range []struct{ reason, detail, why string }{
		{"JobHeldUser", "", "JobHeldUser"},
		{"JobHeldAdmin", "", "JobHeldAdmin"},
		{"JobHeldUser", "job requeued in held state", "job requeued in held state"},
	} {
		cl, f, told := newCluster(t, nil)
		cl.turn = func(cl *cluster) {
			cl.jobs[0].reason, cl.jobs[0].detail = c.reason, c.detail
			if cl.sleeps > 3 {
				cl.jobs[0].reason, cl.jobs[0].detail = "None", ""
				allComplete(cl)
			}
		}
		if err := f.Run(context.Background()); err != nil || len(cl.jobs) != 2 {
			t.Fatalf("%+v: error %v, %d jobs", c, err, len(cl.jobs))
		}
		if n := strings.Count(strings.Join(*told, "\n"), "job 1 is held ("+c.why+"); scontrol release 1"); n != 1 {
			t.Errorf("%+v: told %d times: %q", c, n, *told)
		}
	}
}

const (
	launchFailed = "launch failed requeued held"
	duplicates   = "2026-11-20T08:00:00|n7|drained|disk\n2026-11-22T05:04:44|n[1-2]|drained|Duplicate jobid\n2026-11-22T05:04:44|n[1-2]|drained|Duplicate jobid\n"
)

// TestFollowLaunchFailed: tasks that Slurm holds after a failed launch run in a new
// job, the others go on, and the nodes that are out of service are told with their
// reasons. A controller that forgot what it had started leaves such tasks.
func TestFollowLaunchFailed(t *testing.T) {
	for _, description := range []string{launchFailed, "launch_failed_requeued_held"} {
		c, f, told := newCluster(t, nil)
		c.reasons = duplicates
		c.turn = func(c *cluster) {
			if c.sleeps == 2 {
				c.written[1] = 3
				c.jobs[0].hold(1, description)
				c.jobs[0].hold(2, description)
			}
			allComplete(c)
		}
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(c.submissions(), map[int]int{1: 2, 2: 2, 3: 1, 4: 1}) || c.jobs[0].tasks[1] != "CANCELLED" {
			t.Errorf("%s: submissions %v, the first job has %v", description, c.submissions(), c.jobs[0].tasks)
		}
		said := strings.Join(*told, "\n")
		for _, want := range []string{
			"could not start 1_[1-2] and holds it (" + description + ")",
			"n[1-2]: drained since 2026-11-22T05:04:44 (Duplicate jobid); an administrator returns it to service with scontrol update nodename=n[1-2] state=resume\nn7: drained",
			"tasks 1-2 of 4 have ended unfinished",
		} {
			if strings.Count(said, want) != 1 {
				t.Errorf("%s: told %q, want %q once", description, *told, want)
			}
		}
	}
}

// TestFollowOutOfService: of many nodes that are out of service some are named, and a cluster that
// does not name them is followed all the same.
func TestFollowOutOfService(t *testing.T) {
	for _, c := range []struct {
		reasons string
		fail    error
		want    string
		times   int
	}{
		{"2026-11-20T08:00:00|n1|down|a\n2026-11-20T08:00:00|n2|down|b\n2026-11-20T08:00:00|n3|down|c\n" +
			"2026-11-20T08:00:00|n4|down|d\n2026-11-20T08:00:00|n5|down|e\n", nil, "state=resume", maxOutOfService},
		{"2026-11-20T08:00:00|n1|down|a\n2026-11-20T08:00:00|n2|down|b\n2026-11-20T08:00:00|n3|down|c\n" +
			"2026-11-20T08:00:00|n4|down|d\n2026-11-20T08:00:00|n5|down|e\n", nil, "other nodes are out of service too", 1},
		{"", errDown, "the states of the nodes are unknown", 1},
	} {
		cl, f, told := newCluster(t, nil)
		cl.reasons = c.reasons
		if c.fail != nil {
			cl.fail["sinfo"] = c.fail
		}
		cl.turn = func(cl *cluster) {
			if cl.sleeps == 2 {
				cl.jobs[0].hold(1, launchFailed)
			}
			allComplete(cl)
		}
		if err := f.Run(context.Background()); err != nil || strings.Count(strings.Join(*told, "\n"), c.want) != c.times {
			t.Errorf("error %v, told %q, want %q %d times", err, *told, c.want, c.times)
		}
	}
}

// TestFollowNeverStarted: a task that Slurm fails to start three times ends the sweep.
// Requeues beyond the cluster's limit are no decision of a person either.
func TestFollowNeverStarted(t *testing.T) {
	for _, description := range []string{launchFailed, "JobHoldMaxRequeue"} {
		c, f, _ := newCluster(t, nil)
		c.turn = func(c *cluster) {
			for _, j := range c.jobs {
				if j.tasks[3] == "PENDING" {
					j.hold(3, description)
				}
			}
			allComplete(c)
		}
		if err := f.Run(context.Background()); !errors.Is(err, ErrLaunch) || c.submissions()[3] != maxFutile || c.submissions()[1] != 1 {
			t.Errorf("%s: error %v, submissions %v", description, err, c.submissions())
		}
	}
}

// TestFollowHeldButFinished: a task that Slurm holds after a failed launch is
// cancelled but not submitted again if its first copy finished the file.
func TestFollowHeldButFinished(t *testing.T) {
	c, f, _ := newCluster(t, nil)
	c.turn = func(c *cluster) {
		if c.sleeps == 2 {
			c.written[1] = 10
			c.jobs[0].hold(1, launchFailed)
		}
		allComplete(c)
	}
	if err := f.Run(context.Background()); err != nil || len(c.jobs) != 2 || c.jobs[0].tasks[1] != "CANCELLED" || c.jobs[1].state != "CANCELLED" {
		t.Errorf("error %v, %d jobs, the first %+v, the second %+v", err, len(c.jobs), c.jobs[0], c.jobs[1])
	}
}

// TestFollowMergeNeverStarted: a merging job that Slurm could not start is cancelled;
// whoever follows merges.
func TestFollowMergeNeverStarted(t *testing.T) {
	c, f, _ := newCluster(t, nil)
	c.turn = func(c *cluster) {
		if c.sleeps == 1 {
			*c.jobs[1] = fakeJob{number: 2, name: f.Job.MergeName(), state: "PENDING", reason: "JobHeldUser", detail: launchFailed}
		}
		allComplete(c)
	}
	if err := f.Run(context.Background()); err != nil || len(c.jobs) != 2 || c.jobs[1].state != "CANCELLED" {
		t.Errorf("error %v, %d jobs, the second %+v", err, len(c.jobs), c.jobs[1])
	}
}

// TestFollowCannotCancel: what Slurm holds and refuses to cancel ends the sweep, not
// before the third refusal.
func TestFollowCannotCancel(t *testing.T) {
	for _, refusals := range []int{maxFutile - 1, maxFutile} {
		c, f, _ := newCluster(t, nil)
		c.turn = func(c *cluster) {
			switch c.sleeps {
			case 2:
				c.jobs[0].hold(4, launchFailed)
				c.fail["scancel"] = errDown
			case 2 + refusals:
				delete(c.fail, "scancel")
			}
			allComplete(c)
		}
		if err := f.Run(context.Background()); errors.Is(err, errDown) != (refusals == maxFutile) {
			t.Errorf("%d refusals: error %v", refusals, err)
		}
	}
}

// TestFollowRefused: what Slurm refuses at first is an error, not a loop.
func TestFollowRefused(t *testing.T) {
	c, f, _ := newCluster(t, allComplete)
	refusal := errors.New("slurm: sbatch: invalid partition")
	c.fail["sbatch"] = refusal
	if err := f.Run(context.Background()); !errors.Is(err, refusal) || !errors.Is(err, ErrRefused) || c.sleeps != 0 {
		t.Errorf("error %v after %d sleeps", err, c.sleeps)
	}
}
