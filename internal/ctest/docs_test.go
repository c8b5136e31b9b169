package ctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentedCommands: the commands of docs/extending.md run in a copy of the files that they name, without Go. It
// needs REPSLAB_LONG=1.
func TestDocumentedCommands(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	gcc(t)
	document, err := os.ReadFile("../../docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## REPS in C\n")
	_, commands, _ := strings.Cut(section, "```sh\n")
	commands, _, found := strings.Cut(commands, "```\n")
	if !found {
		t.Fatal("docs/extending.md has no commands for REPS in C")
	}
	dir := t.TempDir()
	for _, name := range []string{"c", "examples/c", "mrc/testdata"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("../..", name))); err != nil {
			t.Fatal(err)
		}
	}
	sh := exec.Command("sh", "-e", "-c", commands)
	sh.Dir, sh.Env = dir, []string{"PATH=/usr/bin:/bin"}
	out, err := sh.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "recycled entropy value") || strings.Count(string(out), " lines agree\n") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	examples, err := os.ReadFile("../../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(examples), "./a.out` | `")
	if shown, _, found := strings.Cut(row, "` |\n"); !found || !strings.Contains(string(out), "\n"+shown+"\n") {
		t.Errorf("examples/README.md shows %q of\n%s", shown, out)
	}
}
