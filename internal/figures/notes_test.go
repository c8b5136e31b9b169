package figures

import (
	"slices"
	"strings"
	"testing"

	"repslab/internal/figures/engine"
)

// TestNotes: facts are filled in, lines of a note are joined, notes of several files follow
// each other, and a missing fact or file is a fault.
func TestNotes(t *testing.T) {
	list := notes(facts{"replicas": 7}, "coalescing", "fig13")
	if len(list) != 2 || !strings.Contains(list[0], "Means over 7 replicas") ||
		!strings.HasPrefix(list[1], "Standard: an ACK has") || strings.Contains(list[0], "\n") {
		t.Errorf("notes %q", list)
	}
	if !panics(func() { notes(nil, "coalescing") }) || !panics(func() { notes(nil, "fig99") }) {
		t.Error("a missing fact or file is accepted")
	}
}

// TestNotesBelongToFigures: every file of notes is of a figure, or of several.
func TestNotesBelongToFigures(t *testing.T) {
	files, err := noteFiles.ReadDir("notes")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		id := strings.TrimSuffix(file.Name(), ".md")
		id, _, _ = strings.Cut(id, "-") // the parts of open are open-network.md and so on
		known := slices.ContainsFunc(All(), func(f engine.Figure) bool { return f.ID == id })
		if shared := id == "testbed" || id == "coalescing"; known == shared {
			t.Errorf("%s is of no figure", file.Name())
		}
	}
}
