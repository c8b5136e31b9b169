package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"repslab/internal/cases"
	"repslab/internal/claims"
	"repslab/internal/console"
	"repslab/internal/figures"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
	"repslab/internal/runbook"
	"repslab/internal/seal"
	"repslab/sweep"
)

// checkedCoreSeconds is the budget of the recorded runs that are computed again: with the figures that have a run
// beyond it, a minute on two cores.
const checkedCoreSeconds = 90

// resultsDir is the module's directory of recorded runs.
const resultsDir = "results"

// recording holds the books that figures take runs from, and write runs to.
type recording struct {
	library fs.FS                       // the record
	index   runbook.Index               // index of the record
	books   map[string]*runbook.Book    // of the record, by figure
	of      map[string]*engine.Recorder // by figure
	files   []io.Closer                 // files of computed runs
}

// recorded reports whether the flags allow to use the recorded runs.
func (f *reproduceFlags) recorded() bool { return !f.fresh && !f.record && f.settings.Seed == 1 }

// open reads the index of the record.
func (r *recording) open(f *reproduceFlags) (err error) {
	if f.record {
		if _, err := os.Stat(filepath.Join(resultsDir, "README.md")); err != nil {
			return console.Usagef("--record must be given in the directory of the module, which has %s/README.md: %w", resultsDir, err)
		}
		r.library = os.DirFS(resultsDir) // this program may be older than the last recording
	}
	r.index, err = runbook.ReadIndex(r.library)
	if errors.Is(err, fs.ErrNotExist) && !f.recorded() {
		return nil
	}
	if err != nil {
		return err
	}
	if model := r.changed(); f.recorded() && model != "" {
		return fmt.Errorf("the record has results number %d of %s, this program %d: --fresh computes all runs, --record renews the record",
			r.index.Results[model], model, resultNumbers()[model])
	}
	return nil
}

// read reads the recorded books of figures. It is an error if one is not as recorded.
func (r *recording) read(list []engine.Figure) (err error) {
	r.books = map[string]*runbook.Book{}
	for _, figure := range list {
		if r.books[figure.ID], err = runbook.ReadBook(r.library, figure.ID); err != nil {
			return fmt.Errorf("%w; --record %s renews it", err, figure.ID)
		}
	}
	return nil
}

// changed returns a model with another version of results in the record, or nothing. A model that the record does not
// know is newer than it, and no recorded run uses it.
func (r *recording) changed() string {
	for _, model := range slices.Sorted(maps.Keys(r.index.Results)) {
		if r.index.Results[model] != resultNumbers()[model] {
			return model
		}
	}
	return ""
}

// resultNumbers returns the version of each model's results.
func resultNumbers() map[string]int {
	numbers := map[string]int{}
	for _, m := range cases.All() {
		numbers[m.Name] = m.Streams
	}
	return numbers
}

// begin opens the books of the figures.
func (r *recording) begin(f *reproduceFlags, list []engine.Figure) error {
	r.of = map[string]*engine.Recorder{}
	if f.record && len(list) < len(figures.All()) && r.changed() != "" {
		return console.Usagef("--record must have no ID: the record has results numbers %v, this program %v", r.index.Results, resultNumbers())
	}
	if f.recorded() {
		r.recall(f, list)
		return nil
	}
	dir := filepath.Join(f.output, "runs")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, figure := range list {
		book, file, err := f.openRuns(filepath.Join(dir, figure.ID))
		if err != nil {
			return err
		}
		r.files = append(r.files, file)
		r.of[figure.ID] = &engine.Recorder{Book: book}
	}
	return nil
}

// openRuns opens the computed runs of a figure, path.jsonl. It starts an empty file without --resume, or if
// path.source says that other code or another seed computed the runs.
func (f *reproduceFlags) openRuns(path string) (*runbook.Book, io.Closer, error) {
	source := fmt.Sprintf("source %s, seed %d\n", f.provenance.Source, f.provenance.Seed)
	before, err := os.ReadFile(path + ".source")
	fresh := !f.resume || err != nil || string(before) != source
	book, file, err := runbook.Open(path+".jsonl", fresh)
	if err == nil && fresh {
		err = os.WriteFile(path+".source", []byte(source), 0o666)
	}
	if errors.Is(err, seal.ErrCorrupted) {
		err = console.Usagef("--resume: %w; without --resume all runs are computed again", err)
	}
	return book, file, err
}

