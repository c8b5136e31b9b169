package sweep

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocShowsTheExample: the package comment shows the code of the Example.
func TestDocShowsTheExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?m)^//\tcolumns := (?:.*\n//\t)*.*$`).FindString(string(doc))
	if lines := strings.Count(code, "\n") + 1; lines < 15 || lines > 20 {
		t.Errorf("the package comment has %d lines of code, want about 20", lines)
	}
	if !strings.Contains(string(example), strings.ReplaceAll(code, "//\t", "\t")) {
		t.Errorf("not in example_test.go:\n%s", code)
	}
}
