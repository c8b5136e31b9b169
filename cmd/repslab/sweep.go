package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/view"
	"repslab/internal/wholefile"
	"repslab/mc"
	"repslab/sweep"
)

// sweepFlags are the flags of every sweep.
type sweepFlags struct {
	numbers param.SweepNumbers
	output  string
	shard   sweep.Shard

	plan, printConfig, quiet bool

	options sweep.Options
	slurm   slurmFlags
}

// newSweep returns the command that sweeps models.
func newSweep(available []param.Model) *cobra.Command {
	cmd := newCommand("sweep")
	var f sweepFlags
	var config string
	flags := cmd.Flags()
	flags.StringVar(&config, "config", "", "read the model and all parameters from this `FILE`")
	f.addRunning(flags)
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			_, err := param.Named(available, args[0])
			return err
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if config == "" {
			_, err := param.Named(available, "")
			return console.Usagef("sweep needs a MODEL or --config: %w", err)
		}
		r, err := console.Promptly(cmd.Context(), func() (param.Request, error) { return param.ReadRequest(config) })
		if err != nil {
			return err
		}
		return f.run(cmd, available, r)
	}
	for _, m := range available {
		cmd.AddCommand(newSweepModel(available, m))
	}
	return cmd
}

// newSweepModel returns the command that sweeps one model.
func newSweepModel(available []param.Model, m param.Model) *cobra.Command {
	cmd, own := newCommand("sweep"), newCommand(m.Name)
	shared, _, _ := strings.Cut(cmd.Long, "\n\n--config")
	example, _, _ := strings.Cut(own.Example, "\n")
	cmd.Use, cmd.Short = m.Name, "Sweep: "+own.Short
	cmd.Annotations[briefKey] = "Runs all combinations of the parameters of repslab " + m.Name + " in blocks of replicas."
	cmd.Long = shared + "\n\nThe parameters are those of repslab " + m.Name + "."
	cmd.Example = strings.Replace(example, "repslab ", "repslab sweep ", 1) + " -o " + m.Name + ".jsonl"
	flags := cmd.Flags()
	selected := addParameters(flags, m)
	var f sweepFlags
	printed := view.Flags{Format: rows.Aligned}
	addColumns(flags, &printed, "`KEYS` of columns to print when all points are done, as show does")
	whole := func() param.Selection { return countFor(m, selected(), printed.Columns) }
	number := func(text *param.ListText, name, kind, otherwise, help string) {
		addText(flags, (*string)(text), name, kind, "", help)
		byDefault(flags, name, otherwise)
		annotate(flags, groupKey, []string{"Estimation"}, name)
	}
	number(&f.numbers.Seed, "seed", "int", "1", "seed of all random streams\nthe same at every point")
	number(&f.numbers.Replicas, "replicas", "int", fmt.Sprint(m.Plan(0, 0, 0).Replicas), "independent runs of each point")
	number(&f.numbers.Precision, "precision", "number", "",
		precisionHelp)
	number(&f.numbers.MaxReplicas, "max-replicas", "int", strconv.Itoa(param.MostReplicas),
		"with --precision: the maximum number of runs of a point")
	number(&f.numbers.Block, "block", "int", "a 64th of the replicas, 1 to 1024; with --precision 64",
		"replicas of a block\nwhich is run, recorded and shared as a whole")
	seldom(flags, "max-replicas", "block")
	f.addRunning(flags)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := printed.Check(rows.New(m, m.Columns())); err != nil {
			return err
		}
		if err := f.run(cmd, available, param.Request{Model: m.Name, Selection: whole(), SweepNumbers: f.numbers}); err != nil || printed.Columns == nil || f.runsNothing() {
			return err
		}
		t, err := rows.Read(cmd.Context(), available, partName(f.output, f.shard), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return printed.Print(cmd.Context(), cmd.OutOrStdout(), t)
	}
	extend(cmd, m, selected, func() (running, error) { return f.running(m) })
	return cmd
}

