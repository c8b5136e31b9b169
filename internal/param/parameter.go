package param

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/times"
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
	Separator  string   // separates values
	Rank       int      // lists of a higher rank vary faster; lists of the same rank vary in order
	fields     []string // library fields, in addition to the one named like the flag
	Read       func(files *InputFiles, text string) (valueList, error)
	Columns    []Column
	Pools      bool // a point can have several values: --pool

	formula func(e values.Expr, n int) error // sets the field to the value of a formula of n; nil if it cannot
	late    bool                             // is set after the parameters that are not late, since its values can depend on n

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
	Cell func() any
}

// Numbers returns columns of numbers with the keys of a row.
func Numbers(row frame.Row) []frame.Column { return frame.Numbers(row.Keys()...) }

// Parsed returns a parameter: read parses its texts, and set takes its values.
func Parsed[T any](
	flag, help string, read func(*InputFiles, string) ([]T, error), set func(T) error,
) Parameter {
	q := Parameter{Flag: flag, Help: help, Kind: TypeName(reflect.TypeFor[T]()) + "s", Separator: ","}
	q.Read = func(files *InputFiles, text string) (valueList, error) {
		list, err := read(files, text)
		return valueList{
			length: len(list),
			text:   func(i int) string { return fmt.Sprint(list[i]) },
			apply:  func(i int) error { return set(list[i]) },
		}, err
	}
	return q
}

// Settable is [Parsed] without files.
func Settable[T any](flag, help string, read func(string) ([]T, error), set func(T)) Parameter {
	return Parsed(flag, help, func(_ *InputFiles, text string) ([]T, error) { return read(text) },
		func(v T) error { set(v); return nil })
}

// Variable returns a parameter with the values of a field.
func Variable[T any](flag, help string, read func(string) ([]T, error), field *T) Parameter {
	return Settable(flag, help, read, func(v T) { *field = v }).Show(func() any { return *field })
}

// Integer is a parameter with integers in [least, most].
func Integer(flag, help string, least, most int, field *int) Parameter {
	q := Variable(flag, help, IntsIn(least, most), field)
	q.formula = func(e values.Expr, n int) (err error) {
		*field, err = e.Ceil(n, values.IntRange{Min: least, Max: most})
		return err
	}
	return q
}

// Probability is a parameter with numbers in (0, 1].
func Probability(flag, help string, field *float64) Parameter {
	return real(flag, help, values.FloatRange{Min: 0, Max: 1, MinOpen: true}, field)
}

// Number is a parameter with numbers in [least, most].
func Number(flag, help string, least, most float64, field *float64) Parameter {
	return real(flag, help, values.FloatRange{Min: least, Max: most}, field)
}

// real is a parameter with numbers of a range.
func real(flag, help string, allowed values.FloatRange, field *float64) Parameter {
	q := Variable(flag, help, func(text string) ([]float64, error) { return values.Floats(text, allowed) }, field)
	q.formula = func(e values.Expr, n int) (err error) {
		*field, err = e.Value(n, allowed)
		return err
	}
	return q
}

// Word is a parameter with the values of a field, shown as texts.
func Word[T any](flag, help string, read func(string) ([]T, error), field *T) Parameter {
	return Variable(flag, help, read, field).Show(func() any { return fmt.Sprint(*field) }).Text()
}

// Name is a parameter with names, which its help lists.
func Name[T any](flag, help string, allowed []T, field *T) Parameter {
	q := Word(flag, help+": "+List(allowed), NamesOf(allowed), field)
	q.Choices = values.Texts(allowed)
	return q
}

// OneOf is a parameter with names, which its help lists, for values of a field.
func OneOf[T comparable](flag, help string, field *T, names []string, meanings ...T) Parameter {
	return Choice(flag, help, names, func(i int) { *field = meanings[i] }, func() int { return slices.Index(meanings, *field) })
}

// OnOff is a parameter that turns a field on or off.
func OnOff(flag, help string, field *bool) Parameter {
	return OneOf(flag, help, field, []string{"on", "off"}, true, false)
}

