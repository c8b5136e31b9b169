package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/values"
	"repslab/mc"
)

// extraFile is a file that a command of the fattree model can write in addition to its rows. The name decides the
// format: JSON lines or CSV.
type extraFile struct {
	flag, path string // path is empty if the file is not requested
	write      cases.ExtraWriter
	// check returns an error if a point cannot write the file with a seed; may be nil.
	check func(p *cases.Fattree, seed uint64) error
}

// running says how a command runs its points and where it writes rows.
type running struct {
	plan          mc.Plan
	output, place string // as given, and in words
	force, quiet  bool
}

// extend adds --list and the flags of extra files to a command of the fattree model. selected returns the
// selection of the flags, and how says how the command runs.
func extend(cmd *cobra.Command, m param.Model, selected func() param.Selection, how func() (running, error)) {
	if m.Name != cases.FattreeName {
		return
	}
	flags := cmd.Flags()
	flowFile := &extraFile{flag: "flows-out", write: (*cases.Fattree).WriteFlows}
	flags.StringVar(&flowFile.path, flowFile.flag, "",
		"write every flow to this `FILE` as CSV\nof every replica, behind the parameters that vary")
	traceFile := addTrace(flags)
	eventFile, countFile := addEvents(flags)
	seldom(flags, "trace-every", "trace-ports", "trace-flows", "event-flows", "event-us", "event-most")
	estimate := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cmp.Or(companions(flags, []*extraFile{traceFile}, "trace-every", "trace-ports", "trace-flows"),
			companions(flags, []*extraFile{eventFile, countFile}, "event-flows"),
			companions(flags, []*extraFile{eventFile}, "event-us", "event-most")); err != nil {
			return err
		}
		files := slices.DeleteFunc([]*extraFile{flowFile, traceFile, eventFile, countFile}, func(f *extraFile) bool { return f.path == "" })
		if len(files) == 0 {
			return estimate(cmd, args)
		}
		run, err := how()
		if err != nil {
			return err
		}
		points, g, err := cases.ExtraPoints(selected())
		if err != nil {
			return err
		}
		if run.plan, err = g.Replicas(run.plan, flags.Changed("replicas")); err != nil {
			return err
		}
		if err := checkExtra(files, points, g, run); err != nil {
			return err
		}
		if flowFile.path != "" && run.plan.Stop.Relative > 0 {
			return console.Usagef("--flows-out: must not be given with --precision, which leaves the number of replicas open")
		}
		err = estimate(cmd, args)
		for err == nil && len(files) > 0 {
			if err = files[0].writeTo(cmd, points, run); err == nil {
				files = files[1:]
			}
		}
		return unwritten(cmd.Context(), err, run.place, files)
	}
	addList(cmd)
}

// addTrace adds the flags of --trace.
func addTrace(flags *pflag.FlagSet) *extraFile {
	trace := new(cases.Trace)
	traceFile := &extraFile{flag: "trace", write: trace.Write, check: trace.Check}
	flags.StringVar(&traceFile.path, traceFile.flag, "",
		"write queues, rates, EVs and marks to this `FILE`\n"+
			"over time, of replica 0: CSV, or JSON lines by the name; plot draws them")
	addValue(flags, &trace.Every, "trace-every", "2", "interval of --trace, us\nat least a slot", func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 1e-3, Max: 1e9})
	})
	flags.StringVar(&trace.Ports, "trace-ports", "", "`PORTS` of --trace: tor0:up,spine0..15:down\n"+
		"in 3 tiers of tor, agg and core; tor0:down are the ports to its hosts; by default the uplinks of ToR 0")
	flags.StringVar(&trace.Flows, "trace-flows", "", "`FLOWS` of --trace, as of --event-flows: 0,512..520\nby default the first 8")
	return traceFile
}

