package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	laboratory "repslab"
	"repslab/faults"
	"repslab/internal/console"
	"repslab/internal/runbook"
	"repslab/internal/seal"
)

// folder returns the contents of all files below a directory.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, top...) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(dir, path)
		files[name] = string(data)
	}
	return files
}

// TestReproduceResume: a run that was interrupted goes on where it stopped, and its folder
// becomes the folder of an uninterrupted run. With REPSLAB_LONG=1, another seed keeps nothing. The interruption comes
// while the second figure runs.
func TestReproduceResume(t *testing.T) {
	ids := []string{"tab01", "fig02", "settings"}
	whole, dir := t.TempDir(), t.TempDir()
	reproduce := func(dir string, flags ...string) outcome {
		return repslab(t, append(append([]string{"reproduce", "--check", "0", "-o", dir}, ids...), flags...)...)
	}
	limit := regexp.MustCompile(` s; one core draws ([0-9]+) million random words a second\n`)
	got := reproduce(whole)
	rate := limit.FindStringSubmatch(got.stderr)
	if got.code != exitDone || rate == nil {
		t.Fatalf("%+v", got)
	}
	if !strings.Contains(got.stderr, "\n  N031 reproduced: OPS takes ") {
		t.Error("a decided claim is not shown with its figure")
	}
	if n, err := strconv.Atoi(rate[1]); err != nil || n < 10 || n > 100_000 {
		t.Errorf("%d million random words a second", n)
	}
	checkReported(t, got.stderr, ids)
	ctx, cancel := context.WithCancel(context.Background())
	stderr := &interrupting{interrupt: cancel} // when the first figure is reported
	var stdout bytes.Buffer
	code := run(ctx, append([]string{"reproduce", "--check", "1", "-o", dir}, ids...), &stdout, stderr)
	// A figure that is done when the interruption comes is written as well.
	done := regexp.MustCompile(`interrupted; ([12]) figures? written to ` + dir + `; --resume continues`).
		FindStringSubmatch(stderr.String())
	if code != exitInterrupted || done == nil {
		t.Fatalf("code %d, %s", code, stderr.String())
	}
	kept, _ := strconv.Atoi(done[1])
	for _, step := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--resume"}, fmt.Sprintf("%s written to %s and %d kept", console.Count(len(ids)-kept, "figure"), dir, kept)},
		{[]string{"--resume"}, "0 figures written to " + dir + " and 3 kept"},
		{[]string{"--resume", "--seed", "2"}, "3 figures written to " + dir + " in"},
		{[]string{"--resume"}, "3 figures written to " + dir + " in"},
	} {
		if strings.HasPrefix(step.want, "3 figures") && os.Getenv("REPSLAB_LONG") == "" {
			continue
		}
		if got := reproduce(dir, step.flags...); got.code != exitDone || !strings.Contains(got.stderr, step.want) {
			t.Errorf("%v: %+v, want %q", step.flags, got, step.want)
		}
	}
	// A damaged record of a later figure does not stop the figures before it.
	for _, id := range []string{"tab01", "fig02"} {
		if err := os.WriteFile(filepath.Join(dir, id, "figure.json"), []byte(`{"id": `), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := reproduce(dir, "--resume"); got.code != exitDone || !strings.Contains(got.stderr, "2 figures written to "+dir+" and 1 kept") {
		t.Errorf("after damage: %+v", got)
	}
	want, resumed := folder(t, whole), folder(t, dir)
	maps.DeleteFunc(resumed, func(name, _ string) bool { return strings.HasPrefix(name, "runs") }) // of the other seed
	for name, data := range want {
		if resumed[name] != data {
			t.Errorf("%s differs from that of an uninterrupted run", name)
		}
	}
	if len(resumed) != len(want) || len(want) < 20 {
		t.Errorf("%d files, want %d", len(resumed), len(want))
	}
}

// checkReported checks that figures are reported once each, in their order.
func checkReported(t *testing.T, stderr string, ids []string) {
	t.Helper()
	var reported []string
	for line := range strings.Lines(stderr) {
		if id, _, _ := strings.Cut(line, " "); slices.Contains(ids, id) {
			reported = append(reported, id)
		}
	}
	if !slices.Equal(reported, ids) {
		t.Errorf("figures %v are reported, want %v", reported, ids)
	}
}

// TestFreshResume: --fresh keeps the runs of an interrupted figure. Once resumed, they have the bytes of runs without
// an interruption, and of the record.
// It needs REPSLAB_LONG=1.
func TestFreshResume(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	whole, dir := t.TempDir(), t.TempDir()
	if got := repslab(t, "reproduce", "fig02", "--fresh", "-o", whole); got.code != exitDone || !strings.Contains(got.stderr, "\n40 runs computed here\n") {
		t.Fatalf("%+v", got)
	}
	book := func(dir string) string {
		var text strings.Builder
		b, file, err := runbook.Open(filepath.Join(dir, "runs", "fig02.jsonl"), false)
		if err == nil {
			_, err = b.WriteTo(&text)
		}
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	path := filepath.Join(dir, "runs", "fig02.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // when a run is kept
		for ctx.Err() == nil {
			if data, err := os.ReadFile(path); err == nil && len(data) > 0 {
				cancel()
			}
		}
	}()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"reproduce", "fig02", "--fresh", "-o", dir}, &stdout, &stderr); code != exitInterrupted {
		t.Fatalf("code %d, %s", code, stderr.String())
	}
	kept := strings.Count(contentOf(t, path), "\n")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = file.WriteString(`{"key":{"lb":"ops"},"seed":1,"run":`) // killed while it wrote
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	got := repslab(t, "reproduce", "fig02", "--fresh", "--resume", "-o", dir)
	if got.code != exitDone || kept == 0 || kept == 40 || book(dir) != book(whole) {
		t.Errorf("%d of 40 runs kept: %+v", kept, got)
	}
	recorded, err := runbook.ReadBook(laboratory.Recorded(), "fig02")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if _, err := recorded.WriteTo(&text); err != nil || text.String() != book(whole) {
		t.Errorf("the record of the program has other runs (error %v): reproduce --record fig02", err)
	}
}

