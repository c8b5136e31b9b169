package figures

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repslab/internal/claims"
)

// Made is a figure as its folder holds it, whichever run made it.
type Made struct {
	Figure
	Command string   // that re-makes it
	Version string   // of the program that made it
	Notes   []string // set-up, and where it differs from the paper's
	SVG     []byte   // nil for a table of the paper
	Data    []DataFile
}

// DataFile is a table of numbers of a figure.
type DataFile struct {
	Name string // as in "fig17.csv"
	CSV  []byte
}

// ReadMade returns those of the given figures that have been made into dir, in
// their order. A figure that was interrupted before its notes, which come last, is not
// there.
func ReadMade(dir string, figures []Figure) ([]Made, error) {
	var all []Made
	for _, f := range figures {
		m, err := readMade(filepath.Join(dir, f.ID), f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("figures: %s: %w", f.ID, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// readMade reads the folder of one figure.
func readMade(dir string, f Figure) (Made, error) {
	text, err := os.ReadFile(filepath.Join(dir, "notes.md"))
	if err != nil {
		return Made{}, err
	}
	m := Made{Figure: f}
	if m.Version, m.Command, m.Notes, err = parseNotes(string(text)); err != nil {
		return Made{}, err
	}
	if m.SVG, err = os.ReadFile(filepath.Join(dir, f.ID+".svg")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Made{}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Made{}, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".csv") || e.Name() == claims.FindingsFile {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return Made{}, err
		}
		m.Data = append(m.Data, DataFile{e.Name(), data})
	}
	main := f.ID + ".csv"
	slices.SortFunc(m.Data, func(a, b DataFile) int { // the main one first
		switch {
		case a.Name == main:
			return -1
		case b.Name == main:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return m, nil
}

// parseNotes takes apart what [notes] wrote.
func parseNotes(text string) (version, command string, list []string, err error) {
	head, rest, _ := strings.Cut(text, "\n\n")
	made, rest, _ := strings.Cut(rest, "\n\n")
	version, command, found := strings.Cut(strings.TrimPrefix(made, "Made by repslab "), ": `")
	if !strings.HasPrefix(head, "# ") || !found {
		return "", "", nil, errors.New("notes.md must begin with a title and how it was made")
	}
	rest, _, _ = strings.Cut(rest, "\n## Claims\n")
	for _, note := range strings.Split("\n"+rest, "\n- ")[1:] {
		list = append(list, strings.TrimSpace(note))
	}
	return version, strings.TrimSuffix(strings.TrimSpace(command), "`"), list, nil
}
