package main

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	laboratory "repslab"
	"repslab/internal/console"
	"repslab/internal/figures"
	"repslab/internal/runbook"
)

// libraryOf returns a copy of the record with another book of fig02 and, with renewed, with its digest in the index.
func libraryOf(t *testing.T, fig02 *runbook.Book, renewed bool) fs.FS {
	t.Helper()
	dir := t.TempDir()
	err := os.CopyFS(dir, laboratory.Recorded())
	if err == nil {
		err = os.Remove(filepath.Join(dir, "fig02.jsonl.gz"))
	}
	if err == nil {
		err = runbook.WriteBook(dir, "fig02", fig02)
	}
	if renewed && err == nil {
		var index runbook.Index
		index, err = runbook.ReadIndex(os.DirFS(dir))
		taken := index.Figures["fig02"]
		taken.Runs, taken.Digest = fig02.Len(), fig02.Digest()
		index.Figures["fig02"] = taken
		if err == nil {
			err = runbook.WriteIndex(dir, index)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

// recordedBook returns the recorded runs of a figure, each changed by change; "" leaves a run out.
func recordedBook(t *testing.T, figure string, change func(of *runbook.Run, value string) string) *runbook.Book {
	t.Helper()
	whole, err := runbook.ReadBook(laboratory.Recorded(), figure)
	if err != nil {
		t.Fatal(err)
	}
	b := new(runbook.Book)
	for _, of := range whole.Runs() {
		value, _ := whole.Value(of)
		if text := change(&of, string(value)); text != "" {
			if err := b.Put(of, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// TestTamperedRecord: a record that was changed is refused by the figure's name, before anything is written, whether
// or not runs are computed again. With its digest changed as well, it is found by the draw, if the draw has the run:
// of fig02 alone it has all runs.
func TestTamperedRecord(t *testing.T) {
	first := func(of *runbook.Run) bool { return of.Run == 7 && strings.Contains(of.Key, `"ops"`) }
	value := func(of *runbook.Run, value string) string {
		if first(of) {
			return strings.Replace(value, `"Sent":`, `"Sent":1`, 1)
		}
		return value
	}
	schemes := func(of *runbook.Run, value string) string {
		of.Key = strings.NewReplacer(`"ops"`, `"reps"`, `"reps"`, `"ops"`).Replace(of.Key)
		return value
	}
	less := func(of *runbook.Run, value string) string {
		if first(of) {
			return ""
		}
		return value
	}
	other := recordedBook(t, "fig04", func(_ *runbook.Run, value string) string { return value })
	const refused, found = "runbook: fig02 has other runs than were recorded: ", " of 40 runs differ from the record (first: fig02, run "
	for name, c := range map[string]struct {
		book    *runbook.Book
		renewed bool
		check   string
		want    string
	}{
		"a value":             {recordedBook(t, "fig02", value), false, "0", refused + "40 with"},
		"a run less":          {recordedBook(t, "fig02", less), false, "0", refused + "39 with"},
		"two figures":         {other, false, "1", refused + "40 with"},
		"two schemes":         {recordedBook(t, "fig02", schemes), false, "1", refused + "40 with"},
		"a value, its digest": {recordedBook(t, "fig02", value), true, "1", "1" + found + "7, "},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		cmd := newReproduce(libraryOf(t, c.book, c.renewed))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetErr(new(bytes.Buffer))
		cmd.SetArgs([]string{"fig02", "--check", c.check, "-o", dir})
		err := cmd.ExecuteContext(t.Context())
		if _, usage := errors.AsType[*console.UsageError](err); err == nil || usage || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if _, err := os.Stat(dir); !c.renewed && err == nil {
			t.Errorf("%s: the directory is written", name)
		}
	}
}

// TestRecordingTwice: a recording keeps what an earlier one with the same program wrote about another figure.
func TestRecordingTwice(t *testing.T) {
	t.Chdir(t.TempDir())
	err := os.CopyFS(resultsDir, laboratory.Recorded())
	index, readErr := runbook.ReadIndex(os.DirFS(resultsDir))
	earlier := runbook.Taken{Runs: 7, Digest: "earlier"}
	index.Figures["fig04"] = earlier
	err = cmp.Or(err, readErr, os.WriteFile(filepath.Join(resultsDir, "README.md"), nil, 0o600), runbook.WriteIndex(resultsDir, index))
	if err != nil {
		t.Fatal(err)
	}
	cmd := newReproduce(laboratory.Recorded())
	cmd.SetErr(new(bytes.Buffer))
	cmd.SetArgs([]string{"fig02", "--record", "-o", "out"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if index, err = runbook.ReadIndex(os.DirFS(resultsDir)); err != nil || index.Figures["fig04"] != earlier {
		t.Errorf("fig04 has %+v, %v, want %+v", index.Figures["fig04"], err, earlier)
	}
}

// cell is an experiment of a figure, or a figure that is drawn as a whole, without a key.
type cell struct{ figure, key string }

// cellsOf returns what is drawn from, and what a run of it takes, in seconds.
func cellsOf(samples []runbook.Sample) (cells []cell, seconds []float64) {
	for _, s := range samples {
		runs := s.Book.Runs()
		if s.Effort == nil && len(runs) > 0 {
			cells, seconds = append(cells, cell{s.Figure, ""}), append(seconds, s.CoreSeconds/float64(len(runs)))
		}
		if s.Effort == nil {
			continue
		}
		sum, known := 0.0, 0.0
		efforts := map[string]float64{} // of a first run
		for _, of := range runs {
			if _, had := efforts[of.Key]; !had {
				value, _ := s.Book.Value(of)
				efforts[of.Key] = s.Effort(value)
			}
			if e := efforts[of.Key]; e > 0 {
				sum, known = sum+e, known+1
			}
		}
		for _, key := range slices.Sorted(maps.Keys(efforts)) {
			took := s.CoreSeconds / float64(len(runs))
			if e := efforts[key]; e > 0 {
				took *= e * known / sum
			}
			cells, seconds = append(cells, cell{s.Figure, key}), append(seconds, took)
		}
	}
	return cells, seconds
}

// TestDrawOfRecord: a draw of the whole record takes about a minute of two cores, and has a run of every experiment of
// a figure that decides results, if the run costs at most the experiment's part of the budget. A draw of one of these
// figures has a run of every experiment, if one run of each costs at most the budget: of all figures but one.
// results/README.md has the numbers.
func TestDrawOfRecord(t *testing.T) {
	f := reproduceFlags{check: 1, recording: recording{library: laboratory.Recorded()}}
	f.settings.Seed = 1
	if err := cmp.Or(f.read(true), f.recording.read(figures.All())); err != nil {
		t.Fatal(err)
	}
	samples, costly := f.recording.samples(figures.All()), ""
	for _, s := range samples {
		has := map[string]bool{}
		for run := range runbook.Draw(1, checkedCoreSeconds, []runbook.Sample{s})[s.Figure] {
			has[run.Key] = true
		}
		of, seconds := cellsOf([]runbook.Sample{s})
		cost := 0.0
		for _, s := range seconds {
			cost += s
		}
		if cost > checkedCoreSeconds {
			costly += s.Figure
		} else if s.Effort != nil && len(has) != len(of) {
			t.Errorf("a draw of %s has runs of %d of %d experiments", s.Figure, len(has), len(of))
		}
		if share := float64(len(has)) / float64(len(of)); s.Figure == "atlas" && (share < 0.8 || share > 0.95) {
			t.Errorf("a draw of atlas has runs of %.2f of its experiments", share)
		}
	}
	if costly != "atlas" {
		t.Errorf("one run of each experiment costs more than the budget in %s", costly)
	}
	cells, seconds := cellsOf(samples)
	shares := runbook.Shares(seconds, checkedCoreSeconds)
	all, certain, longest, total := 0, 0, 0.0, 0.0
	const draws = 5
	for number := range uint64(draws) {
		drawn := runbook.Draw(number, checkedCoreSeconds, samples)
		has := map[cell]int{}
		for figure, runs := range drawn {
			for of := range runs {
				has[cell{figure, of.Key}]++
				has[cell{figure, ""}]++
			}
		}
		all, certain = 0, 0
		for i, c := range cells {
			total += float64(has[c]) * seconds[i]
			if c.key != "" {
				all++
			}
			if shares[i] == 1 && c.key != "" {
				certain, longest = certain+1, max(longest, seconds[i])
			}
			if has[c] > 1 || has[c] == 0 && shares[i] == 1 {
				t.Errorf("draw %d has %d runs of %s, %s", number, has[c], c.figure, c.key)
			}
		}
	}
	t.Logf("%d of %d experiments have a run in every draw, all of up to %.3f s; the least probability is %.3f; a draw takes %.0f s of a core",
		certain, all, longest, slices.Min(shares), total/draws)
	if certain < all/3 || certain > 2*all/3 || all < 1900 || all > 2200 || longest < 0.045 || longest > 0.07 ||
		slices.Min(shares) < 0.004 || total/draws < 70 || total/draws > 105 {
		t.Error("results/README.md has other numbers, or draws do not take about a minute of two cores")
	}
}
