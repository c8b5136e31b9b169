package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	laboratory "repslab"
	"repslab/faults"
	"repslab/internal/claims"
	"repslab/internal/console"
	"repslab/internal/figures"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/plot"
	"repslab/internal/values"
	"repslab/internal/web/reportpage"
	"repslab/mc"
	"repslab/sweep"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	output                             string
	style                              plot.Style
	list, fresh, record, resume, quiet bool
	check                              int
	shard                              sweep.Shard

	settings   engine.Settings
	provenance engine.Provenance
	recording  recording
}

// newReproduce returns the reproduce command with a record.
func newReproduce(record fs.FS) *cobra.Command {
	f := reproduceFlags{recording: recording{library: record}}
	cmd := newCommand("reproduce")
	cmd.Args = nil
	cmd.ValidArgsFunction = completeNames(figureIDs(), "")
	flags := cmd.Flags()
	flags.BoolVar(&f.list, "list", false, "list the IDs and stop")
	flags.IntVar(&f.check, "check", 0, "draw `N` of the recorded runs that are computed again, about a minute's work\n0 computes none")
	byDefault(flags, "check", "a new draw, whose number is printed")
	flags.BoolVar(&f.fresh, "fresh", false, "compute all runs, as with another seed than that of the record")
	flags.BoolVar(&f.record, "record", false, "compute all runs and write them to results/, in the module's directory")
	flags.BoolVar(&f.resume, "resume", false, "keep figures and runs that this program made with the same seed and style")
	addShard(flags, &f.shard, "with --fresh or another seed only the figures of shard `i/N`, which all may have one --output")
	flags.StringVarP(&f.output, "output", "o", "out", "write to the directory `DIR`")
	addStyle(flags, &f.style)
	addSeed(flags, &f.settings.Seed, "the same seed writes the same bytes")
	addWorkers(flags, &f.settings.Workers,
		"concurrent runs, of two figures at a time\nwith fewer runs than workers a network's run uses several")
	addQuiet(flags, &f.quiet)
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		chosen, err := figuresOf(ids)
		if err != nil {
			return err
		}
		if err := f.read(flags.Changed("check")); err != nil {
			return err
		}
		if f.shard.Of > 0 {
			chosen = f.recording.inShard(chosen, f.shard)
		}
		if f.list {
			out := cmd.OutOrStdout()
			for _, f := range chosen {
				fmt.Fprintf(out, "%-16s %s\n", f.ID, shorten(f.Title, console.TitleWidth(out, 200, 18)))
			}
			return nil
		}
		if f.recorded() {
			if err := f.recording.read(chosen); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(f.output, 0o777); err != nil {
			return console.Usagef("-o: %q must be a directory that can be written to: %w", f.output, err)
		}
		return f.reproduce(cmd.Context(), chosen, cmd.ErrOrStderr())
	}
	return cmd
}

// figuresOf returns the figures with the given ids in the paper's order, or all figures if no id is given.
func figuresOf(ids []string) ([]engine.Figure, error) {
	named := figureIDs()
	if len(ids) > 0 {
		var err error
		if named, err = values.Names(strings.Join(ids, ","), named); err != nil {
			return nil, console.Usagef("ID %w", err)
		}
	}
	return slices.DeleteFunc(figures.All(), func(f engine.Figure) bool { return !slices.Contains(named, f.ID) }), nil
}

// figureIDs returns the IDs of all figures.
func figureIDs() []string {
	return lists.Map(figures.All(), func(f engine.Figure) string { return f.ID })
}

// read sets the settings and the provenance of the figures from the flags.
func (f *reproduceFlags) read(drawn bool) error {
	switch {
	case f.check < 0:
		return console.Usagef("--check %d must be at least 0", f.check)
	case f.fresh && f.record:
		return console.Usagef("--fresh and --record exclude each other")
	case drawn && (f.fresh || f.record || f.check > 0 && !f.recorded()):
		return console.Usagef("--check %d excludes --fresh, --record and another --seed than 1, which compute all runs", f.check)
	case f.shard.Of > 0 && (f.record || f.recorded()):
		return console.Usagef("--shard has --fresh or another --seed than 1: the record is drawn as a whole")
	case f.record && f.settings.Seed != 1:
		return console.Usagef("--record has --seed 1, not %d", f.settings.Seed)
	}
	if !drawn {
		f.check = 1 + rand.IntN(999_999)
	}
	f.provenance = engine.Provenance{Version: param.Version, Source: laboratory.FigureSource(), Seed: f.settings.Seed,
		Fresh: !f.recorded(), Style: f.style.String()}
	return f.recording.open(f)
}

// reproduce makes the figures, except the figures that --resume keeps. It writes the directory's report last, also
// after a failure.
func (f *reproduceFlags) reproduce(ctx context.Context, chosen []engine.Figure, stderr io.Writer) error {
	say := stderr
	if f.quiet {
		say = io.Discard
	}
	start := time.Now()
	missing := lists.Where(chosen, func(figure engine.Figure) bool {
		return !f.resume || f.record || !figure.UpToDate(f.output, f.provenance)
	})
	failure := f.recording.begin(f, missing)
	made := 0
	if failure == nil {
		made, failure = f.makeFigures(ctx, missing, say, console.NewProgress(stderr, f.quiet))
	}
	if failure = cmp.Or(failure, f.recording.close()); failure == nil {
		failure = f.recording.finish(f)
	}
	all := figures.All()
	card, err := engine.WriteScorecard(f.output, all)
	failure = cmp.Or(failure, err, reportpage.Write(f.output, all))
	written := fmt.Sprintf("%s written to %s", console.Count(made, "figure"), f.output)
	if kept := len(chosen) - len(missing); kept > 0 {
		written += fmt.Sprintf(" and %d kept", kept)
	}
	took := time.Since(start).Seconds()
	for _, sentence := range []string{card.Headline(), f.recording.sentence(f.check)} {
		if sentence != "" {
			fmt.Fprintln(say, sentence)
		}
	}
	fmt.Fprintf(say, "%s in %.1f s; one core draws %.0f million random words a second\n", written, took, wordRate()/1e6)
	if ctx.Err() != nil && errors.Is(failure, ctx.Err()) {
		return console.Interrupted(written+"; --resume continues", failure)
	}
	return failure
}

