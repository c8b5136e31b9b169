package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/mc"
)

// Defaults of the Monte Carlo flags.
const (
	defaultReplicas = 1000
	// mostReplicas bounds a run whose length --precision decides.
	mostReplicas = 1_000_000
)

// tableFlags are the flags of a command that writes a table.
type tableFlags struct {
	format, output string
	force          bool
}

// add adds the flags, with a default of --format.
func (f *tableFlags) add(flags *pflag.FlagSet, format table.Format) {
	flags.StringVar(&f.format, "format", string(format), "table, csv, json (one object per line), markdown or latex")
	addOutput(flags, &f.output, &f.force)
}

// addOutput adds -o and --force to a command that writes data to the standard output or a file.
func addOutput(flags *pflag.FlagSet, output *string, force *bool) {
	flags.StringVarP(output, "output", "o", "", "write to this `FILE` instead of the standard output")
	addForce(flags, force)
}

// addForce adds --force to a command that writes a file.
func addForce(flags *pflag.FlagSet, force *bool) {
	flags.BoolVar(force, "force", false, "overwrite the file even if it is a sweep's result file")
}

// parse returns the format.
func (f *tableFlags) parse() (table.Format, error) {
	return one("format", f.format, namesOf(table.Formats()))
}

// commonFlags are the flags of a model's command.
type commonFlags struct {
	tableFlags
	seed, workers, replicas, precision string
	quiet, timing                      bool

	fewest uint64 // replicas by default
	work   string // unit of work, by which --timing divides the time of a row
}

// addCommon adds the common flags of a model's command.
func addCommon(flags *pflag.FlagSet, m model) *commonFlags {
	f := &commonFlags{fewest: cmp.Or(m.replicas, defaultReplicas), work: cmp.Or(m.unit, "ball")}
	flags.StringVar(&f.replicas, "replicas", "",
		fmt.Sprintf("independent runs for each row (default %d; with --precision the maximum, %d)", f.fewest, mostReplicas))
	flags.StringVar(&f.precision, "precision", "",
		"run until the 95 % interval is within this fraction of the estimate, such as 0.01")
	flags.StringVar(&f.seed, "seed", "1", "seed of all random streams; the same seed prints the same bytes")
	flags.StringVar(&f.workers, "workers", "0", "concurrent runs; 0 means one per core")
	f.add(flags, table.Aligned)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on the standard error")
	flags.BoolVar(&f.timing, "timing", false, "add the columns wall_s and ns_per_"+f.work+
		" of the simulation, which differ from run to run; rows of one run repeat them")
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

// parseStyle reads --style.
func parseStyle(text string) (plot.Style, error) {
	return one("style", text, namesOf([]plot.Style{plot.ACM(), plot.Slides()}))
}

// parseWorkers reads --workers.
func parseWorkers(text string) (int, error) {
	return oneInt("workers", text, values.IntRange{Min: 0, Max: mc.MaxWorkers})
}

// parseSeed reads a seed, an unsigned integer of 64 bits.
func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usagef("--seed: %.60q must be an integer in [0, %d]", text, uint64(1<<64-1))
	}
	return seed, nil
}

// plan returns the Monte Carlo plan that the flags describe. A flag that is given
// but empty is an error, not the default: it is most likely an unset variable.
func (f *commonFlags) plan(given func(flag string) bool) (p mc.Plan, err error) {
	if p.Seed, err = parseSeed(f.seed); err != nil {
		return p, err
	}
	if p.Workers, err = parseWorkers(f.workers); err != nil {
		return p, err
	}
	p.Replicas = f.fewest
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

// openRows returns the destination of rows with the given columns, followed by seed and
// replicas and, with --timing, wall_s and the time per unit of work.
func (f *commonFlags) openRows(ctx context.Context, stdout io.Writer, list []table.Column) (*rows, error) {
	list = append(slices.Clone(list), table.Numbers("seed", "replicas")...)
	if f.timing {
		list = append(list, table.Numbers("wall_s", "ns_per_"+f.work)...)
	}
	r, err := f.open(ctx, stdout, list)
	if err == nil {
		r.timing = f.timing
	}
	return r, err
}
