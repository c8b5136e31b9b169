package figures

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// TestReadMade: what is written is read back, and what is not whole is left out.
func TestReadMade(t *testing.T) {
	dir := t.TempDir()
	figures := []Figure{{ID: "fig17"}, {ID: "fig18"}}
	if all, err := ReadMade(dir, figures); err != nil || len(all) != 0 {
		t.Errorf("an empty directory gives %d figures, error %v", len(all), err)
	}
	p := Provenance{Version: "1.2.3", Seed: 7, Scale: Quick, Style: plot.ACM()}
	rows := func(name string, v float64) table.Table {
		return table.Table{Name: name, Columns: table.Numbers("x"), Rows: [][]any{{v}}}
	}
	f := Figure{ID: "fig17", Title: "A title", Rules: []claims.Rule{{Claim: "N075", Text: "a rule"}}}
	out := Output{
		Notes:    []string{"First: with `code`.", "Second - with a dash."},
		Tables:   []table.Table{rows("", 1), rows("aside", 2)},
		Formats:  []table.Format{table.CSV},
		Plot:     &plot.Plot{Panels: [][]plot.Panel{{{Series: []plot.Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}}}},
		Findings: []claims.Finding{claims.InWords("N075", true, "measured", "")},
	}
	if err := Write(dir, f, out, p); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "fig18"), 0o777); err != nil { // begun, not whole
		t.Fatal(err)
	}
	all, err := ReadMade(dir, figures)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d figures, error %v, want 1", len(all), err)
	}
	m := all[0]
	if m.ID != "fig17" || m.Version != "1.2.3" || m.Command != p.Command("fig17") || !slices.Equal(m.Notes, out.Notes) {
		t.Errorf("read %q %q %q %q", m.ID, m.Version, m.Command, m.Notes)
	}
	if len(m.Data) != 2 || m.Data[0].Name != "fig17.csv" || m.Data[1].Name != "fig17-aside.csv" || !strings.Contains(string(m.Data[1].CSV), "2") {
		t.Errorf("data %v", m.Data)
	}
	if !strings.Contains(string(m.SVG), "<svg") {
		t.Error("no SVG")
	}
	found, err := claims.ReadFindings(dir, Deciders(figures))
	if err != nil || found["N075"].Measured != "measured" || found["N075"].Rule != "a rule" || found["N075"].Final != "false" {
		t.Errorf("findings %v, error %v", found, err)
	}
	for name, text := range map[string]string{"notes.md": "nothing", "findings.csv": "a,b\n1,2\n"} {
		path := filepath.Join(dir, "fig17", name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ReadMade(dir, figures); err == nil || !strings.Contains(err.Error(), "fig17: notes.md must begin") {
		t.Errorf("foreign notes: error %v", err)
	}
	if _, err := claims.ReadFindings(dir, Deciders(figures)); err == nil || !strings.Contains(err.Error(), "must have the 12 columns") {
		t.Errorf("foreign findings: error %v", err)
	}
}

// TestScorecardNamesEveryClaim: a claim that nothing decided yet is there, with
// the figure that will.
func TestScorecardNamesEveryClaim(t *testing.T) {
	dir := t.TempDir()
	p := Provenance{Version: "test", Seed: 1, Scale: Full, Style: plot.ACM()}
	f := Figure{ID: "fig17", Rules: []claims.Rule{{Claim: "N075", Text: "a rule"}}}
	if err := Write(dir, f, Output{Findings: []claims.Finding{claims.InWords("N075", true, "measured", "")}}, p); err != nil {
		t.Fatal(err)
	}
	other := Figure{ID: "tab01", Rules: []claims.Rule{{Claim: "N017", Text: "another rule"}}}
	if err := claims.WriteScorecard(dir, Deciders([]Figure{other, f})); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range []string{"scorecard.csv", "scorecard.md"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	claims, err := claims.Claims()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range claims {
		if !strings.Contains(files["scorecard.csv"], "\n"+c.ID+",") || !strings.Contains(files["scorecard.md"], "| "+c.ID+" |") {
			t.Errorf("%s is not in the scorecard", c.ID)
		}
	}
	for _, want := range []string{"decide 1: 1 reproduced", "96 are not yet made", "| N017 | tab01 |"} {
		if !strings.Contains(files["scorecard.md"], want) {
			t.Errorf("the scorecard lacks %q", want)
		}
	}
}
