package model

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/values"
)

// Parameter describes a parameter of a model: its flag, the values that a text stands for, the field of a point
// that it sets, and its columns. Constructors such as [Integer] bind it to the field, which holds the default; its
// methods complete it.
type Parameter struct {
	Flag, Help string   // the first line of help is its summary; --help omits the others
	Unit       string   // of the column with the flag's key, unless the key ends in it
	Kind       string   // kind of values, for the help: ints, names
	Group      string   // heading in the help; empty for "Parameters"
	Rare       bool     // --help omits it
	Choices    []string // names for the shell to complete; a tab may precede a description
	Preset     string   // the default; empty if it depends on other parameters
	Otherwise  string   // this default in words
	under      Texts    // presets under profiles other than the first
	separator  string   // separates values
	rank       int      // lists of a higher rank vary faster; lists of the same rank vary in order
	fields     []string // library fields, in addition to the one named like the flag
	read       func(files *inputFiles, text string) (valueList, error)
	Columns    []Column

	Only string      // completes "it is used only"
	by   func() bool // reports whether the point uses the parameter; nil if all do

	taken func() string // completes "must be" for a value that the point would change; nil if points change none
}

// valueList holds the values that a text stands for.
type valueList struct {
	length int
	text   func(i int) string // canonical
	apply  func(i int) error  // sets the point's field
}

// Column is a column of a parameter, and a function that returns the point's cell.
type Column struct {
	frame.Column
	cell func() any
}

// numbers returns columns of numbers with the keys of a row.
func numbers(row frame.Row) []frame.Column { return frame.Numbers(row.Keys()...) }

// param returns a parameter: read parses its texts, and set takes its values.
func param[T any](
	flag, help string, read func(*inputFiles, string) ([]T, error), set func(T) error,
) Parameter {
	q := Parameter{Flag: flag, Help: help, Kind: TypeName(reflect.TypeFor[T]()) + "s", separator: ","}
	q.read = func(files *inputFiles, text string) (valueList, error) {
		list, err := read(files, text)
		return valueList{
			length: len(list),
			text:   func(i int) string { return fmt.Sprint(list[i]) },
			apply:  func(i int) error { return set(list[i]) },
		}, err
	}
	return q
}

// settable is param without files.
func settable[T any](flag, help string, read func(string) ([]T, error), set func(T)) Parameter {
	return param(flag, help, func(_ *inputFiles, text string) ([]T, error) { return read(text) },
		func(v T) error { set(v); return nil })
}

// variable returns a parameter with the values of a field.
func variable[T any](flag, help string, read func(string) ([]T, error), field *T) Parameter {
	return settable(flag, help, read, func(v T) { *field = v }).show(func() any { return *field })
}

// Integer is a parameter with integers in [least, most].
func Integer(flag, help string, least, most int, field *int) Parameter {
	return variable(flag, help, IntsIn(least, most), field)
}

// probability is a parameter with numbers in (0, 1].
func probability(flag, help string, field *float64) Parameter {
	return variable(flag, help, func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0, Max: 1, MinOpen: true})
	}, field)
}

// word is a parameter with the values of a field, shown as texts.
func word[T any](flag, help string, read func(string) ([]T, error), field *T) Parameter {
	return variable(flag, help, read, field).show(func() any { return fmt.Sprint(*field) }).text()
}

// name is a parameter with names, which its help lists.
func name[T any](flag, help string, allowed []T, field *T) Parameter {
	q := word(flag, help+": "+list(allowed), NamesOf(allowed), field)
	q.Choices = values.Texts(allowed)
	return q
}

// oneOf is a parameter with names, which its help lists, for values of a field.
func oneOf[T comparable](flag, help string, field *T, names []string, meanings ...T) Parameter {
	return choice(flag, help, names, func(i int) { *field = meanings[i] }, func() int { return slices.Index(meanings, *field) })
}

// onOff is a parameter that turns a field on or off.
func onOff(flag, help string, field *bool) Parameter {
	return oneOf(flag, help, field, []string{"on", "off"}, true, false)
}

