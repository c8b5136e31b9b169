package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/slurm"
	"repslab/internal/wholefile"
	"repslab/sweep"
)

// slurmFlags are the flags of a sweep on a cluster.
type slurmFlags struct {
	engine      string
	tasks       int // 0 means the number of a calibration
	printScript bool
	slurm.Resources
}

// add adds the flags.
func (f *slurmFlags) add(flags *pflag.FlagSet) {
	addName(flags, &f.engine, "engine", "local", "local, or slurm to submit the sweep as an array of tasks\n"+
		"follow it, and merge; -o FILE then keeps the parts in the folder FILE.slurm", []string{"local", "slurm"})
	flags.BoolVar(&f.printScript, "print-script", false,
		"print the batch script of the array, and run nothing\nfor this or another scheduler")
	addValue(flags, &f.tasks, "tasks", "", "tasks of the array\n"+
		"the calibration aims at five minutes each, or up to 16 shorter ones", intsIn(1, sweep.MaxShards))
	byDefault(flags, "tasks", "by a short calibration")
	addText(flags, &f.Partition, "partition", "name", "", "partition of the cluster")
	byDefault(flags, "partition", "the cluster's")
	addText(flags, &f.Account, "account", "name", "", "account to charge")
	byDefault(flags, "account", "the user's")
	addText(flags, &f.Time, "time", "time", "", "time limit of a task in the format of sbatch, such as 1:00:00\n"+
		"a task that reaches it is resumed")
	addText(flags, &f.Memory, "memory", "size", "", "memory of a task, such as 2G")
	annotate(flags, groupKey, []string{"Running"}, "engine")
	annotate(flags, groupKey, []string{"Cluster"}, "print-script", "tasks", "partition", "account", "time", "memory")
	seldom(flags, "print-script", "tasks", "partition", "account", "time", "memory")
}

// slurmFlag returns the flag of a field of [slurm.Resources].
func slurmFlag(field string) (flag string, ok bool) {
	flag = strings.ToLower(field)
	return flag, slices.Contains([]string{"partition", "account", "time", "memory"}, flag)
}

// clusterJob holds the contents of jobFile, in the folder of a sweep on a cluster.
type clusterJob struct {
	sweep.Header
	Job slurm.Job `json:"job"`
}

// Names in the folder of a sweep on a cluster.
const (
	jobFile     = "job.json"
	configName  = "config.json"
	partFile    = "part"
	logsFolder  = "log"
	programFile = "repslab"
)

// newJob completes a job of names, places and a command by tasks and their resources: the array
// that runs a sweep.
func (f *sweepFlags) newJob(
	ctx context.Context, j slurm.Job, s *sweep.Sweep, stderr io.Writer,
) (_ slurm.Job, err error) {
	if _, err := s.Part(sweep.Shard{Index: 1, Of: 1}); err != nil {
		return j, usagef("%w", err)
	}
	if f.shard.Of > 0 {
		return j, usagef("--shard: %q must not be given with --engine slurm or --print-script, "+
			"which cut the sweep themselves", f.shard)
	}
	j.Resources = f.slurm.Resources
	if j.Tasks, err = f.countTasks(ctx, s, stderr); err != nil {
		return j, err
	}
	if err := j.Validate(); err != nil {
		return j, usagef("%w", err)
	}
	return j, nil
}

// countTasks returns the number of tasks: that of --tasks, or the one that a calibration of the
// sweep suggests.
func (f *sweepFlags) countTasks(ctx context.Context, s *sweep.Sweep, stderr io.Writer) (int, error) {
	if f.slurm.tasks > 0 {
		return f.slurm.tasks, nil
	}
	var client slurm.Client
	most := client.MaxTasks(ctx)
	c, err := s.Calibrate(ctx, calibrationBudget)
	if err != nil {
		return 0, err
	}
	n := slurm.Tasks(c.Seconds/float64(f.slurm.CPUs), s.Blocks(), most)
	_, err = fmt.Fprintf(stderr, "repslab: about %s with one worker: %d tasks\n",
		seconds(c.Seconds).Round(10*time.Millisecond), n)
	return n, err
}

