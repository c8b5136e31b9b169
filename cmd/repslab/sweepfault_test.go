package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"repslab/internal/console"
)

// TestFaultFailedPointExitsWithOne: a point that fails ends in code 1, its parameters are in the
// file, the others are done.
// It needs REPSLAB_LONG=1.
func TestFaultFailedPointExitsWithOne(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	t.Chdir(t.TempDir())
	o := sleepy("sweep", "sleepy", "--ms", "0,13,14,1", "--replicas", "4", "-o", "r.jsonl")
	if o.code != exitFailed || !strings.Contains(o.stderr, "2 of 4 points failed") {
		t.Errorf("%+v", o)
	}
	data := string(fileBytes(t, "r.jsonl"))
	if !strings.Contains(data, `"point":{"ms":13},"error":"thirteen"`) || !strings.Contains(data, `"point":{"ms":14},"error":"panic: fourteen"`) {
		t.Errorf("no failures in %s", data)
	}
	if o := sleepy("export", "r.jsonl"); strings.Count(o.stdout, "\n") != 3 || strings.Count(o.stderr, "failed: ") != 2 {
		t.Errorf("%+v", o)
	}
	t.Log("faults injected: 2 failing points")
}

// TestFaultKills kills the program at random moments and resumes it until it ends:
// the file equals the file of an undisturbed run. 5 kills, 50 with REPSLAB_LONG=1.
// It needs REPSLAB_LONG=1.
func TestFaultKills(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	kills := 5
	if os.Getenv("REPSLAB_LONG") != "" {
		kills = 50
	}
	dir := t.TempDir()
	args := []string{"sweep", "recycled", "--bins", "16..128:x2", "--start", "random", "--threshold", "1*ln(n),4*ln(n)", "--replicas", "6000", "--block", "60", "--resume", "--quiet", "-o"}
	whole := filepath.Join(dir, "whole.jsonl")
	if out, err := child(append(args, whole)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, all := fileBytes(t, whole), lines(whole)
	rng := rand.New(rand.NewPCG(7, 7))
	survived, midway, ends, torn := 0, 0, 0, 0
	for survived < kills {
		path := filepath.Join(dir, fmt.Sprintf("r%d.jsonl", ends))
		for done := false; !done; {
			cmd := child(append(args, path)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Three of four come at a random moment of the work, others earlier.
			goal := 0
			if rng.IntN(4) > 0 {
				goal = max(1, lines(path)) + 1 + rng.IntN(all/2)
			}
			err := killAt(cmd, rng, func() bool { return lines(path) >= goal })
			switch {
			case err == nil:
				done = true
			case cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
				survived++
				data, err := os.ReadFile(path)
				if err == nil && !bytes.HasSuffix(data, []byte("\n")) {
					torn++
				}
				if bytes.Count(data, []byte("\n")) > 1 {
					midway++
				}
			default:
				t.Fatalf("after %d kills: %v", survived, err)
			}
		}
		ends++
		if got := fileBytes(t, path); !bytes.Equal(got, want) {
			t.Fatalf("after %d kills the file differs from that of an undisturbed run", survived)
		}
	}
	if midway < survived/3 {
		t.Errorf("only %d of %d kills came after the first block", midway, survived)
	}
	t.Logf("kills survived: %d of %d, %d of them after the first block, in %d sweeps that all end in the file of an undisturbed run; %d torn lines", survived, survived, midway, ends, torn)
}

// TestFaultInterruptions: the first interruption lets the blocks under way finish,
// the second stops at once.
// It needs REPSLAB_LONG=1.
func TestFaultInterruptions(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	cmd := child("sweep", "sleepy", "--ms", "1000", "--replicas", "100", "--workers", "2", "-o", path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return lines(path) >= 3 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted: finishing 2 blocks") {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
	if want := fmt.Sprintf("r.jsonl holds %d finished blocks and the rows of 0 points; --resume continues with them\n", lines(path)-1); !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("stderr %q, want it to end with %q", stderr.String(), want)
	}
	if n := lines(path); n < 5 { // the header, two blocks before and those under way
		t.Errorf("%d lines, want at least 5", n)
	}

	stop := func(name string, wrap func(*exec.Cmd)) {
		path := filepath.Join(dir, name)
		cmd := child("sweep", "sleepy", "--ms", "1000000", "--replicas", "1", "-o", path)
		wrap(cmd)
		begun := &signalling{want: []byte("interrupted"), seen: make(chan struct{})}
		cmd.Stderr = begun
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return lines(path) >= 1 })
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		select {
		case <-begun.seen:
		case <-time.After(10 * time.Minute):
			t.Fatal("the first interruption was not noticed")
		}
		time.Sleep(togetherWithin)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // a million seconds, were it not stopped
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%s: ended with %v, want code %d", name, cmd.ProcessState, exitInterrupted)
		}
	}
	stop("long.jsonl", func(*exec.Cmd) {})
	// As shells start what they put into the background.
	stop("background.jsonl", func(cmd *exec.Cmd) {
		cmd.Path = "/bin/sh"
		cmd.Args = []string{"sh", "-c", `trap '' INT; exec "$0" -test.run='^TestSweepChild$'`, os.Args[0]}
	})
	t.Log("faults injected: 5 interruptions")
}

// killAt kills a process within a millisecond of the moment from which something
// holds, unless it ends before, and returns what waiting for it returns.
func killAt(cmd *exec.Cmd, rng *rand.Rand, holds func() bool) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Duration(rng.IntN(1_000_000))):
			if holds() {
				_ = cmd.Process.Kill()
				return <-ended
			}
		}
	}
}

