package rows

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
	"repslab/internal/view"
)

// View holds the flags that decide how a command writes a table.
type View struct {
	Format        view.Format
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
	cell func(entry) any
}

// CheckView returns a usage error for flags that do not fit a table.
func (f *View) CheckView(t *Table) error {
	if slices.Equal(f.Columns, []string{allColumns}) {
		f.Columns = frame.Keys(t.Columns)
	}
	seen := map[string]bool{}
	for _, key := range f.Columns {
		if err := t.check("columns", key); err != nil {
			return err
		}
		if seen[key] {
			return console.Usagef("--columns: %q must be given once", key)
		}
		seen[key] = true
	}
	for _, key := range f.Sort {
		if err := t.check("sort", strings.TrimPrefix(key, "-")); err != nil {
			return err
		}
	}
	if f.Interval != "" && (f.Format == view.CSV || f.Format == view.JSON) {
		return console.Usagef("--interval: must not be given with --format %s, which has the ends in columns", f.Format)
	}
	if f.Legend == "" {
		return nil
	}
	if f.Format == view.CSV || f.Format == view.JSON {
		return console.Usagef("--legend: must not be given with --format %s, whose values are for programs", f.Format)
	}
	var cells []any
	for _, key := range t.pointKeys() {
		if _, constant := constantOf(key, t.rows); !constant {
			cells = append(cells, valuesOf(key, t.rows)...)
		}
	}
	var err error
	f.names, err = namesFor("legend", f.Legend, cells)
	return err
}

// waits reports whether the output depends on all rows.
func (f *View) waits() bool { return f.Sort != nil || f.Format == view.LaTeX || f.isBrief() }

// isBrief reports whether the output leaves out the columns that few people look for.
func (f *View) isBrief() bool { return f.Columns == nil && f.Format == view.Aligned }

// briefly returns the columns that a table for people shows: the brief columns of the model and the
// parameters that differ between rows, if they have a value, and columns that are not the model's, such
// as times.
func (t *Table) briefly(list []rowColumn, rows []entry) (short []rowColumn) {
	known := setOf(frame.Keys(t.model.Columns()))
	for _, c := range list {
		value, constant := constantOf(c.Key, rows)
		empty := constant && value == nil && !slices.ContainsFunc(rows, func(r entry) bool { return r.estimate(c.Key).bounded() })
		varies := !constant && t.points[c.Key]
		if !empty && (varies || slices.Contains(t.model.Brief, c.Key)) || !known[c.Key] {
			short = append(short, c)
		}
	}
	return short
}

