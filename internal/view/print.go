// Package view prints tables of package rows as the flags of a command ask for, compares two of them, and draws them.
package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/metric"
	"repslab/internal/rows"
)

// Flags decide how a command prints a table.
type Flags struct {
	Format        rows.Format
	Columns, Sort []string // keys; a leading - in Sort means descending
	Interval      string   // style of the intervals in the cells of means; empty for none
	Legend        string
	names         map[string]string // names from --legend, by value of a parameter
	Output        string
	Force         bool
}

// allColumns is the value of --columns for all columns.
const allColumns = "all"

// Values of --interval.
const (
	PlusMinus = "pm"
	Brackets  = "brackets"
)

// rowColumn is a column of a command's output and its cell in a row.
type rowColumn struct {
	frame.Column
	cell func(rows.Row) any
}

// Check returns a usage error for flags that do not fit a table.
func (f *Flags) Check(t *rows.Table) error {
	if slices.Equal(f.Columns, []string{allColumns}) {
		f.Columns = frame.Keys(t.Columns)
	}
	seen := map[string]bool{}
	for _, key := range f.Columns {
		if err := t.Check("columns", key); err != nil {
			return err
		}
		if seen[key] {
			return console.Usagef("--columns: %q must be given once", key)
		}
		seen[key] = true
	}
	for _, key := range f.Sort {
		if err := t.Check("sort", strings.TrimPrefix(key, "-")); err != nil {
			return err
		}
	}
	if f.Interval != "" && f.Format.ForPrograms() {
		return console.Usagef("--interval: must not be given with --format %s, which has the ends in columns", f.Format)
	}
	if f.Legend == "" {
		return nil
	}
	if f.Format.ForPrograms() {
		return console.Usagef("--legend: must not be given with --format %s, whose values are for programs", f.Format)
	}
	var cells []any
	for _, key := range t.PointKeys() {
		if _, constant := constantOf(key, t.Rows); !constant {
			cells = append(cells, valuesOf(key, t.Rows)...)
		}
	}
	var err error
	f.names, err = namesFor("legend", f.Legend, cells)
	return err
}

// waits reports whether the output depends on all rows.
func (f *Flags) waits() bool { return f.Sort != nil || f.Format == rows.LaTeX || f.isBrief() }

// isBrief reports whether the output leaves out the columns that few people look for.
func (f *Flags) isBrief() bool { return f.Columns == nil && f.Format == rows.Aligned }

// briefly returns the columns that a table for people shows: the brief columns of the model and the
// parameters that differ between rows, if they have a value, and columns that are not the model's, such
// as times.
func briefly(t *rows.Table, list []rowColumn, kept []rows.Row) (short []rowColumn) {
	known := frame.Keys(t.Model.Columns())
	for _, c := range list {
		value, constant := constantOf(c.Key, kept)
		empty := constant && value == nil && !slices.ContainsFunc(kept, func(r rows.Row) bool { return r.Estimate(c.Key).Bounded() })
		varies := !constant && slices.Contains(t.Points, c.Key)
		if !empty && (varies || slices.Contains(t.Model.Brief, c.Key)) || !slices.Contains(known, c.Key) {
			short = append(short, c)
		}
	}
	return short
}

// shown returns the columns of the output: the columns of --columns, or all but the hidden ones. A mean
// and its interval share a cell if --interval is given or the format is LaTeX.
func (f *Flags) shown(t *rows.Table, hidden []string) (list []rowColumn) {
	latex := f.Format == rows.LaTeX
	merged := f.Interval != "" || latex
	names := f.Columns
	if names == nil {
		names = slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool {
			return slices.Contains(hidden, key) || merged && t.IsBound(key)
		})
	}
	for _, c := range t.ColumnsOf(names) {
		cell := func(r rows.Row) any { return r.Get(c.Key) }
		if merged && t.IsEstimate(c.Key) {
			cell = func(r rows.Row) any { return withInterval(r, c.Key, f.Interval) }
		} else if latex && (c.Key == columnKey || c.Key == rows.QuantityKey) {
			cell = func(r rows.Row) any { return metric.AxisLabel(fmt.Sprint(r.Get(c.Key))) }
		}
		if !f.Format.ForPrograms() {
			known, isPoint := cell, slices.Contains(t.Points, c.Key)
			cell = func(r rows.Row) any {
				if name, renamed := f.names[cellText(r.Get(c.Key))]; renamed && isPoint {
					return name
				}
				if bound := r.Estimate(c.Key).Bound(); bound != "" {
					return bound
				}
				return known(r)
			}
		}
		list = append(list, rowColumn{c, cell})
	}
	return list
}