// Choice is a parameter with names, which its help lists. set takes the index of a name. get returns it, or -1 if there
// is none, and then the cell is null.
func Choice(flag, help string, names []string, set func(i int), get func() int) Parameter {
	cells := append(lists.Map(names, func(name string) any { return name }), nil) // once, because a grid may ask a million times
	q := Settable(flag, help+": "+List(names), NamesOf(names), func(name string) { set(slices.Index(names, name)) }).
		Show(func() any { return cells[(get()+len(cells))%len(cells)] }).Text()
	q.Choices = names
	return q
}

// Bit returns 1 for true.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Single makes several values an error; words completes "must be".
func (q Parameter) Single(words string) Parameter {
	read := q.Read
	q.Read = func(files *InputFiles, text string) (list valueList, err error) {
		if list, err = read(files, text); err == nil && list.length > 1 {
			err = fmt.Errorf("%q must be %s", text, words)
		}
		return list, err
	}
	return q.Of("name")
}

// us is a microsecond in picoseconds.
const us = 1_000_000

// Microseconds is a parameter with times in us, at least a nanosecond, of a field in ps.
func Microseconds[T ~int64](flag, help string, most float64, field *T) Parameter {
	return Settable(flag, help, ReadMicroseconds(most), func(v float64) { *field = T(math.Round(v * us)) }).
		Show(func() any { return float64(*field) / us })
}

// WholeMicroseconds is a parameter with times in whole us, in [least, most], of a field in ps.
func WholeMicroseconds[T ~int64](flag, help string, least, most int, field *T) Parameter {
	return Settable(flag, help, IntsIn(least, most), func(v int) { *field = T(v) * us }).Show(func() any { return int(*field / us) })
}

// ReadMicroseconds returns a reader of times in microseconds, at least one nanosecond.
func ReadMicroseconds(most float64) func(text string) ([]float64, error) {
	return func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0.001, Max: most})
	}
}

// NamedTime is a name, or a time of a kind with a name, such as at=30; then ps is above 0.
type NamedTime struct {
	Name string
	PS   int64
}

// String returns the name, and the time in us.
func (n NamedTime) String() string {
	if n.PS == 0 {
		return n.Name
	}
	return fmt.Sprintf("%s=%d", n.Name, n.PS/us)
}

// NamesOrTime returns a reader of names, and of times of the kind named time.
func NamesOrTime(time string, names ...string) func(text string) ([]NamedTime, error) {
	return func(text string) ([]NamedTime, error) {
		return values.Each(strings.ToLower(text), ",", func(word string) (NamedTime, error) {
			text, timed := strings.CutPrefix(word, time+"=")
			if !timed && !slices.Contains(names, word) {
				return NamedTime{}, fmt.Errorf("%q must be %s or %s=TIME", word, strings.Join(names, ", "), time)
			}
			if !timed {
				return NamedTime{Name: word}, nil
			}
			ps, err := times.Read(text, 1, 1e6)
			if err != nil || ps%us != 0 {
				return NamedTime{}, fmt.Errorf("%q must be %s=TIME with whole microseconds in [1, 1000000], such as %s=50us", word, time, time)
			}
			return NamedTime{time, ps}, nil
		})
	}
}

// Expression is a parameter with expressions of n, the number of bins. Their values are rounded up to integers in
// [least, most(n)]. It sets a field and the text of the expression.
func Expression(
	flag, help string, n *int, least int, most func(n int) int, field *int, text *string,
) Parameter {
	read := func(_ *InputFiles, text string) ([]values.Expr, error) { return values.Exprs(text) }
	return Parsed(flag, help, read, func(e values.Expr) (err error) {
		*text = e.String()
		if *field, err = e.Ceil(*n, values.IntRange{Min: least, Max: most(*n)}); err != nil {
			return console.Usagef("--%s: %w", flag, err)
		}
		return nil
	}).Show(func() any { return *field })
}

