package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Client talks to Slurm by its commands.
type Client struct {
	// Run runs a command and returns its standard output; its error holds the command's
	// standard error. Nil runs it on this machine.
	Run func(ctx context.Context, stdin string, command ...string) ([]byte, error)
}

// run runs a command.
func (c Client) run(ctx context.Context, stdin string, command ...string) ([]byte, error) {
	if c.Run != nil {
		return c.Run(ctx, stdin, command...)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "SLURM_BITSTR_LEN=0") // else squeue cuts sets of tasks short
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("slurm: %s: %w: %s", command[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// Installed returns an error unless the commands of Slurm are installed.
func Installed() error {
	for _, name := range []string{"sbatch", "squeue", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("slurm: %s is not found; --print-script writes the script for another machine or scheduler", name)
		}
	}
	return nil
}

// submit submits a script that runs in a folder and returns the number of its job.
func (c Client) submit(ctx context.Context, dir, script string, options ...string) (int, error) {
	command := append([]string{"sbatch", "--parsable", "--chdir=" + dir}, options...)
	out, err := c.run(ctx, script, command...)
	if err != nil {
		return 0, err
	}
	// "12", or "12;cluster".
	number, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";")
	job, err := strconv.Atoi(number)
	if err != nil || job < 1 {
		return 0, fmt.Errorf("slurm: sbatch printed %q, which is no job", out)
	}
	return job, nil
}

// queue returns the entries of the queue with one of the given names, ended ones too
// as long as Slurm remembers them.
func (c Client) queue(ctx context.Context, names ...string) ([]entry, error) {
	out, err := c.run(ctx, "", "squeue", "--states=all", "--name="+strings.Join(names, ","),
		"--noheader", "--array", "--format="+queueFormat)
	if err != nil {
		return nil, err
	}
	queue, err := parseQueue(out)
	others := func(e entry) bool { return !slices.Contains(names, e.Name) }
	return slices.DeleteFunc(queue, others), err // some versions print all jobs
}

// cancel cancels jobs, or tasks of an array, in the notation of scancel: 7, or 7_[1-3]. Those
// that have ended are no error.
func (c Client) cancel(ctx context.Context, names ...string) error {
	_, err := c.run(ctx, "", append([]string{"scancel", "--quiet"}, names...)...)
	return err
}

// outOfService describes the sets of nodes that are drained, down or failing, the most recent
// first.
func (c Client) outOfService(ctx context.Context) ([]string, error) {
	out, err := c.run(ctx, "", "sinfo", "--noheader", "--list-reasons", "--format=%H|%N|%T|%E")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(b, a) }) // by date
	var list []string
	for _, line := range slices.Compact(lines) { // a node of two partitions is printed twice
		if f := strings.SplitN(strings.TrimSpace(line), "|", 4); len(f) == 4 {
			list = append(list, fmt.Sprintf("%s: %s since %s (%s); an administrator returns it to service with "+
				"scontrol update nodename=%s state=resume", f[1], f[2], f[0], f[3], f[1]))
		}
	}
	return list, nil
}

// arraySize is the line of Slurm's configuration with the number of tasks of an array.
var arraySize = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)\s*$`)

// MaxTasks returns the largest number of tasks of an array that the cluster accepts; if it
// does not say, Slurm's own default.
func (c Client) MaxTasks(ctx context.Context) int {
	size := 1001
	out, err := c.run(ctx, "", "scontrol", "show", "config")
	if found := arraySize.FindSubmatch(out); err == nil && found != nil {
		if n, err := strconv.Atoi(string(found[1])); err == nil && n > 1 {
			size = n
		}
	}
	return size - 1 // the largest number of a task, which begin with 1
}

// Tasks returns the number of tasks for a sweep that takes one worker some seconds: tasks
// of five minutes each, or up to 16 shorter ones of at least 15 seconds, but at most the
// number of blocks and the number that the cluster accepts.
func Tasks(seconds float64, blocks uint64, most int) int {
	const long, short, few = 300, 15, 16
	wanted := max(seconds/long, min(few, seconds/short), 1)
	return int(min(wanted+0.999, float64(max(blocks, 1)), float64(most)))
}
