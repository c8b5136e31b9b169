package crosscheck

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestStagesHaveLimits: every command of .ci/run that builds, tests, installs or uses the
// network runs under the time limit of its stage.
func TestStagesHaveLimits(t *testing.T) {
	data, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	long := regexp.MustCompile(`\bgo (test|vet|run|build|list|mod|tool)\b|\b(apt-get|npm|pdflatex|scripts/notebooks|gofmt|staticcheck\[@\]) |\bgotest\b`)
	limited := regexp.MustCompile(`\b(within|quietly|gotest|timeout)\b`)
	notCommands := regexp.MustCompile(`^(#|step |command -v|staticcheck=|\[)`)
	checked := 0
	for number, line := range strings.Split(string(data), "\n") {
		command := strings.TrimSpace(line)
		at := long.FindStringIndex(command)
		if at == nil || notCommands.MatchString(command) {
			continue
		}
		checked++
		if !limited.MatchString(command[:at[1]]) {
			t.Errorf(".ci/run:%d: %q has no time limit", number+1, command)
		}
	}
	if checked < 25 {
		t.Errorf("%d commands were found, of 25 or more", checked)
	}
}

// script runs lines of bash after the lines of .ci/stages and returns their output.
func script(lines string) (string, error) {
	out, err := exec.Command("bash", "-c", "set -euo pipefail\nsource .ci/stages\n"+lines).CombinedOutput()
	return string(out), err
}

// TestStageThatHangs: a stage that reaches its limit, or the total, is stopped with its
// children; its output so far, its name and the times of all stages are printed.
// It needs REPSLAB_LONG=1.
func TestStageThatHangs(t *testing.T) {
	needsLong(t)
	for _, limits := range []string{"limit=1", "total=1"} {
		began := time.Now()
		// Descriptor 3 keeps the output open until the last child has exited.
		out, err := script(limits + ` grace=1 usual=([quick]=5 [hangs]=1)
exec 3>&1
step quick
within echo fine
step hangs
quietly sh -c 'echo begun; sleep 300 & wait'
echo unreached
`)
		if err == nil || time.Since(began) > time.Minute {
			t.Errorf("%s: error %v after %v", limits, err, time.Since(began))
		}
		for _, want := range []string{"fine\n", "begun\n", "stopped, as hangs takes too long: sh -c", "!!! hangs failed (exit code 124", "quick  ", "hangs  "} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in:\n%s", limits, want, out)
			}
		}
		if strings.Contains(out, "unreached") {
			t.Errorf("%s: the script went on:\n%s", limits, out)
		}
	}
}
