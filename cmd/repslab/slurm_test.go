package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slow is a sweep of 16 blocks of a second in 4 tasks.
func slow(more ...string) []string {
	return append([]string{"sleepy", "--ms", "250", "--replicas", "64", "--block", "4", "--tasks", "4"}, more...)
}

// disturbance interferes with a sweep on the cluster.
type disturbance struct {
	name string
	run  func(*testing.T, *realSlurm)
}

// disturbances lists those of TestSlurm, in order: each leaves the cluster whole. But for the first two,
// which take a quarter of a minute, they wait for timeouts of Slurm and need REPSLAB_LONG=1.
func disturbances() []disturbance {
	short := []disturbance{{"points that fail", failingPoints}, {"a task is killed", killedTask}}
	if os.Getenv("REPSLAB_LONG") == "" {
		return short
	}
	return append(short, []disturbance{
		{"left, cancelled and attached", leaveAndAttach},
		{"a person holds a task", heldTask},
		{"the controller is killed", killedController},
		{"the controller forgets what it started", forgottenTasks},
		{"a node's daemon is killed", killedDaemon},
		{"a node dies", deadNode},
	}...)
}

// TestSlurm runs sweeps on a real Slurm of two nodes and disturbs them: each ends
// with the file of the local engine, nothing lost, nothing double.
func TestSlurm(t *testing.T) {
	requireSlurm(t)
	leaveLink(t)
	s := startSlurm(t)
	t.Run("a partition that is none", func(t *testing.T) { refusedPartition(t, s) })
	t.Run("found without a word", foundWithoutAWord)
	t.Run("undisturbed", func(t *testing.T) {
		s.begin(t, "recycled", "--bins", "16..64:x2", "--threshold", "1*ln(n),4*ln(n)", "--replicas", "400").check()
	})
	ran, survived := 0, 0 // -run may choose some of them
	for _, d := range disturbances() {
		chosen := false
		if ok := t.Run(d.name, func(t *testing.T) { chosen = true; d.run(t, s) }); chosen {
			ran++
			if !ok {
				break // the cluster may not be whole, and each wait on it takes minutes
			}
			survived++
		}
	}
	t.Logf("disturbances of Slurm survived: %d of %d", survived, ran)
}

