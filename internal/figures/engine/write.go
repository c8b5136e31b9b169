package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/internal/wholefile"
)

// extensions of the files of a table, by format.
var extensions = map[rows.Format]string{rows.CSV: "csv", rows.Markdown: "md", rows.LaTeX: "tex"}

// Write writes a figure's files into dir/ID: the plot in every image format, the tables, the command that
// reproduces it, notes, and the manifest. Each file appears whole or not at all. The manifest of an earlier run is
// removed first, and the new one is written last. So a manifest means that all files exist.
func Write(dir string, f Figure, out Output, p Provenance) error {
	dir = filepath.Join(dir, f.ID)
	if err := os.Remove(filepath.Join(dir, manifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("figures: %w", err)
	}
	r := newManifest(f, out, p)
	if err := r.writePlot(dir, out.Plot); err != nil {
		return fmt.Errorf("figures: %s: %w", f.ID, err)
	}
	for _, t := range out.Tables {
		for _, format := range append([]rows.Format{rows.CSV}, out.Formats...) {
			name := f.ID + "." + extensions[format]
			if t.Name != "" {
				name = f.ID + "-" + t.Name + "." + extensions[format]
			}
			if err := rows.WriteFile(filepath.Join(dir, name), format, t); err != nil {
				return err
			}
			r.Tables = append(r.Tables, name)
		}
	}
	var manifest bytes.Buffer
	encoder := json.NewEncoder(&manifest)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("figures: %s: %w", f.ID, err)
	}
	for _, file := range []struct{ name, text string }{
		{"command.txt", r.Command + "\n"}, {"notes.md", r.text()}, {manifestFile, manifest.String()},
	} {
		if err := wholefile.Write(filepath.Join(dir, file.name), []byte(file.text)); err != nil {
			return err
		}
	}
	return nil
}

// writePlot writes a plot, if there is one, in every format.
func (r *Manifest) writePlot(dir string, drawn *plot.Plot) error {
	style, err := plot.ParseStyle(r.Style)
	if err != nil || drawn == nil {
		return err
	}
	images, err := drawn.RenderAll(style)
	if err != nil {
		return err
	}
	for _, format := range plot.ImageFormats() {
		name := r.ID + "." + string(format)
		if err := wholefile.Write(filepath.Join(dir, name), images[format]); err != nil {
			return err
		}
		r.Plots = append(r.Plots, name)
	}
	return nil
}

// text returns the content of notes.md, the manifest for people.
func (r Manifest) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: %s\n\nMade by repslab %s: `%s`\n\n", r.ID, r.Title, r.Version, r.Command)
	for _, n := range r.Notes {
		fmt.Fprintf(&s, "- %s\n", n)
	}
	if len(r.Findings) > 0 {
		s.WriteString("\n## Claims\n\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&s, "- %s, %s: %s", f.Claim, f.Grade, f.Measured)
		if f.Why != "" {
			fmt.Fprintf(&s, " (%s)", f.Why)
		}
		fmt.Fprintf(&s, ". Rule: %s.", f.Rule)
		s.WriteString("\n")
	}
	return s.String()
}
