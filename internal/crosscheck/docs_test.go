package crosscheck

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
)

// TestDocsNameEveryPackage: docs/architecture.md has a row for every package, and the documentation of the
// module has one for those that other modules can import.
func TestDocsNameEveryPackage(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range allowed {
		if name != "." && !strings.HasSuffix(name, "test") && !strings.Contains(string(page), "| [`"+name+"`](../"+name+") |") {
			t.Errorf("docs/architecture.md: no row for %s", name)
		}
		top, _, _ := strings.Cut(name, "/")
		if !slices.Contains([]string{".", "cmd", "internal", "notebooks", "scripts", "tools"}, top) && !strings.Contains(string(root), "\n//\t"+name+" ") {
			t.Errorf("doc.go: no line for %s", name)
		}
	}
}

// A code span of a page that looks like an exported identifier, and the words of source code.
var (
	exportedSpan = regexp.MustCompile("`([A-Z]\\w*[a-z]\\w*(?:\\.\\w+)*)(?:\\(\\))?`")
	sourceWord   = regexp.MustCompile(`\w+`)
	placedNames  = regexp.MustCompile("((?:`[\\w.]+`,? )+)in \\[`[^`]+`\\]\\(\\.\\./([^)]+\\.go)\\)")
)

// TestArchitectureNamesPlaces: what docs/architecture.md says is in a file is declared there.
func TestArchitectureNamesPlaces(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	places := placedNames.FindAllStringSubmatch(string(page), -1)
	for _, place := range places {
		source, err := os.ReadFile(place[2])
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range strings.Split(strings.TrimSuffix(place[1], "` "), "`, ") {
			name := span[strings.LastIndexAny(span, "`.")+1:] // next of `node.next
			if !regexp.MustCompile(`(?m)^\t?(func|type|var|const)?\s?(\([^)]*\) )?` + name + `\b`).Match(source) {
				t.Errorf("docs/architecture.md: %s is not declared in %s", name, place[2])
			}
		}
	}
	if len(places) < 8 {
		t.Errorf("%d places were checked, want 8 or more", len(places))
	}
}

// TestDocsNameWhatExists: an identifier in code font in a page is in the source.
func TestDocsNameWhatExists(t *testing.T) {
	words := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err != nil || ext != ".go" && ext != ".v" {
			return err
		}
		data, err := os.ReadFile(name)
		for _, word := range sourceWord.FindAllString(string(data), -1) {
			words[word] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := filepath.Glob("docs/*.md") // the pattern is well-formed
	checked := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range exportedSpan.FindAllStringSubmatch(string(text), -1) {
			checked++
			for _, word := range strings.Split(span[1], ".") {
				if !words[word] {
					t.Errorf("%s: %s is not in the source", page, span[1])
				}
			}
		}
	}
	if checked < 70 {
		t.Errorf("%d names were checked, want 70 or more", checked)
	}
}

// fileInComment is a Go file that a comment names, perhaps with its folder.
var fileInComment = regexp.MustCompile(`\b[\w./-]*\w\.go\b`)