// runsNothing reports whether the command only prints something about the sweep.
func (f *sweepFlags) runsNothing() bool { return f.plan || f.printConfig || f.slurm.printScript }

// running returns how the sweep runs, for the extra files.
func (f *sweepFlags) running(m param.Model) (running, error) {
	if f.runsNothing() || f.shard.Of > 0 {
		return running{}, console.Usagef("--flows-out and --trace must come without --shard, --plan and other flags that run nothing here")
	}
	c, err := f.numbers.Config(m, new(param.Grid))
	plan := mc.Plan{Seed: c.Seed, Replicas: c.Replicas, Workers: f.options.Workers}
	plan.Stop.Relative = c.Precision
	return running{plan: plan, output: f.output, place: f.output, quiet: f.quiet}, err
}

// addRunning adds the flags that control how a sweep runs.
func (f *sweepFlags) addRunning(flags *pflag.FlagSet) {
	flags.StringVarP(&f.output, "output", "o", "",
		"the result `FILE`, JSON lines\nwith --shard i/N FILE.i-of-N is written")
	flags.BoolVar(&f.options.Resume, "resume", false, "continue an existing file of the same sweep\nor of one with fewer replicas or points, or less precision")
	addShard(flags, &f.shard, "run only part `i/N` of the blocks\nor slurm to take both from a Slurm array task")
	addWorkers(flags, &f.options.Workers, "concurrent blocks\nwith fewer blocks than workers a network's run uses several")
	flags.BoolVar(&f.options.Wait, "wait", false, "wait while another process writes the file, instead of failing")
	flags.BoolVar(&f.plan, "plan", false, "print points, blocks and an estimate of the time, and run nothing")
	flags.BoolVar(&f.printConfig, "print-config", false, "print the configuration in effect as JSON, and run nothing")
	addQuiet(flags, &f.quiet)
	annotate(flags, groupKey, []string{"Running"},
		"output", "resume", "shard", "workers", "wait", "plan", "print-config", "quiet")
	seldom(flags, "shard", "wait", "print-config", "quiet")
	f.slurm.add(flags)
}

// check returns a usage error for flags that are wrong for any sweep.
func (f *sweepFlags) check(flags *pflag.FlagSet) error {
	var printed []string
	for _, name := range []string{"plan", "print-config", "print-script"} {
		if on, _ := flags.GetBool(name); on {
			printed = append(printed, "--"+name)
		}
	}
	if len(printed) > 1 {
		return console.Usagef("%s exclude each other", strings.Join(printed, " and "))
	}
	f.slurm.CPUs = max(1, f.options.Workers)
	if err := param.AsFlags(f.slurm.Validate(), slurmFlag); err != nil || f.output == "" {
		return err
	}
	if err := checkResult("-o", f.output); err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(f.output)); slices.Contains([]string{".csv", ".tsv", ".md", ".tex", ".pdf"}, ext) {
		return console.Usagef("-o: %q must not end in %s: a result file has JSON lines, such as r.jsonl; "+
			"repslab export r.jsonl writes CSV and other formats", f.output, ext)
	}
	return nil
}

// checkResult returns a usage error if a flag's result file cannot be at path.
func checkResult(flag, path string) error {
	if err := console.CheckPlace(flag, path); err != nil {
		return err
	}
	if err := wholefile.CheckRegular(path); err != nil {
		return console.Usagef("%s: %w", flag, err)
	}
	return nil
}

// run runs a sweep, or prints its plan, configuration or script.
func (f *sweepFlags) run(cmd *cobra.Command, available []param.Model, r param.Request) error {
	if err := f.check(cmd.Flags()); err != nil {
		return err
	}
	r.Warn = console.WarnTo(cmd.ErrOrStderr())
	s, err := f.newSweep(cmd.Context(), available, r)
	if err != nil {
		return err
	}
	if r.Origin != nil {
		if d := r.Origin.Program.Differences(s.Header.Program); len(d) > 0 {
			r.Warn(fmt.Sprintf("%s was written by another program, so numbers may differ: %s",
				r.Origin.Path, strings.Join(d, ", ")))
		}
	}
	switch {
	case f.printConfig:
		config, err := param.ConfigJSON(s.Header.Config)
		if err == nil {
			_, err = cmd.OutOrStdout().Write(config)
		}
		return err
	case f.plan:
		return printPlan(cmd.Context(), cmd.OutOrStdout(), s)
	case f.output == "":
		return console.Usagef("-o must name the result file")
	case f.slurm.printScript:
		return f.printScript(cmd, s, r)
	}
	return runSweep(cmd.Context(), s, partName(f.output, f.shard), f.options, cmd.ErrOrStderr(), f.quiet)
}

