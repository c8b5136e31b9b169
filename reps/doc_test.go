package reps

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// numbers returns the numbers of the list items of a file between two texts.
func numbers(t *testing.T, name, from, to, item string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(data), from)
	section, _, ended := strings.Cut(section, to)
	if !found || !ended {
		t.Fatalf("%s has no section from %q to %q", name, from, to)
	}
	var list []string
	for _, match := range regexp.MustCompile("(?m)"+item).FindAllStringSubmatch(section, -1) {
		list = append(list, match[1])
	}
	return list
}

// TestOpenPointsAreRules: docs/vectors.md, which must be enough for an implementation,
// has a rule for each open point of the package's comment, under its number.
func TestOpenPointsAreRules(t *testing.T) {
	points := numbers(t, "doc.go", "// # Open points\n", "// # Assumptions\n", `^//  (\d+)\. `)
	rules := numbers(t, "../docs/vectors.md", "\n## Rules that the pseudocode leaves open\n", "\n## ", `^(\d+)\. `)
	if len(points) < 12 || !slices.Equal(points, rules) {
		t.Errorf("open points %v in doc.go, rules %v in docs/vectors.md", points, rules)
	}
}

// TestVectorsStandAlone: docs/vectors.md cites steps that it has, and no lines of the paper's pseudocode.
func TestVectorsStandAlone(t *testing.T) {
	text, err := os.ReadFile("../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	if cited := regexp.MustCompile(`Algorithm \d, line|lines? \d+`).FindString(string(text)); cited != "" {
		t.Errorf("docs/vectors.md cites %q of the paper", cited)
	}
	for _, step := range regexp.MustCompile(`\b[AFS]\d+\b`).FindAllString(string(text), -1) {
		if !strings.Contains(string(text), "\n"+step+" ") {
			t.Errorf("docs/vectors.md has no step %s", step)
		}
	}
}
