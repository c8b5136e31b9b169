package crosscheck

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strconv"
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

// TestBudgetsFitTheTotal: the stages of .ci/run are those with a budget, and the budgets sum
// to less than the total.
func TestBudgetsFitTheTotal(t *testing.T) {
	data, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "\nbudget=(\n")
	list, rest, _ := strings.Cut(rest, "\n)\n")
	sum, budgets := 0, map[string]bool{}
	for _, m := range regexp.MustCompile(`\["?([^]"]+)"?\]=(\d+)`).FindAllStringSubmatch(list, -1) {
		seconds, _ := strconv.Atoi(m[2])
		sum, budgets[m[1]] = sum+seconds, true
	}
	total := 0
	if _, err := fmt.Sscanf(rest, "total=%d", &total); err != nil || sum == 0 || sum >= total {
		t.Errorf("budgets sum to %d s of %d (%v)", sum, total, err)
	}
	stages := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^step "(.*)"$`).FindAllStringSubmatch(rest, -1) {
		stages[m[1]] = true
	}
	if !maps.Equal(stages, budgets) {
		t.Errorf("stages %v, budgets for %v", stages, budgets)
	}
}

// TestStageThatHangs: a stage that exceeds its limit is stopped with its children; its
// output so far, its name and the times of all stages are printed.
func TestStageThatHangs(t *testing.T) {
	// Descriptor 3 keeps the output open until the last child has exited.
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