// forPaper returns the columns of a table for a paper, with units in their heads. Unless --columns names
// them, parameters with a single value are only in the remark, and columns without values are left out.
func (f *Flags) forPaper(list []rowColumn, t *rows.Table, kept []rows.Row) (short []rowColumn, remark string) {
	parameters := append(t.PointKeys(), "seed", "replicas")
	remark = cmp.Or(t.Model.Name, "comparison")
	left, labels := map[string]bool{}, map[string]bool{}
	for _, key := range parameters {
		value, constant := constantOf(key, kept)
		if !constant || slices.Contains(f.Columns, key) {
			continue
		}
		left[key] = true
		if value != nil {
			remark += fmt.Sprintf("; %s = %v", key, value)
		}
	}
	list = lists.Where(list, func(p rowColumn) bool { return !left[p.Key] })
	for _, p := range list {
		if value, constant := constantOf(p.Key, kept); value == nil && constant && f.Columns == nil {
			continue
		}
		if label := metric.AxisLabel(p.Key); !labels[label] {
			p.Key = label
		}
		labels[p.Key] = true
		short = append(short, p)
	}
	if len(short) == 0 {
		short = list
	}
	return short, remark
}

// constantOf returns the only value of a column, nil if it has no value, and false if it has several.
// Rows without a value do not count.
func constantOf(key string, list []rows.Row) (value any, constant bool) {
	distinct := lists.Where(valuesOf(key, list), func(v any) bool { return v != nil })
	return append(distinct, nil)[0], len(distinct) < 2
}

// besidePaper returns the results that a table for a paper leaves out, if it has others: those without an interval,
// and those that few people look for.
func besidePaper(t *rows.Table) []string {
	if !slices.ContainsFunc(frame.Keys(t.Columns), t.IsEstimate) {
		return nil
	}
	return slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool {
		brief := t.Model.Brief == nil || slices.Contains(t.Model.Brief, key)
		return t.IsEstimate(key) && brief || slices.Contains(t.Points, key)
	})
}

// withInterval returns the cell of an estimate with its interval in a style of --interval. An interval
// that is not symmetric has brackets in any style. The half width has two significant digits, or all
// digits before the point.
func withInterval(r rows.Row, key, style string) any {
	e := r.Estimate(key)
	half := (e.Hi - e.Lo) / 2
	if math.IsNaN(e.Value) || math.IsInf(half, 0) || half <= 0 {
		return r.Get(key)
	}
	exponent, unit := 0, ""
	if size := max(math.Abs(e.Value), half); size < 1e-3 || size >= 1e7 {
		exponent = int(math.Floor(math.Log10(size)))
		unit = fmt.Sprintf("e%+03d", exponent)
	}
	decimals := max(0, 1+exponent-int(math.Floor(math.Log10(half))))
	scale := math.Pow10(-exponent)
	text := func(v float64) string { return fmt.Sprintf("%.*f", decimals, v*scale) }
	if symmetric := math.Abs((e.Lo+e.Hi)/2-e.Value) < half/100; symmetric && style != Brackets {
		if unit == "" {
			return text(e.Value) + " ± " + text(half)
		}
		return "(" + text(e.Value) + " ± " + text(half) + ")" + unit
	}
	return fmt.Sprintf("%s [%s, %s]%s", text(e.Value), text(e.Lo), text(e.Hi), unit)
}

// order compares two rows by --sort; rows without a value come last.
func (f *Flags) order(a, b rows.Row) int {
	for _, key := range f.Sort {
		name, descending := strings.CutPrefix(key, "-")
		if c := compareCells(a, b, name, descending); c != 0 {
			return c
		}
	}
	return 0
}

// compareCells compares the cells of two rows in a column: numbers before texts before null.
func compareCells(a, b rows.Row, key string, descending bool) int {
	of := func(r rows.Row) (rank int, number float64, text string) {
		cell := r.Get(key)
		if v, is := rows.AsNumber(cell); is {
			return 0, v, ""
		}
		if cell == nil {
			return 2, 0, ""
		}
		return 1, 0, fmt.Sprint(cell)
	}
	rankA, numberA, textA := of(a)
	rankB, numberB, textB := of(b)
	c := cmp.Or(cmp.Compare(numberA, numberB), strings.Compare(textA, textB))
	if descending {
		c = -c
	}
	return cmp.Or(cmp.Compare(rankA, rankB), c)
}