// addEvents adds the flags of --events and --ev-counts.
func addEvents(flags *pflag.FlagSet) (eventFile, countFile *extraFile) {
	events := new(cases.Events)
	eventFile = &extraFile{flag: "events", write: events.Write, check: events.Check}
	flags.StringVar(&eventFile.path, eventFile.flag, "",
		"write the events of some flows to this `FILE`\n"+
			"packets, answers, EVs and rings of replica 0: CSV, or JSON lines by the name; view plays them")
	countFile = &extraFile{flag: "ev-counts", write: events.WriteCounts, check: events.Check}
	flags.StringVar(&countFile.path, countFile.flag, "",
		"write what became of each EV of each flow to this `FILE`\n"+
			"packets sent, acknowledged, marked, trimmed, timed out, of replica 0: CSV, or JSON lines by the name")
	flags.StringVar(&events.Flows, "event-flows", "", "`FLOWS` of --events and --ev-counts: 0,512 or 0..15\n"+
		"numbered from 0, or conditions of --groups, such as 'source=0..7, bytes>1MB'; a flow's number is not its host's")
	byDefault(flags, "event-flows", "of --events 0, of --ev-counts all")
	flags.StringVar(&events.Time, "event-us", "", "write events of this time alone: `FROM..TO`, us")
	flags.IntVar(&events.Most, "event-most", 0, "events of each flow, the first ones; 0: 100,000, fewer for many flows")
	return eventFile, countFile
}

// checkExtra returns an error for files that the points cannot write, that are inputs or exist, or that two flags
// name.
func checkExtra(files []*extraFile, points []cases.ExtraPoint, g *param.Grid, run running) error {
	for _, f := range files {
		if err := cases.CheckExtra(points, run.plan.Seed, f.check); err != nil {
			return err
		}
		if err := cmp.Or(g.SpareInputs("--"+f.flag, f.path), console.CheckOutput("--"+f.flag, f.path, run.force)); err != nil {
			return err
		}
	}
	return distinct(append([]*extraFile{{flag: "output", path: run.output}}, files...))
}

// writeTo computes the points and writes the file.
func (f *extraFile) writeTo(cmd *cobra.Command, points []cases.ExtraPoint, run running) error {
	line := console.NewProgress(cmd.ErrOrStderr(), run.quiet)
	defer line.Clear()
	run.plan.Progress = func(p mc.Progress) { line.Draw("writing --"+f.flag, float64(p.Done), float64(p.Total)) }
	return console.WriteFile("--"+f.flag, f.path, run.force, func(w io.Writer) error {
		return f.write.All(cmd.Context(), cases.ExtraOutput{To: w, Format: f.format(), Warn: line.Warn}, points, run.plan)
	})
}

// companions returns an error for flags about the contents of extra files if none of these files is requested.
func companions(flags *pflag.FlagSet, files []*extraFile, names ...string) error {
	wanted := slices.ContainsFunc(files, func(f *extraFile) bool { return f.path != "" })
	for _, name := range names {
		if flags.Changed(name) && !wanted {
			return console.Usagef("--%s: must come with --%s", name,
				strings.Join(lists.Map(files, func(f *extraFile) string { return f.flag }), " or --"))
		}
	}
	return nil
}

// format returns the format of the file.
func (f *extraFile) format() rows.Format {
	if formatOf(f.path) == rows.JSON {
		return rows.JSON
	}
	return rows.CSV
}

// distinct returns a usage error if two flags name the same file. An empty path is no file.
func distinct(files []*extraFile) error {
	for i, f := range files {
		for _, other := range files[:i] {
			if other.path != "" && console.SameFile(other.path, f.path) {
				return console.Usagef("--%s: %q must not be the file of --%s", f.flag, f.path, other.flag)
			}
		}
	}
	return nil
}

// unwritten adds to the error of an interruption which files were not written. place is where the rows are, unless
// the interruption says otherwise.
func unwritten(ctx context.Context, err error, place string, files []*extraFile) error {
	if !console.WasInterrupted(ctx, err) {
		return err
	}
	text := "the rows are written to " + place
	if i, is := errors.AsType[*console.Interruption](err); is {
		text = i.Written
	}
	for _, f := range files {
		text += fmt.Sprintf("; --%s %s is not written", f.flag, f.path)
	}
	return console.Interrupted(text, err)
}

// addList adds --list to a command. With --list the command only prints tables.
func addList(cmd *cobra.Command) {
	flags := []string{"lb", "cc", "workload", "failure"}
	var wanted []string
	addValue(cmd.Flags(), &wanted, "list", "",
		"print the choices of: "+strings.Join(flags, ",")+"\nand nothing else", asOne(param.NamesOf(flags)))
	annotate(cmd.Flags(), choicesKey, flags, "list")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if wanted == nil {
			return run(cmd, args)
		}
		for _, flag := range wanted {
			for _, c := range cases.Systems() {
				if c.Flag == flag {
					fmt.Fprintf(cmd.OutOrStdout(), "%-8s  %-19s  %s [%s]\n", flag, c.Name, c.Summary, c.Source)
				}
			}
		}
		return nil
	}
}
