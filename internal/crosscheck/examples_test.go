package crosscheck

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// exampleNames lists the folders of examples.
var exampleNames = []string{"balancer", "control", "deviations", "nic", "process", "sweep", "transport", "workload"}

// console is a command with its output.
type console struct{ command, output string }

// consoles returns the commands of a text, marked by "$ ", each with the lines that follow.
func consoles(text string) []console {
	var list []console
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, console{command: strings.TrimSpace(command)})
		} else if len(list) > 0 {
			list[len(list)-1].output += line
		}
	}
	return list
}

// consolesOf returns the commands of the package comment of an example.
func consolesOf(t *testing.T, name string) []console {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("examples", name, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(data), "\npackage main\n")
	var text strings.Builder
	for line := range strings.Lines(comment + "\n") {
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), "\t"))
	}
	list := consoles(text.String())
	if len(list) == 0 {
		t.Fatalf("examples/%s: the package comment has no command", name)
	}
	return list
}

// stranger is a copy of examples outside this repository, with programs in its folder bin.
type stranger struct{ dir string }

// newStranger copies examples to a new folder, as a module that replaces repslab by this
// folder, and builds them and the command repslab, without debugging information, which takes longest.
func newStranger(t *testing.T) *stranger {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{filepath.Join(t.TempDir(), "mine")}
	if err := os.CopyFS(s.dir, os.DirFS("examples")); err != nil {
		t.Fatal(err)
	}
	s.must(t, "go mod edit -replace repslab="+root)
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", filepath.Join(s.dir, "bin")+"/", "./cmd/repslab").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.must(t, "go build -ldflags=-w -o bin/ ./...")
	return s
}

// run runs a command in the copy and returns its output. Instead of go run it calls the
// programs built by newStranger.
func (s *stranger) run(command string) (string, error) {
	words := strings.Fields(strings.Replace(command, "go run ./", "bin/", 1))
	if words[0] == "repslab" || strings.HasPrefix(words[0], "bin/") {
		words[0] = filepath.Join(s.dir, "bin", filepath.Base(words[0]))
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must runs a command that must succeed.
func (s *stranger) must(t *testing.T, command string) string {
	t.Helper()
	out, err := s.run(command)
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return out
}

// trimmed removes spaces at the ends of lines, which comments lack.
func trimmed(text string) string {
	return strings.TrimSpace(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, ""))
}

// TestExamples runs the commands in the examples' package comments outside this repository:
// each must print the output shown there. It builds nine programs, and needs REPSLAB_LONG=1.
func TestExamples(t *testing.T) {
	needsLong(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the comments have the output of amd64; floating-point results of other architectures may differ")
	}
	s := newStranger(t)
	for _, name := range exampleNames {
		for _, c := range consolesOf(t, name) {
			if got := s.must(t, c.command); trimmed(got) != trimmed(c.output) {
				t.Errorf("%s prints\n%s\nthe comment of examples/%s says\n%s", c.command, got, name, c.output)
			}
		}
	}
	if info, err := os.Stat(filepath.Join(s.dir, "stale.pdf")); err != nil || info.Size() < 1000 {
		t.Errorf("repslab plot: %v, %v", info, err)
	}
	for path := range strings.FieldsSeq(s.must(t, "go list -deps ./nic")) {
		first, _, _ := strings.Cut(path, "/")
		_, ours := within(path)
		standard := !ours && !strings.Contains(first, ".")
		if !standard && path != "example.org/repslab-examples/nic" && path != "repslab/reps" && path != "repslab/faults" {
			t.Errorf("importing repslab/reps brings %s", path)
		}
	}
	s.checkSweep(t)
	s.checkWorkload(t)
}

// checkSweep checks that the finished file of the sweep depends neither on workers nor on
// interruptions.
func (s *stranger) checkSweep(t *testing.T) {
	path := filepath.Join(s.dir, "stale.jsonl")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := s.run("bin/sweep stale.jsonl"); err == nil || !strings.Contains(out, "exists") {
		t.Errorf("a second run: %v, %s", err, out)
	}
	for _, workers := range []string{"1", "5"} {
		if err := os.WriteFile(path, want[:len(want)/2], 0o644); err != nil {
			t.Fatal(err)
		}
		s.must(t, "bin/sweep -resume -workers "+workers+" stale.jsonl")
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s workers, resumed: another file, error %v", workers, err)
		}
	}
}