// choice is a parameter with names, which its help lists. set takes the index of a name. get returns it, or -1 if there
// is none, and then the cell is null.
func choice(flag, help string, names []string, set func(i int), get func() int) Parameter {
	cells := append(lists.Map(names, func(name string) any { return name }), nil) // once, because a grid may ask a million times
	q := settable(flag, help+": "+list(names), NamesOf(names), func(name string) { set(slices.Index(names, name)) }).
		show(func() any { return cells[(get()+len(cells))%len(cells)] }).text()
	q.Choices = names
	return q
}

// bit returns 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// single makes several values an error; words completes "must be".
func (q Parameter) single(words string) Parameter {
	read := q.read
	q.read = func(files *inputFiles, text string) (list valueList, err error) {
		if list, err = read(files, text); err == nil && list.length > 1 {
			err = fmt.Errorf("%q must be %s", text, words)
		}
		return list, err
	}
	return q.of("name")
}

// us is a microsecond in picoseconds.
const us = 1_000_000

// microseconds is a parameter with times in us, at least a nanosecond, of a field in ps.
func microseconds[T ~int64](flag, help string, most float64, field *T) Parameter {
	return settable(flag, help, Microseconds(most), func(v float64) { *field = T(math.Round(v * us)) }).
		show(func() any { return float64(*field) / us })
}

// wholeMicroseconds is a parameter with times in whole us, in [least, most], of a field in ps.
func wholeMicroseconds[T ~int64](flag, help string, least, most int, field *T) Parameter {
	return settable(flag, help, IntsIn(least, most), func(v int) { *field = T(v) * us }).show(func() any { return int(*field / us) })
}

// Microseconds returns a reader of times in microseconds, at least one nanosecond.
func Microseconds(most float64) func(text string) ([]float64, error) {
	return func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0.001, Max: most})
	}
}

// namedTime is a name, or a time of a kind with a name, such as at=30; then ps is above 0.
type namedTime struct {
	name string
	ps   int64
}

// String returns the name, and the time in us.
func (n namedTime) String() string {
	if n.ps == 0 {
		return n.name
	}
	return fmt.Sprintf("%s=%d", n.name, n.ps/us)
}

// namesOrTime returns a reader of names, and of times of the kind named time.
func namesOrTime(time string, names ...string) func(text string) ([]namedTime, error) {
	return func(text string) ([]namedTime, error) {
		return values.Each(strings.ToLower(text), ",", func(word string) (namedTime, error) {
			digits, timed := strings.CutPrefix(word, time+"=")
			if !timed && !slices.Contains(names, word) {
				return namedTime{}, fmt.Errorf("%q must be %s or %s=US", word, strings.Join(names, ", "), time)
			}
			v, err := strconv.Atoi(digits)
			if timed && (err != nil || v < 1 || v > 1_000_000) {
				return namedTime{}, fmt.Errorf("%q must be %s=US with US in [1, 1000000]", word, time)
			}
			if timed {
				return namedTime{time, int64(v) * us}, nil
			}
			return namedTime{name: word}, nil
		})
	}
}

// expression is a parameter with expressions of n, the number of bins. Their values are rounded up to integers in
// [least, most(n)]. It sets a field and the text of the expression.
func expression(
	flag, help string, n *int, least int, most func(n int) int, field *int, text *string,
) Parameter {
	read := func(_ *inputFiles, text string) ([]values.Expr, error) { return values.Exprs(text) }
	return param(flag, help, read, func(e values.Expr) (err error) {
		*text = e.String()
		if *field, err = e.Ceil(*n, values.IntRange{Min: least, Max: most(*n)}); err != nil {
			return console.Usagef("--%s: %w", flag, err)
		}
		return nil
	}).show(func() any { return *field })
}

// show sets the only column, with the flag's key. The cell of the default point is the preset.
func (q Parameter) show(cell func() any) Parameter {
	q = q.derived("", cell)
	q.Preset = fmt.Sprint(cell())
	return q
}

// derived sets the only column, with the flag's key, to a cell of completed points. There is no fixed default;
// otherwise describes the default for the help, and is empty if the parameter is not used by default.
func (q Parameter) derived(otherwise string, cell func() any) Parameter {
	q.Columns = []Column{{frame.Number(KeyOf(q.Flag)), cell}}
	return q.noPreset(otherwise)
}

