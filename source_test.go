package repslab

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the path of this module: repslab, or another one in a fork.
var module = reflect.TypeFor[inThisPackage]().PkgPath()

type inThisPackage struct{}

// TestSourceIsWhole: every package of this module that the command is made of is part of
// Source, or is known not to decide rows.
func TestSourceIsWhole(t *testing.T) {
	apart := []string{"repslab", "cmd/repslab", "proofs", "internal/advise", "internal/claims", "internal/console", "internal/figures", "internal/largepages", "internal/metric", "internal/plot", "internal/rows",
		"internal/runbook", "internal/slurm", "internal/supermarket", "internal/store", "internal/vectors", "internal/view", "internal/web", "internal/wholefile"}
	list, err := exec.Command("go", "list", "-deps", "./cmd/repslab").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range strings.Fields(string(list)) {
		dir, ours := strings.CutPrefix(name+"/", module+"/")
		if !ours {
			continue
		}
		checked++
		_, err := sources.ReadDir(strings.TrimSuffix(dir, "/"))
		known := dir == ""
		for _, other := range apart {
			known = known || strings.HasPrefix(dir, other+"/")
		}
		if (err == nil) == known {
			t.Errorf("%s: in the source: %v, known not to decide rows: %v", name, err == nil, known)
		}
	}
	if checked < 20 {
		t.Errorf("%d packages were checked", checked)
	}
}

// edited returns the files of a digest as they are on disk, with a line more in the named one if it is among them.
func edited(t *testing.T, tree fs.FS, name string) fs.FS {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if path == name {
			text = append(text, "\n// changed\n"...)
		}
		files[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSourceSeesChanges: a changed line of a kernel, of the sweep or of the libraries' versions changes the digest, one
// of a test or of drawing does not.
func TestSourceSeesChanges(t *testing.T) {
	for name, changes := range map[string]bool{
		"recycled/selfclocked.go": true, "internal/param/model.go": true, "sweep/sweep.go": true, "go.sum": true,
		"internal/frame/cell.go": true, "internal/view/print.go": false,
		"recycled/oracle_test.go": false, "internal/view/drawing.go": false, "cmd/repslab/main.go": false,
	} {
		if got := digest(edited(t, sources, name)); (got != Source()) != changes {
			t.Errorf("with a changed %s the digest is %s, without %s", name, got, Source())
		}
	}
}

// TestSourceOfBuilds: another build of the same source has the same digest, one of a changed kernel another.
// It compiles for seconds, and needs REPSLAB_LONG=1.
func TestSourceOfBuilds(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kernel, err := filepath.Abs("recycled/selfclocked.go")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(kernel)
	if err != nil {
		t.Fatal(err)
	}
	program := file("main.go", "package main\n\nimport \""+module+"\"\n\nfunc main() { print(repslab.Source()) }\n")
	overlay := file("overlay.json", `{"Replace": {"`+kernel+`": "`+file("other.go", string(data)+"\n// changed\n")+`"}}`)
	for flags, same := range map[string]bool{"-trimpath": true, "-trimpath -overlay " + overlay: false} {
		args := append([]string{"run"}, append(strings.Fields(flags), program)...)
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if (string(out) == Source()) != same {
			t.Errorf("go run %s: the digest is %s, here %s", flags, out, Source())
		}
	}
}

// TestFigureSourceIsWhole: every package and data file that figures are made of is part of FigureSource,
// or only writes files.
func TestFigureSourceIsWhole(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "./internal/figures").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(list)) {
		dir, ours := strings.CutPrefix(name, module+"/")
		if !ours || slices.Contains([]string{"internal/store", "internal/wholefile", "internal/console", "internal/largepages"}, dir) {
			continue
		}
		_, rows := sources.ReadDir(dir)
		_, figures := figureSources.ReadDir(dir)
		if (rows == nil) == (figures == nil) {
			t.Errorf("%s: in the source of rows: %v, of figures: %v, want one of them", dir, rows == nil, figures == nil)
		}
	}
	embedded, err := exec.Command("go", "list", "-deps", "-f", "{{$p := .ImportPath}}{{if ne $p `"+module+"`}}{{range .EmbedFiles}}{{$p}}/{{.}}\n{{end}}{{end}}", "./internal/figures").Output()
	if err != nil {
		t.Fatal(err)
	}
	scorecard := "internal/claims/scorecard.md.tmpl" // decides no figure
	for _, name := range strings.Fields(string(embedded)) {
		file, ours := strings.CutPrefix(name, module+"/")
		if _, err := figureData.ReadFile(file); ours && err != nil && file != scorecard {
			t.Errorf("%s is not in the source of figures", file)
		}
	}
	if FigureSource() == Source() {
		t.Error("figures have the same digest as rows")
	}
}