// inShard returns the figures of a shard. All shards take about as long.
func (r *recording) inShard(list []engine.Figure, of sweep.Shard) []engine.Figure {
	cost := func(figure engine.Figure) float64 { return r.index.Figures[figure.ID].CoreSeconds }
	shard, loads := map[string]int{}, make([]float64, of.Of)
	for _, figure := range slices.SortedStableFunc(slices.Values(list), func(a, b engine.Figure) int { return cmp.Compare(cost(b), cost(a)) }) {
		least := slices.Index(loads, slices.Min(loads))
		shard[figure.ID], loads[least] = least+1, loads[least]+cost(figure)
	}
	return lists.Where(list, func(figure engine.Figure) bool { return shard[figure.ID] == of.Index })
}

// recall takes runs from the recorded books, and draws those to compute again: from each experiment of a figure that
// decides a result, and from other figures as a whole.
func (r *recording) recall(f *reproduceFlags, list []engine.Figure) {
	drawn := map[string]map[runbook.Run]bool{}
	if f.check > 0 {
		drawn = runbook.Draw(uint64(f.check), checkedCoreSeconds, r.samples(list))
	}
	for _, figure := range list {
		again := drawn[figure.ID]
		of := &engine.Recorder{Book: r.books[figure.ID], Again: func(run runbook.Run) bool { return again[run] }}
		if r.index.Processor != runtime.GOARCH {
			of.Tolerance = 1e-9
		}
		r.of[figure.ID] = of
	}
}

// samples returns the recorded runs of figures, to draw from.
func (r *recording) samples(list []engine.Figure) []runbook.Sample {
	return lists.Map(list, func(figure engine.Figure) runbook.Sample {
		s := runbook.Sample{Figure: figure.ID, Book: r.books[figure.ID], CoreSeconds: r.index.Figures[figure.ID].CoreSeconds}
		if slices.ContainsFunc(claims.Statements(), func(c claims.Claim) bool { return c.Figure == figure.ID && c.Kind == claims.Result }) {
			s.Effort = engine.Effort
		}
		return s
	})
}

// close closes the books: all their runs are on the disk.
func (r *recording) close() (err error) {
	for _, file := range r.files {
		err = errors.Join(err, file.Close())
	}
	return err
}

// finish writes the books with --record. It returns an error if a run differs from its record.
func (r *recording) finish(f *reproduceFlags) error {
	differing := 0
	var first error
	for _, figure := range figures.All() {
		of := r.of[figure.ID]
		if of == nil {
			continue
		}
		list := of.Outcome().Differing
		if differing += len(list); first == nil && len(list) > 0 {
			first = fmt.Errorf("%s, %v", figure.ID, list[0])
		}
		if f.record {
			if err := r.renew(figure.ID, of, f.provenance.Source); err != nil {
				return err
			}
		}
	}
	if first != nil {
		return fmt.Errorf("%d of %d runs differ from the record (first: %w); --record renews it", differing, r.total().Compared, first)
	}
	if f.record {
		r.index.Seed, r.index.Processor, r.index.Results = f.settings.Seed, runtime.GOARCH, resultNumbers()
		return runbook.WriteIndex(resultsDir, r.index)
	}
	return nil
}

// renew writes the book of a figure to the record, with the digest of the code that made it. The time of all runs is
// extrapolated from the runs computed now.
func (r *recording) renew(figure string, of *engine.Recorder, source string) error {
	outcome := of.Outcome()
	taken := runbook.Taken{Runs: of.Book.Len(), CoreSeconds: r.index.Figures[figure].CoreSeconds,
		Digest: of.Book.Digest(), Source: source}
	if outcome.Made > 0 {
		taken.CoreSeconds = float64(int(outcome.CoreSeconds/float64(outcome.Made)*float64(taken.Runs)*100)) / 100
	}
	if r.index.Figures == nil {
		r.index.Figures = map[string]runbook.Taken{}
	}
	r.index.Figures[figure] = taken
	return runbook.WriteBook(resultsDir, figure, of.Book)
}

// total returns the outcome of all figures.
func (r *recording) total() (all engine.Outcome) {
	for _, of := range r.of {
		all.Add(of.Outcome())
	}
	return all
}

// sentence says what was recorded and what was computed, by which draw, and how long everything took to record; empty
// without runs.
func (r *recording) sentence(draw int) string {
	all, seconds := r.total(), 0.0
	if all.Recalled == 0 && all.Made == 0 {
		return ""
	}
	for _, of := range r.index.Figures {
		seconds += of.CoreSeconds
	}
	if all.Recalled == 0 {
		return all.String()
	}
	by := ""
	if all.Compared > 0 {
		by = fmt.Sprintf("; --check %d draws the same", draw)
	}
	return fmt.Sprintf("%v%s (to record all figures took %.0f minutes of two cores)", all, by, seconds/120)
}
