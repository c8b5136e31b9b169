package rows

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/model"
	"repslab/internal/values"
	"repslab/mc"
)

// Comparison holds the differences of two tables of a model.
type Comparison struct {
	keys        []frame.Column // columns by which points are matched
	differences []difference
	Without     int // differences that cannot be tested
}

// difference compares a statistic at a point in both tables.
type difference struct {
	point []any
	y     string
	a, b  float64
	runs  [2]uint64
	welch mc.Welch
	p     float64 // p-value, adjusted for all comparisons
}

// Compare matches the rows of two tables.
func Compare(a, b *Table, y, except string) (Comparison, error) {
	var c Comparison
	if a.model.Name != b.model.Name {
		return c, console.Usagef("%s is a sweep of %s and %s of %s; both must be of the same model",
			a.path, a.model.Name, b.path, b.model.Name)
	}
	means, err := a.means(y)
	if err != nil {
		return c, err
	}
	matched, err := a.matched(except)
	if err != nil {
		return c, err
	}
	c.keys = a.columnsOf(matched)
	rowsOfB := map[string]Record{}
	for _, row := range b.rows {
		name := fmt.Sprint(row.pick(matched)...)
		if _, twice := rowsOfB[name]; twice {
			return c, console.Usagef("--except: without these parameters several points of %s are the same: %s", b.path, name)
		}
		rowsOfB[name] = row
	}
	for _, row := range a.rows {
		if other, ok := rowsOfB[fmt.Sprint(row.pick(matched)...)]; ok {
			c.compare(row, other, matched, means)
		}
	}
	if len(c.differences) == 0 {
		return c, console.Usagef("%s and %s have no point in common with standard errors of the columns in both",
			a.path, b.path)
	}
	c.adjust()
	return c, nil
}

// matched returns the columns by which points are matched.
func (t *Table) matched(except string) ([]string, error) {
	var left []string
	if except != "" {
		left = strings.Split(except, ",")
	}
	for _, key := range left {
		if known := frame.Keys(t.model.Keys); !slices.Contains(known, key) {
			return nil, console.Usagef("--except: %q %s", key, values.MustBeOneOf(key, known))
		}
	}
	return slices.DeleteFunc(t.pointKeys(), func(key string) bool { return slices.Contains(left, key) }), nil
}

// means returns the columns to compare.
func (t *Table) means(y string) ([]string, error) {
	if y == "" {
		return slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool {
			return t.beside[key].Se == "" || t.points[key]
		}), nil
	}
	list := strings.Split(y, ",")
	for _, key := range list {
		if err := t.check("y", key); err != nil {
			return nil, err
		}
		if t.beside[key].Se == "" {
			return nil, console.Usagef("--y: %q must have a standard error, a column %s", key, frame.BesideOf(key).Se)
		}
	}
	return list, nil
}

// compare adds the differences of means in two rows. A difference can be tested if both rows have the
// mean, a standard error of at least 0 and the number of runs. A standard error of 0 says that all runs are alike.
func (c *Comparison) compare(row, other Record, matched, means []string) {
	for _, y := range means {
		var means [2]mc.Estimate
		complete := true
		for i, r := range []Record{row, other} {
			value, ok := r.number(y)
			stdErr, estimated := r.number(r.table.beside[y].Se)
			n, known := r.runs(y)
			complete = complete && ok && estimated && stdErr >= 0 && known
			means[i] = mc.Estimate{Value: value, StdErr: stdErr, N: n, Identical: stdErr == 0}
		}
		switch {
		case complete:
			a, b := means[0], means[1]
			c.differences = append(c.differences, difference{row.pick(matched), y, a.Value, b.Value, [2]uint64{a.N, b.N}, b.Welch(a), 0})
		case row.get(y) != nil && other.get(y) != nil, row.bound(y)+other.bound(y) != "":
			c.Without++
		}
	}
}

// adjust sets the p-values of all differences together, by Holm's rule.
func (c *Comparison) adjust() {
	p := lists.Map(c.differences, func(d difference) float64 { return d.welch.P })
	for i, adjusted := range mc.Holm(p) {
		c.differences[i].p = adjusted
	}
}

// Table returns the table of the differences.
func (c Comparison) Table() *Table {
	columns := slices.Concat(c.keys, []frame.Column{frame.Text(columnKey)},
		frame.Numbers("a", "b", "difference", "difference_lo", "difference_hi", "relative_difference", "p", "p_adjusted"),
		[]frame.Column{frame.Text("significant"), frame.Number(MarkKey)})
	t := New(model.Model{Keys: columns[:len(c.keys)+1]}, columns)
	for _, d := range c.differences {
		relative := (d.b - d.a) / math.Abs(d.a) // null for a = 0
		t.AddRow(append(slices.Clone(d.point), d.y, d.a, d.b, d.b-d.a, d.welch.Lo, d.welch.Hi, relative,
			d.welch.P, d.p, d.significant(), d.mark()))
	}
	return t
}

// Keys of a difference: of the compared column and of the mark.
const (
	columnKey = "column"
	MarkKey   = "b_vs_a"
)

// significant reports whether the adjusted p-value is below 5 %.
func (d difference) significant() bool { return d.p < 0.05 }

// mark writes a difference as benchstat does: the relative difference if it is significant, otherwise ~,
// with the adjusted p-value and the number of runs, for both files if these differ.
func (d difference) mark() string {
	change := "~"
	if d.significant() {
		change = "?" // relative to 0
		if d.a != 0 {
			change = fmt.Sprintf("%+.2f%%", 100*(d.b-d.a)/math.Abs(d.a))
		}
	}
	runs := fmt.Sprint(d.runs[0])
	if d.runs[1] != d.runs[0] {
		runs += fmt.Sprintf("+%d", d.runs[1])
	}
	return fmt.Sprintf("%s (p=%.3f n=%s)", change, d.p, runs)
}
