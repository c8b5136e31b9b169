package crosscheck

import (
	"go/types"
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
const mostModules = 31

// TestDependByReplacement: an importer of package reps downloads nothing.
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

// TestModulesOfAnImporter: libraries that only tests need are required by separate modules.
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

// copyModules copies the files of this repository, without built and reproduced ones.
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

// sourceImporter imports packages that were type-checked before, and others from export data.
type sourceImporter struct {
	checked map[string]*types.Package
	others  types.Importer
}

func (i sourceImporter) Import(path string) (*types.Package, error) {
	if pkg := i.checked[path]; pkg != nil {
		return pkg, nil
	}
	return i.others.Import(path)
}

// checkModule type-checks all packages of the module of a path in a folder, which takes a
// tenth of the time of a build.
func checkModule(t *testing.T, dir, path string) {
	t.Helper()
	_, libraries := exported(t)
	packages, err := list(dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	from := sourceImporter{map[string]*types.Package{}, libraries}
	for _, p := range packages {
		if p.ImportPath == path || strings.HasPrefix(p.ImportPath, path+"/") {
			from.checked[p.ImportPath], _ = typeCheck(t, p, from, nil)
		}
	}
	if len(from.checked) < 20 {
		t.Errorf("%d packages were checked, want 20 or more", len(from.checked))
	}
}

// TestDependByPathOfItsOwn: all packages of a renamed copy type-check, reps passes its tests
// there, and the copy is imported by its path. With REPSLAB_LONG=1 it is also built, and mc
// passes its tests. No import, and no line of a go.mod file, still has the old path; the program keeps
// its name.
func TestDependByPathOfItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks all packages under another path")
	}
	const path = "example.org/me/repslab"
	if module == path {
		t.Skip("this is a renamed copy")
	}
	fork := copyModules(t)
	if err := rename(t, fork, path); err != nil {
		t.Fatal(err)
	}
	checkModule(t, fork, path)
	if os.Getenv("REPSLAB_LONG") != "" {
		goIn(t, fork, "build", "./...")
		goIn(t, fork, "vet", "./mc")
		goIn(t, fork, "test", "./mc")
	}
	goIn(t, fork, "vet", "./reps")
	goIn(t, fork, "test", "./reps")

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
	if err != nil || !strings.Contains(string(root), `newCommand("repslab")`) {
		t.Errorf("the program is renamed (%v)", err)
	}
}
