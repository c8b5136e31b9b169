package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"repslab/internal/claims"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
)

// Provenance holds the settings that, together with its id, determine the files of a figure.
type Provenance struct {
	Version string `json:"version"` // version of the program
	Source  string `json:"source"`  // digest of the code that decides figures
	Seed    uint64 `json:"seed"`
	Style   string `json:"style"` // in the form that [plot.ParseStyle] takes
	Fresh   bool   `json:"fresh"` // all runs were computed, none was taken from the record
}

// command returns the command line that reproduces the figure alone.
func (p Provenance) command(id string) string {
	words := "repslab reproduce " + id
	if p.Fresh {
		words += fmt.Sprintf(" --fresh --seed %d", p.Seed)
	}
	if p.Style != plot.ACM().String() { // the default of the command
		words += " --style " + p.Style
	}
	return words
}

// manifestFile is the name of a figure's manifest in its folder.
const manifestFile = "figure.json"

// Manifest is the content of figure.json, which describes a finished figure. The report, the scorecard and --resume
// read only this file.
type Manifest struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Command string `json:"command"` // command that reproduces it
	Provenance
	Runs     Outcome          `json:"runs"`
	Notes    []string         `json:"notes"` // the set-up, and how it differs from the paper's
	Findings []claims.Finding `json:"findings"`
	Plots    []string         `json:"plots"`  // names of files
	Wide     bool             `json:"wide"`   // the plot fills both columns of a paper
	Tables   []string         `json:"tables"` // names of files, the main table first
	// Cells holds the main table of a figure without a plot, header first.
	Cells [][]any `json:"cells,omitempty"`
}

// Made reports whether the figure has been made.
func (r Manifest) Made() bool { return r.Command != "" }

// newManifest returns the manifest of a figure, without file names.
func newManifest(f Figure, out Output, p Provenance) Manifest {
	r := Manifest{ID: f.ID, Title: f.Title, Command: p.command(f.ID), Provenance: p, Runs: out.Runs, Notes: out.Notes,
		Findings: slices.Clone(out.Findings)}
	for i := range r.Findings {
		r.Findings[i].Rule = claims.Find(r.Findings[i].Claim).Rule
	}
	if out.Plot != nil {
		r.Wide = out.Plot.Columns == plot.Double
	} else if len(out.Tables) > 0 {
		header := lists.Map(out.Tables[0].Columns, func(c frame.Column) any { return c.Key })
		r.Cells = append([][]any{header}, out.Tables[0].Rows...)
	}
	return r
}

// manifest returns the figure's manifest in dir. The manifest is written last, so an interrupted figure has none.
func (f Figure) manifest(dir string) (Manifest, error) {
	r := Manifest{ID: f.ID, Title: f.Title}
	data, err := os.ReadFile(filepath.Join(dir, f.ID, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && (r.ID != f.ID || !r.Made()) {
		err = fmt.Errorf("id (%q) must be %q, and command (%q) not empty", r.ID, f.ID, r.Command)
	}
	for _, finding := range r.Findings {
		err = cmp.Or(err, finding.Validate())
	}
	if err != nil {
		return r, fmt.Errorf("figures: %s of %s: %w; make the figure again", manifestFile, f.ID, err)
	}
	return r, nil
}

// ReadManifests returns the manifests in dir of the given figures, in their order. The manifest of a figure that has
// not been made has only its id and title.
func ReadManifests(dir string, figures []Figure) ([]Manifest, error) {
	manifests := make([]Manifest, len(figures))
	for i, f := range figures {
		r, err := f.manifest(dir)
		if err != nil {
			return nil, err
		}
		origin := claims.Origin{Seed: r.Seed, Version: r.Version}
		for k := range r.Findings {
			r.Findings[k].Origin = origin
		}
		manifests[i] = r
	}
	return manifests, nil
}

// Scorecards returns the scorecards with the findings of some figures.
func Scorecards(manifests []Manifest) claims.Scorecards {
	return claims.NewScorecards(slices.Concat(lists.Map(manifests, func(r Manifest) []claims.Finding { return r.Findings })...))
}

// WriteScorecard writes the scorecards of the given figures in dir, and returns the paper's scorecard. It writes
// nothing if none of the figures has been made.
func WriteScorecard(dir string, figures []Figure) (claims.Scorecard, error) {
	manifests, err := ReadManifests(dir, figures)
	if err != nil {
		return nil, err
	}
	cards := Scorecards(manifests)
	return cards.Paper, cards.Write(dir)
}

// UpToDate reports whether dir holds the figure with all its files, made with the given
// provenance.
func (f Figure) UpToDate(dir string, p Provenance) bool {
	r, err := f.manifest(dir)
	if err != nil || !r.Made() || r.Provenance != p {
		return false
	}
	for _, name := range slices.Concat(r.Plots, r.Tables, []string{"command.txt", "notes.md"}) {
		if _, err := os.Stat(filepath.Join(dir, f.ID, name)); err != nil {
			return false
		}
	}
	return true
}
