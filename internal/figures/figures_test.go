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
)

// reproduce makes figures and writes them, with their scorecard, to a new
// directory.
func reproduce(t *testing.T, figures []Figure, workers int) (dir string, verdicts map[string]claims.Verdict) {
	t.Helper()
	dir = t.TempDir()
	provenance := Provenance{Version: "test", Seed: 1, Scale: Quick, Style: "acm"}
	verdicts = map[string]claims.Verdict{}
	for _, f := range figures {
		last := 0.0
		out, err := f.Make(context.Background(), Settings{Seed: 1, Scale: Quick, Workers: workers, Progress: func(done float64) {
			if done < last || done > 1 {
				t.Errorf("%s: progress %v after %v", f.ID, done, last)
			}
			last = done
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Findings) != len(f.Rules) {
			t.Errorf("%s: %d findings for %d rules", f.ID, len(out.Findings), len(f.Rules))
		}
		for i, finding := range out.Findings {
			if finding.Claim != f.Rules[i].Claim || finding.Measured == "" {
				t.Errorf("%s: finding %+v for rule %+v", f.ID, finding, f.Rules[i])
			}
			verdicts[finding.Claim] = finding.Verdict
			sure := finding.Verdict == claims.NotModelled || slices.Contains(withoutChance(), finding.Claim)
			if p := finding.PValue; (p == nil) != sure || p != nil && !(*p >= 0 && *p <= 1) {
				t.Errorf("%s: p-value %v of %s", f.ID, p, finding.Claim)
			}
		}
		inspect(t, f.ID, out.Plot)
		if err := Write(dir, f, out, provenance); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	return dir, verdicts
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

// affordable returns the figures that the tests make: without REPSLAB_LONG none
// that takes more than a few seconds.
func affordable() []Figure {
	if os.Getenv("REPSLAB_LONG") != "" {
		return All()
	}
	cheap := []string{
		"tab01", "settings", "fig02", "fig04", "fig06", "fig07", "fig10", "fig14", "fig17", "fig18", "fig19", "fig20", "fig24", "thm1", "crosscheck",
	}
	return slices.DeleteFunc(All(), func(f Figure) bool { return !slices.Contains(cheap, f.ID) })
}

// wantFiles returns the files of a figure.
func wantFiles(id string) (want []string) {
	tables := map[string][]string{ // beside the main one
		"conclusion": {"ratios"},
		"fig11":      {"fct", "losses"},
		"fig02":      {"rates", "queues"},
		"fig03":      {"slowdown", "speedups", "cdf"},
		"fig04":      {"rates", "queues"},
		"fig05":      {"speedups"},
		"fig06":      {"speedups", "controls"},
		"fig07":      {"rates", "queues", "outages"},
		"fig08":      {"speedups", "losses"},
		"fig14":      {"one-ball-a-bin"},
		"fig15":      {"controls"},
		"fig18":      {"shares"},
		"fig19":      {"rates", "queues"},
		"fig21":      {"speedups"},
		"fig22":      {"rates", "queues", "outages"},
		"fig23":      {"speedups", "losses", "blackhole"},
		"fig24":      {"drawn"},
		"crosscheck": {"runs"},
		"open":       {"round-robin", "round-trip", "window", "network", "lambda", "coalescing"},
		"thm1":       {"growth", "bounds"},
	}
	for _, table := range tables[id] {
		want = append(want, id+"/"+id+"-"+table+".csv")
	}
	ends := []string{".csv", ".pdf", ".svg", ".png"}
	if id == "tab01" || id == "settings" {
		ends = []string{".csv", ".md", ".tex"}
	}
	for _, end := range ends {
		want = append(want, id+"/"+id+end)
	}
	return append(want, id+"/command.txt", id+"/notes.md", id+"/figure.json")
}

// sureVerdicts returns verdicts that hold for any seed with overwhelming
// probability.
func sureVerdicts() map[string]claims.Verdict {
	return map[string]claims.Verdict{
		"N002": claims.Reproduced,
		"N003": claims.NotModelled,
		"N004": claims.Reproduced,
		"N010": claims.Reproduced,
		"N011": claims.Reproduced,
		"N012": claims.NotModelled,
		"N013": claims.Reproduced,
		"N015": claims.Reproduced,
		"N016": claims.Reproduced,
		"N017": claims.Reproduced,
		"N018": claims.Reproduced,
		"N019": claims.Reproduced,
		"N020": claims.Differs,
		"N021": claims.Differs,
		"N022": claims.Differs,
		"N023": claims.Reproduced,
		"N024": claims.NotModelled,
		"N025": claims.Reproduced,
		"N026": claims.Reproduced,
		"N049": claims.Differs,
		"N055": claims.NotModelled,
		"N062": claims.Differs,
		"N063": claims.Reproduced,
		"N064": claims.Differs,
		"N065": claims.Reproduced,
		"N074": claims.Reproduced,
		"N075": claims.Reproduced,
		"N076": claims.Differs,
		"N077": claims.Differs,
		"N078": claims.Differs,
		"N082": claims.Reproduced,
		"N083": claims.Differs,
		"N084": claims.Reproduced,
		"N085": claims.Reproduced,
		"N086": claims.Differs,
		"N087": claims.Reproduced,
		"N092": claims.NotModelled,
		"N095": claims.Differs,
		"N096": claims.Differs,
		"N097": claims.Differs,
	}
}

// TestReproduce makes everything affordable, and some figures of each kind once more with
// three workers in the place of one: all files are there, whole and the same to
// the byte, and the verdicts are those that the theory gives. The verdicts hold
// for any seed with overwhelming probability: each is decided by many standard
// errors.
func TestReproduce(t *testing.T) {
	figures := affordable()
	one, verdicts := reproduce(t, figures, 1)
	quick := slices.DeleteFunc(All(), func(f Figure) bool {
		return !slices.Contains([]string{"fig02", "fig14", "fig17", "fig18", "fig20"}, f.ID)
	})
	three, _ := reproduce(t, quick, 3)
	files := filesOf(t, one)
	for name, again := range filesOf(t, three) {
		if !strings.HasPrefix(name, "scorecard") && files[name] != again {
			t.Errorf("%s differs between one worker and three", name)
		}
	}
	want := []string{"scorecard.csv", "scorecard.md"}
	for _, f := range figures {
		want = append(want, wantFiles(f.ID)...)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got, want := files["fig17/command.txt"], "repslab reproduce fig17 --quick --seed 1 --style acm\n"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	wantVerdicts := sureVerdicts()
	var ruled []string
	for _, f := range figures {
		for _, rule := range f.Rules {
			ruled = append(ruled, rule.Claim)
		}
	}
	// A few runs of a network decide nothing for any seed.
	ofTheory := []string{"tab01", "fig14", "fig17", "fig18", "fig20", "thm1"}
	for _, f := range figures {
		for _, rule := range f.Rules {
			want, sure := wantVerdicts[rule.Claim]
			if got := verdicts[rule.Claim]; got != want && (sure || slices.Contains(ofTheory, f.ID)) {
				t.Errorf("%s: verdict %s, want %s", rule.Claim, got, want)
			}
		}
	}
	if got := slices.Sorted(maps.Keys(verdicts)); !slices.Equal(got, slices.Sorted(slices.Values(ruled))) {
		t.Errorf("claims %v are decided, want %v", got, ruled)
	}
	if note := files["crosscheck/notes.md"]; !strings.Contains(note, "loads compared 0 differ") {
		t.Errorf("theory and network differ: %s", note)
	}
	for id := range verdicts {
		if !strings.Contains(files["scorecard.md"], "## "+id+" ") || !strings.Contains(files["scorecard.csv"], "\n"+id+",") {
			t.Errorf("%s is not in the scorecard", id)
		}
	}
	if !strings.Contains(files["scorecard.md"], "provisional") {
		t.Error("a quick scorecard does not say that its verdicts are provisional")
	}
}

// TestTable1 pins the numbers of the footprint table.
func TestTable1(t *testing.T) {
	out, err := tab01().Make(context.Background(), Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	totals := map[string]any{}
	table := out.Tables[0]
	for _, row := range table.Rows {
		totals[table.Cell(row, "component").(string)] = table.Cell(row, "total_bits")
	}
	for name, want := range map[string]int{"total, ring of 1": 74, "total, ring of 8": 193, "total, ring of 8, with the written count": 197} {
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
	ring := Figure{ID: "thm1", Rules: []claims.Rule{{Claim: "N097", Text: "a rule"}}}
	if err := Write(dir, ring, Output{Findings: []claims.Finding{ringFinding()}}, full); err != nil {
		t.Fatal(err)
	}
	out, err := tab01().Make(context.Background(), Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, tab01(), out, quick); err != nil {
		t.Fatal(err)
	}
	if err := WriteScorecard(dir, All()); err != nil {
		t.Fatal(err)
	}
	card := filesOf(t, dir)["scorecard.md"]
	for _, want := range []string{"decide 10 of the paper's 97 claims:", "9 verdicts are provisional", "## N097 differs", "## N017 reproduced"} {
		if !strings.Contains(card, want) {
			t.Errorf("the scorecard lacks %q:\n%s", want, card)
		}
	}
}
