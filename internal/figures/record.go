package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"repslab/internal/cell"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// Provenance holds what determines a figure's files, beside its id.
type Provenance struct {
	Version string // of the program
	Source  string // digest of the code that decides figures
	Seed    uint64
	Scale   Scale
	Style   plot.Style
}

// Command returns the command line that reproduces a figure alone.
func (p Provenance) Command(id string) string {
	return fmt.Sprintf("repslab reproduce %s --%s --seed %d --style %s", id, p.Scale, p.Seed, p.Style)
}

// recordFile is the name of a figure's record, beside its other files.
const recordFile = "figure.json"

// Record is the contents of figure.json, which describes a finished figure. The report,
// the scorecard and --resume read it and parse none of the other files.
type Record struct {
	ID       string           `json:"id"`
	Title    string           `json:"title"`
	Command  string           `json:"command"` // that reproduces it
	Version  string           `json:"version"`
	Source   string           `json:"source"`
	Seed     uint64           `json:"seed"`
	Scale    Scale            `json:"scale"`
	Style    string           `json:"style"`
	Notes    []string         `json:"notes"` // set-up, and where it differs from the paper's
	Findings []claims.Finding `json:"findings"`
	Plots    []string         `json:"plots"`  // names of files
	Wide     bool             `json:"wide"`   // the plot fills both columns of a paper
	Tables   []string         `json:"tables"` // names of files, the main table first
	// Cells holds the texts of the main table, header first, of a figure without a plot.
	Cells [][]string `json:"cells,omitempty"`
}

// newRecord returns the record of a figure, without names of files.
func newRecord(f Figure, out Output, p Provenance) Record {
	r := Record{
		ID: f.ID, Title: f.Title, Command: p.Command(f.ID),
		Version: p.Version, Source: p.Source, Seed: p.Seed, Scale: p.Scale, Style: p.Style.String(),
		Notes: out.Notes, Findings: slices.Clone(out.Findings),
	}
	for i := range r.Findings {
		r.Findings[i].Rule = f.Rules[i].Text
	}
	if out.Plot != nil {
		r.Wide = out.Plot.Columns == plot.Double
	} else if len(out.Tables) > 0 {
		r.Cells = texts(out.Tables[0])
	}
	return r
}

// texts returns the header and the rows of a table.
func texts(t table.Table) [][]string {
	all := make([][]string, 1+len(t.Rows))
	for _, c := range t.Columns {
		all[0] = append(all[0], c.Key)
	}
	for i, row := range t.Rows {
		for _, v := range row {
			all[i+1] = append(all[i+1], cell.Text(v))
		}
	}
	return all
}

// readRecord returns the record of a figure in dir.
func readRecord(dir, id string) (Record, error) {
	var r Record
	data, err := os.ReadFile(filepath.Join(dir, id, recordFile))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", recordFile, err)
	}
	if r.ID != id {
		return r, fmt.Errorf("%s: id (%q) must be %q", recordFile, r.ID, id)
	}
	return r, nil
}

// ReadRecords returns the records of those of the given figures that have been made into
// dir, in their order. The record is written last, so an interrupted figure has none.
func ReadRecords(dir string, figures []Figure) ([]Record, error) {
	var records []Record
	for _, f := range figures {
		r, err := readRecord(dir, f.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("figures: %s: %w; make the figure again", f.ID, err)
		}
		records = append(records, r)
	}
	return records, nil
}

// UpToDate says whether dir holds the figure with all its files, made with the given
// provenance.
func (f Figure) UpToDate(dir string, p Provenance) bool {
	r, err := readRecord(dir, f.ID)
	if err != nil || r.Version != p.Version || r.Source != p.Source || r.Seed != p.Seed || r.Scale != p.Scale || r.Style != p.Style.String() {
		return false
	}
	for _, name := range slices.Concat(r.Plots, r.Tables, []string{"command.txt", "notes.md"}) {
		if _, err := os.Stat(filepath.Join(dir, f.ID, name)); err != nil {
			return false
		}
	}
	return true
}

// Sources returns the figures with their rules and, where a record says that they have
// been made, their findings.
func Sources(figures []Figure, records []Record) []claims.Source {
	sources := make([]claims.Source, len(figures))
	for i, f := range figures {
		sources[i] = claims.Source{Figure: f.ID, Rules: f.Rules}
		for _, r := range records {
			if r.ID == f.ID {
				s := &sources[i]
				s.Findings, s.Final, s.Seed, s.Version = r.Findings, r.Scale == Full, r.Seed, r.Version
			}
		}
	}
	return sources
}
