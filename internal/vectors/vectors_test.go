package vectors_test

import (
	"bytes"
	"cmp"
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

// vectorsFile writes the file of vectors and returns its path.
func vectorsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vectors.jsonl")
	if err := os.WriteFile(path, file(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// replay runs the test of package reps that replays the vectors of a file, with
// further arguments of go test, and returns what it prints.
func replay(t *testing.T, arguments ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command("go", slices.Concat([]string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-run=^TestVectors$"}, arguments, []string{"repslab/reps"})...)
	cmd.Env = append(os.Environ(), "REPSLAB_VECTORS="+vectorsFile(t))
	return cmd.CombinedOutput()
}

// TestCoverage: replaying the vectors alone executes every statement of the rules,
// the encoding and the decoding.
// It needs REPSLAB_LONG=1.
func TestCoverage(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
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
	// Panics about what a program has forgotten, which no vector reaches.
	// takes is Config.FrozenCache, which is not the pseudocode's.
	but := map[string]string{"draw": "75.0%", "mustBeReady": "50.0%", "takes": "50.0%"}
	whole := []string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line) // repslab/reps/FILE.go:LINE: FUNCTION PERCENT
		name, _, _ := strings.Cut(filepath.Base(words[0]), ".go:")
		if !slices.Contains([]string{"reps", "rules", "ring", "encode", "decode", "fields", "random"}, name) || slices.Contains(apart, words[1]) {
			continue
		}
		if want := cmp.Or(but[words[1]], "100.0%"); words[2] != want {
			t.Errorf("%s %s: %s of the statements, want %s", words[0], words[1], words[2], want)
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

// mutants are mistakes that an implementation could make, each an edit of a file of
// package reps.
var mutants = []struct{ name, file, before, after string }{
	{"a marked ACK is cached in freezing mode", "reps.go", "if marked {", "if marked && !r.frozen {"},
	{"an overwritten EV passes its uses on", "reps.go", "r.uses = 0\n\t\t} else {", "} else {"},
	{"uses are counted in 2 bits", "reps.go", "r.uses++", "r.uses = (r.uses + 1) & 3"},
	{"uses are counted in 3 bits", "reps.go", "r.uses++", "r.uses = (r.uses + 1) & 7"},
	{"uses above 3 are loaded as 3", "fields.go", "uint8(exchange(width, uint32(r.uses)))", "uint8(min(exchange(width, uint32(r.uses)), 3))"},
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
	{"a second failure moves the deadline", "reps.go", "r.caching == noFreezing || r.frozen ||", "r.caching == noFreezing ||"},
	{"exploration counts after the test", "reps.go", "r.explore--\n\t\tif r.multipleOfSize(r.explore) {", "r.explore--\n\t\tif r.multipleOfSize(r.explore + 1) {"},
	{"the ring is erased after freezing mode", "reps.go", "r.frozen = false\n", "r.frozen, r.ring, r.n = false, ring{}, 0\n"},
	{"exploration lasts for the window modulo 256", "reps.go", "min(r.window, 1<<8-1)", "r.window"},
	{"freezing mode reads slots never written", "reps.go", "if slot >= r.ring.written {", "if slot >= r.size {"},
	{"used EVs are read without freezing mode", "reps.go", "if r.frozen && r.ring.written > 0 {", "if r.ring.written > 0 {"},
	{"the newest EV is sent first", "reps.go", "r.ring.before(n, r.size)&31]\n\t\tif", "r.ring.before(1, r.size)&31]\n\t\tif"},
	{"the low bits of the random word count", "random.go", "high, _ :=", "_, high :="},
	{"the last byte is padded in front", "encode.go", "pending<<(8-used)", "pending"},
	{"a gap between valid slots is accepted", "decode.go", "missing != 0", "missing != 0 && false"},
}

// TestMutants: replaying the vectors tells package reps from each mutant. A module has a
// copy of package reps and of its replaying test for each of them, so that one program
// is linked. The copy without a mistake replays the vectors. It needs REPSLAB_LONG=1.
func TestMutants(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1: compiles package reps once for each mutant")
	}
	module := t.TempDir()
	var imports, calls strings.Builder
	add := func(name string, edit func(file, source string) string) {
		own := strings.NewReplacer(`"repslab/reps"`, `"repslab/`+name+`/reps"`, `"repslab/internal/vectors"`, `"repslab/`+name+`/vectors"`,
			"package reps_test", "package replay")
		copyPackage(t, filepath.Join(module, name, "reps"), "../../reps", edit)
		copyPackage(t, filepath.Join(module, name, "vectors"), ".", func(_, source string) string { return own.Replace(source) })
		write(t, filepath.Join(module, name, "replay/replay.go"), own.Replace(read(t, "../../reps/replay_test.go")))
		fmt.Fprintf(&imports, "\t%s \"repslab/%s/replay\"\n", name, name)
		fmt.Fprintf(&calls, "\tt.Run(%q, %s.TestVectors)\n", name, name)
	}
	add("original", nil)
	for i, m := range mutants {
		edited := false
		add(fmt.Sprintf("mutant%d", i), func(file, source string) string {
			if file != m.file {
				return source
			}
			if n := strings.Count(source, m.before); n != 1 {
				t.Fatalf("%s has %q %d times, want once", m.file, m.before, n)
			}
			edited = true
			return strings.Replace(source, m.before, m.after, 1)
		})
		if !edited {
			t.Fatalf("there is no %s", m.file)
		}
	}
	copyPackage(t, filepath.Join(module, "mrc"), "../../mrc", nil) // which package vectors imports too
	copyPackage(t, filepath.Join(module, "faults"), "../../faults", nil)
	write(t, filepath.Join(module, "go.mod"), "module repslab\n\ngo 1.26.0\n")
	write(t, filepath.Join(module, "all_test.go"), "package all\n\nimport (\n\t\"testing\"\n\n"+imports.String()+")\n\nfunc TestAll(t *testing.T) {\n"+calls.String()+"}\n")
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-trimpath", "-ldflags=-s -w", "-v", ".")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "REPSLAB_VECTORS="+vectorsFile(t), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, _ := cmd.CombinedOutput() // it fails if a mutant is found
	if !bytes.Contains(out, []byte("--- PASS: TestAll/original ")) {
		t.Fatalf("the original does not pass\n%s", out)
	}
	for i, m := range mutants {
		if !bytes.Contains(out, fmt.Appendf(nil, "--- FAIL: TestAll/mutant%d ", i)) {
			t.Errorf("%s: survives", m.name)
		}
	}
}

// read returns a file as text.
func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// write writes a file and the folders above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// copyPackage copies the files of a package that are no tests, edited unless edit is
// nil.
func copyPackage(t *testing.T, to, from string, edit func(file, source string) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source := read(t, path)
		if edit != nil {
			source = edit(name, source)
		}
		write(t, filepath.Join(to, name), source)
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
