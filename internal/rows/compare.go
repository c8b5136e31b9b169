package rows

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
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
	a, b  mc.Estimate
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
	rowsOfB := map[string]entry{}
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
func (c *Comparison) compare(row, other entry, matched, means []string) {
	testable := func(e estimate) bool { return !math.IsNaN(e.value+e.runs) && e.stdErr >= 0 }
	for _, y := range means {
		a, b := row.estimate(y), other.estimate(y)
		switch {
		case testable(a) && testable(b):
			a, b := a.mean(), b.mean()
			c.differences = append(c.differences, difference{row.pick(matched), y, a, b, b.Welch(a), 0})
		case row.get(y) != nil && other.get(y) != nil, a.bounded() || b.bounded():
			c.Without++
		}
	}
}

// mean returns the estimate without its interval, for a test. A standard error of 0 says that all runs are alike.
func (e estimate) mean() mc.Estimate {
	return mc.Estimate{Value: e.value, StdErr: e.stdErr, N: uint64(e.runs), Identical: e.stdErr == 0}
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
	t := New(param.Model{Keys: columns[:len(c.keys)+1]}, columns)
	for _, d := range c.differences {
		a, b := d.a.Value, d.b.Value
		relative := (b - a) / math.Abs(a) // null for a = 0
		t.AddRow(append(slices.Clone(d.point), d.y, a, b, b-a, d.welch.Lo, d.welch.Hi, relative,
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
		if a := d.a.Value; a != 0 {
			change = fmt.Sprintf("%+.2f%%", 100*(d.b.Value-a)/math.Abs(a))
		}
	}
	runs := fmt.Sprint(d.a.N)
	if d.b.N != d.a.N {
		runs += fmt.Sprintf("+%d", d.b.N)
	}
	return fmt.Sprintf("%s (p=%.3f n=%s)", change, d.p, runs)
}
