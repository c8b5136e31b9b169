package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/internal/wholefile"
	"repslab/mc"
	"repslab/sweep"
)

// Defaults of the Monte Carlo flags.
const (
	defaultReplicas = 1000
	// mostReplicas bounds a run whose length --precision decides.
	mostReplicas = 1_000_000
)

// commonFlags are the flags of every command that estimates something.
type commonFlags struct {
	seed, workers, replicas, precision, format string

	output               string
	force, quiet, timing bool

	fewest uint64 // replicas by default
	work   string // what the time of a row is divided by
}

// addCommon adds the common flags of a model's command, with the model's default
// of --replicas and unit of work.
func addCommon(flags *pflag.FlagSet, m model) *commonFlags {
	f := &commonFlags{fewest: cmp.Or(m.replicas, defaultReplicas), work: cmp.Or(m.unit, "ball")}
	flags.StringVar(&f.replicas, "replicas", "", fmt.Sprintf("independent runs for each row (default %d; with --precision the most that are run, %d)", f.fewest, mostReplicas))
	flags.StringVar(&f.precision, "precision", "", "run until the 95 % interval is within this fraction of the estimate, such as 0.01")
	flags.StringVar(&f.seed, "seed", "1", "seed of all random streams; the same seed prints the same bytes")
	flags.StringVar(&f.workers, "workers", "0", "runs at the same time; 0 means one per core")
	flags.StringVar(&f.format, "format", string(table.Aligned), "table, csv, json (one object a line), markdown or latex")
	flags.StringVarP(&f.output, "output", "o", "", "write the data to this `FILE` instead of the standard output")
	addForce(flags, &f.force)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on the standard error")
	flags.BoolVar(&f.timing, "timing", false, "add the columns wall_s and ns_per_"+f.work+" of the simulation, which differ from run to run; rows of one run repeat them")
	return f
}

// one reads a flag that takes a single value.
func one[T any](name, text string, read func(string) ([]T, error)) (T, error) {
	var none T
	list, err := read(text)
	if err != nil {
		return none, usagef("--%s: %w", name, err)
	}
	if len(list) != 1 {
		return none, usagef("--%s: %.60q has %d values, but must have one", name, text, len(list))
	}
	return list[0], nil
}

// oneInt reads a flag that takes a single integer.
func oneInt(name, text string, allowed values.IntRange) (int, error) {
	return one(name, text, func(s string) ([]int, error) { return values.Ints(s, allowed) })
}

// plan returns the Monte Carlo plan that the flags describe. A flag that is given
// but empty is an error, not the default: it is most likely an unset variable.
func (f *commonFlags) plan(given func(flag string) bool) (mc.Plan, error) {
	var p mc.Plan
	seed, err := parseSeed(f.seed)
	if err != nil {
		return p, err
	}
	if p.Workers, err = oneInt("workers", f.workers, values.IntRange{Min: 0, Max: mc.MaxWorkers}); err != nil {
		return p, err
	}
	p.Seed, p.Replicas = seed, f.fewest
	if given("precision") {
		p.Replicas = mostReplicas
		p.Stop.Relative, err = one("precision", f.precision, func(s string) ([]float64, error) {
			return values.Floats(s, values.FloatRange{Min: 0, Max: 1, MinOpen: true, MaxOpen: true})
		})
		if err != nil {
			return p, err
		}
	}
	if given("replicas") {
		replicas, err := oneInt("replicas", f.replicas, values.IntRange{Min: 1, Max: mc.MaxReplicas})
		if err != nil {
			return p, err
		}
		p.Replicas = uint64(replicas)
	}
	return p, nil
}

// rows is where a command's data goes. Opening it writes nothing but, for CSV on
// the standard output, the header.
type rows struct {
	table.RowWriter
	file   *wholefile.File // nil on the standard output
	place  string          // in messages
	timing bool
	number int // of rows written
}

// columns returns report columns for keys. A key whose values are names is
// aligned as text.
func columns(keys []string, names ...string) []table.Column {
	text := map[string]bool{}
	for _, name := range names {
		text[name] = true
	}
	list := make([]table.Column, len(keys))
	for i, key := range keys {
		list[i] = table.Column{Key: key, Kind: table.NumberKind}
		if text[key] {
			list[i].Kind = table.TextKind
		}
	}
	return list
}

