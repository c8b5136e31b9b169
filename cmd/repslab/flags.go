package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"repslab/internal/param"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/internal/values"
	"repslab/internal/view"
	"repslab/mc"
)

// addView adds the flags of a command that writes a table; format is the default of --format.
func addView(flags *pflag.FlagSet, f *view.Flags, format rows.Format) {
	addFormat(flags, &f.Format, format)
	addColumns(flags, f, "`KEYS` of the columns to print, in this order, or all\nby default all, but in a table the main ones and parameters that vary")
	addValue(flags, &f.Sort, "sort", "", "`KEYS` by which rows are sorted; -KEY descends", keyLists)
	addName(flags, &f.Interval, "interval", "", "means with 95 % intervals in one cell: pm, brackets\n"+
		"pm is 5.0 ± 0.1, or brackets where the halves differ; brackets is 5.0 [4.9, 5.1]; latex has pm by default", []string{view.PlusMinus, view.Brackets})
	flags.StringVar(&f.Legend, "legend", "", "other `NAMES` of values, such as ops=OPS,reps=REPS\nof parameters that vary")
	addOutput(flags, &f.Output, &f.Force)
}

// addColumns adds --columns.
func addColumns(flags *pflag.FlagSet, f *view.Flags, help string) {
	addValue(flags, &f.Columns, "columns", "", help, keyLists)
}

// keyLists reads a list of keys as one value.
func keyLists(text string) ([][]string, error) {
	list := strings.Split(text, ",")
	if slices.ContainsFunc(list, func(key string) bool { return strings.TrimPrefix(key, "-") == "" }) {
		return nil, fmt.Errorf("%.60q must be keys with one comma between them", text)
	}
	return [][]string{list}, nil
}

// addFormat adds --format.
func addFormat(flags *pflag.FlagSet, value *rows.Format, preset rows.Format) {
	addName(flags, value, "format", string(preset),
		"table, csv, json, markdown or latex\njson has one object per line", rows.Formats())
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

// addSeed adds --seed; same says what the same seed gives.
func addSeed(flags *pflag.FlagSet, seed *uint64, same string) {
	addValue(flags, seed, "seed", "1", "seed of all random streams\n"+same, param.ReadSeed)
}

// addWorkers adds --workers.
func addWorkers(flags *pflag.FlagSet, workers *int, help string) {
	addValue(flags, workers, "workers", "0", help, param.IntsIn(0, mc.MaxWorkers))
	byDefault(flags, "workers", "0: one per core")
}

// addQuiet adds --quiet.
func addQuiet(flags *pflag.FlagSet, quiet *bool) {
	flags.BoolVar(quiet, "quiet", false, "no progress on the standard error")
}

// addStyle adds --style.
func addStyle(flags *pflag.FlagSet, style *plot.Style) {
	addName(flags, style, "style", plot.ACM().String(), "acm (column widths of a paper) or slides",
		[]plot.Style{plot.ACM(), plot.Slides()})
}

// flagValue is a flag with a single value, which it reads as a list of one. It implements [pflag.Value].
type flagValue[T any] struct {
	text  string
	kind  string // kind of value, for the help
	value *T
	read  func(text string) ([]T, error)
}

// addValue adds a flag with a single value. If the default is empty, the value is not changed.
func addValue[T any](
	flags *pflag.FlagSet, value *T, name, preset, help string, read func(text string) ([]T, error),
) {
	addKind(flags, value, name, param.TypeName(reflect.TypeFor[T]()), preset, help, read)
}

// addText adds a flag with a text that is read later. kind is the kind of its values, for the help.
func addText(flags *pflag.FlagSet, text *string, name, kind, preset, help string) {
	addKind(flags, text, name, kind, preset, help, func(text string) ([]string, error) { return []string{text}, nil })
}

// addName adds a flag that takes a name; the shell completes the names.
func addName[T any](flags *pflag.FlagSet, value *T, name, preset, help string, allowed []T) {
	addValue(flags, value, name, preset, help, param.NamesOf(allowed))
	annotate(flags, choicesKey, values.Texts(allowed), name)
}

// addKind adds a flag with a single value. kind is the kind of the value, for the help.
func addKind[T any](
	flags *pflag.FlagSet, value *T, name, kind, preset, help string, read func(text string) ([]T, error),
) {
	v := &flagValue[T]{value: value, read: read, kind: kind}
	if preset != "" {
		if err := v.Set(preset); err != nil {
			panic(err) // a default must be valid
		}
	}
	flags.Var(v, name, help)
}

// asOne turns a reader of lists into a reader for [addValue] that takes a whole list as one value.
func asOne[T any](read func(text string) ([]T, error)) func(string) ([][]T, error) {
	return func(text string) ([][]T, error) {
		list, err := read(text)
		return [][]T{list}, err
	}
}

// String returns the text of the value.
func (v *flagValue[T]) String() string { return v.text }

// Type returns the name of the type in the help.
func (v *flagValue[T]) Type() string { return v.kind }

// Set reads a text. An empty text is an error, not the default: it most likely comes from an unset variable.
func (v *flagValue[T]) Set(text string) error {
	if text == "" {
		return errors.New(`"" must have a value`)
	}
	one, err := param.ReadOne(text, v.read)
	if err == nil {
		v.text, *v.value = text, one
	}
	return err
}

// commonFlags are the flags that all commands of models have.
type commonFlags struct {
	view.Flags
	seed              uint64
	workers, replicas int
	precision         float64
	quiet, timing     bool

	model param.Model
}

// precisionHelp is the help of --precision.
const precisionHelp = "end at this relative half-width of the 95 % interval\nsuch as 0.01"

// addCommon adds the common flags to a model's command.
func addCommon(flags *pflag.FlagSet, m param.Model) *commonFlags {
	f := &commonFlags{model: m}
	addValue(flags, &f.replicas, "replicas", "", fmt.Sprintf("independent runs for each row\n"+
		"with --precision the maximum, by default %d", param.MostReplicas), param.ReadReplicas)
	byDefault(flags, "replicas", fmt.Sprint(m.Plan(0, 0, 0).Replicas))
	addValue(flags, &f.precision, "precision", "",
		precisionHelp, param.ReadPrecision)
	addSeed(flags, &f.seed, "the same seed prints the same bytes")
	addWorkers(flags, &f.workers, "concurrent runs\nwith fewer runs than workers a network's run uses several")
	annotate(flags, groupKey, []string{"Estimation"}, "replicas", "precision", "seed", "workers")
	addView(flags, &f.Flags, rows.Aligned)
	seldom(flags, "force")
	addQuiet(flags, &f.quiet)
	flags.BoolVar(&f.timing, "timing", false, "add the columns wall_s and "+m.TimingKey()+
		"\nthey time the simulation, so they differ from run to run; rows of one run repeat them")
	return f
}

// plan returns the Monte Carlo plan that the flags describe.
func (f *commonFlags) plan() mc.Plan {
	p := f.model.Plan(f.seed, f.replicas, f.precision)
	p.Workers = f.workers
	return p
}
