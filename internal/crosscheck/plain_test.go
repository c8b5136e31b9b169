package crosscheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// optionFiles are the files of what only some runs have.
var optionFiles = regexp.MustCompile(`^repslab/fattree/((headers|routing|nic|short|trace)|transport/(doubleturns|early|granting|inherit|messages|nic|requests|rules|sleek|subflows))\.go$`)

// TestPlainRunsAskForNothing: a run without options executes no line of an option's file for a packet. What it
// executes there belongs to the beginning of the run: at most once for each of its 16 ports and hosts of a switch,
// each of 12 switches and each of 32 flows, when it sends 8,000 packets and more. It compiles the network with
// counters, and needs REPSLAB_LONG=1.
func TestPlainRunsAskForNothing(t *testing.T) {
	needsLong(t)
	profile := filepath.Join(t.TempDir(), "cover")
	out, err := exec.Command("go", "test", "-count=1", "-run", "^TestPlainRun$", "-covermode=count",
		"-coverpkg=repslab/fattree,repslab/fattree/transport", "-coverprofile="+profile, "./fattree/transport").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	const most = 12 * 16
	busy, looked := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^(\S+\.go):(\d+)\.\S* \d+ (\d+)$`).FindAllStringSubmatch(string(data), -1) {
		count, err := strconv.Atoi(m[3])
		if err != nil {
			t.Fatal(err)
		}
		if count > 8000 {
			busy++
		}
		if optionFiles.MatchString(m[1]) {
			looked++
			if count > most {
				t.Errorf("%s:%s is executed %d times", m[1], m[2], count)
			}
		}
	}
	if busy < 50 || looked < 200 {
		t.Errorf("%d blocks of lines are executed for each packet, and %d are options': the profile is not whole", busy, looked)
	}
}