// TestResumeOfAltered: --resume refuses a file of runs in which a digit was changed, and changes nothing.
func TestResumeOfAltered(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "runs", "fig02.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	line := []string{"reproduce", "fig02", "--fresh", "--resume", "-o", dir}
	if got := repslabUntil(ctx, line...); got.code != exitInterrupted { // it writes fig02.source
		t.Fatalf("%+v", got)
	}
	altered := strings.Replace(string(seal.Line([]byte(`{"key":{"lb":"ops"},"seed":1,"run":0,"value":{"Sent":4096}`))), "4096", "4097", 1)
	writeText(t, path, altered)
	got := repslab(t, line...)
	if want := "--resume: runbook: " + path + ": line 1: it is corrupted: its checksum does not fit; without --resume all runs are computed again"; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("%+v, want %q", got, want)
	}
	if contentOf(t, path) != altered {
		t.Error("the file has changed")
	}
}

// contentOf returns the text of a file.
func contentOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCheck: recorded runs are computed again by a new draw, whose number is printed and repeats it, none with
// --check 0. The folder of a draw is the same again, and numbers do not depend on the draw.
func TestCheck(t *testing.T) {
	printed := regexp.MustCompile(`\n40 runs recorded, (\d+) of them computed again here(?:: all equal; --check (\d+) draws the same)? \(`)
	reproduce := func(flags ...string) (again, number string, files map[string]string) {
		dir := t.TempDir()
		got := repslab(t, append([]string{"reproduce", "fig02", "-o", dir}, flags...)...)
		match := printed.FindStringSubmatch(got.stderr)
		if got.code != exitDone || match == nil {
			t.Fatalf("%v: %+v", flags, got)
		}
		return match[1], match[2], folder(t, dir)
	}
	none, _, files := reproduce("--check", "0")
	drawn, number, first := reproduce()
	again, repeated, second := reproduce("--check", number)
	if none != "0" || drawn == "0" || again != drawn || repeated != number {
		t.Errorf("%s, %s and %s runs are computed again, by the draws %s and %s", none, drawn, again, number, repeated)
	}
	if !maps.Equal(first, second) {
		t.Error("the same draw writes another folder")
	}
	for name, data := range files {
		if strings.HasSuffix(name, ".csv") && first[name] != data {
			t.Errorf("the draw changes %s", name)
		}
	}
	numbers := map[int]bool{}
	for range 3 {
		f := reproduceFlags{recording: recording{library: laboratory.Recorded()}}
		f.settings.Seed = 1
		if err := f.read(false); err != nil {
			t.Fatal(err)
		}
		numbers[f.check] = true
	}
	if len(numbers) != 3 || numbers[0] { // a false alarm in 300,000
		t.Errorf("three draws have the numbers %v", numbers)
	}
}

