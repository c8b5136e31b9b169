package figures

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/runbook"
	"repslab/mc"
)

// figure returns the figure with an id.
func figure(id string) engine.Figure {
	return All()[slices.IndexFunc(All(), func(f engine.Figure) bool { return f.ID == id })]
}

// fromRecord returns the settings with which a figure takes all its runs from the record.
func fromRecord(t *testing.T, id string) engine.Settings {
	t.Helper()
	book, err := runbook.ReadBook(os.DirFS("../../results"), id)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Settings{Seed: 1, Recorder: &engine.Recorder{Book: book}}
}

// drawn reports whether the plot of a figure is written, and not a line in its place: the plot of fig02, and all
// with REPSLAB_LONG=1. CI's reproduction writes all.
func drawn(f engine.Figure) bool { return f.ID == "fig02" || os.Getenv("REPSLAB_LONG") != "" }

// TestMain runs the tests, which make much garbage and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

// reproduce makes figures and writes them, with their scorecard, to a new
// directory.
func reproduce(t *testing.T, figures []engine.Figure, settings func(id string) engine.Settings) (dir string, outputs []engine.Output,
	grades map[string]claims.Grade) {
	t.Helper()
	dir = t.TempDir()
	provenance := engine.Provenance{Version: "test", Seed: 1, Style: "acm"}
	grades = map[string]claims.Grade{}
	for _, f := range figures {
		last, s := 0.0, settings(f.ID)
		s.Progress = func(done float64) {
			if done < last || done > 1 {
				t.Errorf("%s: progress %v after %v", f.ID, done, last)
			}
			last = done
		}
		out, err := f.Make(context.Background(), s)
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
		if out.Plot != nil && !drawn(f) {
			out.Plot = &plot.Plot{Height: 1, Panels: [][]plot.Panel{{{Series: []plot.Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}}}}
		}
		if err := engine.Write(dir, f, out, provenance); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := engine.WriteScorecard(dir, All()); err != nil {
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

// wantFiles returns the names of the files of a figure.
func wantFiles(f engine.Figure, out engine.Output) []string {
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

// gradesFile holds the grades of all claims by the record.
const gradesFile = "testdata/grades.csv"

// checkGrades compares grades with the grades in gradesFile, or with -update rewrites it; the latter
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
			t.Errorf("%s is not in %s: if it is meant, go test ./internal/figures -run Reproduce -update",
				strings.TrimSpace(line), gradesFile)
		}
	}
}

// TestReproduce makes all figures from the record: it has every run, each is in a figure, all files are there and
// whole, and gradesFile has the grades. It looks at every fourth plot, and with REPSLAB_LONG=1 at all.
func TestReproduce(t *testing.T) {
	taken := map[string]*engine.Recorder{}
	dir, outputs, grades := reproduce(t, All(), func(id string) engine.Settings {
		s := fromRecord(t, id)
		taken[id] = s.Recorder
		return s
	})
	want := []string{"scorecard-mrc.csv", "scorecard.csv", "scorecard.md"}
	if len(claims.Own()) > 0 {
		want = append(want, "scorecard-own.csv")
	}
	for i, f := range All() {
		want = append(want, wantFiles(f, outputs[i])...)
		if tables := outputs[i].Tables; len(tables) == 0 || tables[0].Name != "" {
			t.Errorf("%s has no %s.csv: its first table needs the figure's name", f.ID, f.ID)
		}
		if i%4 == 1 || os.Getenv("REPSLAB_LONG") != "" {
			inspect(t, f.ID, outputs[i].Plot)
		}
		if f.ID == "threshold" {
			checkThreshold(t, outputs[i])
		}
		if o := taken[f.ID].Outcome(); o.Made > 0 || o.Recalled != taken[f.ID].Book.Len() {
			t.Errorf("%s: %d runs are not recorded, and %d of %d recorded ones in no figure: if only their names changed, as by a "+
				"new field of a configuration, keep the old names (estimate in open.go leaves new zero fields out), otherwise reproduce --record %s", f.ID, o.Made,
				taken[f.ID].Book.Len()-o.Recalled, taken[f.ID].Book.Len(), f.ID)
		}
	}
	files := filesOf(t, dir)
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got, want := files["fig17/command.txt"], "repslab reproduce fig17\n"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	var decided []string
	for _, c := range claims.Statements() {
		if len(c.CountedWith) == 0 {
			decided = append(decided, c.ID)
		}
	}
	slices.Sort(decided)
	if got := slices.Sorted(maps.Keys(grades)); !slices.Equal(got, decided) {
		t.Errorf("claims %v are decided, want %v", got, decided)
	}
	checkGrades(t, grades)
	checkClaimRuns(t, dir)
	checkCSVs(t, dir)
	checkExplained(t, dir)
	checkDeciders(t, outputs)
	if note := files["crosscheck/notes.md"]; !strings.Contains(note, "loads compared 0 differ") {
		t.Errorf("theory and network differ: %s", note)
	}
}

// checkDeciders checks that a result decided by theory or inputs has no runs, and another grade has some; N032 is what
// the runs of a figure show, without an estimate.
func checkDeciders(t *testing.T, outputs []engine.Output) {
	t.Helper()
	for _, out := range outputs {
		for _, f := range out.Findings {
			c := claims.Find(f.Claim)
			simulated := c.DecidedBy == "simulation" || c.DecidedBy == "construction"
			if c.Counts() && f.Grade != claims.Undecided && f.Claim != "N032" && simulated != (f.Runs > 0) {
				t.Errorf("%s is decided by %s with %d runs: see internal/claims/decided.csv", f.Claim, c.DecidedBy, f.Runs)
			}
		}
	}
}

// TestWorkers: a cheap figure is the same to the byte with one worker and with three; with REPSLAB_LONG=1 also one
// of theory.
func TestWorkers(t *testing.T) {
	quick := []engine.Figure{figure("fig02")}
	if os.Getenv("REPSLAB_LONG") != "" {
		quick = append(quick, figure("fig18"))
	}
	with := func(workers int) map[string]string {
		dir, _, _ := reproduce(t, quick, func(string) engine.Settings { return engine.Settings{Seed: 2, Workers: workers} })
		return filesOf(t, dir)
	}
	if !maps.Equal(with(1), with(3)) {
		t.Error("files differ between one worker and three")
	}
}

// TestRecordHolds computes a draw of the recorded runs of a third of the figures again: they are as recorded. A figure
// is chosen by its id, and its runs are drawn alone, so the draw does not depend on other figures. REPSLAB_LONG takes
// more runs, of all figures.
func TestRecordHolds(t *testing.T) {
	library := os.DirFS("../../results")
	index, err := runbook.ReadIndex(library)
	if err != nil {
		t.Fatal(err)
	}
	dearest, budget := 0.3, 0.03 // core-seconds: of a run, and of the draw of a figure
	long := os.Getenv("REPSLAB_LONG") != ""
	if long {
		dearest, budget = 60, 1.5
	}
	compared, figures := 0, 0
	for id, of := range index.Figures {
		chosen := long || crc32.ChecksumIEEE([]byte(id))%3 == 2
		if !chosen || of.Runs == 0 || of.CoreSeconds > dearest*float64(of.Runs) {
			continue
		}
		figures++
		s := fromRecord(t, id)
		drawn := runbook.Draw(2, budget, []runbook.Sample{{Figure: id, Book: s.Recorder.Book, CoreSeconds: of.CoreSeconds}})
		if index.Processor != runtime.GOARCH {
			s.Recorder.Tolerance = 1e-9
		}
		s.Recorder.Again = func(of runbook.Run) bool { return drawn[id][of] }
		if _, err := figure(id).Make(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		o := s.Recorder.Outcome()
		compared += o.Compared
		for _, d := range o.Differing {
			t.Errorf("%s: %v: reproduce --record %s renews the record", id, d, id)
		}
	}
	if t.Logf("%d runs of %d figures computed again", compared, figures); compared < figures || figures < 7 {
		t.Errorf("%d runs of %d figures are compared, want one of each of 7 or more figures", compared, figures)
	}
}

// TestRecordIsWhole: the runs of every figure have the number and the digest that the index has, also as
// results/README.md computes it, from the text of the file; every file has one.
func TestRecordIsWhole(t *testing.T) {
	library := os.DirFS("../../results")
	index, err := runbook.ReadIndex(library)
	if err != nil {
		t.Fatal(err)
	}
	for id, of := range index.Figures {
		if book := fromRecord(t, id).Recorder.Book; book.Len() != of.Runs {
			t.Errorf("%s: %d runs, the index has %d", id, book.Len(), of.Runs)
		}
	}
	files, err := fs.Glob(library, "*.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text := sha256.New()
		file, err := library.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(file)
		if err == nil {
			_, err = io.Copy(text, packed)
		}
		if got, want := fmt.Sprintf("%x", text.Sum(nil)), index.Figures[strings.TrimSuffix(name, ".jsonl.gz")].Digest; err != nil || got != want {
			t.Errorf("%s has the digest %s, want %s; error %v", name, got, want, err)
		}
		file.Close()
	}
}

// TestScorecardHasTheGrades: gradesFile has the grades, and the
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
	out, err := figure("tab01").Make(context.Background(), engine.Settings{Seed: 1})
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
		if _, err := f.Make(ctx, engine.Settings{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", f.ID, err)
		}
	}
}

// TestScorecardKeepsOtherFigures: making one figure again keeps the findings of the
// others, and without any finding nothing is written.
func TestScorecardKeepsOtherFigures(t *testing.T) {
	dir := t.TempDir()
	if _, err := engine.WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	if files := filesOf(t, dir); len(files) != 0 {
		t.Errorf("an empty directory holds %v", files)
	}
	recorded := engine.Provenance{Version: "test", Seed: 1, Style: "acm"}
	fresh := engine.Provenance{Version: "test", Seed: 2, Fresh: true, Style: "acm"}
	if err := engine.Write(dir, figure("thm1"), engine.Output{Findings: []claims.Finding{ringFinding()}}, fresh); err != nil {
		t.Fatal(err)
	}
	out, err := figure("tab01").Make(context.Background(), engine.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Write(dir, figure("tab01"), out, recorded); err != nil {
		t.Fatal(err)
	}
	estimated := claims.Seen("N075", true, mc.Estimate{Value: 1, N: 5}, "measured", "why")
	if err := engine.Write(dir, figure("fig17"), engine.Output{Findings: []claims.Finding{estimated}}, recorded); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	card := filesOf(t, dir)["scorecard.md"]
	for _, want := range []string{"Of 1 results, ", "counts apart: ", "| holds in part | ", "| reproduced | "} {
		if !strings.Contains(card, want) {
			t.Errorf("the scorecard lacks %q:\n%s", want, card)
		}
	}
}

// cellOf returns the cell under a column in a row of a table.
func cellOf(t frame.Table, row []any, key string) any {
	return row[slices.IndexFunc(t.Columns, func(c frame.Column) bool { return c.Key == key })]
}
