package figures

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/table"
)

// figure returns the figure with an id.
func figure(id string) Figure {
	return All()[slices.IndexFunc(All(), func(f Figure) bool { return f.ID == id })]
}

// reproduce makes figures and writes them, with their scorecard, to a new
// directory.
func reproduce(t *testing.T, figures []Figure, workers int) (dir string, files []string,
	verdicts map[string]claims.Verdict) {
	t.Helper()
	dir = t.TempDir()
	provenance := Provenance{Version: "test", Seed: 1, Scale: Quick, Style: "acm"}
	verdicts = map[string]claims.Verdict{}
	for _, f := range figures {
		last := 0.0
		out, err := f.Make(context.Background(),
			Settings{Seed: 1, Scale: Quick, Workers: workers, Progress: func(done float64) {
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
			if claims.Find(finding.Claim).Figure != f.ID || decided[finding.Claim] || finding.Measured == "" {
				t.Errorf("%s: finding %+v", f.ID, finding)
			}
			decided[finding.Claim] = true
			verdicts[finding.Claim] = finding.Verdict
			sure := finding.Verdict == claims.NotModelled || slices.Contains(withoutChance(), finding.Claim)
			if p := finding.PValue; (p == nil) != sure || p != nil && !(*p >= 0 && *p <= 1) {
				t.Errorf("%s: p-value %v of %s", f.ID, p, finding.Claim)
			}
		}
		files = append(files, wantFiles(f, out)...)
		inspect(t, f.ID, out.Plot)
		if err := Write(dir, f, out, provenance); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	return dir, files, verdicts
}

// withoutChance lists the claims whose verdicts depend on no estimate: on arithmetic,
// exact laws and settings, or on what was seen in the runs themselves (N028, N029,
// N032).
func withoutChance() []string {
	return strings.Fields("N002 N004 N010 N011 N013 N015 N016 N017 N018 N019 N020 N021 N022 N023 N025 N026 N028 N029 N032 N049 N062 N063 N064 N065 N074 N082 N083 N084 N085 N095 N097")
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

// slow lists the figures that take more than a few seconds; the tests make them only with
// REPSLAB_LONG.
func slow() []string {
	return strings.Fields("fig03 fig05 fig08 fig09 fig11 fig12 fig13 fig15 fig16 fig21 fig22 fig23 " +
		"open ring conclusion")
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

// differing lists the claims that do not hold for any seed. Those of the theory that are
// neither here nor not modelled are reproduced; those of the network are sure only if they are
// here or in surelyReproduced: a quick figure has few runs.
func differing() []string {
	return strings.Fields("N020 N021 N022 N049 N062 N064 N076 N077 N078 N083 N086 N095 N096 N097")
}

// surelyReproduced lists the claims of figures of the network that hold for any seed.
func surelyReproduced() []string { return strings.Fields("N013 N019 N023 N025 N026") }

// sureVerdict returns the verdict that holds for any seed with overwhelming probability,
// or nothing.
func sureVerdict(c claims.Claim) claims.Verdict {
	ofTheory := []string{"tab01", "fig14", "fig17", "fig18", "fig20", "thm1"}
	switch {
	case strings.HasPrefix(c.Rule, "not modelled"):
		return claims.NotModelled
	case slices.Contains(differing(), c.ID):
		return claims.Differs
	case slices.Contains(ofTheory, c.Figure) || slices.Contains(surelyReproduced(), c.ID):
		return claims.Reproduced
	}
	return ""
}

// TestReproduce makes all figures but the slow ones, and some figures of each kind once more with
// three workers in the place of one: all files are there, whole and the same to
// the byte, and the verdicts are those that the theory gives. The verdicts hold
// for any seed with overwhelming probability: each is decided by many standard
// errors.
func TestReproduce(t *testing.T) {
	figures := All()
	if os.Getenv("REPSLAB_LONG") == "" {
		figures = slices.DeleteFunc(figures, func(f Figure) bool { return slices.Contains(slow(), f.ID) })
	}
	one, want, verdicts := reproduce(t, figures, 1)
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
	want = append(want, "scorecard.csv", "scorecard.md")
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got, want := files["fig17/command.txt"], "repslab reproduce fig17 --quick --seed 1 --style acm\n"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	var ofFigures []string
	for _, c := range claims.Claims() {
		if !slices.ContainsFunc(figures, func(f Figure) bool { return f.ID == c.Figure }) {
			continue
		}
		ofFigures = append(ofFigures, c.ID)
		if got, want := verdicts[c.ID], sureVerdict(c); want != "" && got != want {
			t.Errorf("%s: verdict %s, want %s", c.ID, got, want)
		}
	}
	if got := slices.Sorted(maps.Keys(verdicts)); !slices.Equal(got, ofFigures) {
		t.Errorf("claims %v are decided, want %v", got, ofFigures)
	}
	if note := files["crosscheck/notes.md"]; !strings.Contains(note, "loads compared 0 differ") {
		t.Errorf("theory and network differ: %s", note)
	}
	for id := range verdicts {
		if !strings.Contains(files["scorecard.md"], "## "+id+" ") ||
			!strings.Contains(files["scorecard.csv"], "\n"+id+",") {
			t.Errorf("%s is not in the scorecard", id)
		}
	}
	if !strings.Contains(files["scorecard.md"], "provisional") {
		t.Error("a quick scorecard does not say that its verdicts are provisional")
	}
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
	if err := WriteScorecard(dir, All()); err != nil {
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
	if err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	card := filesOf(t, dir)["scorecard.md"]
	for _, want := range []string{"decide 10 of the paper's 97 claims:", "9 verdicts are provisional",
		"## N097 differs", "## N017 reproduced"} {
		if !strings.Contains(card, want) {
			t.Errorf("the scorecard lacks %q:\n%s", want, card)
		}
	}
}

// cellOf returns the cell under a column in a row of a table.
func cellOf(t table.Table, row []any, key string) any {
	return row[slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == key })]
}
