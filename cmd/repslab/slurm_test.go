package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// slow is a sweep of 16 blocks of a second in 4 tasks.
func slow(more ...string) []string {
	return append([]string{"sleepy", "--ms", "250", "--replicas", "64", "--block", "4", "--tasks", "4"}, more...)
}

// disturbance is what befalls a sweep on the cluster.
type disturbance struct {
	name string
	run  func(*testing.T, *realSlurm)
}

// disturbances lists those of TestSlurm, in order: each leaves the cluster whole.
func disturbances() []disturbance {
	return []disturbance{
		{"points that fail", failingPoints},
		{"a task is killed", killedTask},
		{"left, cancelled and attached", leaveAndAttach},
		{"the controller is killed", killedController},
		{"a node's daemon is killed", killedDaemon},
		{"a node dies", deadNode},
	}
}

// TestSlurm runs sweeps on a real Slurm of two nodes and disturbs them: each ends
// with the file of the local engine, nothing lost, nothing double.
func TestSlurm(t *testing.T) {
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
			if ok {
				survived++
			}
		}
	}
	t.Logf("disturbances of Slurm survived: %d of %d", survived, ran)
}

// refusedPartition: a job that Slurm refuses leaves nothing behind.
func refusedPartition(t *testing.T, s *realSlurm) {
	output := filepath.Join(t.TempDir(), "r.jsonl")
	cmd, said := s.command("sweep", "sleepy", "-o", output, "--engine", "slurm", "--tasks", "1", "--partition", "none")
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(said.String(), "nothing was submitted") {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := os.Stat(output + ".slurm"); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}

// foundWithoutAWord: other programs find the cluster without SLURM_CONF.
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
		t.Errorf("code %d: %s", c.code, c.said)
	}
}

func killedTask(t *testing.T, s *realSlurm) {
	c := s.begin(t, slow()...)
	kill(t, c.waitForTasks(1)[0].pid)
	if c.check(); !strings.Contains(c.said.String(), "have ended unfinished and are submitted again") {
		t.Errorf("nothing was submitted again: %s", c.said)
	}
}

func killedController(t *testing.T, s *realSlurm) {
	c := s.begin(t, slow()...)
	c.waitForTasks(2)
	// What the controller has not saved, every five seconds, it forgets; then jobs
	// of the same number collide on the nodes, which Slurm takes out of service.
	waitFor(t, func() bool {
		state, _ := os.ReadFile(filepath.Join(s.dir, "state", "job_state"))
		return bytes.Contains(state, []byte(c.job().MergeName()))
	})
	kill(t, s.daemon("slurmctld"))
	s.restart("slurmctld", "slurmctld", "-D")
	c.check()
}

func killedDaemon(t *testing.T, s *realSlurm) {
	waitFor(t, s.idle)
	c := s.begin(t, slow()...)
	c.waitForTasks(2)
	kill(t, s.daemon("n1"))
	c.check()
	s.restart("n1", "slurmd", "-D", "-N", "n1")
}

func deadNode(t *testing.T, s *realSlurm) {
	waitFor(t, s.idle)
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
	if err := second.Run(); err == nil || !strings.Contains(said.String(), "another process follows") {
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
		if out, err := exec.Command("scancel", "--name="+name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	waitFor(t, func() bool { return len(c.tasks()) == 0 })
	c.cmd, c.said = s.command("sweep", "--attach", c.folder())
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if c.check(); !strings.Contains(c.said.String(), "are submitted as job") {
		t.Errorf("nothing was submitted: %s", c.said)
	}
}
