package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	laboratory "repslab"
	"repslab/internal/figures"
	"repslab/internal/plot"
	"repslab/internal/web/reportpage"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	out                              string
	style                            plot.Style
	list, quick, full, resume, quiet bool

	settings   figures.Settings
	provenance figures.Provenance
}

func newReproduce() *cobra.Command {
	var f reproduceFlags
	cmd := newCommand("reproduce")
	cmd.Args = nil
	flags := cmd.Flags()
	flags.BoolVar(&f.list, "list", false, "list the IDs and stop")
	flags.BoolVar(&f.quick, "quick", false, "few runs, in a minute or two; grades are provisional (the default)")
	flags.BoolVar(&f.full, "full", false, "at least as many runs as in the paper; grades are final")
	flags.BoolVar(&f.resume, "resume", false, "keep figures that this program made with the same seed, scale and style")
	flags.StringVar(&f.out, "out", "out", "write to the directory `DIR`")
	addStyle(flags, &f.style)
	addSeed(flags, &f.settings.Seed, "the same seed writes the same bytes")
	addWorkers(flags, &f.settings.Workers, "concurrent runs; if there are fewer, a run of a network uses several workers")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on the standard error")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		chosen, err := figuresOf(ids)
		if err != nil {
			return err
		}
		if err := f.read(); err != nil {
			return err
		}
		if f.list {
			for _, f := range chosen {
				fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s\n", f.ID, f.Title)
			}
			return nil
		}
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return usagef("--out: %q must be a directory that can be written to: %w", f.out, err)
		}
		return f.reproduce(cmd.Context(), chosen, cmd.ErrOrStderr())
	}
	return cmd
}

// figuresOf returns the figures with the given ids, in the paper's order, or all if no id
// is given.
func figuresOf(ids []string) ([]figures.Figure, error) {
	var chosen []figures.Figure
	var known []string
	for _, f := range figures.All() {
		known = append(known, f.ID)
		if len(ids) == 0 || slices.Contains(ids, f.ID) {
			chosen = append(chosen, f)
		}
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, usagef("ID %q must be one of %s", id, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// read sets the settings and the provenance of the figures by the flags.
func (f *reproduceFlags) read() error {
	if f.quick && f.full {
		return usagef("--quick and --full exclude each other")
	}
	f.settings.Scale = figures.Quick
	if f.full {
		f.settings.Scale = figures.Full
	}
	f.provenance = figures.Provenance{
		Version: version, Source: laboratory.FigureSource(),
		Seed: f.settings.Seed, Scale: f.settings.Scale, Style: f.style.String(),
	}
	return nil
}

// reproduce makes the figures one after the other, except those that --resume keeps. The
// report of the directory comes last, also after a failure.
func (f *reproduceFlags) reproduce(ctx context.Context, chosen []figures.Figure, stderr io.Writer) error {
	say := stderr
	if f.quiet {
		say = io.Discard
	}
	start := time.Now()
	line := newProgressLine(stderr, f.quiet)
	made, kept := 0, 0
	var failure error
	for i, figure := range chosen {
		if f.resume && figure.UpToDate(f.out, f.provenance) {
			kept++
			continue
		}
		f.settings.Progress = func(done float64) {
			line.draw(fmt.Sprintf("%s (%d of %d)", figure.ID, i+1, len(chosen)), float64(i)+done, float64(len(chosen)))
		}
		begun := time.Now()
		failure = f.makeFigure(ctx, figure)
		line.clear()
		if failure != nil {
			break
		}
		made++
		fmt.Fprintf(say, "%-16s %-82s %6.1f s\n", figure.ID, figure.Title, time.Since(begun).Seconds())
	}
	all := figures.All()
	card, err := figures.WriteScorecard(f.out, all)
	failure = cmp.Or(failure, err, reportpage.Write(f.out, all))
	written := fmt.Sprintf("%s written to %s", count(made, "figure"), f.out)
	if kept > 0 {
		written += fmt.Sprintf(" and %d kept", kept)
	}
	fmt.Fprintf(say, "%s in %.1f s\n", written, time.Since(start).Seconds())
	for _, sentence := range []string{card.Headline(), card.Pending()} {
		if sentence != "" {
			fmt.Fprintln(say, sentence)
		}
	}
	if ctx.Err() != nil && errors.Is(failure, ctx.Err()) {
		return &interruption{written + "; --resume continues", failure}
	}
	return failure
}

// makeFigure makes a figure and writes its files, with the scorecard of all figures in the
// directory, so an interruption loses no finished figure.
func (f *reproduceFlags) makeFigure(ctx context.Context, figure figures.Figure) error {
	out, err := figure.Make(ctx, f.settings)
	if err != nil {
		return err
	}
	if err := figures.Write(f.out, figure, out, f.provenance); err != nil {
		return err
	}
	// A record that cannot be read may be that of a figure still to be made. If it is not,
	// the scorecard at the end reports it.
	_, _ = figures.WriteScorecard(f.out, figures.All())
	return nil
}

// count returns a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
