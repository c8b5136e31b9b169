package figures

import (
	"fmt"
	"path/filepath"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/internal/wholefile"
)

// Provenance is what, with the figure's id, re-makes a figure: it holds nothing
// that may vary without changing the data.
type Provenance struct {
	Version string // of the program
	Seed    uint64
	Scale   Scale
	Style   plot.Style
}

// Command returns the command line that re-makes a figure alone.
func (p Provenance) Command(id string) string {
	return fmt.Sprintf("repslab reproduce %s --%s --seed %d --style %s", id, p.Scale, p.Seed, p.Style)
}

// extensions of the files of a table.
var extensions = map[table.Format]string{table.CSV: "csv", table.Markdown: "md", table.LaTeX: "tex"}

// Write writes a figure's files into dir/ID: the plot as PDF, SVG and PNG,
// the tables, the findings, the command that re-makes it, and notes. Each file
// appears whole or not at all; the notes come last.
func Write(dir string, f Figure, out Output, p Provenance) error {
	dir = filepath.Join(dir, f.ID)
	if out.Plot != nil {
		for _, format := range plot.ImageFormats() {
			data, err := out.Plot.Render(p.Style, format)
			if err != nil {
				return fmt.Errorf("figures: %s as %s: %w", f.ID, format, err)
			}
			if err := wholefile.Write(filepath.Join(dir, f.ID+"."+string(format)), data); err != nil {
				return err
			}
		}
	}
	for _, t := range out.Tables {
		name := f.ID
		if t.Name != "" {
			name += "-" + t.Name
		}
		for _, format := range out.Formats {
			if err := t.WriteFile(filepath.Join(dir, name+"."+extensions[format]), format); err != nil {
				return err
			}
		}
	}
	if err := claims.FindingsTable(f.Decider(), out.Findings, p.Scale == Full, p.Seed, p.Version).WriteFile(filepath.Join(dir, claims.FindingsFile), table.CSV); err != nil {
		return err
	}
	if err := wholefile.Write(filepath.Join(dir, "command.txt"), []byte(p.Command(f.ID)+"\n")); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, "notes.md"), []byte(notes(f, out, p)))
}

// notes returns the text beside a figure.
func notes(f Figure, out Output, p Provenance) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: %s\n\n", f.ID, f.Title)
	fmt.Fprintf(&s, "Made by repslab %s: `%s`\n\n", p.Version, p.Command(f.ID))
	for _, n := range out.Notes {
		fmt.Fprintf(&s, "- %s\n", n)
	}
	if len(out.Findings) > 0 {
		fmt.Fprintf(&s, "\n## Claims\n\n")
	}
	for i, finding := range out.Findings {
		fmt.Fprintf(&s, "- %s, %s: %s", finding.Claim, finding.Verdict, finding.Measured)
		if finding.Note != "" {
			fmt.Fprintf(&s, " (%s)", finding.Note)
		}
		fmt.Fprintf(&s, ". Rule: %s.\n", f.Rules[i].Text)
	}
	return s.String()
}
