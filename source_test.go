package repslab

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// module is the path of this module: repslab, or another one in a fork.
var module = reflect.TypeFor[inThisPackage]().PkgPath()

type inThisPackage struct{}

// TestSourceIsWhole: every package of this module that the command is made of is part of
// Source, or is known not to decide rows.
func TestSourceIsWhole(t *testing.T) {
	apart := []string{"repslab", "cmd/repslab", "proofs", "internal/advise", "internal/claims", "internal/console", "internal/figures", "internal/largepages", "internal/metric", "internal/plot", "internal/rows",
		"internal/runbook", "internal/slurm", "internal/table", "internal/vectors", "internal/web", "internal/wholefile"}
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

// TestSourceSeesChanges: another build of the same source has the same digest; a changed
// constant in a kernel changes it, a changed test or drawing does not.
func TestSourceSeesChanges(t *testing.T) {
	const file = "recycled/selfclocked.go"
	digest := func(changed, flag string) string {
		t.Helper()
		dir := t.TempDir()
		program := filepath.Join(dir, "main.go")
		if err := os.WriteFile(program, []byte("package main\n\nimport \""+module+"\"\n\nfunc main() { print(repslab.Source()) }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"run", flag}
		if changed != "" {
			data, err := os.ReadFile(changed)
			if err != nil {
				t.Fatal(err)
			}
			other, here := filepath.Join(dir, "other.go"), ""
			if here, err = filepath.Abs(changed); err != nil {
				t.Fatal(err)
			}
			overlay := filepath.Join(dir, "overlay.json")
			for path, text := range map[string]string{other: string(data) + "\n// changed\n", overlay: `{"Replace": {"` + here + `": "` + other + `"}}`} {
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			args = append(args, "-overlay", overlay)
		}
		out, err := exec.Command("go", append(args, program)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	want := Source()
	if got := digest("", "-trimpath"); got != want {
		t.Errorf("another build has the digest %s, this one %s", got, want)
	}
	for _, other := range []string{"recycled/oracle_test.go", "internal/rows/drawing.go"} {
		if got := digest(other, "-trimpath"); got != want {
			t.Errorf("with a changed %s the digest is %s, without %s", other, got, want)
		}
	}
	if got := digest(file, "-trimpath"); got == want {
		t.Errorf("a changed %s has the same digest %s", file, got)
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
		if !ours || dir == "internal/wholefile" {
			continue
		}
		_, rows := sources.ReadDir(dir)
		_, figures := figureSources.ReadDir(dir)
		if (rows == nil) == (figures == nil) {
			t.Errorf("%s: in the source of rows: %v, of figures: %v, want one of them", dir, rows == nil, figures == nil)
		}
	}
	embedded, err := exec.Command("go", "list", "-deps", "-f", "{{$p := .ImportPath}}{{range .EmbedFiles}}{{$p}}/{{.}}\n{{end}}", "./internal/figures").Output()
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
