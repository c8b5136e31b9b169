package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/table"
	"repslab/mc"
	"repslab/sweep"
)

// models lists the models, in the order of the help. A model is all that the
// command of its name and "sweep NAME" know of it; a new one is a function that
// returns such a description.
func models() []model {
	return []model{ballsbinsModel(), recycledModel(), coalescingModel(), evsModel(), fattreeModel()}
}

// model describes a model to the commands that run it.
type model struct {
	name, short, long, example string

	parameters []parameter
	keys       []table.Column // of a point's parameters, defaults filled in
	results    []table.Column // of what is estimated at a point
	unit       string         // of work, whose time --timing tells; default "ball"
	replicas   uint64         // default of --replicas; default 1000
	// streams numbers the results. Raise it with every change of the model's random
	// streams or numbers; TestResultsAreNumbered fails until it has a digest of them.
	streams int
	// over returns the number of runs behind a mean with a standard error, given the
	// cells of its row by key; false if the row does not say. Nil means all replicas.
	over func(mean string, cell func(key string) any) (runs uint64, known bool)
	// points returns the combinations that a grid of the parameters gives, all of
	// them valid, or a usage error.
	points func(*grid) ([]sweep.Point, error)
	// extend adds what only the model's own command can do; may be nil. It gets a
	// function that returns the grid of the flags, and the common flags.
	extend func(*cobra.Command, func() (*grid, error), *commonFlags)
}

// hasKey reports whether a key is that of a parameter.
func (m model) hasKey(key string) bool {
	return slices.ContainsFunc(m.keys, func(c table.Column) bool { return c.Key == key })
}

// parameter is a flag of a model that takes lists.
type parameter struct {
	flag, preset, help string // preset is empty where no value is the default
}

// addParameters adds the flags of the parameters and returns a function that gives
// the texts of those that the user gave, once the flags are parsed.
func (m model) addParameters(flags *pflag.FlagSet) func() map[string]string {
	texts := make(map[string]*string, len(m.parameters))
	for _, p := range m.parameters {
		texts[p.flag] = flags.String(p.flag, p.preset, p.help)
	}
	return func() map[string]string {
		given := map[string]string{}
		for _, p := range m.parameters {
			if flags.Changed(p.flag) {
				given[p.flag] = *texts[p.flag]
			}
		}
		return given
	}
}

// newEstimate returns the command that estimates a model.
func newEstimate(m model) *cobra.Command {
	cmd := &cobra.Command{Use: m.name, Short: m.short, Long: m.long, Example: m.example, Args: noArguments}
	flags := cmd.Flags()
	flags.SortFlags = false
	given := m.addParameters(flags)
	newGrid := func() (*grid, error) { return m.newGrid(given(), nil) }
	common := addCommon(flags, m)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		g, err := newGrid()
		if err != nil {
			return err
		}
		points, err := promptly(cmd.Context(), func() ([]sweep.Point, error) { return m.points(g) })
		if err != nil {
			return err
		}
		plan, err := common.plan(flags.Changed)
		if err != nil {
			return err
		}
		out, err := common.openRows(cmd.Context(), cmd.OutOrStdout(), slices.Concat(m.keys, m.results))
		if err != nil {
			return err
		}
		for _, w := range g.warnings {
			fmt.Fprintf(cmd.ErrOrStderr(), "repslab: warning: %s\n", w)
		}
		ctx := cmd.Context()
		return out.finish(ctx, estimatePoints(ctx, points, plan, out, cmd.ErrOrStderr(), common.quiet))
	}
	if m.extend != nil {
		m.extend(cmd, newGrid, common)
	}
	return cmd
}

// estimatePoints runs points in order with a progress line and prints each
// warning once.
func estimatePoints(ctx context.Context, points []sweep.Point, plan mc.Plan, out *rows, stderr io.Writer, quiet bool) error {
	line := newProgressLine(stderr, quiet)
	defer line.clear()
	warned := map[string]bool{}
	for i, p := range points {
		plan.Progress = func(progress mc.Progress) {
			done := float64(i) + float64(progress.Done)/float64(progress.Total)
			line.draw(fmt.Sprintf("point %d of %d (%s)", i+1, len(points), p.Name), done, float64(len(points)))
		}
		warnings, err := estimatePoint(ctx, p, plan, out)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			if !warned[w] {
				warned[w] = true
				line.clear()
				fmt.Fprintf(stderr, "repslab: warning: %s\n", w)
			}
		}
	}
	return nil
}

// estimatePoint runs a point and writes its rows.
func estimatePoint(ctx context.Context, p sweep.Point, plan mc.Plan, out *rows) (warnings []string, err error) {
	start := time.Now()
	var found sweep.Results
	var replicas uint64
	var took time.Duration
	if p.Exact {
		found, err = p.Fold(ctx, nil, 0)
		took = time.Since(start)
	} else {
		var tally mc.Tally
		if tally, replicas, err = p.Experiment.Run(ctx, plan); err != nil {
			return nil, err
		}
		took = time.Since(start)
		found, err = p.Fold(ctx, tally, replicas)
		found.Warnings = append(found.Warnings, imprecise(plan, tally.StoppingStatistic(), p.Name)...)
	}
	if err != nil {
		return nil, err
	}
	for _, row := range found.Rows {
		if err := out.write(slices.Concat(p.Parameters, row), plan, replicas, cost{took, found.Work}); err != nil {
			return nil, err
		}
	}
	return found.Warnings, nil
}