// view returns the columns of the output: the columns of --columns, or all but the hidden ones. A mean
// and its interval share a cell if --interval is given or the format is LaTeX.
func (f *View) view(t *Table, hidden []string) (list []rowColumn) {
	latex := f.Format == view.LaTeX
	merged := f.Interval != "" || latex
	names := f.Columns
	if names == nil {
		isHidden := setOf(hidden)
		names = slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool {
			return isHidden[key] || merged && t.isBound(key)
		})
	}
	for _, c := range t.columnsOf(names) {
		cell := func(r entry) any { return r.get(c.Key) }
		if merged && t.isEstimate(c.Key) {
			cell = func(r entry) any { return r.withInterval(c.Key, f.Interval) }
		} else if latex && (c.Key == columnKey || c.Key == quantityKey) {
			cell = func(r entry) any { return metric.AxisLabel(fmt.Sprint(r.get(c.Key))) }
		}
		if f.Format != view.CSV && f.Format != view.JSON {
			known, isPoint := cell, t.points[c.Key]
			cell = func(r entry) any {
				if name, renamed := f.names[cellText(r.get(c.Key))]; renamed && isPoint {
					return name
				}
				if bound := r.estimate(c.Key).bound(); bound != "" {
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
func (f *View) forPaper(list []rowColumn, t *Table, rows []entry) (short []rowColumn, remark string) {
	parameters := append(t.pointKeys(), "seed", "replicas")
	remark = cmp.Or(t.model.Name, "comparison")
	named, left, labels := setOf(f.Columns), map[string]bool{}, map[string]bool{}
	for _, key := range parameters {
		value, constant := constantOf(key, rows)
		if !constant || named[key] {
			continue
		}
		left[key] = true
		if value != nil {
			remark += fmt.Sprintf("; %s = %v", key, value)
		}
	}
	list = lists.Where(list, func(p rowColumn) bool { return !left[p.Key] })
	for _, p := range list {
		if value, constant := constantOf(p.Key, rows); value == nil && constant && f.Columns == nil {
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
func constantOf(key string, rows []entry) (value any, constant bool) {
	for _, r := range rows {
		v := r.get(key)
		if value != nil && v != nil && v != value {
			return nil, false
		}
		if v != nil {
			value = v
		}
	}
	return value, true
}

// isBound reports whether a column holds the standard error or an end of the interval of another column.
func (t *Table) isBound(key string) bool {
	for _, b := range t.beside {
		if key == b.Se || key == b.Lo || key == b.Hi {
			return true
		}
	}
	return false
}

// isEstimate reports whether a column has an interval, given by its ends or by a standard error.
func (t *Table) isEstimate(key string) bool {
	_, is := t.beside[key]
	return is && !t.points[key]
}

// besidePaper returns the results that a table for a paper leaves out, if it has others: those without an interval,
// and those that few people look for.
func (t *Table) besidePaper() []string {
	if !slices.ContainsFunc(frame.Keys(t.Columns), t.isEstimate) {
		return nil
	}
	return slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool {
		brief := t.model.Brief == nil || slices.Contains(t.model.Brief, key)
		return t.isEstimate(key) && brief || t.points[key]
	})
}

// withInterval returns the cell of an estimate with its interval in a style of --interval. An interval
// that is not symmetric has brackets in any style. The half width has two significant digits, or all
// digits before the point.
func (r entry) withInterval(key, style string) any {
	e := r.estimate(key)
	half := (e.hi - e.lo) / 2
	if math.IsNaN(e.value) || math.IsInf(half, 0) || half <= 0 {
		return r.get(key)
	}
	exponent, unit := 0, ""
	if size := max(math.Abs(e.value), half); size < 1e-3 || size >= 1e7 {
		exponent = int(math.Floor(math.Log10(size)))
		unit = fmt.Sprintf("e%+03d", exponent)
	}
	decimals := max(0, 1+exponent-int(math.Floor(math.Log10(half))))
	scale := math.Pow10(-exponent)
	text := func(v float64) string { return fmt.Sprintf("%.*f", decimals, v*scale) }
	if symmetric := math.Abs((e.lo+e.hi)/2-e.value) < half/100; symmetric && style != Brackets {
		if unit == "" {
			return text(e.value) + " ± " + text(half)
		}
		return "(" + text(e.value) + " ± " + text(half) + ")" + unit
	}
	return fmt.Sprintf("%s [%s, %s]%s", text(e.value), text(e.lo), text(e.hi), unit)
}

// order compares two rows by --sort; rows without a value come last.
func (f *View) order(a, b entry) int {
	for _, key := range f.Sort {
		name, descending := strings.CutPrefix(key, "-")
		if c := compareCells(a, b, name, descending); c != 0 {
			return c
		}
	}
	return 0
}

// compareCells compares the cells of two rows in a column: numbers before texts before null.
func compareCells(a, b entry, key string, descending bool) int {
	rank := func(r entry) int {
		_, isNumber := r.number(key)
		switch {
		case isNumber:
			return 0
		case r.get(key) == nil:
			return 2
		}
		return 1
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	x, isNumber := a.number(key)
	y, _ := b.number(key)
	c := cmp.Compare(x, y)
	if !isNumber {
		c = strings.Compare(fmt.Sprint(a.get(key)), fmt.Sprint(b.get(key)))
	}
	if descending {
		return -c
	}
	return c
}