// checkWorkload checks that errors in a workload name line and column.
func (s *stranger) checkWorkload(t *testing.T) {
	const header = "source,destination,bytes,start_us\n"
	for text, want := range map[string]string{
		"source,dest,bytes,start_us\n":    `line 1, column 8: "dest" must be destination`,
		header + "1,2,3,4\n5,32,3,4\n":    `line 3, column 3: destination ("32") must be an integer in [0, 31]`,
		header + "1,2,0,4\n":              `line 2, column 5: bytes ("0") must be an integer in [1, 1000000000000]`,
		header + "1,2,3,x\n":              `line 2, column 7: start_us ("x") must be`,
		header + "7,7,3,4\n":              `line 2, column 3: destination (7) must differ from source`,
		header + "1,2,3\n":                `record on line 2: wrong number of fields`,
		header + "1,2,3,4\n1,\"2\",3\"\n": `line 3, column 8: bare " in non-quoted-field`,
		header:                            "fattree: Flows (0) must be in [1, ",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, "bad.csv"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := s.run("bin/workload bad.csv"); err == nil || !strings.Contains(out, "bad.csv: ") || !strings.Contains(out, want) {
			t.Errorf("%q: %v, %s, want %s", text, err, out, want)
		}
	}
}

// exampleFiles returns the text of the files of examples, by name.
func exampleFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS("examples"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join("examples", name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExamplesAreOutside: the examples are a module whose path cannot import the internal
// packages, and mention none of them.
func TestExamplesAreOutside(t *testing.T) {
	files := exampleFiles(t)
	var folders []string
	for name, text := range files {
		if strings.Contains(text, "internal/") {
			t.Errorf("examples/%s names an internal package", name)
		}
		if folder, file := filepath.Split(name); file == "main.go" {
			folders = append(folders, filepath.Clean(folder))
			if lines := strings.Count(text, "\n"); lines > 155 {
				t.Errorf("examples/%s has %d lines", name, lines)
			}
		}
	}
	if slices.Sort(folders); !slices.Equal(folders, exampleNames) {
		t.Errorf("the examples are %v, tested are %v", folders, exampleNames)
	}
	if strings.HasPrefix(files["go.mod"], "module repslab") {
		t.Errorf("the module of the examples may import internal packages:\n%s", files["go.mod"])
	}
}

// TestExamplesReadme: each row of the table has a command of an example's package comment
// and a line of its output.
func TestExamplesReadme(t *testing.T) {
	readme := exampleFiles(t)["README.md"]
	rows := regexp.MustCompile("(?m)^\\| \\[`(\\w+)`\\]\\((\\w+)/main.go\\) \\| .* \\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(readme, -1)
	if len(rows) != len(exampleNames) {
		t.Errorf("%d rows, want %d", len(rows), len(exampleNames))
	}
	for _, row := range rows {
		c := consolesOf(t, row[1])[0]
		if row[2] != row[1] || row[3] != c.command || !strings.Contains("\n"+c.output, "\n"+row[4]+"\n") {
			t.Errorf("%s: %q prints %q; the package comment has %q and\n%s", row[1], row[3], row[4], c.command, c.output)
		}
	}
}

// TestExtendingShowsExamples: the Go code and the output in docs/extending.md equal the code and output of
// the examples. It shows some of each but deviations, of which docs/conformance.md tells.
func TestExtendingShowsExamples(t *testing.T) {
	page, err := os.ReadFile("docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	files := exampleFiles(t)
	shown := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		found := ""
		for name := range maps.Keys(files) {
			if strings.Contains(files[name], block[1]) {
				found = filepath.Dir(name)
			}
		}
		if shown[found] = true; found == "" {
			t.Errorf("docs/extending.md shows code that no example contains:\n%s", block[1])
		}
	}
	for _, block := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for _, c := range consoles(block[1]) {
			known := slices.ContainsFunc(exampleNames, func(name string) bool {
				return slices.ContainsFunc(consolesOf(t, name), func(own console) bool {
					return own.command == c.command && trimmed(own.output) == trimmed(c.output)
				})
			})
			if !known {
				t.Errorf("docs/extending.md shows what no example prints:\n%s\n%s", c.command, c.output)
			}
		}
	}
	if len(shown) != len(exampleNames)-1 {
		t.Errorf("docs/extending.md shows code of %v", shown)
	}
}