// openRows returns the destination of rows with the given columns. The common
// columns seed and replicas, and with --timing wall_s and the time per unit of work, follow
// them.
func (f *commonFlags) openRows(ctx context.Context, stdout io.Writer, list []table.Column) (*rows, error) {
	list = append(slices.Clone(list), columns([]string{"seed", "replicas"})...)
	if f.timing {
		list = append(list, columns([]string{"wall_s", "ns_per_" + f.work})...)
	}
	return f.openTable(ctx, stdout, list)
}

// openTable returns the destination of rows that have all their columns. A pipe is
// opened at once, which waits for its reader until ctx is done.
func (f *commonFlags) openTable(ctx context.Context, stdout io.Writer, list []table.Column) (*rows, error) {
	format, err := table.ParseFormat(f.format)
	if err != nil {
		return nil, usagef("--format: %.60q must be one of %v", f.format, table.Formats())
	}
	r := &rows{timing: f.timing, place: "the standard output"}
	if f.output != "" {
		if r.file, err = outputFile("-o", f.output, f.force); err != nil {
			return nil, err
		}
		r.place = f.output
		stdout = r.file
		if info, err := os.Stat(f.output); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			if _, err := promptly(ctx, func() (int, error) { return r.file.Write(nil) }); err != nil {
				return nil, err
			}
		}
	}
	r.RowWriter, err = table.NewWriter(stdout, format, list)
	return r, err
}

// cost is what a row took.
type cost struct {
	wall time.Duration
	work float64 // balls thrown, or packet-hops
}

// write adds a row: its own cells, then the common ones.
func (r *rows) write(cells []any, plan mc.Plan, replicas uint64, c cost) error {
	cells = append(cells, plan.Seed, replicas)
	if r.timing {
		cells = append(cells, c.wall.Seconds(), float64(c.wall.Nanoseconds())/c.work)
	}
	r.number++
	return r.Write(cells)
}

// finish completes the data. Rows written before an interruption stay; any other
// failure, and an interruption before the first row, leaves a file as it was.
func (r *rows) finish(ctx context.Context, failure error) error {
	interrupted := failure != nil && errors.Is(failure, ctx.Err())
	if failure != nil && (!interrupted || r.number == 0) {
		if r.file != nil {
			failure = firstError(failure, r.file.Abort())
		}
		if interrupted {
			return &interruption{"no row was written", failure}
		}
		return failure
	}
	err := r.Close()
	if err == nil && r.file != nil {
		err = r.file.Commit()
	}
	if err == nil && interrupted {
		return &interruption{fmt.Sprintf("the finished rows (%d) are written to %s", r.number, r.place), failure}
	}
	return firstError(err, failure)
}

// imprecise returns a warning if a stopping rule was not met, for a point in
// words, and nothing if it was or if there is none.
func imprecise(plan mc.Plan, e mc.Estimate, point string) []string {
	if plan.Stop.Relative == 0 || plan.Stop.Met(e) {
		return nil
	}
	return []string{fmt.Sprintf("%s: the precision of %v was not reached with %d replicas", point, plan.Stop.Relative, plan.Replicas)}
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPlace returns a usage error if the file of a flag cannot be at path.
func checkPlace(flag, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("%s: %q is a directory, but must be a file", flag, path)
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("%s: %q must be in a directory that exists, but %q is none", flag, path, dir)
	}
	return nil
}

// addForce adds --force to a command that writes a file.
func addForce(flags *pflag.FlagSet, force *bool) {
	flags.BoolVar(force, "force", false, "overwrite the file even if it is a sweep's result file")
}

// checkOutput returns a usage error if what a flag names cannot be written to path,
// or if it would replace the result file of a sweep without force.
func checkOutput(flag, path string, force bool) error {
	if err := checkPlace(flag, path); err != nil {
		return err
	}
	if !force && sweep.IsResult(path) {
		return usagef("%s: %s is the result file of a sweep; --force replaces it", flag, path)
	}
	return nil
}

// outputFile returns the file that a flag names, which [checkOutput] allows now and must
// still allow when it is complete: meanwhile a sweep may make its result file there.
func outputFile(flag, path string, force bool) (*wholefile.File, error) {
	file := wholefile.Lazy(path)
	file.Last = func() error { return checkOutput(flag, path, force) }
	return file, file.Last()
}

// writeOutput writes the file that a flag names.
func writeOutput(flag, path string, force bool, data []byte) error {
	file, err := outputFile(flag, path, force)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return firstError(err, file.Abort())
	}
	return file.Commit()
}

// parseSeed reads a seed, any integer of 64 bits without a sign.
func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usagef("--seed: %.60q must be an integer in [0, %d]", text, uint64(1<<64-1))
	}
	return seed, nil
}
