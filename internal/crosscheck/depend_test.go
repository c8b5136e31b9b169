package crosscheck

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// newImporter returns a folder with a module of somebody else's that imports a path's package reps.
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

// mostModules is the number of modules that an importer's go list -m all may show: its own,
// this one, and what this one requires.
const mostModules = 31

// TestDependByReplacement: an importer of package reps downloads nothing, and sees no
// module that only tests need.
func TestDependByReplacement(t *testing.T) {
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

// TestModulesOfAnImporter: libraries that only tests need are requirements of modules of their
// own.
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

// TestDependByWorkspace: a workspace needs neither a requirement nor a replacement.
func TestDependByWorkspace(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := newImporter(t, module)
	goIn(t, dir, "work", "init", ".", root)
	if got := goIn(t, dir, "run", "."); got != printed {
		t.Errorf("prints %q, want %q", got, printed)
	}
}

// copyModules copies the files of this repository but those that are built or reproduced.
func copyModules(t *testing.T) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "fork")
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "out"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestDependByPathOfItsOwn: a renamed copy builds, passes tests, and is imported by its path.
// No import, and no line of a go.mod file, is left with the path of before; names of the
// program are.
func TestDependByPathOfItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all packages under another path")
	}
	const path = "example.org/me/repslab"
	if module == path {
		t.Skip("this is such a copy")
	}
	fork := copyModules(t)
	goIn(t, filepath.Join(fork, "tools"), "run", "./rename-module", path)
	goIn(t, fork, "build", "./...")
	goIn(t, fork, "vet", "./mc", "./reps")
	goIn(t, fork, "test", "./mc", "./reps")

	dir := newImporter(t, path)
	goIn(t, dir, "mod", "edit", "-require", path+"@v0.0.0", "-replace", path+"="+fork)
	if got := goIn(t, dir, "run", "."); got != printed {
		t.Errorf("prints %q, want %q", got, printed)
	}
	left := regexp.MustCompile(`(?m)["=]` + module + `/|^(module |require |replace |\t)` + module + `[ /]`)
	err := filepath.WalkDir(fork, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch filepath.Ext(name) {
		case ".go", ".mod", ".ipynb", ".md":
			data, err := os.ReadFile(name)
			if found := left.Find(data); found != nil {
				t.Errorf("%s still has %q", name, found)
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.ReadFile(filepath.Join(fork, "cmd", "repslab", "root.go"))
	if err != nil || !strings.Contains(string(root), `Use:   "repslab"`) {
		t.Errorf("the program is renamed (%v)", err)
	}
}
