package reps

import (
	"os"
	"strings"
	"testing"
)

// TestDocIsTheExample: the Go code under "Use" in the package's comment is code of
// the examples, line by line, so that it compiles and runs.
func TestDocIsTheExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, use, _ := strings.Cut(string(doc), "\n// # Use\n")
	_, code, _ := strings.Cut(use, "Example_nic runs these")
	code, _, _ = strings.Cut(code, "\n// # References\n")
	var lines []string
	for line := range strings.Lines(code) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			lines = append(lines, text)
		}
	}
	if len(lines) < 10 {
		t.Fatalf("%d lines of code in the comment", len(lines))
	}
	for _, line := range lines {
		if !strings.Contains(string(example), "\n"+line) {
			t.Errorf("%q is not in example_test.go", line)
		}
	}
}