// TestCommentsNameFiles: a Go file that a comment names is in the folder of the comment or, with its folder, in the
// module.
func TestCommentsNameFiles(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		source, err := os.ReadFile(name)
		for _, line := range strings.Split(string(source), "\n") {
			comment, is := strings.CutPrefix(strings.TrimSpace(line), "//")
			if !is || strings.Contains(comment, "example.com") || strings.Contains(comment, "FILE.go") {
				continue
			}
			for _, file := range fileInComment.FindAllString(comment, -1) {
				checked++
				_, beside := os.Stat(filepath.Join(filepath.Dir(name), file))
				if _, fromRoot := os.Stat(file); beside != nil && fromRoot != nil {
					t.Errorf("%s: there is no file %s", name, file)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 60 {
		t.Errorf("%d files were checked, want 60 or more", checked)
	}
}

// TestPagesSayThingsOnce: no page repeats a line.
func TestPagesSayThingsOnce(t *testing.T) {
	pages, _ := filepath.Glob("docs/*.md") // the pattern is well-formed
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		before := ""
		for _, line := range strings.Split(string(text), "\n") {
			if line != "" && line == before && !strings.HasPrefix(line, "...") {
				t.Errorf("%s repeats: %s", page, line)
			}
			if line != "" {
				before = line
			}
		}
	}
}

// TestContributingSaysLimits: CONTRIBUTING.md has the limits of .ci/stages.
func TestContributingSaysLimits(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	minutes, err := script(`echo -n $((limit / 60)) minutes, or a run of $((total / 60))`)
	if want := "only a stage that takes " + minutes + ","; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("CONTRIBUTING.md does not say %q (%v)", want, err)
	}
}

// TestNotebooksAreExecuted: the notebooks are stored with the output of their cells, are
// small, contain no error, and end with an exercise. scripts/notebooks runs them.
func TestNotebooksAreExecuted(t *testing.T) {
	paths, err := filepath.Glob("notebooks/*.ipynb")
	if err != nil || len(paths) != 7 {
		t.Fatalf("notebooks: %v, %v, want 7", paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) >= 300_000 {
			t.Errorf("%s: %d bytes, want less than 300,000", path, len(data))
		}
		var notebook struct {
			Cells []struct {
				Type    string   `json:"cell_type"`
				Source  []string `json:"source"`
				Outputs []struct {
					Type string         `json:"output_type"`
					Name string         `json:"name"`
					Data map[string]any `json:"data"`
				} `json:"outputs"`
			} `json:"cells"`
		}
		if err := json.Unmarshal(data, &notebook); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		pictures := 0
		for i, cell := range notebook.Cells {
			// Cell 1 sets up the module without output.
			if cell.Type == "code" && i > 1 && len(cell.Outputs) == 0 {
				t.Errorf("%s: cell %d has no output", path, i)
			}
			for _, o := range cell.Outputs {
				if o.Type == "error" || o.Name == "stderr" {
					t.Errorf("%s: cell %d ends in an error", path, i)
				}
				if o.Data["image/png"] != nil {
					pictures++
				}
			}
		}
		if pictures == 0 {
			t.Errorf("%s: no picture", path)
		}
		last := notebook.Cells[len(notebook.Cells)-1]
		if text := strings.Join(last.Source, ""); last.Type != "markdown" || !strings.Contains(text, "## Exercise") {
			t.Errorf("%s: does not end with an exercise", path)
		}
	}
}

// TestReadmeShowsCalibration: README and docs/generated/calibration.csv show the same completion times.
func TestReadmeShowsCalibration(t *testing.T) {
	var numbers [2][]any // of the model and htsim: REPS, OPS
	for _, balancer := range []string{"freezing", "oblivious"} {
		for _, row := range mctest.Reference(t, calibrationTable) {
			if row["scenario"] == "f12evs_*_65535" && row["balancer"] == balancer && row["statistic"] == "max_fct_us" {
				numbers[0] = append(numbers[0], row.Number(t, "repslab"))
				numbers[1] = append(numbers[1], row.Number(t, "htsim"))
			}
		}
	}
	if len(numbers[0]) != 2 {
		t.Fatalf("%s has %d rows of the README's scenario", calibrationTable, len(numbers[0]))
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	longer := func(of []any) any { return 100 * (of[1].(float64)/of[0].(float64) - 1) }
	sentence := fmt.Sprintf("%.1f µs under REPS and %.1f under OPS; in the authors' simulator %.1f and %.1f: OPS takes %.1f %% longer here, %.1f %% there",
		slices.Concat(numbers[0], numbers[1], []any{longer(numbers[0]), longer(numbers[1])})...)
	if !strings.Contains(string(readme), sentence) {
		t.Errorf("README.md does not say %q", sentence)
	}
}
