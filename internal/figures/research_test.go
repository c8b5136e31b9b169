package figures

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestResearchQuotesRecords: every number with an interval that docs/research.md states about the round trip and
// about open questions is in the page of docs/generated that the figure writes.
func TestResearchQuotesRecords(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer(`\[`, "[", `\]`, "]").Replace(string(data))
	}
	_, page, _ := strings.Cut(read("research.md"), "\n## The round trip\n")
	records := read("generated/round-trip.md") + read("generated/open-questions.md")
	quoted := regexp.MustCompile(`[0-9.]+ \[[0-9.]+, [0-9.]+\]`).FindAllString(page, -1)
	for _, number := range quoted {
		if !strings.Contains(records, number) {
			t.Errorf("docs/research.md states %s, which no figure finds", number)
		}
	}
	if len(quoted) < 12 {
		t.Errorf("%d numbers with intervals, want 12 or more", len(quoted))
	}
}
