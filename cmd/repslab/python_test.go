package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// python returns a Python that has pandas and matplotlib. Without one it skips the test, or fails it where
// REPSLAB_REQUIRE names pandas.
func python(t *testing.T) string {
	t.Helper()
	required := slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "pandas")
	if !required && os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("takes 5 s: REPSLAB_LONG=1 or REPSLAB_REQUIRE=pandas runs it")
	}
	for _, program := range []string{"python3", "/usr/bin/python3"} { // the latter has Debian's packages
		if exec.Command(program, "-c", "import pandas, matplotlib").Run() == nil {
			return program
		}
	}
	if required {
		t.Fatal("no Python with pandas and matplotlib")
	}
	t.Skip("no Python with pandas and matplotlib")
	return ""
}

// TestPythonPage runs the blocks of docs/python.md, one after the other: they draw a picture, and print the rows of
// six points.
func TestPythonPage(t *testing.T) {
	program := python(t)
	page := string(fileBytes(t, "../../docs/python.md"))
	inPath(t)
	t.Chdir(t.TempDir())
	out, err := runWith("import matplotlib; matplotlib.use('Agg')\n"+strings.Join(blocks(page, "python"), "\n"), program, "-")
	if err != nil || strings.Count(out, "*ln(n)") != 6 || strings.Contains(out, "Warning") || strings.Contains(out, "NaN") {
		t.Errorf("%v: %s", err, out)
	}
	if picture := fileBytes(t, "fct.png"); len(picture) < 10_000 || string(picture[1:4]) != "PNG" {
		t.Errorf("a picture of %d bytes", len(picture))
	}
}
