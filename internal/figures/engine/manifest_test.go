package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/mc"
)

// provenance is the provenance of the figures in these tests.
func provenance() Provenance {
	return Provenance{Version: "1.2.3", Source: "abc", Seed: 7, Fresh: true, Style: "acm"}
}

// plotted returns a figure with a plot, two tables and two findings.
func plotted() (Figure, Output) {
	tableOf := func(name string, v float64) frame.Table {
		return frame.Table{Name: name, Columns: frame.Numbers("x"), Rows: [][]any{{v}}}
	}
	f := Figure{ID: "fig17", Title: "A title"}
	e := mc.Estimate{Value: 2, Lo: 1, Hi: 3, Confidence: 0.95, N: 5}
	return f, Output{
		Notes:   []string{"First: with `code` & <signs>.", "Second\n- with a dash."},
		Tables:  []frame.Table{tableOf("", 1), tableOf("aside", 2)},
		Formats: []rows.Format{rows.Markdown},
		Plot: &plot.Plot{Columns: plot.Double,
			Panels: [][]plot.Panel{{{Series: []plot.Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}}}},
		Findings: []claims.Finding{
			claims.InWords("N075", true, "measured", ""),
			claims.Estimated("N060", "much better", e, "2 [1, 3]", "a note"),
		},
	}
}

// TestRecords: what is written is read back, also of a figure without a plot, and an
// unfinished figure counts as not made.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	f, out := plotted()
	words := Figure{ID: "tab01"}
	figures := []Figure{words, f, {ID: "fig18"}}
	if manifests, err := ReadManifests(dir, figures); err != nil || len(manifests) != 3 || manifests[0].Made() ||
		manifests[1].Made() {
		t.Errorf("an empty directory gives the manifests %+v, error %v", manifests, err)
	}
	cells := frame.Table{Columns: []frame.Column{frame.Text("name"), frame.Number("bits")},
		Rows: [][]any{{"head", 8}, {"none", nil}}}
	for _, err := range []error{
		Write(dir, f, out, provenance()),
		Write(dir, words, Output{Tables: []frame.Table{cells}}, provenance()),
		os.MkdirAll(filepath.Join(dir, "fig18"), 0o777), // begun, not finished
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	manifests, err := ReadManifests(dir, figures)
	if err != nil {
		t.Fatal(err)
	}
	findings := []claims.Finding{out.Findings[0], out.Findings[1]}
	for i := range findings {
		findings[i].Rule = claims.Find(findings[i].Claim).Rule
		findings[i].Origin = claims.Origin{Seed: 7, Version: "1.2.3"}
	}
	var plots []string
	for _, format := range plot.ImageFormats() {
		plots = append(plots, "fig17."+string(format))
	}
	want := []Manifest{
		{
			ID: "tab01", Command: "repslab reproduce tab01 --fresh --seed 7", Provenance: provenance(),
			Tables: []string{"tab01.csv"}, Cells: [][]any{{"name", "bits"}, {"head", 8.0}, {"none", nil}},
		},
		{
			ID: "fig17", Title: "A title", Command: "repslab reproduce fig17 --fresh --seed 7",
			Provenance: provenance(), Notes: out.Notes, Findings: findings,
			Plots: plots, Wide: true,
			Tables: []string{"fig17.csv", "fig17.md", "fig17-aside.csv", "fig17-aside.md"},
		},
		{ID: "fig18"},
	}
	if !reflect.DeepEqual(manifests, want) {
		t.Errorf("manifests %+v, want %+v", manifests, want)
	}
	for text, message := range map[string]string{
		"nothing":         "figures: figure.json of fig17: invalid",
		`{"id": "fig18"}`: `figures: figure.json of fig17: id ("fig18") must be "fig17"`,
		`{}`:              `command ("") not empty; make the figure again`,
		`{"id": "fig17", "command": "x", "findings": [{"claim": "N075", "grade": "maybe"}]}`: `fig17: claims: grade ("maybe") of N075 must be one of`,
	} {
		if err := os.WriteFile(filepath.Join(dir, "fig17", "figure.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifests(dir, figures); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: error %v, want %s", text, err, message)
		}
	}
}

