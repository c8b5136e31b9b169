package crosscheck

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestStagesHaveLimits: every command of .ci/run that builds, tests, installs or talks
// to a network runs within the limit of its stage.
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
			t.Errorf(".ci/run:%d: %q may run without end", number+1, command)
		}
	}
	if checked < 25 {
		t.Errorf("%d commands were found, of 25 or more", checked)
	}
}

// TestStageThatHangs: a stage that exceeds its limit ends with its children, prints
// what it printed so far, and names the stage and the times of all.
func TestStageThatHangs(t *testing.T) {
	// Descriptor 3 keeps the output open until the last child has ended.
	const script = `set -euo pipefail
source .ci/stages
slack=0 grace=1 budget=([quick]=5 [hangs]=1)
exec 3>&1
step quick
within echo fine
step hangs
quietly sh -c 'echo begun; sleep 300 & wait'
echo unreached
`
	began := time.Now()
	out, err := exec.Command("bash", "-c", script).CombinedOutput()
	if err == nil || time.Since(began) > time.Minute {
		t.Errorf("error %v after %v", err, time.Since(began))
	}
	for _, want := range []string{"fine\n", "begun\n", "stopped, as hangs takes too long: sh -c", "!!! hangs failed (exit code 124", "quick  ", "hangs  "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "unreached") {
		t.Errorf("the script went on:\n%s", out)
	}
}
