package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repslab/internal/claims"
	"repslab/internal/figures"
	"repslab/internal/plot"
	"repslab/internal/values"
	"repslab/internal/web/reportpage"
	"repslab/mc"
)

// reproduceFlags are the flags of reproduce.
type reproduceFlags struct {
	seed, workers, style, out string
	list, quick, full, quiet  bool
}

func newReproduce() *cobra.Command {
	var f reproduceFlags
	cmd := &cobra.Command{
		Use:   "reproduce [ID...]",
		Short: "Re-make figures, tables and claims of the paper",
		Long: `Re-makes the paper's figures, tables and theorems, all of them or those named.
Each goes to a folder of its own under --out: the plot as PDF, SVG and PNG, the
numbers as CSV, notes, and the command that re-makes it alone. report.html shows
all that the folder holds, in a browser: the paper's claims with what was measured,
the figures, the proof. scorecard.md and scorecard.csv are the claims alone,
montage.html and figures.tex all figures at the size of print.`,
		Example: `  repslab reproduce
  repslab reproduce fig17 thm1 --full --out results`,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.list, "list", false, "list the IDs and stop")
	flags.BoolVar(&f.quick, "quick", false, "seconds; provisional verdicts (the default)")
	flags.BoolVar(&f.full, "full", false, "the paper's number of runs or more; final verdicts")
	flags.StringVar(&f.out, "out", "out", "the `DIR` to write to")
	flags.StringVar(&f.style, "style", plot.ACM().String(), "acm (column widths of a paper) or slides")
	flags.StringVar(&f.seed, "seed", "1", "seed of all random streams; the same seed writes the same bytes")
	flags.StringVar(&f.workers, "workers", "0", "runs at the same time; 0 means one per core")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on the standard error")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		chosen, err := figuresOf(ids)
		if err != nil {
			return err
		}
		settings, provenance, err := f.settings()
		if err != nil {
			return err
		}
		if f.list {
			return listFigures(cmd.OutOrStdout(), chosen)
		}
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return usagef("--out: %q must be a directory that can be written to: %w", f.out, err)
		}
		return f.reproduce(cmd.Context(), chosen, settings, provenance, cmd.ErrOrStderr())
	}
	return cmd
}

// figuresOf returns the figures with the given ids, in the paper's order, or all
// if there is none.
func figuresOf(ids []string) ([]figures.Figure, error) {
	all := figures.All()
	if len(ids) == 0 {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	var found []figures.Figure
	var known []string
	for _, f := range all {
		known = append(known, f.ID)
		if wanted[f.ID] {
			found = append(found, f)
			delete(wanted, f.ID)
		}
	}
	for _, id := range ids {
		if wanted[id] {
			return nil, usagef("ID %q must be one of %s", id, strings.Join(known, ", "))
		}
	}
	return found, nil
}

// listFigures prints ids and titles.
func listFigures(w io.Writer, list []figures.Figure) error {
	for _, f := range list {
		if _, err := fmt.Fprintf(w, "%-12s %s\n", f.ID, f.Title); err != nil {
			return err
		}
	}
	return nil
}

// settings reads the flags.
func (f *reproduceFlags) settings() (figures.Settings, figures.Provenance, error) {
	var s figures.Settings
	var p figures.Provenance
	if f.quick && f.full {
		return s, p, usagef("--quick and --full exclude each other")
	}
	s.Scale = figures.Quick
	if f.full {
		s.Scale = figures.Full
	}
	var err error
	if s.Seed, err = parseSeed(f.seed); err != nil {
		return s, p, err
	}
	if s.Workers, err = oneInt("workers", f.workers, values.IntRange{Min: 0, Max: mc.MaxWorkers}); err != nil {
		return s, p, err
	}
	style, err := plot.ParseStyle(f.style)
	if err != nil {
		return s, p, usagef("--style: %q must be one of %s, %s", f.style, plot.ACM(), plot.Slides())
	}
	return s, figures.Provenance{Version: version, Seed: s.Seed, Scale: s.Scale, Style: style}, nil
}

// reproduce makes the figures one after the other. The files of a figure are
// written as soon as it is done, and the scorecard, which covers all figures in
// the directory, with them: whatever ends the program, nothing finished is lost.
// The report of the directory comes last, also where a figure failed.
func (f *reproduceFlags) reproduce(ctx context.Context, chosen []figures.Figure, settings figures.Settings, provenance figures.Provenance, stderr io.Writer) error {
	say := stderr
	if f.quiet {
		say = io.Discard
	}
	start := time.Now()
	line := newProgressLine(stderr, f.quiet)
	all := figures.All()
	made := 0
	var failure error
	for i, figure := range chosen {
		settings.Progress = func(done float64) {
			line.draw(fmt.Sprintf("%s (%d of %d)", figure.ID, i+1, len(chosen)), float64(i)+done, float64(len(chosen)))
		}
		begun := time.Now()
		out, err := figure.Make(ctx, settings)
		line.clear()
		if err == nil {
			err = figures.Write(f.out, figure, out, provenance)
		}
		if err != nil {
			failure = err
			break
		}
		made++
		if err := claims.WriteScorecard(f.out, figures.Deciders(all)); err != nil {
			failure = err
			break
		}
		fmt.Fprintf(say, "%-16s %-82s %6.1f s\n", figure.ID, figure.Title, time.Since(begun).Seconds())
	}
	failure = firstError(failure, reportpage.Write(f.out, all))
	fmt.Fprintf(say, "%s written to %s in %.1f s\n", count(made, "figure"), f.out, time.Since(start).Seconds())
	if ctx.Err() != nil && errors.Is(failure, ctx.Err()) {
		return &interruption{fmt.Sprintf("%s written to %s", count(made, "figure"), f.out), failure}
	}
	return failure
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
