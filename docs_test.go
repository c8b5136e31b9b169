package repslab

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goBlocks returns the Go code of docs/extending.md.
func goBlocks(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, block := range strings.Split(string(text), "```go\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// TestExtendingShowsCompiledCode: what docs/extending.md shows of a balancer is
// the code of fattree/balance's example, which runs there.
func TestExtendingShowsCompiledCode(t *testing.T) {
	example, err := os.ReadFile("fattree/balance/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, block := range goBlocks(t) {
		if strings.HasPrefix(block, "package main") {
			continue
		}
		shown++
		if !strings.Contains(string(example), block) {
			t.Errorf("docs/extending.md shows code that is not in fattree/balance/example_test.go:\n%s", block)
		}
	}
	if shown != 2 {
		t.Errorf("docs/extending.md shows %d pieces of the example, want 2", shown)
	}
}

// TestREPSStandsAlone builds and runs the program of docs/extending.md that
// imports package reps, in a module of its own: reps needs nothing else of this
// one, nor any library.
func TestREPSStandsAlone(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for _, block := range goBlocks(t) {
		if strings.HasPrefix(block, "package main") {
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(block), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("mod", "init", "example.com/nic")
	run("mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+root)
	if out, want := run("run", "."), "true false\ntrue true\n"; out != want {
		t.Errorf("prints %q, want %q", out, want)
	}
	for _, path := range strings.Fields(run("list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")) {
		if path != "example.com/nic" && path != module+"/reps" {
			t.Errorf("importing repslab/reps brings %s", path)
		}
	}
}

// TestDocsNameEveryPackage: the list of the README has a row for every package.
func TestDocsNameEveryPackage(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range allowed {
		if name != "." && !strings.HasSuffix(name, "test") && !strings.Contains(string(readme), "| [`"+name+"`]("+name+") |") {
			t.Errorf("README.md, Layout: no row for %s", name)
		}
	}
}

// TestNotebooksAreExecuted: the notebooks are kept with what their cells printed
// and drew, small, without an error, and end with an exercise. scripts/notebooks
// runs them.
func TestNotebooksAreExecuted(t *testing.T) {
	paths, err := filepath.Glob("notebooks/*.ipynb")
	if err != nil || len(paths) != 6 {
		t.Fatalf("notebooks: %v, %v, want 6", paths, err)
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
			// Cell 1 sets up the module and prints nothing.
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

// TestReadmeNamesFiguresOnce: no figure of the paper has two rows in the README's
// table of claims, which then could say different things.
func TestReadmeNamesFiguresOnce(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(readme)) {
		numbers, is := strings.CutPrefix(line, "| fig. ")
		if !is {
			continue
		}
		numbers, _, _ = strings.Cut(numbers, ":")
		for number := range strings.SplitSeq(numbers, ", ") {
			if before, twice := rows[number]; twice {
				t.Errorf("README.md: fig. %s has two rows:\n%s%s", number, before, line)
			}
			rows[number] = line
		}
	}
	if len(rows) < 15 {
		t.Errorf("README.md: rows for %d figures", len(rows))
	}
}

// TestReadmeShowsCalibration: the README's table of completion times has the numbers of
// docs/calibration.md.
func TestReadmeShowsCalibration(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	readme, calibration := read("README.md"), read("docs/calibration.md")
	value := regexp.MustCompile(`\| (\d+\.\d+) ± [^|]*\| \d+ \| (\d+\.\d+) ±`)
	model, htsim := "| repslab |", "| their simulator |"
	for _, balancer := range []string{"freezing", "oblivious"} {
		for _, evs := range []string{"32", "256", "65535"} {
			_, section, _ := strings.Cut(calibration, "### `f12evs_*_"+evs+"`")
			var cells [2][]string // of htsim and the model: maximum, mean
			for _, statistic := range []string{"max", "mean"} {
				_, row, _ := strings.Cut(section, "| "+balancer+" | "+statistic+" FCT, us ")
				found := value.FindStringSubmatch(row)
				if found == nil {
					t.Fatalf("docs/calibration.md: no %s FCT of %s with %s EVs", statistic, balancer, evs)
				}
				for i := range cells {
					v, err := strconv.ParseFloat(found[i+1], 64)
					if err != nil {
						t.Fatal(err)
					}
					cells[i] = append(cells[i], strconv.FormatFloat(v, 'f', 1, 64))
				}
			}
			htsim += " " + strings.Join(cells[0], " / ") + " |"
			model += " " + strings.Join(cells[1], " / ") + " |"
		}
	}
	for _, row := range []string{model, htsim} {
		if !strings.Contains(readme, row) {
			t.Errorf("README.md: no row %s", row)
		}
	}
}
