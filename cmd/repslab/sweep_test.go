package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
)

// TestSweepRowsEqualTheModels: for every model, with and without a stopping
// rule, exact points too, export prints what the model's own command prints.
func TestSweepRowsEqualTheModels(t *testing.T) {
	for _, command := range []string{
		"ballsbins --bins 4,8 --rounds 20 --every 8 --rule uniform,two-choice",
		"recycled --bins 8,16 --threshold ln(n),4*ln(n) --clocking self-clocked,round-robin --max-rounds 50",
		"coalescing --bins 8 --ack-ratio 1,4 --ack-variant carry,every-rth-round --rounds 30",
		"evs --flows 2 --evs 16,100 --method exact,multinomial,hash,crc32",
		"allocate --bins 8 --rule memory,token --information batched --weights unit,exponential --balls 60 --every 20",
	} {
		args := strings.Fields(command)
		for _, how := range [][2][]string{
			{{"--replicas", "100"}, {"--replicas", "100"}},
			{{"--precision", "0.05", "--replicas", "640"}, {"--precision", "0.05", "--max-replicas", "640"}},
		} {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			direct := repslab(t, slices.Concat(args, how[0], []string{"--format", "csv"})...)
			mustSweep(t, path, slices.Concat([]string{"sweep"}, args, how[1], []string{"-o", path, "--seed", "1"})...)
			export := repslab(t, "export", path)
			if direct.code != exitDone || export.code != exitDone || export.stdout != direct.stdout {
				t.Errorf("%s %v: the command prints\n%s\nthe sweep\n%s", command, how[0], direct.stdout, export.stdout)
			}
		}
	}
}

// TestResultFileIsJSONLines: every line is an object that others read.
func TestResultFileIsJSONLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	data := mustSweep(t, path, "sweep", "coalescing", "--bins", "8", "--rounds", "10", "--replicas", "70", "-o", path)
	for line := range bytes.Lines(data) {
		var object map[string]any
		if err := json.Unmarshal(line, &object); err != nil || object["crc32c"] == nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

// TestSweepReplicas: a sweep has the default number of replicas of the model's own command.
func TestSweepReplicas(t *testing.T) {
	for _, m := range cases.All() {
		want := fmt.Sprintf(`"replicas": "%d"`, m.Plan(0, 0, 0).Replicas)
		if o := repslab(t, "sweep", m.Name, "--print-config"); o.code != exitDone || !strings.Contains(o.stdout, want) {
			t.Errorf("%s: %+v, want %s", m.Name, o, want)
		}
	}
	own, swept := repslab(t, "fattree", "--help-all"), repslab(t, "sweep", "fattree", "--help-all")
	if !strings.Contains(own.stdout, "(default 3)") || !strings.Contains(swept.stdout, "independent runs of each point (default 3)") {
		t.Errorf("help says other defaults:\n%s", swept.stdout)
	}
}