// key sets the key of the only column and makes its cells texts.
func (q Parameter) key(key string) Parameter {
	q.Columns[0].Column = frame.Text(key)
	return q
}

// text makes the cells of the only column texts.
func (q Parameter) text() Parameter { return q.key(q.Columns[0].Key) }

// noPreset removes the fixed default. otherwise describes the default for the help; it is empty if the parameter
// is not used by default.
func (q Parameter) noPreset(otherwise string) Parameter {
	q.Preset, q.Otherwise = "", otherwise
	return q
}

// more adds a line to the help, which --help omits.
func (q Parameter) more(help string) Parameter {
	q.Help += "\n" + help
	return q
}

// unit sets the unit of the values, where the key does not end in it.
func (q Parameter) unit(name string) Parameter {
	q.Unit = name
	return q
}

// of sets the kind of the values for the help.
func (q Parameter) of(kind string) Parameter {
	q.Kind = kind
	return q
}

// seldom makes --help omit the flag.
func (q Parameter) seldom() Parameter {
	q.Rare = true
	return q
}

// in sets the heading of the parameter in the help.
func (q Parameter) in(group string) Parameter {
	q.Group = group
	return q
}

// grouped sets the group of parameters that have none.
func grouped(group string, list ...Parameter) []Parameter {
	for i := range list {
		list[i].Group = cmp.Or(list[i].Group, group)
	}
	return list
}

// presetUnder sets the preset under profiles. An empty preset depends on other parameters.
func (q Parameter) presetUnder(preset string, profiles ...string) Parameter {
	under := Texts{}
	maps.Copy(under, q.under)
	for _, profile := range profiles {
		under[profile] = preset
	}
	q.under = under
	return q
}

// depends reports whether the preset under a profile depends on other parameters, and so has to be printed.
func (q *Parameter) depends(profile string) bool {
	preset, other := q.under[profile]
	return other && preset == ""
}

// field names library fields and arguments, in addition to those named like the flag, that errors may be about.
func (q Parameter) field(names ...string) Parameter {
	q.fields = names
	return q
}

// usedOnly says when the parameter is used, in words and as a predicate.
func (q Parameter) usedOnly(words string, by func() bool) Parameter {
	q.Only, q.by = words, by
	return q
}

// keptAs makes a value an error that the point would change. taken completes "must be".
func (q Parameter) keptAs(taken func() string) Parameter {
	q.taken = taken
	return q
}

// isUsed reports whether the point uses the parameter.
func (q *Parameter) isUsed() bool { return q.by == nil || q.by() }

// sets reports whether the parameter sets a library's field or argument; case does not matter.
func (q *Parameter) sets(field string) bool {
	return slices.ContainsFunc(append(q.fields, strings.ReplaceAll(q.Flag, "-", "")),
		func(name string) bool { return strings.EqualFold(name, field) })
}

// nullIf makes the cell null if a condition holds.
func (q Parameter) nullIf(null func() bool) Parameter {
	value := q.Columns[0].cell
	q.Columns[0].cell = func() any {
		if null() {
			return nil
		}
		return value()
	}
	return q
}

// nullUnused makes the cell null in combinations that do not use the parameter.
func (q Parameter) nullUnused() Parameter { return q.nullIf(func() bool { return !q.by() }) }

// IntsIn returns a reader of integers between two bounds, inclusive.
func IntsIn(least, most int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		return values.Ints(text, values.IntRange{Min: least, Max: most})
	}
}

// NamesOf returns a reader of names from a list.
func NamesOf[T any](allowed []T) func(string) ([]T, error) {
	return func(text string) ([]T, error) { return values.Names(text, allowed) }
}

// list writes names for a flag's help.
func list[T any](names []T) string { return strings.Join(values.Texts(names), ", ") }

// TypeName returns the name of a type of values for the help, in the plural for a list.
func TypeName(t reflect.Type) string {
	if t == reflect.TypeFor[values.Expr]() {
		return "formula"
	}
	switch t.Kind() {
	case reflect.Slice:
		return TypeName(t.Elem()) + "s"
	case reflect.Int, reflect.Uint64:
		return "int"
	case reflect.Int64:
		return "size"
	case reflect.Float64:
		return "number"
	}
	return "name"
}
