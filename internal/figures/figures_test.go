package figures

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
)

// figure returns the figure with an id.
func figure(id string) Figure {
	return All()[slices.IndexFunc(All(), func(f Figure) bool { return f.ID == id })]
}

// reproduce makes figures and writes them, with their scorecard, to a new
// directory.
func reproduce(t *testing.T, figures []Figure, workers int) (dir string, outputs []Output,
	grades map[string]claims.Grade) {
	t.Helper()
	dir = t.TempDir()
	provenance, plan := Provenance{Version: "test", Seed: 1, Scale: Quick, Style: "acm"}, NewPlan(Minute)
	grades = map[string]claims.Grade{}
	for _, f := range figures {
		last := 0.0
		out, err := f.Make(context.Background(),
			Settings{Seed: 1, Scale: Quick, Plan: plan, Workers: workers, Progress: func(done float64) {
				if done < last || done > 1 {
					t.Errorf("%s: progress %v after %v", f.ID, done, last)
				}
				last = done
			}})
		if err != nil {
			t.Fatal(err)
		}
		decided := map[string]bool{}
		for _, finding := range out.Findings {
			if claims.Find(finding.Claim).Figure != f.ID || decided[finding.Claim] || finding.Measured == "" || finding.Why == "" {
				t.Errorf("%s: finding %+v", f.ID, finding)
			}
			decided[finding.Claim] = true
			grades[finding.Claim] = finding.Grade
			if err := finding.Validate(); err != nil {
				t.Errorf("%s: %v", f.ID, err)
			}
		}
		outputs = append(outputs, out)
		if err := Write(dir, f, out, provenance); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	return dir, outputs, grades
}

// filesOf returns the contents of all files below a directory.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// needsLong skips a test that takes tens of seconds unless REPSLAB_LONG is set, as CI does, or -update.
func needsLong(t *testing.T) {
	t.Helper()
	if os.Getenv("REPSLAB_LONG") == "" && !*update {
		t.Skip("needs REPSLAB_LONG=1: makes a figure that takes tens of seconds")
	}
}

// slow lists the figures that take more than a few seconds; the tests make them only with
// REPSLAB_LONG.
func slow() []string {
	return strings.Fields("fig03 fig05 fig06 fig08 fig09 fig11 fig12 fig13 fig15 fig16 fig21 fig22 fig23 " +
		"open ring oversubscription conclusion findings boundary family memory ultraethernet mrc training")
}

// wantFiles returns the names of the files of a figure.
func wantFiles(f Figure, out Output) []string {
	names := []string{"command.txt", "notes.md", "figure.json"}
	for _, t := range out.Tables {
		base := f.ID
		if t.Name != "" {
			base += "-" + t.Name
		}
		names = append(names, base+".csv")
		if out.Formats != nil {
			names = append(names, base+".md", base+".tex")
		}
	}
	if out.Plot != nil {
		names = append(names, f.ID+".pdf", f.ID+".svg", f.ID+".png")
	}
	for i, name := range names {
		names[i] = f.ID + "/" + name
	}
	return names
}

// gradesFile holds the grades of all claims in quick runs with seed 1.
const gradesFile = "testdata/grades.csv"

// checkGrades compares grades with those of gradesFile, or with -update rewrites it; the latter
// needs all figures.
func checkGrades(t *testing.T, grades map[string]claims.Grade) {
	t.Helper()
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(grades)) {
		fmt.Fprintf(&text, "%s,%s\n", id, grades[id])
	}
	if *update && len(grades) >= 90 {
		if err := os.WriteFile(gradesFile, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(gradesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.SplitAfter(text.String(), "\n") {
		if !strings.Contains(string(data), line) {
			t.Errorf("%s is not in %s", strings.TrimSpace(line), gradesFile)
		}
	}
}

// TestReproduce makes all figures but the slow ones, and some figures of each kind once more with
// three workers in the place of one: all files are there, whole and the same to
// the byte, and the grades are those of gradesFile.
func TestReproduce(t *testing.T) {
	figures := All()
	if os.Getenv("REPSLAB_LONG") == "" {
		figures = slices.DeleteFunc(figures, func(f Figure) bool { return slices.Contains(slow(), f.ID) })
	}
	one, outputs, grades := reproduce(t, figures, 1)
	want := []string{"scorecard-mrc.csv", "scorecard.csv", "scorecard.md"}
	for i, f := range figures {
		want = append(want, wantFiles(f, outputs[i])...)
		inspect(t, f.ID, outputs[i].Plot)
	}
	quick := slices.DeleteFunc(All(), func(f Figure) bool {
		return !slices.Contains([]string{"fig02", "fig14", "fig17", "fig18", "fig20"}, f.ID)
	})
	three, _, _ := reproduce(t, quick, 3)
	files := filesOf(t, one)
	for name, again := range filesOf(t, three) {
		if !strings.HasPrefix(name, "scorecard") && files[name] != again {
			t.Errorf("%s differs between one worker and three", name)
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got, want := files["fig17/command.txt"], "repslab reproduce fig17 --quick --seed 1 --style acm\n"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	var ofFigures []string
	for _, c := range claims.Statements() {
		if len(c.CountedWith) == 0 && slices.ContainsFunc(figures, func(f Figure) bool { return f.ID == c.Figure }) {
			ofFigures = append(ofFigures, c.ID)
		}
	}
	if got := slices.Sorted(maps.Keys(grades)); !slices.Equal(got, ofFigures) {
		t.Errorf("claims %v are decided, want %v", got, ofFigures)
	}
	checkGrades(t, grades)
	checkClaimRuns(t, one)
	checkCSVs(t, one)
	if note := files["crosscheck/notes.md"]; !strings.Contains(note, "loads compared 0 differ") {
		t.Errorf("theory and network differ: %s", note)
	}
	if !strings.Contains(files["scorecard.md"], "are provisional; the others") {
		t.Error("a scorecard of a budget does not say what is measured and what is final")
	}
}

// TestScorecardHasTheGrades: the grades of quick runs with seed 1 are those of gradesFile, and the
// claims' numbers can be computed from the figures' files. REPSLAB_REPORT names a folder that
// reproduce has written, as CI does.
func TestScorecardHasTheGrades(t *testing.T) {
	dir := os.Getenv("REPSLAB_REPORT")
	if dir == "" {
		t.Skip("needs REPSLAB_REPORT, a folder that reproduce has written")
	}
	file, err := os.Open(filepath.Join(dir, "scorecard.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	grades := map[string]claims.Grade{}
	for _, row := range rows[1:] {
		cell := func(key string) string { return row[slices.Index(rows[0], key)] }
		if cell("counted_with") == "" {
			grades[cell("claim")] = claims.Grade(cell("grade"))
		}
	}
	if len(grades) < 90 {
		t.Errorf("%d grades, want those of all figures", len(grades))
	}
	checkGrades(t, grades)
	checkClaimRuns(t, dir)
	checkCSVs(t, dir)
}

// TestTable1 pins the numbers of the footprint table.
func TestTable1(t *testing.T) {
	out, err := figure("tab01").Make(context.Background(), Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	totals := map[string]any{}
	table := out.Tables[0]
	for _, row := range table.Rows {
		totals[cellOf(table, row, "component").(string)] = cellOf(table, row, "total_bits")
	}
	for name, want := range map[string]int{"total, ring of 1": 74, "total, ring of 8": 193,
		"total, ring of 8, with the written count": 197} {
		if totals[name] != want {
			t.Errorf("%s: %v bits, want %d", name, totals[name], want)
		}
	}
	state := out.Tables[1]
	bytes := map[string]any{}
	for _, row := range state.Rows {
		bytes[fmt.Sprint(cellOf(state, row, "balancer"), " ", cellOf(state, row, "evs"))] = cellOf(state, row, "bytes")
	}
	for name, want := range map[string]int{"stratified 64": 3, "bitmap 64": 35, "bitmap 256": 131, "mixed 64": 150,
		"reps-legacy 64": 117, "reps 64": 13, "reps, paper 65536": 25} {
		if bytes[name] != want {
			t.Errorf("%s: %v bytes, want %d", name, bytes[name], want)
		}
	}
}

func TestMakeStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range All() {
		if f.ID == "tab01" {
			continue // computes nothing that could take time
		}
		if _, err := f.Make(ctx, Settings{Scale: Full}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", f.ID, err)
		}
	}
}

// TestScorecardKeepsOtherFigures: making one figure again keeps the findings of the
// others, and without any finding nothing is written.
func TestScorecardKeepsOtherFigures(t *testing.T) {
	dir := t.TempDir()
	if _, err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	if files := filesOf(t, dir); len(files) != 0 {
		t.Errorf("an empty directory holds %v", files)
	}
	quick := Provenance{Version: "test", Seed: 1, Scale: Quick, Style: "acm"}
	full := Provenance{Version: "test", Seed: 2, Scale: Full, Style: "acm"}
	if err := Write(dir, figure("thm1"), Output{Findings: []claims.Finding{ringFinding()}}, full); err != nil {
		t.Fatal(err)
	}
	out, err := figure("tab01").Make(context.Background(), Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, figure("tab01"), out, quick); err != nil {
		t.Fatal(err)
	}
	estimated := claims.Seen("N075", true, mc.Estimate{Value: 1, N: 5}, "measured", "why")
	if err := Write(dir, figure("fig17"), Output{Findings: []claims.Finding{estimated}}, quick); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	card := filesOf(t, dir)["scorecard.md"]
	for _, want := range []string{"Of 1 results, ", "counts apart: ", "| holds in part | ", "| reproduced (quick) | "} {
		if !strings.Contains(card, want) {
			t.Errorf("the scorecard lacks %q:\n%s", want, card)
		}
	}
}

// cellOf returns the cell under a column in a row of a table.
func cellOf(t table.Table, row []any, key string) any {
	return row[slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == key })]
}
