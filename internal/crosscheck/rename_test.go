package crosscheck

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// rename runs scripts/rename-module in a copy of the repository, or of a part of it.
func rename(t *testing.T, root, path string) error {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("scripts", "rename-module"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(root, "scripts", "rename-module")
	if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, script, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("bash", copied, path).CombinedOutput()
	if err != nil {
		t.Logf("rename-module %s: %v: %s", path, err, out)
	}
	return err
}

// TestRename: paths of the module are replaced, there and back, and names of the program are
// not.
func TestRename(t *testing.T) {
	before := map[string]string{
		"go.mod":          "module repslab\n\ngo 1.26\n",
		"nested/go.mod":   "module repslab/nested\n\nrequire repslab v0.0.0\n\nrequire (\n\trepslab v0.0.0\n\trepslabs v1.0.0\n)\n\nreplace repslab => ..\n",
		"main.go":         "package repslab\n\nimport (\n\tlab \"repslab\"\n\t\"repslab/mc\"\n)\n\nvar use, flag = \"repslab: error\", \"-coverpkg=repslab/mc\"\n",
		"notes.md":        "Run `go mod edit -require repslab@v0.0.0 -replace repslab=..` and `repslab show`: \"repslab/mc\".\n",
		"cells.ipynb":     "\"!*go mod edit -replace repslab=x -replace repslab/nested=y\", \"\\t\\\"repslab/mc\\\"\\n\"\n",
		"data/values.csv": "repslab,\"repslab/mc\"\n",
	}
	after := map[string]string{
		"go.mod":          "module a.org/b\n\ngo 1.26\n",
		"nested/go.mod":   "module a.org/b/nested\n\nrequire a.org/b v0.0.0\n\nrequire (\n\ta.org/b v0.0.0\n\trepslabs v1.0.0\n)\n\nreplace a.org/b => ..\n",
		"main.go":         "package repslab\n\nimport (\n\tlab \"a.org/b\"\n\t\"a.org/b/mc\"\n)\n\nvar use, flag = \"repslab: error\", \"-coverpkg=a.org/b/mc\"\n",
		"notes.md":        "Run `go mod edit -require a.org/b@v0.0.0 -replace a.org/b=..` and `repslab show`: \"a.org/b/mc\".\n",
		"cells.ipynb":     "\"!*go mod edit -replace a.org/b=x -replace a.org/b/nested=y\", \"\\t\\\"a.org/b/mc\\\"\\n\"\n",
		"data/values.csv": "repslab,\"repslab/mc\"\n",
	}
	root := t.TempDir()
	for name, text := range before {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		path string
		want map[string]string
	}{{"a.org/b", after}, {"repslab", before}} {
		if err := rename(t, root, step.path); err != nil {
			t.Fatalf("to %s: %v", step.path, err)
		}
		for name, want := range step.want {
			if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
				t.Errorf("to %s: %s is\n%s\nwant\n%s\n(error %v)", step.path, name, got, want, err)
			}
		}
	}
	if rename(t, filepath.Join(root, "data"), "a.org/b") == nil {
		t.Error("no error in a folder without a go.mod file")
	}
}

// TestRenamePath: a text that is no module path is refused before a file is changed.
func TestRenamePath(t *testing.T) {
	for path, want := range map[string]bool{
		"example.org/me/repslab": true, "repslab": true, "a.org/b-c/v2": true,
		"": false, "a b": false, "/a": false, "a/": false, "a//b": false, "../b": false, "https://a.org/b": false, "a/$1": false,
	} {
		root := t.TempDir()
		mod := filepath.Join(root, "go.mod")
		if err := os.WriteFile(mod, []byte("module old\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		accepted := rename(t, root, path) == nil
		text, err := os.ReadFile(mod)
		if changed := string(text) == "module "+path+"\n"; err != nil || accepted != want || changed != want {
			t.Errorf("%q: accepted %v, go.mod %q (%v), want accepted %v", path, accepted, text, err, want)
		}
	}
}
