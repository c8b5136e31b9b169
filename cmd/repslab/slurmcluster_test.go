package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"repslab/internal/slurm"
)

// requireSlurm skips a test where Slurm is not installed, or fails it where
// REPSLAB_REQUIRE says that it must be.
func requireSlurm(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	lack := ""
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil {
			lack = program + " is missing: install Debian's slurm-wlm and munge"
		}
	}
	if os.Geteuid() != 0 {
		lack = "Slurm's daemons need root"
	}
	if lack == "" {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "slurm") {
		t.Fatal(lack)
	}
	t.Skip(lack)
}

// realSlurm is a Slurm of two nodes on this machine.
type realSlurm struct {
	t       *testing.T
	dir     string
	program string
}

// patience bounds every wait for the cluster; what is waited for takes seconds.
const patience = 2 * time.Minute

// transcript collects what a command prints, and can be read while it runs.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (r *transcript) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// String returns the output so far.
func (r *transcript) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// startSlurm starts a Slurm for the time of a test.
func startSlurm(t *testing.T) *realSlurm {
	t.Helper()
	requireSlurm(t)
	s := &realSlurm{t: t, dir: t.TempDir()}
	script := filepath.Join("..", "..", "scripts", "slurm-local")
	t.Cleanup(func() {
		if out, err := exec.Command(script, "down", s.dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	up := exec.Command(script, "up", s.dir, "2")
	var said bytes.Buffer
	up.Stdout, up.Stderr = &said, &said
	if err := up.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	t.Setenv("SLURM_CONF", filepath.Join(s.dir, "slurm.conf"))
	s.program = filepath.Join(s.dir, programFile)
	if err := os.Symlink(os.Args[0], s.program); err != nil {
		t.Fatal(err)
	}
	return s
}

// command returns the program with arguments.
func (s *realSlurm) command(args ...string) (*exec.Cmd, *transcript) {
	cmd := exec.Command(s.program, args...)
	said := &transcript{}
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// finish runs a command to its end, which it must reach before patience ends.
func finish(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	impatience := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	if !impatience.Stop() {
		t.Fatalf("%q has not ended after %v", cmd.Args, patience)
	}
	return err
}

// ask returns what a command of Slurm prints. The command ends after 30 seconds even if
// the controller does not answer.
func (s *realSlurm) ask(command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%q: %w: %s", command, err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// order runs a command of Slurm that must succeed.
func (s *realSlurm) order(t *testing.T, command ...string) {
	t.Helper()
	if _, err := s.ask(command...); err != nil {
		t.Fatal(err)
	}
}

// waitFor waits until something holds. When patience ends, the test fails and prints
// the state of the cluster.
func (s *realSlurm) waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for this: %s\n%s", patience, what, s.state())
		}
	}
}

// state returns the queue, the nodes and the last lines of the daemons' logs.
func (s *realSlurm) state() string {
	text := ""
	for _, command := range [][]string{
		{"squeue", "--states=all", "--array", "--format=%F_%K %j %T %N (%r)"},
		{"sinfo", "--Node", "--long"},
		{"sinfo", "--list-reasons", "--long"},
	} {
		out, err := s.ask(command...)
		text += fmt.Sprintf("\n$ %s\n%s\n", strings.Join(command, " "), out)
		if err != nil {
			text += err.Error() + "\n"
		}
	}
	logs, _ := filepath.Glob(filepath.Join(s.dir, "*.log"))
	for _, path := range logs {
		data, _ := os.ReadFile(path)
		last := slices.Collect(strings.Lines(string(data)))
		last = last[max(0, len(last)-40):]
		text += fmt.Sprintf("\n%s, last lines:\n%s", filepath.Base(path), strings.Join(last, ""))
	}
	return text
}

// drained returns the nodes that Slurm has taken out of service, as scontrol takes
// them, and why.
func (s *realSlurm) drained() (nodes []string, why string) {
	out, err := s.ask("sinfo", "--noheader", "--Node", "--states=drain", "--format=%N %E")
	if err != nil { // the controller may be starting
		return nil, ""
	}
	for line := range strings.Lines(out) {
		node, _, _ := strings.Cut(line, " ")
		nodes = append(nodes, node)
	}
	return nodes, out
}

// resume returns drained nodes to service, as the administrator of a cluster does.
func (s *realSlurm) resume(t *testing.T) {
	t.Helper()
	if nodes, why := s.drained(); len(nodes) > 0 {
		t.Logf("Slurm drained nodes, which are resumed:\n%s", why)
		s.order(t, "scontrol", "update", "nodename="+strings.Join(nodes, ","), "state=resume")
	}
}

// clusterSweep is a sweep that was begun on a cluster.
type clusterSweep struct {
	t      *testing.T
	slurm  *realSlurm
	output string
	cmd    *exec.Cmd
	said   *transcript
	want   []byte // the file of the local engine
	code   int    // with which that ended
}

// begin runs a sweep on this machine and begins it on the cluster.
func (s *realSlurm) begin(t *testing.T, args ...string) *clusterSweep {
	t.Helper()
	dir := t.TempDir()
	local := filepath.Join(dir, "local.jsonl")
	args = append([]string{"sweep"}, args...)
	cmd, said := s.command(append(args, "-o", local, "--workers", "64")...)
	if err := finish(t, cmd); err != nil && cmd.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("%v: %s", err, said)
	}
	c := &clusterSweep{t: t, slurm: s, output: filepath.Join(dir, "a file.jsonl"), want: fileBytes(t, local), code: cmd.ProcessState.ExitCode()}
	c.cmd, c.said = s.command(append(args, "-o", c.output, "--engine", "slurm", "--time", "10")...)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // an error if it has ended
		if t.Failed() {
			t.Logf("the follower printed:\n%s\nlogs of the tasks:%s", c.said, c.logs())
		}
	})
	return c
}