// TestManifestKeys: figure.json has the keys that programs read.
func TestManifestKeys(t *testing.T) {
	dir := t.TempDir()
	table := frame.Table{Columns: frame.Numbers("x"), Rows: [][]any{{1}}}
	if err := Write(dir, Figure{ID: "tab01"}, Output{Tables: []frame.Table{table}}, provenance()); err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	text, err := os.ReadFile(filepath.Join(dir, "tab01", "figure.json"))
	if err = cmp.Or(err, json.Unmarshal(text, &keys)); err != nil {
		t.Fatal(err)
	}
	const known = "[cells command findings fresh id notes plots runs seed source style tables title version wide]"
	if got := fmt.Sprint(slices.Sorted(maps.Keys(keys))); got != known {
		t.Errorf("figure.json has the keys %s, want %s", got, known)
	}
}

// TestUpToDate: only a whole figure of the same provenance counts, and one that is being
// written again does not.
func TestUpToDate(t *testing.T) {
	dir := t.TempDir()
	f, out := plotted()
	if f.UpToDate(dir, provenance()) {
		t.Error("a missing figure is up to date")
	}
	write := func() {
		t.Helper()
		if err := Write(dir, f, out, provenance()); err != nil {
			t.Fatal(err)
		}
		if !f.UpToDate(dir, provenance()) {
			t.Error("the figure is not up to date")
		}
	}
	write()
	for name, change := range map[string]func(p *Provenance){
		"version": func(p *Provenance) { p.Version = "1.2.4" },
		"source":  func(p *Provenance) { p.Source = "abd" },
		"seed":    func(p *Provenance) { p.Seed++ },
		"fresh":   func(p *Provenance) { p.Fresh = false },
		"style":   func(p *Provenance) { p.Style = "slides" },
	} {
		p := provenance()
		change(&p)
		if f.UpToDate(dir, p) {
			t.Errorf("with another %s the figure is up to date", name)
		}
	}
	for _, name := range []string{"fig17.pdf", "fig17.svg", "fig17-aside.csv", "notes.md", "command.txt",
		"figure.json"} {
		if err := os.Remove(filepath.Join(dir, "fig17", name)); err != nil {
			t.Fatal(err)
		}
		if f.UpToDate(dir, provenance()) {
			t.Errorf("without %s the figure is up to date", name)
		}
		write()
	}
	if err := Write(dir, f, out, Provenance{Style: "fancy"}); err == nil {
		t.Error("an unknown style is accepted")
	}
	// A run that fails or is killed between two files leaves no manifest.
	broken := out
	broken.Tables = []frame.Table{{Columns: frame.Numbers("x"), Rows: [][]any{{1, 2}}}}
	if err := Write(dir, f, broken, provenance()); err == nil {
		t.Error("a table with too many cells is written")
	}
	if f.UpToDate(dir, provenance()) {
		t.Error("after a failure the figure is up to date")
	}
}

// TestCommand: a figure's command names what is not the default of reproduce, and nothing else.
func TestCommand(t *testing.T) {
	for want, p := range map[string]Provenance{
		"repslab reproduce fig17":                                 {Seed: 7, Style: "acm"},
		"repslab reproduce fig17 --style slides":                  {Seed: 7, Style: "slides"},
		"repslab reproduce fig17 --fresh --seed 7":                {Seed: 7, Style: "acm", Fresh: true},
		"repslab reproduce fig17 --fresh --seed 7 --style slides": {Seed: 7, Style: "slides", Fresh: true},
	} {
		if got := p.command("fig17"); got != want {
			t.Errorf("%+v: command %q, want %q", p, got, want)
		}
	}
}
