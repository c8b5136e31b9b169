package vectors_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/vectors"
)

// file returns the bytes of the file of vectors.
func file(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := vectors.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFile pins the file, which users keep beside their implementation: a change of
// its bytes must be intended. It has a few thousand lines and less than 2 MB, and
// docs/vectors.md gives both numbers.
func TestFile(t *testing.T) {
	const want = "68bf3be470d46cecdf38bc8578639aa43055b3357680ba93222b0811d98e89df"
	data := file(t)
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != want {
		t.Errorf("the file has the SHA-256 %s, want %s", got, want)
	}
	lines := bytes.Count(data, []byte("\n"))
	t.Logf("%d lines, %d bytes", lines, len(data))
	if lines < 2000 || lines > 5000 || len(data) >= 2_000_000 {
		t.Errorf("%d lines and %d bytes, want 2,000 to 5,000 and less than 2,000,000", lines, len(data))
	}
	document, err := os.ReadFile("../../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	size := fmt.Sprintf("%d,%03d lines, %.1f MB,", lines/1000, lines%1000, float64(len(data))/1e6)
	if !strings.Contains(string(document), size) {
		t.Errorf("docs/vectors.md does not say %q", size)
	}
}

// lineOf returns the first line of the file with a text.
func lineOf(t *testing.T, text string) string {
	t.Helper()
	for line := range strings.Lines(string(file(t))) {
		if strings.Contains(line, text) {
			return line
		}
	}
	t.Fatalf("no line has %s", text)
	return ""
}

// TestDocumentedFormat: docs/vectors.md has a row for each field, each event and each
// variable, and its worked example is a line of the file.
func TestDocumentedFormat(t *testing.T) {
	text, err := os.ReadFile("../../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	events := map[vectors.Event]bool{}
	for _, v := range vectors.All() {
		events[v.Event] = true
	}
	if len(events) != 8 {
		t.Errorf("vectors of %d events, want 8", len(events))
	}
	for e := range events {
		if !strings.Contains(document, "| `"+string(e)+"` |") {
			t.Errorf("docs/vectors.md: no row for the event %s", e)
		}
	}
	var line, config map[string]json.RawMessage
	if err := json.Unmarshal([]byte(lineOf(t, `"event":"ack"`)), &line); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line["config"], &config); err != nil {
		t.Fatal(err)
	}
	for _, fields := range []map[string]json.RawMessage{line, config} {
		for name := range fields {
			if !strings.Contains(document, "| `"+name+"` |") {
				t.Errorf("docs/vectors.md: no row for the field %s", name)
			}
		}
	}
	for _, name := range []string{"cachedEV", "isValid", "head", "numberOfValidEVs", "exitFreezingMode", "isFreezingMode", "exploreCounter", "writtenSlots", "uses"} {
		if !strings.Contains(document, "`"+name+"` |") {
			t.Errorf("docs/vectors.md: no row for the variable %s", name)
		}
	}
	_, example, _ := strings.Cut(document, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if !strings.Contains(string(file(t)), "\n"+example) || !strings.HasSuffix(example, "}\n") {
		t.Errorf("docs/vectors.md shows a line that the file does not have: %s", example)
	}
}

// TestCasesAreChains: the lines of a case follow one another. But for decode, its first
// line starts from a new connection, and each other one from the state before it.
func TestCasesAreChains(t *testing.T) {
	seen := map[string]bool{}
	name, state := "", ""
	for i, v := range vectors.All() {
		if v.Event == vectors.Decode || v.Event == vectors.Encode {
			continue
		}
		if v.Case != name {
			if seen[v.Case] {
				t.Errorf("line %d: %s comes twice", i+1, v.Case)
			}
			name, state, seen[v.Case] = v.Case, strings.Repeat("0", len(*v.Before)), true
		}
		if *v.Before != state {
			t.Errorf("line %d, %s: starts from %s, want %s", i+1, v.Case, *v.Before, state)
		}
		state = *v.After
	}
	if len(seen) < 60 {
		t.Errorf("%d cases, want 60", len(seen))
	}
}

// replay runs the test of package reps that replays the vectors of a file, with
// further arguments of go test, and returns what it prints.
func replay(t *testing.T, arguments ...string) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vectors.jsonl")
	if err := os.WriteFile(path, file(t), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", slices.Concat([]string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-run=^TestVectors$"}, arguments, []string{"repslab/reps"})...)
	cmd.Env = append(os.Environ(), "REPSLAB_VECTORS="+path)
	return cmd.CombinedOutput()
}

// TestCoverage: replaying the vectors alone executes every statement of the rules,
// the encoding and the decoding.
func TestCoverage(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "profile")
	if out, err := replay(t, "-coverpkg=repslab/reps", "-coverprofile="+profile); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "cover", "-func="+profile).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// Functions of these files that no event calls: constructors, observers, and
	// OnNack, which has no statement.
	apart := []string{"New", "Init", "Config", "config", "OnNack", "Frozen", "ExitTime", "Exploring", "ValidEVs", "WrittenSlots", "AppendValid", "MarshalBinary"}
	whole := []string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line) // repslab/reps/FILE.go:LINE: FUNCTION PERCENT
		name, _, _ := strings.Cut(filepath.Base(words[0]), ".go:")
		if !slices.Contains([]string{"reps", "rules", "ring", "encode", "decode", "fields", "random"}, name) || slices.Contains(apart, words[1]) {
			continue
		}
		if words[2] != "100.0%" {
			t.Errorf("%s %s: %s of the statements, want 100.0%%", words[0], words[1], words[2])
		}
		whole = append(whole, words[1])
	}
	t.Logf("100 %% of %v", whole)
	for _, name := range []string{"OnAck", "OnFailure", "OnProbeReply", "NextEV", "cycle", "AppendBinary", "UnmarshalBinary", "checkValid"} {
		if !slices.Contains(whole, name) {
			t.Errorf("%s was not measured", name)
		}
	}
}