// refusedPartition: a job that Slurm refuses leaves nothing behind.
func refusedPartition(t *testing.T, s *realSlurm) {
	output := filepath.Join(t.TempDir(), "r.jsonl")
	cmd, said := s.command("sweep", "sleepy", "-o", output, "--engine", "slurm", "--tasks", "1", "--partition", "none")
	if err := finish(t, cmd); cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(said.String(), "nothing was submitted") {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := os.Stat(output + ".slurm"); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}

// leaveLink leaves the link of a cluster that was killed, unless there is one already.
func leaveLink(t *testing.T) {
	const link = "/run/slurm/conf/slurm.conf"
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(t.TempDir(), "slurm.conf")
	if err := os.WriteFile(dead, []byte("ClusterName=dead\nSlurmctldHost=localhost\nSlurmctldPort=9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dead, link); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}

// foundWithoutAWord: other programs find the cluster without SLURM_CONF, also where one
// that was killed has left its link.
func foundWithoutAWord(t *testing.T) {
	if _, err := os.Stat("/etc/slurm/slurm.conf"); err == nil {
		t.Skip("another Slurm is configured here")
	}
	t.Setenv("SLURM_CONF", "")
	os.Unsetenv("SLURM_CONF")
	if nodes, err := exec.Command("sinfo", "-h", "-o", "%D").CombinedOutput(); err != nil || strings.TrimSpace(string(nodes)) != "2" {
		t.Errorf("sinfo finds %q nodes, %v, want 2", nodes, err)
	}
}

func failingPoints(t *testing.T, s *realSlurm) {
	c := s.begin(t, "sleepy", "--ms", "0,13,1,14", "--replicas", "10", "--tasks", "3")
	if c.check(); c.code != exitFailed || !strings.Contains(c.said.String(), "2 of 4 points failed") {
		t.Errorf("code %d, want %d and the number of failed points", c.code, exitFailed)
	}
}

func killedTask(t *testing.T, s *realSlurm) {
	c := s.begin(t, slow()...)
	kill(t, c.waitForTasks(1)[0].pid)
	if c.check(); !strings.Contains(c.said.String(), "have ended unfinished and are submitted again") {
		t.Error("nothing was submitted again")
	}
}

// heldTask: a task that a person requeues and holds is waited for until the person
// releases it, and is not submitted again.
func heldTask(t *testing.T, s *realSlurm) {
	c := s.begin(t, slow()...)
	c.waitForTasks(2)
	queue, err := s.ask("squeue", "--noheader", "--name="+c.job().Name, "--states=running", "--format=%F_%K")
	if err != nil {
		t.Fatal(err)
	}
	task, _, _ := strings.Cut(queue, "\n")
	s.order(t, "scontrol", "requeuehold", task)
	s.waitFor(t, "the follower says that a job is held", func() bool {
		return strings.Contains(c.said.String(), "is held (job requeued in held state); scontrol release")
	})
	s.order(t, "scontrol", "release", task)
	if c.check(); strings.Contains(c.said.String(), "again") {
		t.Error("the task was submitted again")
	}
}

// killedController kills the controller after it saved the jobs. What it started since
// the last save, every five seconds, it forgets and starts again: then it may happen
// as in forgottenTasks, or not.
func killedController(t *testing.T, s *realSlurm) {
	c := s.begin(t, slow()...)
	c.waitForTasks(2)
	s.waitForSaved(t, c)
	kill(t, s.daemon("slurmctld"))
	s.restart("slurmctld", "slurmctld", "-D")
	c.check()
}

// waitForSaved waits until the controller has saved the jobs of a sweep, and returns
// what it saved.
func (s *realSlurm) waitForSaved(t *testing.T, c *clusterSweep) []byte {
	t.Helper()
	s.waitFor(t, "the sweep has a folder", func() bool {
		_, err := os.Stat(filepath.Join(c.folder(), jobFile))
		return err == nil
	})
	name := []byte(c.job().MergeName()) // submitted after the array
	var state []byte
	s.waitFor(t, "the controller has saved the jobs", func() bool {
		state, _ = os.ReadFile(filepath.Join(s.dir, "state", "job_state"))
		return bytes.Contains(state, name)
	})
	return state
}

// forgottenTasks lets the controller come back with the state from before it started
// two tasks. It starts them again under the same numbers; the nodes, which have not
// cleaned up the first copies, refuse ("already running, do not launch second copy"),
// and Slurm drains the nodes and holds the tasks. A closed partition and an epilog
// that waits fix this order of events; the follower sleeps meanwhile.
func forgottenTasks(t *testing.T, s *realSlurm) {
	s.waitFor(t, "both nodes are idle", s.idle)
	cleaning := s.slowEpilog(t)
	closed := time.Now()
	s.order(t, "scontrol", "update", "partitionname=local", "state=down")
	c := s.begin(t, slow()...)
	jobs := s.waitForSaved(t, c)
	partitions := filepath.Join(s.dir, "state", "part_state")
	s.waitFor(t, "the controller has saved the partition", func() bool {
		info, err := os.Stat(partitions)
		return err == nil && info.ModTime().After(closed)
	})
	saved := map[string][]byte{partitions: fileBytes(t, partitions), filepath.Join(s.dir, "state", "job_state"): jobs}
	s.order(t, "scontrol", "update", "partitionname=local", "state=up")
	for _, p := range c.waitForTasks(2) {
		send(t, p.pid, syscall.SIGSTOP) // else a slow restart finds their files finished
	}

	send(t, c.cmd.Process.Pid, syscall.SIGSTOP)
	kill(t, s.daemon("slurmctld"))
	if err := os.WriteFile(cleaning, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, data := range saved {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.restart("slurmctld", "slurmctld", "-D", "-R") // -R recovers the partition too, closed
	s.waitFor(t, "both nodes are idle", s.idle)
	s.order(t, "scontrol", "update", "partitionname=local", "state=up")
	s.waitFor(t, "both nodes are drained", func() bool {
		_, why := s.drained()
		return strings.Count(why, "Duplicate jobid") == 2
	})
	if err := os.Remove(cleaning); err != nil {
		t.Fatal(err)
	}
	s.waitFor(t, "two tasks are held", func() bool {
		out, _ := s.ask("squeue", "--noheader", "--array", "--name="+c.job().Name, "--format=%r")
		return strings.Count(out, "launch failed requeued held") == 2
	})

	send(t, c.cmd.Process.Pid, syscall.SIGCONT)
	s.waitFor(t, "the follower names the drained nodes", func() bool {
		return strings.Contains(c.said.String(), "Duplicate jobid")
	})
	if c.check(); !strings.Contains(c.said.String(), "tasks 1-2 of 4 have ended unfinished and are submitted again") {
		t.Error("the held tasks were not submitted again")
	}
}

// slowEpilog lets the nodes clean up after a job for as long as a file exists, whose
// path is returned.
func (s *realSlurm) slowEpilog(t *testing.T) string {
	t.Helper()
	cleaning, script := filepath.Join(s.dir, "cleaning"), filepath.Join(s.dir, "epilog")
	text := fmt.Sprintf("#!/bin/sh\nwhile [ -e '%s' ]; do sleep 0.1; done\n", cleaning)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(cleaning) }) // else the daemons do not end after a failure
	path := os.Getenv("SLURM_CONF")
	if err := os.WriteFile(path, append(fileBytes(t, path), "Epilog="+script+"\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	s.order(t, "scontrol", "reconfigure")
	return cleaning
}

func killedDaemon(t *testing.T, s *realSlurm) {
	s.waitFor(t, "both nodes are idle", s.idle)
	c := s.begin(t, slow()...)
	c.waitForTasks(2)
	kill(t, s.daemon("n1"))
	c.check()
	s.restart("n1", "slurmd", "-D", "-N", "n1")
}

func deadNode(t *testing.T, s *realSlurm) {
	s.waitFor(t, "both nodes are idle", s.idle)
	c := s.begin(t, slow()...)
	tasks := c.waitForTasks(2)
	kill(t, s.daemon("n1"))
	for _, p := range tasks {
		if p.node == "n1" {
			kill(t, p.parent) // slurmstepd, which would tell of the task's end
			kill(t, p.pid)
		}
	}
	c.check()
}

// leaveAndAttach leaves a sweep, cancels its jobs and comes back to it.
func leaveAndAttach(t *testing.T, s *realSlurm) {
	c := s.begin(t, slow()...)
	c.waitForTasks(1)
	second, said := s.command("sweep", "--attach", c.folder())
	if err := finish(t, second); err == nil || !strings.Contains(said.String(), "another process follows") {
		t.Errorf("a second follower: %v, %s", err, said)
	}
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := c.wait(); code != exitInterrupted || !strings.Contains(c.said.String(), "sweep --attach") {
		t.Fatalf("code %d: %s", code, c.said)
	}
	for _, name := range []string{c.job().Name, c.job().MergeName()} {
		if !strings.Contains(c.said.String(), "scancel --name="+name) {
			t.Errorf("no word on how to cancel %s: %s", name, c.said)
		}
		s.order(t, "scancel", "--name="+name)
	}
	s.waitFor(t, "the tasks have ended", func() bool { return len(c.tasks()) == 0 })
	c.cmd, c.said = s.command("sweep", "--attach", c.folder())
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if c.check(); !strings.Contains(c.said.String(), "are submitted as job") {
		t.Error("nothing was submitted")
	}
}