// Show sets the only column, with the flag's key. The cell of the default point is the preset.
func (q Parameter) Show(cell func() any) Parameter {
	q = q.Derived("", cell)
	q.Preset = fmt.Sprint(cell())
	return q
}

// Derived sets the only column, with the flag's key, to a cell of completed points. There is no fixed default;
// otherwise describes the default for the help, and is empty if the parameter is not used by default.
func (q Parameter) Derived(otherwise string, cell func() any) Parameter {
	q.Columns = []Column{{frame.Number(KeyOf(q.Flag)), cell}}
	return q.NoPreset(otherwise)
}

// Also adds a column with a key.
func (q Parameter) Also(key string, cell func() any) Parameter {
	q.Columns = append(q.Columns, Column{frame.Number(key), cell})
	return q
}

// Key sets the key of the only column and makes its cells texts.
func (q Parameter) Key(key string) Parameter {
	q.Columns[0].Column = frame.Text(key)
	return q
}

// Text makes the cells of the only column texts.
func (q Parameter) Text() Parameter { return q.Key(q.Columns[0].Key) }

// NoPreset removes the fixed default. otherwise describes the default for the help; it is empty if the parameter
// is not used by default.
func (q Parameter) NoPreset(otherwise string) Parameter {
	q.Preset, q.Otherwise = "", otherwise
	return q
}

// More adds a line to the help, which --help omits.
func (q Parameter) More(help string) Parameter {
	q.Help += "\n" + help
	return q
}

// InUnits sets the unit of the values, where the key does not end in it.
func (q Parameter) InUnits(name string) Parameter {
	q.Unit = name
	return q
}

// Of sets the kind of the values for the help.
func (q Parameter) Of(kind string) Parameter {
	q.Kind = kind
	return q
}

// Seldom makes --help omit the flag.
func (q Parameter) Seldom() Parameter {
	q.Rare = true
	return q
}

// In sets the heading of the parameter in the help.
func (q Parameter) In(group string) Parameter {
	q.Group = group
	return q
}

// Grouped sets the group of parameters that have none.
func Grouped(group string, list ...Parameter) []Parameter {
	for i := range list {
		list[i].Group = cmp.Or(list[i].Group, group)
	}
	return list
}

// PresetUnder sets the preset under profiles. An empty preset depends on other parameters.
func (q Parameter) PresetUnder(preset string, profiles ...string) Parameter {
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

// Field names library fields and arguments, in addition to those named like the flag, that errors may be about.
func (q Parameter) Field(names ...string) Parameter {
	q.fields = names
	return q
}

// UsedOnly says when the parameter is used, in words and as a predicate.
func (q Parameter) UsedOnly(words string, by func() bool) Parameter {
	q.Only, q.by = words, by
	return q
}

// KeptAs makes a value an error that the point would change. taken completes "must be".
func (q Parameter) KeptAs(taken func() string) Parameter {
	q.taken = taken
	return q
}

// isUsed reports whether the point uses the parameter.
func (q *Parameter) isUsed() bool { return q.by == nil || q.by() }

// Sets reports whether the parameter sets a library's field or argument; case does not matter.
func (q *Parameter) Sets(field string) bool {
	return slices.ContainsFunc(append(q.fields, strings.ReplaceAll(q.Flag, "-", "")),
		func(name string) bool { return strings.EqualFold(name, field) })
}

// NullIf makes the cell null if a condition holds.
func (q Parameter) NullIf(null func() bool) Parameter {
	value := q.Columns[0].Cell
	q.Columns[0].Cell = func() any {
		if null() {
			return nil
		}
		return value()
	}
	return q
}

// NullUnused makes the cell null in combinations that do not use the parameter.
func (q Parameter) NullUnused() Parameter { return q.NullIf(func() bool { return !q.by() }) }

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

// List writes names for a flag's help.
func List[T any](names []T) string { return strings.Join(values.Texts(names), ", ") }

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