// newSweep returns the sweep of a request. Without --block, a sweep that continues a file has the blocks of the file.
func (f *sweepFlags) newSweep(ctx context.Context, available []param.Model, r param.Request) (*sweep.Sweep, error) {
	s, err := r.NewSweep(ctx, available, f.shard)
	if err != nil || !f.options.Resume || r.Block != "" {
		return s, err
	}
	there, err := sweep.ReadHeader(partName(f.output, f.shard))
	if block := there.Config.Block; err == nil && block != s.Header.Config.Block && block <= s.Header.Config.Replicas {
		r.Block, r.Warn = param.ListText(strconv.FormatUint(block, 10)), nil
		return r.NewSweep(ctx, available, f.shard)
	}
	return s, nil
}

// errPointsFailed is the error of a sweep with failed points.
var errPointsFailed = errors.New("points failed")

// runSweep runs a sweep with a progress line.
func runSweep(ctx context.Context, s *sweep.Sweep, path string, o sweep.Options, stderr io.Writer, quiet bool) error {
	line := console.NewProgress(stderr, quiet)
	defer line.Clear()
	start := time.Now()
	o.Warn = line.Warn
	o.Progress = func(p sweep.Progress) { line.DrawText(progressText(p, time.Since(start))) }
	failed, err := s.Run(ctx, path, o)
	line.Clear()
	switch {
	case errors.Is(err, sweep.ErrExists):
		return console.Usagef("-o: %w; --resume continues a file of the same sweep", err)
	case errors.Is(err, sweep.ErrForeign), errors.Is(err, sweep.ErrOther):
		return console.Usagef("-o: %w; it is left as it is", err)
	case errors.Is(err, sweep.ErrLocked), errors.Is(err, sweep.ErrIrregular), errors.Is(err, sweep.ErrDisplaced):
		return err
	case console.WasInterrupted(ctx, err):
		return console.Interrupted(written(s, path), err)
	case err != nil:
		return fmt.Errorf("%w; %s", err, written(s, path))
	case failed > 0:
		return fmt.Errorf("%d of %d %w; %s says which and why, --resume tries them again",
			failed, len(s.Points), errPointsFailed, path)
	}
	return nil
}

// written says what the file of an interrupted sweep contains, and whether --resume can continue it.
func written(s *sweep.Sweep, path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "nothing was written"
	}
	v, err := s.Inspect(path)
	switch {
	case errors.Is(err, sweep.ErrForeign), errors.Is(err, sweep.ErrOther):
		return path + " cannot be resumed as it is"
	case err != nil:
		return fmt.Sprintf("%s cannot be resumed as it is: merge --salvage -o FILE %s writes what is intact to FILE", path, path)
	case v.Blocks == 0 && v.Points == 0 && v.Failed == 0:
		return path + " holds no finished block"
	}
	return fmt.Sprintf("%s holds %s and the rows of %s; --resume continues with them",
		path, console.Count(int(v.Blocks), "finished block"), console.Count(v.Points, "point"))
}

// progressText returns the progress line of a sweep.
func progressText(p sweep.Progress, elapsed time.Duration) string {
	text := fmt.Sprintf("points %d of %d, blocks %d of %d", p.PointsDone, p.Points, p.BlocksDone, p.Blocks)
	if p.Point != "" {
		text += fmt.Sprintf(", interval +-%.2g %% (%s)", 100*p.RelativeHalf, p.Point)
	}
	rate := float64(p.BlocksRun) / elapsed.Seconds()
	text += fmt.Sprintf(", %.3g blocks/s", rate)
	if rate > 0 {
		left := float64(p.Blocks-min(p.Blocks, p.BlocksDone)) / rate
		text += fmt.Sprintf(", %s left", seconds(left).Round(time.Second))
	}
	return text
}