// TestChangedRecord: a recorded number that is not what the program computes is an error that names it.
func TestChangedRecord(t *testing.T) {
	dir := t.TempDir()
	f := reproduceFlags{output: dir, check: 1, quiet: true, recording: recording{library: laboratory.Recorded()}}
	f.settings.Seed = 1
	if err := f.read(true); err != nil {
		t.Fatal(err)
	}
	list, err := figuresOf([]string{"fig02"})
	if err != nil {
		t.Fatal(err)
	}
	err = f.recording.read(list)
	if err == nil {
		err = f.recording.begin(&f, list)
	}
	if err != nil {
		t.Fatal(err)
	}
	of := f.recording.of["fig02"]
	changed := of.Book.Runs()[7]
	value, _ := of.Book.Value(changed)
	if err := of.Book.Put(changed, bytes.Replace(value, []byte(`"Sent":`), []byte(`"Sent":1`), 1)); err != nil {
		t.Fatal(err)
	}
	of.Again = func(runbook.Run) bool { return true }
	settings := f.settings
	settings.Recorder = of
	if _, err := list[0].Make(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("1 of 40 runs differ from the record (first: fig02, run %d, seed 1, of %s: Sent: recorded 1", changed.Run, changed.Key)
	if err := f.recording.finish(&f); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "; --record renews it") {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRecordedRunsAreRead: show, export and plot read the files of the record, a row for each run.
func TestRecordedRunsAreRead(t *testing.T) {
	const path = "../../results/fig02.jsonl.gz"
	got := repslab(t, "export", path)
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != exitDone || len(lines) != 41 || !strings.HasPrefix(lines[0], "group,lb,place,x,seed,run,") || !strings.HasPrefix(lines[1], ",ops,,0,1,0,") {
		t.Errorf("%d lines, %.200s", len(lines), got.stdout)
	}
	if got := repslab(t, "show", path, "--columns", "lb,run,Most"); got.code != exitDone || !strings.Contains(got.stdout, "reps") {
		t.Errorf("%+v", got)
	}
	picture := filepath.Join(t.TempDir(), "most.svg")
	if got := repslab(t, "plot", path, "--x", "run", "--y", "Most", "--by", "lb", "-o", picture); got.code != exitDone || !strings.Contains(contentOf(t, picture), "reps") {
		t.Errorf("%+v", got)
	}
	broken := filepath.Join(t.TempDir(), "broken.jsonl.gz")
	writeText(t, broken, "no gzip")
	refused := repslab(t, "show", broken)
	if refused.code == exitDone || !strings.Contains(refused.stderr, "broken.jsonl.gz") {
		t.Errorf("%+v", refused)
	}
}

// TestReproduceShards: shards divide the figures, about evenly by what they take.
func TestReproduceShards(t *testing.T) {
	seen := map[string]int{}
	var costs []float64
	index, err := runbook.ReadIndex(laboratory.Recorded())
	if err != nil {
		t.Fatal(err)
	}
	for _, shard := range []string{"1/3", "2/3", "3/3"} {
		got := repslab(t, "reproduce", "--list", "--fresh", "--shard", shard)
		sum := 0.0
		for line := range strings.Lines(got.stdout) {
			id, _, _ := strings.Cut(line, " ")
			seen[id]++
			sum += index.Figures[id].CoreSeconds
		}
		costs = append(costs, sum)
	}
	for _, id := range figureIDs() {
		if seen[id] != 1 {
			t.Errorf("%s is in %d shards", id, seen[id])
		}
	}
	if slices.Max(costs) > 1.2*slices.Min(costs) {
		t.Errorf("shards take %v core-seconds", costs)
	}
}

// TestRecordWhole: where the numbers of results have changed, a part of the record cannot be renewed alone.
func TestRecordWhole(t *testing.T) {
	var f reproduceFlags
	f.record, f.output = true, t.TempDir()
	f.recording.index.Results = resultNumbers()
	list, err := figuresOf([]string{"fig02"})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.recording.begin(&f, list); err != nil {
		t.Errorf("a part of the same record: %v", err)
	}
	delete(f.recording.index.Results, "leafspine")
	if got := f.recording.changed(); got != "" {
		t.Errorf("a record that is older than a model is changed in %s", got)
	}
	f.recording.index.Results["fattree"]--
	if err := f.recording.begin(&f, list); err == nil || !strings.Contains(err.Error(), "--record must have no ID") {
		t.Errorf("error %v", err)
	}
}

// TestUnknownClaimIsAUsageError: a figure about a claim that does not exist ends with code 2, any other error with code
// 1.
func TestUnknownClaimIsAUsageError(t *testing.T) {
	var usage *console.UsageError
	err := fmt.Errorf("figures: new: %w", faults.New("claims", "claim", "N999", "must be one of N001"))
	if got := unknownClaim(err); !errors.As(got, &usage) || !strings.Contains(got.Error(), `claim ("N999") must be one of N001`) {
		t.Errorf("error %v", got)
	}
	if got := unknownClaim(context.Canceled); got != context.Canceled {
		t.Errorf("error %v", got)
	}
}
