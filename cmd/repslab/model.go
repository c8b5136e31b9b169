package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/console"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/sweep"
)

// models lists the models, in the order of the help. A new model is a function that
// returns such a description, and a file of the folder help.
func models() []model {
	return []model{ballsbinsModel(), recycledModel(), coalescingModel(), evsModel(), allocateModel(), fattreeModel()}
}

// model describes a model to the commands that run it. [newModel] makes one.
type model struct {
	name string

	space      func() space   // another one for each use: it holds the point under construction
	parameters []parameter    // of a space of its own: for names, ranges and help, never to set a point
	keys       []table.Column // of a point's parameters, defaults applied
	results    []table.Column // of the estimates at a point
	brief      []string       // keys of the columns that a table has by default, beside varying parameters
	unit       string         // of work, for --timing; default "ball"
	replicas   uint64         // default of --replicas; default 1000
	// streams numbers the results. Raise it with every change of the model's random
	// streams or numbers; TestResultsAreNumbered fails until it has a digest of them.
	streams int
	// older returns the text of a parameter in a file of earlier streams as this program writes it.
	// Nil means the same text.
	older func(streams int, key, text string) string
}

// newModel completes a model by its parameters.
func newModel(m model, s func() space) model {
	one := s()
	m.space, m.parameters, m.keys = s, one.parameters, one.heads()
	return m
}

// grid returns the points of a selection of parameters.
func (m model) grid(sel selection) (*grid, error) { return m.space().grid(m.name, sel) }

// timingKey returns the key of the time per unit of work.
func (m model) timingKey() string { return "ns_per_" + cmp.Or(m.unit, "ball") }

// columns returns the columns of the rows of a model.
func (m model) columns() []table.Column {
	return slices.Concat(m.keys, m.results, table.Numbers("seed", "replicas"))
}

// addParameters adds the flags of a model's parameters and returns a function that gives
// the texts of those that the user gave, once the flags are parsed.
func addParameters(flags *pflag.FlagSet, m model) func() selection {
	for _, p := range m.parameters {
		addText(flags, new(string), p.flag, p.kind, p.preset, p.help)
		byDefault(flags, p.flag, cmp.Or(p.preset, p.otherwise))
		annotate(flags, groupKey, []string{cmp.Or(p.group, "Parameters")}, p.flag)
		annotate(flags, choicesKey, p.choices, p.flag)
		if p.rare {
			seldom(flags, p.flag)
		}
	}
	return func() selection {
		given := texts{}
		for _, p := range m.parameters {
			if flags.Changed(p.flag) {
				given[keyOf(p.flag)] = flags.Lookup(p.flag).Value.String()
			}
		}
		return selection{Parameters: given}
	}
}

// newEstimate returns the command that estimates a model.
func newEstimate(m model) *cobra.Command {
	cmd := newCommand(m.name)
	flags := cmd.Flags()
	selected := addParameters(flags, m)
	common := addCommon(flags, m)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
		g, err := console.Promptly(ctx, func() (*grid, error) { return m.grid(selected()) })
		if err != nil {
			return err
		}
		if err := g.spareInputs("-o", common.output); err != nil {
			return err
		}
		if flags.Changed("replicas") || flags.Changed("precision") {
			g.warnExact()
		}
		if common.interval != "" && common.replicas == 1 {
			g.warnings = append(g.warnings, oneRun)
		}
		columns := m.columns()
		if common.timing {
			columns = append(columns, table.Numbers("wall_s", m.timingKey())...)
		}
		head := newTable(m, columns)
		for _, p := range g.points { // for --legend
			head.addRow(slices.Concat(p.Parameters, make([]any, len(columns))))
		}
		out, err := common.open(ctx, cmd.OutOrStdout(), head)
		if err != nil {
			return err
		}
		out.timing = common.timing
		return out.finish(ctx, estimatePoints(ctx, g, common.plan(), out, console.NewProgress(stderr, common.quiet)))
	}
	extend(cmd, m, selected, func() (running, error) {
		return running{common.plan(), common.output, common.place(), common.force, common.quiet}, nil
	})
	return cmd
}

// oneRun warns of --interval without an interval.
const oneRun = "--interval: one run has no interval: --replicas must be at least 2"

// estimatePoints runs the points of a grid in order with a progress line.
func estimatePoints(ctx context.Context, g *grid, plan mc.Plan, out *rows, line *console.Progress) error {
	defer line.Clear()
	for _, w := range g.warnings {
		line.Warn(w)
	}
	for i, p := range g.points {
		plan.Progress = func(progress mc.Progress) {
			done := float64(i) + float64(progress.Done)/float64(progress.Total)
			line.Draw(fmt.Sprintf("point %d of %d (%s)", i+1, len(g.points), p.Name), done, float64(len(g.points)))
		}
		warnings, err := estimatePoint(ctx, p, plan, out)
		for _, w := range warnings {
			line.Warn(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// estimatePoint runs a point and writes its rows.
func estimatePoint(ctx context.Context, p sweep.Point, plan mc.Plan, out *rows) (warnings []string, err error) {
	start := time.Now()
	var tally mc.Tally
	var replicas uint64
	if !p.Exact {
		tally, replicas, err = p.Experiment.Run(ctx, plan)
		if err != nil && (replicas == 0 || ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			return nil, err
		}
	}
	interrupted, took := err, time.Since(start)
	if interrupted != nil {
		ctx = context.WithoutCancel(ctx)
		out.remainder = fmt.Sprintf(remainderJoint+"the rows of %s are a partial estimate, as --replicas %d gives it", p.Name, replicas)
	}
	found, err := p.Fold(ctx, tally, replicas)
	if err != nil {
		return nil, err
	}
	if p.Exact {
		took = time.Since(start)
	} else if interrupted == nil && plan.Stop.Relative > 0 && !plan.Stop.Met(tally.StoppingStatistic()) {
		found.Warnings = append(found.Warnings, fmt.Sprintf(
			"%s: the precision of %v was not reached with %d replicas", p.Name, plan.Stop.Relative, plan.Replicas))
	}
	for _, row := range found.Rows {
		cells := slices.Concat(p.Parameters, row, []any{plan.Seed, replicas})
		if out.timing {
			cells = append(cells, took.Seconds(), float64(took.Nanoseconds())/found.Work)
		}
		if err := out.Write(cells); err != nil {
			return nil, err
		}
	}
	if interrupted != nil {
		out.partial = len(found.Rows)
	}
	return found.Warnings, interrupted
}