// printScript prints the batch script of a sweep.
func (f *sweepFlags) printScript(cmd *cobra.Command, s *sweep.Sweep, r request) error {
	j := slurm.Job{Name: "repslab", Program: "repslab", Part: f.output, Output: f.output}
	j.Sweep = r.arguments(s.Header.Config)
	j, err := f.newJob(cmd.Context(), j, s, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	const merge = "# When all tasks are done (Slurm: sbatch --dependency=afterok:JOB):\n#   %s\n"
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s"+merge, j.ArrayScript(), j.MergeCommand())
	return err
}

// arguments returns the arguments of a command that runs the sweep of a request.
func (r request) arguments(c sweep.Config) []string {
	list := []string{"sweep", r.Model}
	for _, key := range slices.Sorted(maps.Keys(r.Parameters)) {
		list = append(list, "--"+flagOf(key)+"="+r.Parameters[key])
	}
	if len(r.Zip) > 0 {
		list = append(list, "--zip="+flagOf(strings.Join(r.Zip, ",")))
	}
	return append(list, fmt.Sprintf("--seed=%d", c.Seed),
		fmt.Sprintf("--replicas=%d", c.Replicas), fmt.Sprintf("--block=%d", c.Block))
}

// runSlurm submits a sweep and follows it, or follows one that was submitted.
func (f *sweepFlags) runSlurm(cmd *cobra.Command, available []model, s *sweep.Sweep) error {
	output, err := filepath.Abs(f.output)
	if err != nil {
		return err
	}
	dir := output + ".slurm"
	if _, err := os.Stat(filepath.Join(dir, jobFile)); err == nil {
		if !f.options.Resume {
			return usagef("-o: %s exists; --resume or sweep --attach %s continues it", dir, dir)
		}
		return f.attach(cmd, available, dir, &s.Header)
	}
	if _, err := os.Stat(output); err == nil {
		return usagef("-o: %s exists, and no sweep on a cluster wrote it", f.output)
	}
	if err := slurm.Installed(); err != nil {
		return err
	}
	j, err := f.newJob(cmd.Context(), slurm.Job{
		Name: fmt.Sprintf("repslab-%08x", rand.Uint32()), Sweep: []string{"sweep", "--config=" + configName},
		Dir: dir, Program: "./" + programFile, Part: partFile, Output: output, Logs: logsFolder,
	}, s, cmd.ErrOrStderr())
	if err := cmp.Or(err, reachable(s.Header.Config)); err != nil {
		return err
	}
	if err := writeFolder(dir, clusterJob{s.Header, j}); err != nil {
		return err
	}
	err = f.attach(cmd, available, dir, nil)
	if errors.Is(err, slurm.ErrRefused) { // for an unknown partition, say: the next attempt submits a new sweep
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// reachable returns a usage error for an input file that the tasks of a cluster could
// not read: they run in another folder.
func reachable(c sweep.Config) error {
	for _, in := range c.Inputs {
		if _, ok := in.Carried(); !ok && !filepath.IsAbs(in.Path) {
			return usagef("--engine slurm: the input file %s has more than %d bytes or is not text, "+
				"so its path must be absolute and the same on all nodes", in.Path, sweep.MaxInputText)
		}
	}
	return nil
}

// writeFolder makes the folder of a sweep. The tasks run a copy of the program, so that a
// rebuild does not disturb them. The job's file comes last: a folder without it is no sweep.
func writeFolder(dir string, c clusterJob) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(own)
	if err != nil {
		return err
	}
	config, errConfig := configJSON(c.Config)
	job, errJob := json.MarshalIndent(c, "", "  ")
	path := func(name string) string { return filepath.Join(dir, name) }
	err = cmp.Or(errConfig, errJob, os.MkdirAll(path(logsFolder), 0o777),
		wholefile.Write(path(programFile), program), os.Chmod(path(programFile), 0o755),
		wholefile.Write(path(configName), config))
	if err != nil {
		return err
	}
	return wholefile.Write(path(jobFile), append(job, '\n'))
}

// readFolder returns the job of a folder and its sweep, which must be that of the wanted header
// if there is one.
func readFolder(
	ctx context.Context, available []model, dir string, wanted *sweep.Header,
) (slurm.Job, *sweep.Sweep, error) {
	var c clusterJob
	data, err := readConfig(filepath.Join(dir, jobFile))
	if err != nil {
		return c.Job, nil, usagef("--attach: %q must be the folder of a sweep on a cluster: %w", dir, err)
	}
	if err := decodeKnown(data, &c); err != nil {
		return c.Job, nil, fmt.Errorf("%s: %w", filepath.Join(dir, jobFile), err)
	}
	c.Program.Version = c.Repslab
	s, err := sweepOf(ctx, available, dir, c.Header)
	if err != nil {
		return c.Job, nil, fmt.Errorf("%w; its own copy continues it: %s sweep --attach %s",
			err, filepath.Join(dir, programFile), dir)
	}
	if wanted != nil {
		if d := s.Header.Differences(*wanted); len(d) > 0 {
			return c.Job, nil, usagef("-o: %s %w: %s", dir, sweep.ErrOther, strings.Join(d, ", "))
		}
	}
	// The folder may have been moved, or be mounted elsewhere here.
	if c.Job.Dir, err = filepath.Abs(dir); err != nil {
		return c.Job, nil, err
	}
	return c.Job, s, c.Job.Validate()
}

// attach follows the sweep of a folder to its end.
func (f *sweepFlags) attach(cmd *cobra.Command, available []model, dir string, wanted *sweep.Header) error {
	ctx, stderr := cmd.Context(), cmd.ErrOrStderr()
	j, s, err := readFolder(ctx, available, dir, wanted)
	if err != nil {
		return err
	}
	lock, err := wholefile.OpenLocked(filepath.Join(j.Dir, "lock"))
	if errors.Is(err, sweep.ErrLocked) {
		return fmt.Errorf("another process follows %s", dir)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := followJob(ctx, j, s, stderr, f.quiet); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintf(stderr, "repslab: the jobs continue; \"repslab sweep --attach %s\" follows them again, "+
				"\"scancel --name=%s; scancel --name=%s\" cancels them\n", dir, j.Name, j.MergeName())
		}
		return err
	}
	return mergeParts(ctx, j, s, stderr)
}

// followJob follows the tasks of a job until all are done.
func followJob(ctx context.Context, j slurm.Job, s *sweep.Sweep, stderr io.Writer, quiet bool) error {
	line := newProgressLine(stderr, quiet)
	defer line.clear()
	follower := slurm.Follower{
		Job: j,
		Inspect: func(task int) (slurm.Part, error) {
			part, err := s.Part(sweep.Shard{Index: task, Of: j.Tasks})
			if err != nil {
				return slurm.Part{}, err
			}
			v, err := part.Inspect(j.PartFile(task))
			return slurm.Part{Blocks: v.Blocks, Finished: v.Finished}, err
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		},
		Progress: func(p slurm.Progress) { line.drawText(clusterText(p)) },
		Tell: func(text string) {
			line.clear()
			if !quiet {
				fmt.Fprintf(stderr, "repslab: %s\n", text)
			}
		},
	}
	err := follower.Run(ctx)
	switch {
	case errors.Is(err, slurm.ErrCancelled):
		return fmt.Errorf("%w; repslab sweep --attach %s submits what is missing", err, j.Dir)
	case errors.Is(err, slurm.ErrLaunch):
		return fmt.Errorf("%w; sinfo --list-reasons tells which nodes are out of service and why", err)
	case errors.Is(err, slurm.ErrFutile):
		logs := filepath.Join(j.Dir, logsFolder)
		return fmt.Errorf("%w; the last message in %s is %q", err, logs, lastMessage(logs))
	}
	return err
}

// clusterText is the progress line of a sweep on a cluster.
func clusterText(p slurm.Progress) string {
	if p.Merging {
		return fmt.Sprintf("%d tasks done, merging", p.Tasks)
	}
	text := fmt.Sprintf("tasks: %d of %d done, %d running, %d pending", p.Done, p.Tasks, p.Running, p.Pending)
	if p.Again > 0 {
		text += fmt.Sprintf(", %d submitted again", p.Again)
	}
	return text
}

// lastMessage returns the last line of the newest file in a folder that is not empty.
func lastMessage(dir string) string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*"))
	var newest time.Time
	text := ""
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.ModTime().Before(newest) {
			continue
		}
		data, _ := os.ReadFile(path)
		if all := strings.TrimSpace(string(data)); all != "" {
			newest, text = info.ModTime(), strings.TrimSpace(all[strings.LastIndexByte(all, '\n')+1:])
		}
	}
	return text
}

// mergeParts merges the parts unless the merging job has: it may have been lost or, where points
// failed, never started. It prints the warnings of the points.
func mergeParts(ctx context.Context, j slurm.Job, s *sweep.Sweep, stderr io.Writer) error {
	warn := warnTo(stderr)
	merged, err := sweep.Read(j.Output, warn)
	if err != nil || len(merged.Header.Differences(s.Header)) > 0 || merged.Missing > len(merged.Failures) {
		var paths []string
		for task := 1; task <= j.Tasks; task++ {
			paths = append(paths, j.PartFile(task))
		}
		if _, err := s.Merge(ctx, paths, j.Output, sweep.MergeOptions{Warn: warn}); err != nil {
			return err
		}
		if merged, err = sweep.Read(j.Output, warn); err != nil {
			return err
		}
	}
	for _, rows := range merged.Rows {
		for _, w := range rows.Warnings {
			warn(w)
		}
	}
	if failed := len(merged.Failures); failed > 0 {
		return fmt.Errorf("%d of %d %w; %s says which and why", failed, len(s.Points), errPointsFailed, j.Output)
	}
	return nil
}