// signalling closes a channel when a text was written to it.
type signalling struct {
	want []byte
	all  []byte
	seen chan struct{}
}

func (s *signalling) Write(p []byte) (int, error) {
	before := bytes.Contains(s.all, s.want)
	s.all = append(s.all, p...)
	if !before && bytes.Contains(s.all, s.want) {
		close(s.seen)
	}
	return len(p), nil
}

// lines counts the lines of a file, 0 if there is none.
func lines(path string) int {
	data, _ := os.ReadFile(path)
	return bytes.Count(data, []byte("\n"))
}

// waitFor waits until something holds, for ten minutes.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited ten minutes in vain")
		}
	}
}

// TestFaultTwoProcesses: the second process on a file is refused and changes
// nothing.
// It needs REPSLAB_LONG=1.
func TestFaultTwoProcesses(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	args := []string{"sweep", "sleepy", "--ms", "20", "--replicas", "100", "-o", path, "--resume"}
	first := child(args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return lines(path) >= 2 })
	if o := sleepy(args...); o.code != exitFailed || !strings.Contains(o.stderr, "is being written by another process") {
		t.Errorf("the second process: %+v", o)
	}
	if err := first.Wait(); err != nil {
		t.Errorf("the first process: %v", err)
	}
	if o := sleepy("export", path); strings.Count(o.stdout, "\n") != 2 || o.stderr != "" {
		t.Errorf("%+v", o)
	}
	t.Log("faults injected: 1 second writer")
}

// TestFaultDiskFull runs against a limit on the size of files, as a full disk: the
// error says what to do, what was finished stays, and with room the sweep ends in
// the file of an undisturbed run.
// It needs REPSLAB_LONG=1.
func TestFaultDiskFull(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	dir := t.TempDir()
	args := []string{"sweep", "recycled", "--bins", "16..64:x2", "--start", "random", "--replicas", "600", "--quiet"}
	whole := filepath.Join(dir, "whole.jsonl")
	want := mustSweep(t, whole, append(args, "-o", whole)...)
	limits := 0
	for _, kib := range []int{1, 4, 16, 33} {
		path := filepath.Join(dir, fmt.Sprintf("r%d.jsonl", kib))
		again := append(args, "-o", path, "--resume")
		limited := exec.Command("bash", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" -test.run='^TestSweepChild$'`, kib), os.Args[0])
		limited.Env = child(again...).Env
		out, err := limited.CombinedOutput()
		if err == nil || limited.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(out), "file too large") {
			t.Errorf("%d KiB: %v, %q", kib, err, out)
		}
		data := fileBytes(t, path)
		held := "holds no finished block"
		if blocks := bytes.Count(data, []byte(`"tally"`)); blocks > 0 {
			held = "holds " + console.Count(blocks, "finished block")
		}
		if !strings.Contains(string(out), held) {
			t.Errorf("%d KiB: %q, want it to say %q", kib, out, held)
		}
		whole := len(data) == 0 || bytes.HasSuffix(data, []byte("\n")) // a header above 1 KiB leaves nothing
		if len(data) > kib<<10 || !whole || kib > 1 && lines(path) < 3 {
			t.Errorf("%d KiB: %d bytes and %d lines are left", kib, len(data), lines(path))
		}
		if got := mustSweep(t, path, again...); !bytes.Equal(got, want) {
			t.Errorf("%d KiB: resumed with room the file differs", kib)
		}
		limits++
	}
	t.Logf("faults injected: %d full disks", limits)
}

// limitsOfFiles are the KiB that a file may have: nothing, and with REPSLAB_LONG a part of the output too.
func limitsOfFiles() []int {
	if os.Getenv("REPSLAB_LONG") != "" {
		return []int{0, 4}
	}
	return []int{0}
}

// TestFaultOutputsOnFullDisk: an output for which there is no room leaves nothing behind.
// It needs REPSLAB_LONG=1.
func TestFaultOutputsOnFullDisk(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "out.svg")
	mustSweep(t, in, "sweep", "recycled", "--bins", "8..99", "--start", "random", "--replicas", "10", "--quiet", "-o", in)
	limits := 0
	for _, line := range []string{
		"export " + in, "export --long " + in, "show " + in, "show --format json " + in, "compare " + in + " " + in,
		"plot --x bins --y rounds_mean " + in, "recycled --bins 8..99 --start random --replicas 2 --format csv", "vectors",
	} {
		for _, kib := range limitsOfFiles() {
			limited := exec.Command("bash", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" -test.run='^TestSweepChild$'`, kib), os.Args[0])
			limited.Env = child(append(strings.Fields(line), "-o", out)...).Env
			text, err := limited.CombinedOutput()
			if err == nil || limited.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(text), "file too large") {
				t.Errorf("%s, %d KiB: %v, %q", line, kib, err, text)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Fatalf("%s, %d KiB: the folder holds %v, error %v", line, kib, entries, err)
			}
			limits++
		}
	}
	t.Logf("faults injected: %d full disks", limits)
}

// TestFaultReadOnly: where nothing can be written the error says so and the code is
// 2: the place is what the user gave.
// It needs REPSLAB_LONG=1.
func TestFaultReadOnly(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	dir, err := os.MkdirTemp("", "repslab-readonly-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "repslab.test")
	program, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(binary, program, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o555)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := child("sweep", "sleepy", "-o", filepath.Join(dir, "r.jsonl"))
	cmd.Path, cmd.Dir = binary, "/"
	if os.Geteuid() == 0 { // permissions do not bind root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "permission denied") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "r.jsonl")); !os.IsNotExist(err) && err != fs.ErrNotExist {
		t.Errorf("a file was written: %v", err)
	}
	t.Log("faults injected: 1 read-only directory")
}
