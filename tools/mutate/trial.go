package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// outcome is the tests' verdict on a mutant.
type outcome int

const (
	survived outcome = iota
	killed
	hung    // noticed, by a test that does not end
	invalid // does not compile
)

// trial holds the settings of a mutant's tests.
type trial struct {
	limit time.Duration // of the tests of a package
	cpu   time.Duration // limit of the time on a processor, which a busy machine does not stretch; 0 is none
	also  []string      // directories of further packages whose tests count, in short mode
}

// try runs the tests of a package, the short ones first, then those of the packages in also,
// with a changed file. A mutant whose run exceeds the limit hangs.
func (t *trial) try(dir string, file string, source []byte) (outcome, error) {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	changed, overlay := filepath.Join(scratch, "mutant.go"), filepath.Join(scratch, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return 0, err
	}
	if err := errors.Join(os.WriteFile(changed, source, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil {
		return 0, err
	}
	for i, tested := range append([]string{dir}, t.also...) {
		binary := filepath.Join(scratch, "tests"+strconv.Itoa(i))
		if compiled, err := compile(tested, overlay, binary); err != nil || !compiled {
			return invalid, err
		}
		found, _, err := t.run(binary, tested, "-test.short")
		if i == 0 && err == nil && found == survived {
			found, _, err = t.run(binary, tested)
		}
		if err != nil || found != survived {
			return found, err
		}
	}
	return survived, nil
}

// compile builds the test binary of a package, with the files that an overlay replaces, and
// reports whether it compiles.
func compile(dir, overlay, binary string) (bool, error) {
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", binary, "-overlay", overlay, ".")
	cmd.Dir = dir
	if err := cmd.Run(); err != nil {
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			return false, nil
		}
		return false, err
	}
	if _, err := os.Stat(binary); err != nil {
		return false, fmt.Errorf("%s: no tests", dir)
	}
	return true, nil
}

// run runs a test binary in the folder of its package and returns the time on a processor.
func (t *trial) run(binary, dir string, flags ...string) (found outcome, spent time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.limit+time.Minute)
	defer cancel()
	arguments := append([]string{binary, "-test.failfast", "-test.timeout", t.limit.String()}, flags...)
	if t.cpu > 0 {
		limited := []string{"sh", "-c", `ulimit -t "$0" && exec "$@"`, fmt.Sprint(int(t.cpu.Seconds()))}
		arguments = append(limited, arguments...)
	}
	cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	failed := new(exec.ExitError)
	if err != nil && !errors.As(err, &failed) {
		return 0, 0, err
	}
	spent = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case err == nil:
		return survived, spent, nil
	case failed.ExitCode() < 0 || strings.Contains(string(out), "panic: test timed out"):
		return hung, spent, nil // by a signal, or its own clock
	}
	return killed, spent, nil
}

// prepare checks that the tests pass without a change, and limits the time on a processor.
func (t *trial) prepare(dir string) error {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	binary := filepath.Join(scratch, "tests")
	if compiled, err := compile(dir, "", binary); err != nil || !compiled {
		return errors.Join(err, fmt.Errorf("%s: the tests do not compile", dir))
	}
	t.cpu = 0
	found, spent, err := t.run(binary, dir)
	if err != nil || found != survived {
		return errors.Join(err, fmt.Errorf("%s: the tests fail without a change", dir))
	}
	t.cpu = 20*time.Second + 5*spent
	return nil
}
