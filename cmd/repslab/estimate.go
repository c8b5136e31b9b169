package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/view"
	"repslab/mc"
	"repslab/sweep"
)

// addParameters adds the flags of a model's parameters, and --zip. It returns a function that returns the texts of
// the flags that the user gave; call it after the flags are parsed.
func addParameters(flags *pflag.FlagSet, m param.Model) func() param.Selection {
	for _, p := range m.Parameters {
		addText(flags, new(string), p.Flag, p.Kind, p.Preset, p.Help)
		byDefault(flags, p.Flag, cmp.Or(p.Preset, p.Otherwise))
		annotate(flags, groupKey, []string{cmp.Or(p.Group, "Parameters")}, p.Flag)
		annotate(flags, choicesKey, p.Choices, p.Flag)
		if p.Rare {
			seldom(flags, p.Flag)
		}
	}
	var zip []string
	flags.StringSliceVar(&zip, "zip", nil, "`names` of parameters that run together, such as bins,threshold\n"+
		"first value with first, second with second; --tie is the same flag")
	annotate(flags, choicesKey, lists.Map(m.Parameters, func(p param.Parameter) string { return p.Flag }), "zip")
	annotate(flags, groupKey, []string{"Estimation"}, "zip")
	seldom(flags, "zip")
	var pool []string
	if slices.ContainsFunc(m.Parameters, func(p param.Parameter) bool { return p.Pools }) {
		flags.StringSliceVar(&pool, "pool", nil, "`flows` makes the files of --flows the replicas of one point\n"+
			"so intervals have the variance of the traffic; --replicas is their number")
		annotate(flags, choicesKey, []string{"flows"}, "pool")
		annotate(flags, groupKey, []string{"Estimation"}, "pool")
		seldom(flags, "pool")
	}
	return func() param.Selection {
		given := param.Texts{}
		for _, p := range m.Parameters {
			if flags.Changed(p.Flag) {
				given[param.KeyOf(p.Flag)] = flags.Lookup(p.Flag).Value.String()
			}
		}
		return param.Selection{Parameters: given, Zip: zip, Pool: pool}
	}
}

// countFor turns on --inside in a selection if a column of --columns needs it.
func countFor(m param.Model, sel param.Selection, columns []string) param.Selection {
	const inside = "inside"
	if _, given := sel.Parameters[inside]; !given && cases.NeedsInside(m, columns) {
		sel.Parameters[inside] = "on"
	}
	return sel
}

// newEstimate returns the command that estimates a model.
func newEstimate(m param.Model) *cobra.Command {
	cmd := newCommand(m.Name)
	flags := cmd.Flags()
	given := addParameters(flags, m)
	common := addCommon(flags, m)
	selected := func() param.Selection { return countFor(m, given(), common.Columns) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
		reading := console.NewProgress(stderr, common.quiet)
		g, err := console.Promptly(ctx, func() (*param.Grid, error) {
			defer reading.Clear()
			sel := selected()
			sel.Note = reading.DrawText
			return m.Grid(sel)
		})
		if err != nil {
			return err
		}
		if err := g.SpareInputs("-o", common.Output); err != nil {
			return err
		}
		if flags.Changed("replicas") || flags.Changed("precision") {
			g.WarnExact()
		}
		plan, err := g.Replicas(common.plan(), flags.Changed("replicas"))
		if err != nil {
			return err
		}
		if common.Interval != "" && common.replicas == 1 {
			g.Warnings = append(g.Warnings, oneRun)
		}
		columns := m.Columns()
		if common.timing {
			columns = append(columns, frame.Numbers("wall_s", m.TimingKey())...)
		}
		head := rows.New(m, columns)
		for _, p := range g.Points { // for --legend
			head.AddRow(slices.Concat(p.Parameters, make([]any, len(columns))))
		}
		out, err := common.Open(ctx, cmd.OutOrStdout(), head)
		if err != nil {
			return err
		}
		out.Timing = common.timing
		return out.Finish(ctx, estimatePoints(ctx, g, plan, out, console.NewProgress(stderr, common.quiet)))
	}
	extend(cmd, m, selected, func() (running, error) {
		return running{common.plan(), common.Output, common.Place(), common.Force, common.quiet}, nil
	})
	addPlan(cmd, m, selected, common)
	return cmd
}

// addPlan adds --plan to the command of networks. With --plan the command runs nothing: it prints what it would run.
func addPlan(cmd *cobra.Command, m param.Model, selected func() param.Selection, common *commonFlags) {
	if m.Name != cases.FattreeName {
		return
	}
	plan := cmd.Flags().Bool("plan", false, "print all resolved values with their units, and run nothing\ndefaults, limits and roundings; warnings go to the standard error")
	seldom(cmd.Flags(), "plan")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !*plan {
			return run(cmd, args)
		}
		for _, name := range []string{"flows-out", "trace", "events", "ev-counts"} {
			if cmd.Flags().Changed(name) {
				return console.Usagef("--%s: must come without --plan, which runs nothing", name)
			}
		}
		points, g, err := cases.ExtraPoints(selected())
		if err != nil {
			return err
		}
		if err := g.SpareInputs("-o", common.Output); err != nil {
			return err
		}
		warn := console.WarnTo(cmd.ErrOrStderr())
		for _, w := range append(g.Warnings, cases.PlanWarnings(points)...) {
			warn(w)
		}
		columns := cases.PlanColumns(points)
		t := rows.New(param.Model{Keys: columns[:len(columns)-2]}, columns)
		list, err := cases.PlanRows(points, g, common.seed)
		if err != nil {
			return err
		}
		for _, row := range list {
			t.AddRow(row)
		}
		return common.Print(cmd.Context(), cmd.OutOrStdout(), t)
	}
}

// oneRun is the warning about --interval with a single run.
const oneRun = "--interval: one run has no interval: --replicas must be at least 2"

// estimatePoints runs the points of a grid in order with a progress line.
func estimatePoints(ctx context.Context, g *param.Grid, plan mc.Plan, out *view.Output, line *console.Progress) error {
	defer line.Clear()
	for _, w := range g.Warnings {
		line.Warn(w)
	}
	for i, p := range g.Points {
		plan.Progress = func(progress mc.Progress) {
			done := float64(i) + float64(progress.Done)/float64(progress.Total)
			line.Draw(fmt.Sprintf("point %d of %d (%s)", i+1, len(g.Points), p.Name), done, float64(len(g.Points)))
		}
		plan.Progress(mc.Progress{Total: 1}) // shows the line before the first replica ends
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
func estimatePoint(ctx context.Context, p sweep.Point, plan mc.Plan, out *view.Output) (warnings []string, err error) {
	start := time.Now()
	var tally mc.Tally
	var replicas uint64
	if !p.Exact {
		tally, replicas, err = p.Experiment.Run(ctx, plan)
		if err != nil && (replicas == 0 || !console.WasInterrupted(ctx, err)) {
			return nil, err
		}
	}
	interrupted, took := err, time.Since(start)
	if interrupted != nil {
		ctx = context.WithoutCancel(ctx)
		out.Remainder = fmt.Sprintf(view.RemainderJoint+"the rows of %s are a partial estimate, as --replicas %d gives it", p.Name, replicas)
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
		if out.Timing {
			cells = append(cells, took.Seconds(), float64(took.Nanoseconds())/found.Work)
		}
		if err := out.Write(cells); err != nil {
			return nil, err
		}
	}
	if interrupted != nil {
		out.Partial = len(found.Rows)
	}
	return found.Warnings, interrupted
}
