package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/sweep"
)

// newMerge returns the command that merges result files.
func newMerge(available []param.Model) *cobra.Command {
	cmd := newCommand("merge")
	cmd.Args = nil
	var output string
	var o sweep.MergeOptions
	flags := cmd.Flags()
	flags.StringVarP(&output, "output", "o", "", "the merged `FILE`")
	flags.BoolVar(&o.Salvage, "salvage", false, "leave corrupted lines out, with a warning, instead of failing")
	flags.BoolVar(&o.Force, "force", false, "replace any file named by -o")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		if len(paths) == 0 {
			return console.Usagef("merge needs a FILE to merge")
		}
		if output == "" {
			return console.Usagef("-o must name the merged file")
		}
		if err := checkResult("-o", output); err != nil {
			return err
		}
		if err := rows.Existing(paths...); err != nil {
			return err
		}
		s, err := sweepOfFirst(cmd.Context(), available, paths, o.Salvage)
		if errors.Is(err, sweep.ErrForeign) {
			return console.Usagef("%w", err)
		}
		if err != nil {
			return err
		}
		stderr := cmd.ErrOrStderr()
		start := time.Now()
		o.Warn = console.WarnTo(stderr)
		m, err := s.Merge(cmd.Context(), paths, output, o)
		if console.WasInterrupted(cmd.Context(), err) {
			return console.Interrupted("nothing was written", err)
		}
		if errors.Is(err, sweep.ErrKept) {
			return console.Usagef("-o: %w; --force replaces it", err)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(stderr, "repslab: %d of %d points, %d blocks, %.1f MB in %.1f s\n",
			m.Points, len(s.Points), m.Blocks, float64(m.Bytes)/1e6, time.Since(start).Seconds())
		return err
	}
	return cmd
}

// sweepOf returns the sweep of the header at a path, with all shards. This program must have written the header.
func sweepOf(ctx context.Context, available []param.Model, path string, h sweep.Header) (*sweep.Sweep, error) {
	m, err := param.Named(available, h.Config.Model)
	if err != nil {
		return nil, param.ForeignFile(path, err)
	}
	if d := m.Differences(h.Program); d != "" {
		return nil, fmt.Errorf("%s was written by another program: %s", path, d)
	}
	return param.RequestOf(h.Config).NewSweep(ctx, available, sweep.Shard{})
}

// sweepOfFirst returns the sweep of the first of several files. When salvaging, it uses the first file with a
// readable header.
func sweepOfFirst(ctx context.Context, available []param.Model, paths []string, salvage bool) (s *sweep.Sweep, err error) {
	for _, path := range paths {
		h, errPath := sweep.ReadHeader(path)
		if errPath == nil {
			s, errPath = sweepOf(ctx, available, path, h)
		}
		if errPath == nil {
			return s, nil
		}
		err = cmp.Or(err, errPath)
		if !salvage {
			break
		}
	}
	return nil, err
}