// folder is where the tasks run.
func (c *clusterSweep) folder() string { return c.output + ".slurm" }

// job returns the job as its folder remembers it.
func (c *clusterSweep) job() slurm.Job {
	j, _, err := readFolder(context.Background(), append(models(), sleepyModel()), c.folder(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return j
}

// wait waits until following ends, and returns its exit code. In the meantime it
// returns nodes to service.
func (c *clusterSweep) wait() int {
	c.t.Helper()
	ended := make(chan struct{})
	go func() {
		_ = c.cmd.Wait()
		close(ended)
	}()
	for deadline := time.Now().Add(patience); ; {
		select {
		case <-ended:
			return c.cmd.ProcessState.ExitCode()
		case <-time.After(time.Second):
			c.slurm.resume(c.t)
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the sweep has not ended after %v\n%s", patience, c.slurm.state())
		}
	}
}

// check holds the merged file against that of the local engine, and that no block is
// there twice.
func (c *clusterSweep) check() {
	c.t.Helper()
	if code := c.wait(); code != c.code {
		c.t.Fatalf("code %d, want %d\n%s", code, c.code, c.slurm.state())
	}
	if got := fileBytes(c.t, c.output); !bytes.Equal(got, c.want) {
		c.t.Fatal("the merged file differs from that of the local engine")
	}
	keys := map[string]bool{}
	parts, _ := filepath.Glob(filepath.Join(c.folder(), "part.*-of-*"))
	for _, path := range parts {
		for line := range bytes.Lines(fileBytes(c.t, path)) {
			if !bytes.HasPrefix(line, []byte(`{"key":"`)) || bytes.Contains(line[:60], []byte("/failed")) {
				continue
			}
			key, _, _ := strings.Cut(string(line[len(`{"key":"`):]), `"`)
			if keys[key] {
				c.t.Errorf("%s is there twice", key)
			}
			keys[key] = true
		}
	}
	if strings.Contains(c.said.String()+c.logs(), "twice") {
		c.t.Error("something is there twice")
	}
}

// logs returns what the tasks said.
func (c *clusterSweep) logs() string {
	text := ""
	paths, _ := filepath.Glob(filepath.Join(c.folder(), logsFolder, "*"))
	for _, path := range paths {
		text += fmt.Sprintf("\n%s: %s", filepath.Base(path), fileBytes(c.t, path))
	}
	return text
}

// process is a task that runs.
type process struct {
	pid, parent int
	node        string
}

// tasks returns the processes of the sweep's tasks that run and have recorded a
// block.
func (c *clusterSweep) tasks() []process {
	var list []process
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if cwd, err := os.Readlink(filepath.Join(dir, "cwd")); err != nil || cwd != c.folder() {
			continue
		}
		words, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		arguments := strings.Split(string(words), "\x00")
		at := slices.Index(arguments, "--shard")
		if at < 0 || lines(filepath.Join(c.folder(), "part."+strings.ReplaceAll(arguments[at+1], "/", "-of-"))) < 2 {
			continue
		}
		var p process
		var state rune
		status, _ := os.ReadFile(filepath.Join(dir, "stat"))
		_, _ = fmt.Sscanf(string(status), "%d (repslab) %c %d", &p.pid, &state, &p.parent)
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		for _, variable := range strings.Split(string(environment), "\x00") {
			if node, ok := strings.CutPrefix(variable, "SLURMD_NODENAME="); ok {
				p.node = node
			}
		}
		list = append(list, p)
	}
	return list
}

// waitForTasks waits until some tasks have recorded a block.
func (c *clusterSweep) waitForTasks(atLeast int) []process {
	c.t.Helper()
	var list []process
	c.slurm.waitFor(c.t, fmt.Sprintf("%d tasks have recorded a block", atLeast), func() bool {
		list = c.tasks()
		return len(list) >= atLeast
	})
	return list
}

// kill ends a process at once.
func kill(t *testing.T, pid int) {
	t.Helper()
	send(t, pid, syscall.SIGKILL)
}

// send sends a signal to a process, which must be there.
func send(t *testing.T, pid int, what syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, what); err != nil {
		t.Fatal(err)
	}
}

// daemon returns the process of a daemon of the cluster.
func (s *realSlurm) daemon(name string) int {
	s.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(string(fileBytes(s.t, filepath.Join(s.dir, name+".pid")))))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// restart starts a daemon that was killed.
func (s *realSlurm) restart(name string, command ...string) {
	s.t.Helper()
	log, err := os.OpenFile(filepath.Join(s.dir, name+".log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	path := filepath.Join(s.dir, name+".pid")
	if err := os.WriteFile(path, []byte(strconv.Itoa(cmd.Process.Pid)), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// idle says whether both nodes wait for work.
func (s *realSlurm) idle() bool {
	out, _ := s.ask("sinfo", "--noheader", "--states=idle", "--format=%D")
	return out == "2"
}
