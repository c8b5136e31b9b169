package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/internal/values"
	"repslab/mc"
)

// Comparison holds the differences of two tables of a model.
type Comparison struct {
	keys        []frame.Column // columns by which points are matched
	differences []difference
	Without     int // differences that cannot be tested
	Unpaired    int // differences of means that are taken as independent
}

// difference compares a statistic at a point in both tables.
type difference struct {
	point []any
	y     string
	a, b  mc.Estimate
	test  mc.Welch
	pairs int     // blocks of replicas that are paired; 0 if the means are taken as independent
	p     float64 // p-value, adjusted for all comparisons
}

// Compare matches the rows of two tables.
func Compare(a, b *rows.Table, y, except string) (Comparison, error) {
	var c Comparison
	if a.Model.Name != b.Model.Name {
		return c, console.Usagef("%s is a sweep of %s and %s of %s; both must be of the same model",
			a.Path, a.Model.Name, b.Path, b.Model.Name)
	}
	means, err := meansOf(a, y)
	if err != nil {
		return c, err
	}
	matched, err := matchedBy(a, except)
	if err != nil {
		return c, err
	}
	c.keys = a.ColumnsOf(matched)
	rowsOfB := map[string]rows.Row{}
	for _, row := range b.Rows {
		name := fmt.Sprint(row.Pick(matched)...)
		if _, twice := rowsOfB[name]; twice {
			point := lists.Map(matched, func(key string) string { return key + "=" + cellText(row.Get(key)) })
			return c, console.Usagef("--except: without these parameters several points of %s are the same: %s", b.Path, strings.Join(point, " "))
		}
		rowsOfB[name] = row
	}
	common := 0
	for _, row := range a.Rows {
		if other, ok := rowsOfB[fmt.Sprint(row.Pick(matched)...)]; ok {
			c.compare(row, other, matched, means)
			common++
		}
	}
	switch {
	case common == 0:
		return c, console.Usagef("%s and %s have no point in common%s", a.Path, b.Path, nearest(a.Rows, b.Rows, matched, except))
	case len(c.differences) == 0:
		return c, console.Usagef("%s and %s have no point in common with standard errors of the columns in both", a.Path, b.Path)
	}
	c.adjust()
	return c, nil
}

// nearest says in which columns the first of some rows differs from the most similar one of others.
func nearest(list, others []rows.Row, matched []string, except string) string {
	var texts, keys []string
	for _, other := range others {
		var differ, names []string
		for _, key := range matched {
			if x, y := cellText(list[0].Get(key)), cellText(other.Get(key)); x != y {
				differ, names = append(differ, fmt.Sprintf("%s is %s and %s", key, x, y)), append(names, key)
			}
		}
		if keys == nil || len(names) < len(keys) {
			texts, keys = differ, names
		}
	}
	if except != "" {
		keys = append([]string{except}, keys...)
	}
	return fmt.Sprintf(": %s; --except %s compares them", strings.Join(texts, ", "), strings.Join(keys, ","))
}

// matchedBy returns the columns by which points are matched.
func matchedBy(t *rows.Table, except string) ([]string, error) {
	var left []string
	if except != "" {
		left = strings.Split(except, ",")
	}
	for _, key := range left {
		if known := frame.Keys(t.Model.Keys); !slices.Contains(known, key) {
			return nil, console.Usagef("--except: %q %s", key, values.MustBeOneOf(key, known))
		}
	}
	return slices.DeleteFunc(t.PointKeys(), func(key string) bool { return slices.Contains(left, key) }), nil
}

// meansOf returns the columns to compare.
func meansOf(t *rows.Table, y string) ([]string, error) {
	if y == "" {
		return slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool {
			return t.Beside[key].Se == "" || slices.Contains(t.Points, key)
		}), nil
	}
	list := strings.Split(y, ",")
	for _, key := range list {
		if err := t.Check("y", key); err != nil {
			return nil, err
		}
		if t.Beside[key].Se == "" {
			return nil, console.Usagef("--y: %q must have a standard error, a column %s", key, frame.BesideOf(key).Se)
		}
	}
	return list, nil
}

// compare adds the differences of means in two rows. A difference can be tested if both rows have the
// mean, a standard error of at least 0 and the number of runs. A standard error of 0 says that all runs are alike.
func (c *Comparison) compare(row, other rows.Row, matched, means []string) {
	testable := func(e rows.Estimate) bool { return !math.IsNaN(e.Value+e.Runs) && e.StdErr >= 0 }
	for _, y := range means {
		a, b := row.Estimate(y), other.Estimate(y)
		switch {
		case testable(a) && testable(b):
			a, b := untested(a), untested(b)
			d := difference{point: row.Pick(matched), y: y, a: a, b: b, test: b.Welch(a)}
			if p, is := pairsOf(other, row, y); is {
				d.test, d.pairs = p.difference(), len(p.runs)
			} else {
				c.Unpaired++
			}
			c.differences = append(c.differences, d)
		case row.Get(y) != nil && other.Get(y) != nil, a.Bounded() || b.Bounded():
			c.Without++
		}
	}
}

// untested returns the estimate without its interval, for a test. A standard error of 0 says that all runs are alike.
func untested(e rows.Estimate) mc.Estimate {
	return mc.Estimate{Value: e.Value, StdErr: e.StdErr, N: uint64(e.Runs), Identical: e.StdErr == 0}
}

// adjust sets the p-values of all differences together, by Holm's rule.
func (c *Comparison) adjust() {
	p := lists.Map(c.differences, func(d difference) float64 { return d.test.P })
	for i, adjusted := range mc.Holm(p) {
		c.differences[i].p = adjusted
	}
}

// Table returns the table of the differences.
func (c Comparison) Table() *rows.Table {
	columns := slices.Concat(c.keys, []frame.Column{frame.Text(columnKey)},
		frame.Numbers("a", "b", "difference", "difference_lo", "difference_hi", PairsKey, "relative_difference", "p", "p_adjusted"),
		[]frame.Column{frame.Text("significant"), frame.Number(MarkKey)})
	t := rows.New(param.Model{Keys: columns[:len(c.keys)+1]}, columns)
	for _, d := range c.differences {
		a, b := d.a.Value, d.b.Value
		relative := (b - a) / math.Abs(a) // null for a = 0
		var pairs any                     // null if there are none
		if d.pairs > 0 {
			pairs = d.pairs
		}
		t.AddRow(append(slices.Clone(d.point), d.y, a, b, b-a, d.test.Lo, d.test.Hi, pairs, relative,
			d.test.P, d.p, d.significant(), d.mark()))
	}
	return t
}

// Keys of a difference: of the compared column, the number of pairs and the mark.
const (
	columnKey = "column"
	PairsKey  = "pairs"
	MarkKey   = "b_vs_a"
)

// significant reports whether the adjusted p-value is below 5 %.
func (d difference) significant() bool { return d.p < 0.05 }

// mark writes a difference as benchstat does: the relative difference if it is significant, otherwise ~,
// with the adjusted p-value and the number of runs, for both files if these differ, and whether they are paired.
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
	if d.pairs > 0 {
		runs += " paired"
	}
	return fmt.Sprintf("%s (p=%.3f n=%s)", change, d.p, runs)
}
