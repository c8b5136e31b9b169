package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/slurm"
	"repslab/sweep"
)

// slurmFlags are the flags for the batch script of a sweep.
type slurmFlags struct {
	tasks       int // 0 means the number of existing parts, or a number from a calibration
	printScript bool
	slurm.Resources
}

// add adds the flags.
func (f *slurmFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.printScript, "print-script", false,
		"print a batch script of the tasks that are not finished, or of the merge, and run nothing\nfor Slurm or another scheduler")
	addValue(flags, &f.tasks, "tasks", "", "tasks of the array\n"+
		"the calibration aims at five minutes each, or up to 16 shorter ones", param.IntsIn(1, sweep.MaxShards))
	byDefault(flags, "tasks", "by the parts that exist, or a short calibration")
	addText(flags, &f.Partition, "partition", "name", "", "partition of the cluster")
	byDefault(flags, "partition", "the cluster's")
	addText(flags, &f.Account, "account", "name", "", "account to charge")
	byDefault(flags, "account", "the user's")
	addText(flags, &f.Time, "time", "time", "", "time limit of a task in the format of sbatch, such as 1:00:00\n"+
		"a task that reaches it is continued by the next script")
	byDefault(flags, "time", "by the calibration that chooses --tasks; without one the cluster's")
	addText(flags, &f.Memory, "memory", "size", "", "memory of a task, such as 2G")
	annotate(flags, groupKey, []string{"Cluster"}, "print-script", "tasks", "partition", "account", "time", "memory")
	seldom(flags, "print-script", "tasks", "partition", "account", "time", "memory")
}

// slurmFlag returns the flag of a field of [slurm.Resources].
func slurmFlag(field string) (flag string, ok bool) {
	flag = strings.ToLower(field)
	return flag, slices.Contains([]string{"partition", "account", "time", "memory"}, flag)
}

// printScript prints the batch script of the unfinished tasks of a sweep or, if all are finished, of the merge.
func (f *sweepFlags) printScript(cmd *cobra.Command, s *sweep.Sweep, r param.Request) error {
	if f.shard.Of > 0 {
		return console.Usagef("--shard: %q must not be given with --print-script, which cuts the sweep itself", f.shard)
	}
	if _, err := s.Part(sweep.Shard{Index: 1, Of: 1}); err != nil {
		return console.Usagef("%w", err)
	}
	tasks, err := f.countTasks(cmd.Context(), s, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	j := slurm.Job{Name: "repslab", Program: "repslab", Output: f.output, Tasks: tasks,
		Sweep: r.Arguments(s.Header.Config), Resources: f.slurm.Resources}
	if err := j.Validate(); err != nil {
		return console.Usagef("%w", err)
	}
	missing, err := unfinished(s, j)
	if err != nil {
		return err
	}
	script, next := j.ArrayScript(missing), "sbatch runs it; the same command then tells what is left"
	if len(missing) == 0 {
		script, next = j.MergeScript(), "the script merges them"
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), script); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "repslab: %d of %s finished; %s\n", tasks-len(missing), console.Count(tasks, "task"), next)
	return err
}

// countTasks returns the number of tasks: the value of --tasks, or the number of existing parts, or the number
// that a calibration of the sweep suggests, which also sets the time limit unless --time is given.
func (f *sweepFlags) countTasks(ctx context.Context, s *sweep.Sweep, stderr io.Writer) (int, error) {
	if f.slurm.tasks > 0 {
		return f.slurm.tasks, nil
	}
	parts, _ := filepath.Glob(f.output + ".*-of-*") // the pattern is well-formed unless -o is malformed, which gives no parts
	for _, part := range parts {
		if n, err := strconv.Atoi(part[strings.LastIndex(part, "-of-")+len("-of-"):]); err == nil && n > 0 {
			return n, nil
		}
	}
	c, err := s.Calibrate(ctx, calibrationBudget)
	if err != nil {
		return 0, err
	}
	n := slurm.Tasks(c.Seconds/float64(f.slurm.CPUs), s.Blocks())
	limit := ""
	if f.slurm.Time == "" && !c.AtLeast {
		f.slurm.Time = slurm.Limit(c.Hi/float64(f.slurm.CPUs), c.Block, n)
		limit = fmt.Sprintf(" of at most %s minutes (--time)", f.slurm.Time)
	}
	_, err = fmt.Fprintf(stderr, "repslab: about %s with one worker: %s%s\n", estimated(c), console.Count(n, "task"), limit)
	return n, err
}

// unfinished returns the tasks of a job that have not written their whole shard.
func unfinished(s *sweep.Sweep, j slurm.Job) (missing []int, err error) {
	for task := 1; task <= j.Tasks; task++ {
		shard := sweep.Shard{Index: task, Of: j.Tasks}
		part, err := s.Part(shard)
		if err != nil {
			return nil, err
		}
		v, err := part.Inspect(partName(j.Output, shard))
		if err != nil {
			return nil, console.Usagef("-o: %w", err)
		}
		if !v.Finished {
			missing = append(missing, task)
		}
	}
	return missing, nil
}
