package crosscheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goIn runs the go command in a folder and returns what it prints.
func goIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// newImporter returns the folder of another module that imports package reps below a path.
func newImporter(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	program := "package main\n\nimport \"" + path + "/reps\"\n\nfunc main() {\n\tr, err := reps.New(reps.Config{})\n\tprintln(r.ValidEVs(), err == nil)\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	goIn(t, dir, "mod", "init", "example.com/nic")
	return dir
}

const printed = "0 true\n" // by the program of newImporter

// mostModules limits the modules that go list -m all shows an importer: its own, this one
// and the requirements of this one.
const mostModules = 32

// TestDependByReplacement: an importer of package reps downloads nothing. It needs REPSLAB_LONG=1.
func TestDependByReplacement(t *testing.T) {
	needsLong(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := newImporter(t, module)
	goIn(t, dir, "mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+root)
	goIn(t, dir, "mod", "tidy")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	if got := goIn(t, dir, "run", "."); got != printed {
		t.Errorf("prints %q, want %q", got, printed)
	}
	if sums, err := os.ReadFile(filepath.Join(dir, "go.sum")); len(sums) > 0 {
		t.Errorf("go.sum (%v) must be empty, has\n%s", err, sums)
	}
}

// TestModulesOfAnImporter: libraries that only tests need are required by separate modules, but for rapid, which draws
// the cases of tests beside the code that they test.
func TestModulesOfAnImporter(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := newImporter(t, module)
	goIn(t, dir, "mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+root)
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod") // to write go.sum
	all := strings.Fields(goIn(t, dir, "list", "-m", "-f", "{{.Path}}", "all"))
	t.Logf("%d modules", len(all))
	if len(all) > mostModules {
		t.Errorf("an importer has %d modules, want %d or fewer: %v", len(all), mostModules, all)
	}
}
