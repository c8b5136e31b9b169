package main

import (
	"fmt"
	"strings"

	"repslab/internal/table"
	"repslab/internal/values"
)

// parameter describes a parameter of a model whose combinations are of type P: its flag,
// the values that a text stands for, where they go, and its columns. Constructors such as
// [integer] make one; its methods complete it.
type parameter[P any] struct {
	flag, help string
	preset     string   // the default; empty if it depends on other parameters
	separator  string   // between values
	rank       int      // lists of a higher rank run faster; those of one rank run in order
	fields     []string // of libraries, beside the one named like the flag
	read       func(files *inputFiles, text string) (valueList[P], error)
	value      func(*P) any // the current value
	columns    []column[*P]
	textKey    string // of the column whose cells are texts; empty for numbers

	only string        // completes "it is used only"
	by   func(*P) bool // whether a combination uses the parameter; nil if all do
}

// valueList holds the values of a parameter that a text stands for.
type valueList[P any] struct {
	length int
	text   func(i int) string // canonical
	apply  func(i int, p *P) error
}

// column is a column of rows: its key, and a function that returns its cell.
type column[R any] struct {
	key  string
	cell func(R) any
}

// numbers returns the heads of columns of numbers.
func numbers[R any](list []column[R]) []table.Column {
	heads := make([]table.Column, len(list))
	for i, c := range list {
		heads[i] = table.Number(c.key)
	}
	return heads
}

// cellsOf returns the cells of a row.
func cellsOf[R any](list []column[R], row R) []any {
	cells := make([]any, len(list))
	for i, c := range list {
		cells[i] = c.cell(row)
	}
	return cells
}

// param returns a parameter whose texts read understands and whose values set takes.
func param[P, T any](flag, help string, read func(string) ([]T, error), set func(*P, T) error) parameter[P] {
	return paramFrom(flag, help, func(_ *inputFiles, text string) ([]T, error) { return read(text) }, set)
}

// paramFrom is param with values that may come from files.
func paramFrom[P, T any](
	flag, help string, read func(*inputFiles, string) ([]T, error), set func(*P, T) error,
) parameter[P] {
	q := parameter[P]{flag: flag, help: help, separator: ","}
	q.read = func(files *inputFiles, text string) (valueList[P], error) {
		list, err := read(files, text)
		return valueList[P]{
			length: len(list),
			text:   func(i int) string { return fmt.Sprint(list[i]) },
			apply:  func(i int, p *P) error { return set(p, list[i]) },
		}, err
	}
	return q
}

// variable returns a parameter whose values are those of a field.
func variable[P, T any](flag, help string, read func(string) ([]T, error), field func(*P) *T) parameter[P] {
	q := param(flag, help, read, func(p *P, v T) error { *field(p) = v; return nil })
	return q.cell(func(p *P) any { return *field(p) })
}

// integer is a parameter of integers in [least, most].
func integer[P any](flag, help string, least, most int, field func(*P) *int) parameter[P] {
	return variable(flag, help, intsIn(least, most), field)
}

// probability is a parameter of numbers in (0, 1].
func probability[P any](flag, help string, field func(*P) *float64) parameter[P] {
	return variable(flag, help, func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0, Max: 1, MinOpen: true})
	}, field)
}

// name is a parameter of names; its help lists them unless it is given.
func name[P any, T ~string](flag, help string, allowed []T, field func(*P) *T) parameter[P] {
	if help == "" {
		help = list(allowed)
	}
	return variable(flag, help, namesOf(allowed), field).cell(func(p *P) any { return string(*field(p)) }).text()
}

// onOff is a parameter that is on where a field has the given value, off otherwise.
func onOff[P any](flag, help string, on bool, field func(*P) *bool) parameter[P] {
	read := func(text string) ([]string, error) { return values.Names(text, []string{"on", "off"}) }
	q := param(flag, help, read, func(p *P, v string) error {
		*field(p) = (v == "on") == on
		return nil
	})
	return q.cell(func(p *P) any {
		if *field(p) == on {
			return "on"
		}
		return "off"
	}).text()
}

// expression is a parameter of expressions of n, the number of bins, that are rounded up
// to integers in [1, most(n)].
func expression[P any](
	flag, help string, n func(*P) int, most func(n int) int, set func(*P, int, string),
) parameter[P] {
	return param(flag, help, values.Exprs, func(p *P, e values.Expr) error {
		v, err := e.Ceil(n(p), values.IntRange{Min: 1, Max: most(n(p))})
		if err != nil {
			return usagef("--%s: %w", flag, err)
		}
		set(p, v, e.String())
		return nil
	}).noPreset()
}

// key sets the key of the only column, whose cells are texts.
func (q parameter[P]) key(key string) parameter[P] {
	q.columns[0].key, q.textKey = key, key
	return q
}

// text makes the cells of the only column texts.
func (q parameter[P]) text() parameter[P] { return q.key(q.columns[0].key) }

// noPreset leaves the parameter without a default of its own.
func (q parameter[P]) noPreset() parameter[P] {
	q.value = nil
	return q
}

// cell sets the only column, whose key is that of the flag.
func (q parameter[P]) cell(cell func(*P) any) parameter[P] {
	q.value = cell
	q.columns = []column[*P]{{keyOf(q.flag), cell}}
	return q
}

// field names fields and arguments of libraries, beside those named like the flag, whose
// errors are about the parameter.
func (q parameter[P]) field(names ...string) parameter[P] {
	q.fields = names
	return q
}

// usedOnly says when the parameter is used, in words and as a predicate.
func (q parameter[P]) usedOnly(words string, by func(*P) bool) parameter[P] {
	q.only, q.by = words, by
	return q
}

// isUsed reports whether a combination uses the parameter.
func (q *parameter[P]) isUsed(p *P) bool { return q.by == nil || q.by(p) }

// names returns the fields and arguments of libraries that the parameter sets.
func (q *parameter[P]) names() []string {
	return append(q.fields, strings.ReplaceAll(q.flag, "-", ""))
}

// nullIf makes the cell null in some combinations.
func (q parameter[P]) nullIf(null func(*P) bool) parameter[P] {
	value := q.columns[0].cell
	q.columns = []column[*P]{{q.columns[0].key, func(p *P) any {
		if null(p) {
			return nil
		}
		return value(p)
	}}}
	return q
}

// nullUnused makes the cell null in combinations that do not use the parameter.
func (q parameter[P]) nullUnused() parameter[P] {
	by := q.by
	return q.nullIf(func(p *P) bool { return !by(p) })
}

// intsIn reads integers between two bounds, ends included.
func intsIn(least, most int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		return values.Ints(text, values.IntRange{Min: least, Max: most})
	}
}

// namesOf reads names out of a list.
func namesOf[T ~string](allowed []T) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		found, err := values.Names(text, plain(allowed))
		names := make([]T, len(found))
		for i, word := range found {
			names[i] = T(word)
		}
		return names, err
	}
}

// plain returns names as strings.
func plain[T ~string](names []T) []string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return texts
}

// list writes names for a flag's help.
func list[T ~string](names []T) string { return strings.Join(plain(names), ", ") }
