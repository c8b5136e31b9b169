package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// startSlurm starts a Slurm of two nodes on this machine for the time of a test. Where Slurm is not installed it skips
// the test, or fails it where REPSLAB_REQUIRE says that Slurm must be there.
func startSlurm(t *testing.T) {
	t.Helper()
	if !strings.Contains(os.Getenv("REPSLAB_REQUIRE"), "slurm") && os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("starts the daemons of Slurm: REPSLAB_LONG=1 or REPSLAB_REQUIRE=slurm runs it")
	}
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
	if lack != "" {
		if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "slurm") {
			t.Fatal(lack)
		}
		t.Skip(lack)
	}
	dir, script := t.TempDir(), filepath.Join("..", "..", "scripts", "slurm-local")
	t.Cleanup(func() {
		if out, err := exec.Command(script, "down", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	up := exec.Command(script, "up", dir, "2")
	var said bytes.Buffer // not a pipe: the daemons outlive the script
	up.Stdout, up.Stderr = &said, &said
	if err := up.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
}

// inPath makes the test's program available as repslab.
func inPath(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "repslab")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestSlurm: a real Slurm takes the script of a sweep; the script of the tasks that are left, and then the script of
// the merge, lead to the file of one run.
func TestSlurm(t *testing.T) {
	startSlurm(t)
	inPath(t)
	t.Chdir(t.TempDir())
	args := []string{"sweep", "recycled", "--bins", "16..64:x2", "--threshold", "1*ln(n),4*ln(n)", "--replicas", "400"}
	want := mustSweep(t, "one.jsonl", append(args, "-o", "one.jsonl")...)
	args = append(args, "-o", "r.jsonl", "--print-script")
	submit := func(array string, more ...string) {
		t.Helper()
		o := repslab(t, append(args, more...)...)
		if o.code != exitDone || !strings.Contains(o.stdout, "#SBATCH --array="+array+"\n") {
			t.Fatalf("%+v, want the tasks %s", o, array)
		}
		if out, err := runWith(o.stdout, "sbatch", "--wait"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	submit("1-4", "--tasks", "4", "--time", "10")
	if err := os.Remove("r.jsonl.3-of-4"); err != nil {
		t.Fatal(err)
	}
	submit("3")
	o := repslab(t, args...)
	if out, err := runWith(o.stdout, "sbatch", "--wait"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !bytes.Equal(fileBytes(t, "r.jsonl"), want) {
		t.Error("the cluster's file differs from the file of one run")
	}
}

// runWith runs a program with an input and returns what it prints.
func runWith(input, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