// figuresAtOnce is the number of figures that run at the same time, not counting one that is being drawn. While
// the last runs of a figure end, the next figure keeps all cores busy.
const figuresAtOnce = 2

// making is the progress of several figures.
type making struct {
	list    []engine.Figure
	mutex   sync.Mutex // guards the fields below
	line    *console.Progress
	parts   []float64 // by figure: finished part, from 0 to 1
	current int       // the first figure that is not finished
}

// progress records and shows the finished part of a figure.
func (m *making) progress(i int, part float64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.parts[i] = part
	sum := 0.0
	for _, part := range m.parts {
		sum += part
	}
	m.line.Draw(fmt.Sprintf("%s (%d of %d)", m.list[m.current].ID, m.current+1, len(m.list)), sum, float64(len(m.list)))
}

// finish replaces the progress line by a text about the current figure, if there is one.
func (m *making) finish(say io.Writer, text string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.line.Clear()
	fmt.Fprint(say, text)
	m.current = min(m.current+1, len(m.list)-1)
}

// madeFigure is a figure, or the error why there is none.
type madeFigure struct {
	engine.Output
	err error
}

// makeFigures makes figures and writes them in their order, each with the time since the figure before. It returns
// the number of figures written, and the first failure. After a failure it begins no other figure, but writes a
// figure that is finished.
func (f *reproduceFlags) makeFigures(ctx context.Context, list []engine.Figure, say io.Writer,
	line *console.Progress) (written int, failure error) {
	ctx = mc.WithWorkers(ctx, f.settings.Workers)
	m := making{list: list, line: line, parts: make([]float64, len(list))}
	var begun []chan madeFigure
	beginUpTo := func(count int) {
		for len(begun) < min(count, len(list)) && failure == nil && ctx.Err() == nil {
			begun = append(begun, f.begin(ctx, &m, len(begun)))
		}
	}
	last := time.Now()
	beginUpTo(figuresAtOnce)
	for i, figure := range list {
		if i == len(begun) {
			return written, cmp.Or(failure, ctx.Err())
		}
		made := <-begun[i]
		failure = cmp.Or(failure, made.err)
		beginUpTo(i + 1 + figuresAtOnce)
		if made.err == nil {
			made.err = f.write(figure, made.Output)
		}
		text := ""
		if made.err == nil {
			written++
			text = reportLine(figure, time.Since(last), say) + decisions(made.Findings, say)
		}
		m.finish(say, text)
		failure, last = cmp.Or(failure, made.err), time.Now()
	}
	return written, failure
}

// reportLine returns the line of a finished figure, no wider than the terminal.
func reportLine(figure engine.Figure, took time.Duration, say io.Writer) string {
	title := console.TitleWidth(say, 82, 27)
	return fmt.Sprintf("%-16s %-*s %6.1f s\n", figure.ID, title, shorten(figure.Title, title), took.Seconds())
}

// decisions lists the results that a figure decides, one on each line.
func decisions(found []claims.Finding, say io.Writer) string {
	var text strings.Builder
	for _, f := range found {
		if claims.Find(f.Claim).Kind == claims.Result && f.Grade != claims.Undecided {
			line := fmt.Sprintf("  %s %s: %s", f.Claim, f.Grade, f.Measured)
			fmt.Fprintln(&text, shorten(line, console.TitleWidth(say, 200, 0)))
		}
	}
	return text.String()
}

// begin starts to make a figure.
func (f *reproduceFlags) begin(ctx context.Context, m *making, i int) chan madeFigure {
	made := make(chan madeFigure, 1)
	settings := f.settings
	settings.Progress = func(part float64) { m.progress(i, part) }
	settings.Recorder = f.recording.of[m.list[i].ID]
	go func() {
		out, err := m.list[i].Make(ctx, settings)
		made <- madeFigure{out, unknownClaim(err)}
	}()
	return made
}

// unknownClaim turns a figure's error about an unknown claim into a usage error.
func unknownClaim(err error) error {
	if _, is := errors.AsType[*faults.FieldError](err); is {
		return console.Usagef("%w", err)
	}
	return err
}

// write writes a figure's files, and the scorecard of all figures in the directory. So an interruption loses no
// finished figure.
func (f *reproduceFlags) write(figure engine.Figure, out engine.Output) error {
	if err := engine.Write(f.output, figure, out, f.provenance); err != nil {
		return err
	}
	// An unreadable record may belong to a figure that is still to be made. If it does not, the scorecard at the
	// end reports it.
	_, _ = engine.WriteScorecard(f.output, figures.All())
	return nil
}

// wordRate returns how many random words one core draws in a second: the maximum over some stretches of a fifth of
// a millisecond. It is the machine's limit, for the comparison of times.
func wordRate() float64 {
	const words, stretches = 1 << 18, 16
	rng := mc.NewStream(0, mc.Algorithm, 0).Rand()
	shortest, sum := time.Hour, uint64(0)
	for range stretches {
		begun := time.Now()
		for range words {
			sum ^= rng.Uint64()
		}
		shortest = min(shortest, time.Since(begun))
	}
	runtime.KeepAlive(sum)
	return words / shortest.Seconds()
}