// TestMutants: replaying the vectors tells package reps from each of these mistakes
// that an implementation could make.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles package reps once for each mutant")
	}
	for _, m := range []struct{ name, file, before, after string }{
		{"a marked ACK is cached in freezing mode", "reps.go", "if marked {", "if marked && !r.frozen {"},
		{"an overwritten EV passes its uses on", "reps.go", "r.uses = 0\n\t} else {", "} else {"},
		{"uses are counted in 2 bits", "reps.go", "r.uses++", "r.uses = (r.uses + 1) & 3"},
		{"uses are counted in 3 bits", "reps.go", "r.uses++", "r.uses = (r.uses + 1) & 7"},
		{"uses above 3 are loaded as 3", "fields.go", "r.uses = uint8(value)", "r.uses = uint8(min(value, 3))"},
		{"a reuse count of 16 is stored in 4 bits", "rules.go", "uint8(c.ReuseCount)", "uint8(c.ReuseCount % 16)"},
		{"reuse counts above 8 count as 8", "rules.go", "uint8(c.ReuseCount)", "uint8(min(c.ReuseCount, 8))"},
		{"freezing mode uses an EV once", "reps.go", "if r.uses+1 < r.reuse {", "if r.uses+1 < r.reuse && !r.frozen {"},
		{"a reset keeps the uses", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, uses: r.uses}"},
		{"a reset keeps the ring", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, ring: r.ring}"},
		{"a reset keeps the number of slots written", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, ring: ring{written: r.ring.written}}"},
		{"a reset keeps the number of valid EVs", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, n: r.n}"},
		{"a reset keeps freezing mode", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, frozen: r.frozen}"},
		{"a reset keeps the deadline", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, exitTime: r.exitTime}"},
		{"a reset keeps the exploration", "reps.go", "*r = REPS{rules: r.rules}", "*r = REPS{rules: r.rules, explore: r.explore}"},
		{"any unmarked ACK past the deadline ends freezing mode, with probes too", "reps.go", "r.frozen && r.exit == ExitOnTimeout && after", "r.frozen && after"},
		{"the deadline ends freezing mode", "rules.go", "int32(now-deadline) > 0", "int32(now-deadline) >= 0"},
		{"times are compared without the wrap", "rules.go", "int32(now-deadline) > 0", "now > deadline"},
		{"a failure during exploration counts", "reps.go", "r.frozen || r.explore > 0 {", "r.frozen {"},
		{"a second failure moves the deadline", "reps.go", "r.disableFreezing || r.frozen ||", "r.disableFreezing ||"},
		{"exploration counts after the test", "reps.go", "r.explore--\n\t\tif r.multipleOfSize(r.explore) {", "r.explore--\n\t\tif r.multipleOfSize(r.explore + 1) {"},
		{"the ring is erased after freezing mode", "reps.go", "r.frozen = false\n", "r.frozen, r.ring, r.n = false, ring{}, 0\n"},
		{"exploration lasts for the window modulo 256", "reps.go", "min(r.window, 1<<8-1)", "r.window"},
		{"freezing mode reads slots never written", "reps.go", "if slot >= r.ring.written {", "if slot >= r.size {"},
		{"used EVs are read without freezing mode", "reps.go", "if r.frozen && r.ring.written > 0 {", "if r.ring.written > 0 {"},
		{"the newest EV is sent first", "reps.go", "r.ring.before(n, r.size)&31]\n\t\tif", "r.ring.before(1, r.size)&31]\n\t\tif"},
		{"the low bits of the random word count", "random.go", "high, _ :=", "_, high :="},
		{"the last byte is padded in front", "encode.go", "pending<<(8-used)", "pending"},
		{"a gap between valid slots is accepted", "decode.go", "missing != 0", "missing != 0 && false"},
	} {
		t.Run(m.name, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("../../reps", m.file))
			if err != nil {
				t.Fatal(err)
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), m.before); n != 1 {
				t.Fatalf("%s has %q %d times, want once", m.file, m.before, n)
			}
			dir := t.TempDir()
			mutant, overlay := filepath.Join(dir, m.file), filepath.Join(dir, "overlay.json")
			list, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{mutant: []byte(strings.Replace(string(source), m.before, m.after, 1)), overlay: list} {
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := replay(t, "-overlay="+overlay); err == nil || !strings.Contains(string(out), "--- FAIL: TestVectors") {
				t.Errorf("survives: %v\n%s", err, out)
			}
		})
	}
}

// ExampleAll counts the vectors in which a packet gets a cached EV in freezing mode:
// isFreezingMode is the first bit after 23 bytes of the default state.
func ExampleAll() {
	n := 0
	for _, v := range vectors.All() {
		if v.Event != vectors.NextEV || v.Config.BufferSize != 8 || !*v.Recycled {
			continue
		}
		state, err := hex.DecodeString(*v.Before)
		if err != nil {
			fmt.Println(err)
			return
		}
		if state[23]&0x80 != 0 {
			n++
		}
	}
	fmt.Println(n)
	// Output: 3
}