// seconds converts a time in seconds to a duration.
func seconds(t float64) time.Duration { return time.Duration(t * float64(time.Second)) }

// calibrationBudget is how long --plan measures.
const calibrationBudget = 2 * time.Second

// printPlan prints how much work the sweep takes.
func printPlan(ctx context.Context, w io.Writer, s *sweep.Sweep) error {
	c, err := s.Calibrate(ctx, calibrationBudget)
	if err != nil {
		return err
	}
	bound := ""
	switch {
	case c.AtLeast:
		bound = "more than "
	case s.Header.Config.Precision > 0:
		bound = "at most "
	}
	_, err = fmt.Fprintf(w, "%d points, %d blocks of %d replicas; %s%s with one worker (measured at %d points)\n",
		len(s.Points), s.Blocks(), s.Header.Config.Block, bound, estimated(c), c.Measured)
	if err == nil && c.Unmeasured > 0 {
		_, err = fmt.Fprintf(w, "%d points not measured: estimated from part of a replica, or from points like them; the slowest: %s\n",
			c.Unmeasured, strings.Join(c.Slowest, "; "))
	}
	return err
}

// estimated returns the time of a sweep with its range.
func estimated(c sweep.Calibration) string {
	text := func(t float64) string {
		unit := 10 * time.Millisecond
		if t > 100 {
			unit = time.Second
		}
		return seconds(min(t, 1e9)).Round(unit).String()
	}
	if c.Lo == c.Hi {
		return text(c.Seconds)
	}
	return fmt.Sprintf("%s [%s, %s]", text(c.Seconds), text(c.Lo), text(c.Hi))
}

// addShard adds --shard.
func addShard(flags *pflag.FlagSet, shard *sweep.Shard, help string) {
	addValue(flags, shard, "shard", "", help, func(text string) ([]sweep.Shard, error) {
		s, err := parseShard(text, os.Getenv)
		return []sweep.Shard{s}, err
	})
}

// parseShard reads --shard.
func parseShard(text string, env func(string) string) (sweep.Shard, error) {
	if text == "slurm" {
		return slurmShard(env)
	}
	i, n, ok := strings.Cut(text, "/")
	index, errIndex := strconv.Atoi(i)
	of, errOf := strconv.Atoi(n)
	if !ok || errIndex != nil || errOf != nil || index < 1 || index > of || of > sweep.MaxShards {
		return sweep.Shard{}, fmt.Errorf("%q must be i/N with 1 <= i <= N <= %d, or slurm", text, sweep.MaxShards)
	}
	return sweep.Shard{Index: index, Of: of}, nil
}

// slurmShard returns the shard of a Slurm array task.
func slurmShard(env func(string) string) (sweep.Shard, error) {
	var numbers [3]int
	for i, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"} {
		v, err := strconv.Atoi(env(name))
		if err != nil {
			return sweep.Shard{}, fmt.Errorf("slurm: the variable %s (%q) must be a number; "+
				"Slurm sets it in the tasks of an array", name, env(name))
		}
		numbers[i] = v
	}
	id, count, least := numbers[0], numbers[1], numbers[2]
	if id < least || id-least >= count {
		return sweep.Shard{}, fmt.Errorf(
			"slurm: the array must have the tasks %d-%d without gaps, but task %d is one of its %d",
			least, least+count-1, id, count)
	}
	return sweep.Shard{Index: id - least + 1, Of: count}, nil
}

// partName returns the name of a shard's file: FILE.i-of-N.
func partName(path string, s sweep.Shard) string {
	if s.Of == 0 {
		return path
	}
	return fmt.Sprintf("%s.%d-of-%d", path, s.Index, s.Of)
}
