package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
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

// errUnmutated is returned for a package whose tests fail without a change.
var errUnmutated = errors.New("the tests fail without a change")

// trial holds the settings of a mutant's tests.
type trial struct {
	limit time.Duration // of the tests of a package
	cpu   time.Duration // limit of the time on a processor, which a busy machine does not stretch; 0 is none
	also  []string      // directories of further packages whose tests count
	quick []string      // tests of the package that take little time, and go first
}

// try runs the tests of a package, then those of the packages in also, with a changed file. A
// mutant whose run exceeds the limit hangs.
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
	binary := filepath.Join(scratch, "tests")
	if compiled, err := compile(dir, overlay, binary); err != nil || !compiled {
		return invalid, err
	}
	quick := "^(" + strings.Join(t.quick, "|") + ")$"
	found, _, err := t.run(binary, dir, "-test.run", quick)
	if err == nil && found == survived {
		found, _, err = t.run(binary, dir, "-test.skip", quick)
	}
	for i, other := range t.also {
		if err != nil || found != survived {
			break
		}
		binary := filepath.Join(scratch, fmt.Sprint("also", i))
		if compiled, err := compile(other, overlay, binary); err != nil || !compiled {
			return invalid, err
		}
		found, _, err = t.run(binary, other, "-test.short")
	}
	return found, err
}

// compile builds the test binary of a package and reports whether it compiles.
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

// run runs a test binary in the folder of its package.
func (t *trial) run(binary, dir string, flags ...string) (found outcome, out []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.limit+time.Minute)
	defer cancel()
	arguments := append([]string{binary, "-test.failfast", "-test.timeout", t.limit.String()}, flags...)
	if t.cpu > 0 {
		limited := []string{"sh", "-c", `ulimit -t "$0" && exec "$@"`, fmt.Sprint(int(t.cpu.Seconds()))}
		arguments = append(limited, arguments...)
	}
	cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	cmd.Dir = dir
	out, err = cmd.CombinedOutput()
	failed := new(exec.ExitError)
	switch {
	case err == nil:
		return survived, out, nil
	case !errors.As(err, &failed):
		return 0, out, err
	case failed.ExitCode() < 0 || strings.Contains(string(out), "panic: test timed out"):
		return hung, out, nil // by a signal, or its own clock
	}
	return killed, out, nil
}

// took is a line of a test that passed.
var took = regexp.MustCompile(`(?m)^--- PASS: (\S+) \(([0-9.]+)s\)`)

// spent returns the processor time of all commands run so far.
func spent() time.Duration {
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return 0
	}
	return time.Duration(children.Utime.Nano() + children.Stime.Nano())
}

// prepare checks that the tests pass without a change, and selects the quick ones, which
// together take a tenth of the time.
func (t *trial) prepare(dir string) error {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	overlay, binary := filepath.Join(scratch, "overlay.json"), filepath.Join(scratch, "tests")
	if err := os.WriteFile(overlay, []byte("{}"), 0o600); err != nil {
		return err
	}
	if compiled, err := compile(dir, overlay, binary); err != nil || !compiled {
		return errors.Join(err, fmt.Errorf("%s: the tests do not compile", dir))
	}
	t.cpu = 0
	before := spent()
	found, out, err := t.run(binary, dir, "-test.v")
	if err != nil || found != survived {
		return errors.Join(err, fmt.Errorf("%s: %w", dir, errUnmutated))
	}
	t.cpu = 20*time.Second + 5*(spent()-before)
	seconds, all := map[string]float64{}, 0.0
	for _, m := range took.FindAllStringSubmatch(string(out), -1) {
		if seconds[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			return err
		}
		all += seconds[m[1]]
	}
	tests := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[a], seconds[b]), cmp.Compare(a, b))
	})
	sum := 0.0
	t.quick = t.quick[:0]
	for _, name := range tests {
		if sum += seconds[name]; sum > all/10 {
			break
		}
		t.quick = append(t.quick, name)
	}
	return nil
}
