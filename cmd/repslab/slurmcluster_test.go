package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
func (s *realSlurm) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(s.program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	return cmd, &said
}

// clusterSweep is a sweep that was begun on a cluster.
type clusterSweep struct {
	t      *testing.T
	slurm  *realSlurm
	output string
	cmd    *exec.Cmd
	said   *bytes.Buffer
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
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("%v: %s", err, said)
	}
	c := &clusterSweep{t: t, slurm: s, output: filepath.Join(dir, "a file.jsonl"), want: fileBytes(t, local), code: cmd.ProcessState.ExitCode()}
	c.cmd, c.said = s.command(append(args, "-o", c.output, "--engine", "slurm", "--time", "10")...)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// folder is where the tasks run.
func (c *clusterSweep) folder() string { return c.output + ".slurm" }

// job returns the job as its folder remembers it.
func (c *clusterSweep) job() slurm.Job {
	j, _, err := readFolder(append(models(), sleepyModel()), c.folder(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return j
}

// wait waits until following ends, and returns its exit code.
func (c *clusterSweep) wait() int {
	c.t.Helper()
	done := time.AfterFunc(20*time.Minute, func() { _ = c.cmd.Process.Kill() })
	defer done.Stop()
	_ = c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}

// check holds the merged file against that of the local engine, and that no block is
// there twice.
func (c *clusterSweep) check() {
	c.t.Helper()
	if code := c.wait(); code != c.code {
		c.t.Fatalf("code %d, want %d: %s%s", code, c.code, c.said, c.logs())
	}
	if got := fileBytes(c.t, c.output); !bytes.Equal(got, c.want) {
		c.t.Fatalf("the merged file differs from that of the local engine: %s", c.said)
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
		c.t.Errorf("something is there twice: %s%s", c.said, c.logs())
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
	waitFor(c.t, func() bool {
		list = c.tasks()
		return len(list) >= atLeast
	})
	return list
}

// kill ends a process at once.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
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
	cmd := exec.Command(command[0], command[1:]...)
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
	out, _ := exec.Command("sinfo", "-h", "-t", "idle", "-o", "%D").Output()
	return strings.TrimSpace(string(out)) == "2"
}
