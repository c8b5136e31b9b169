package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/table"
	"repslab/mc"
)

// newCompare returns the command that compares two result files.
func newCompare(available []model) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two result files of a model, point by point",
		Long: `Prints for every point that both files have, and every mean with a standard error,
the difference B - A with its 95 % interval (Welch's t). p is the probability of so
large a difference between equal means; p_adjusted holds for all rows together
(Holm), and significant says whether it is below 0.05. Means of one run, exact
results, and means over an unknown number of runs are left out with a warning.

Points are matched by their parameters; --except leaves out those in which the files
differ on purpose. The test takes the two files to be independent. With the same seed
they share random numbers, and where those make the results go together, the
intervals are wider than they need be.`,
		Example: `  repslab compare a.jsonl b.jsonl --y rounds_mean
  repslab compare tight.jsonl loose.jsonl --except threshold,threshold_expression`,
	}
	var f commonFlags
	var y, except string
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&y, "y", "", "columns, such as rounds_mean,max_load_mean (default: all with a standard error)")
	flags.StringVar(&except, "except", "", "parameters by which points are not matched")
	flags.StringVar(&f.format, "format", string(table.Aligned), "table, csv, json (one object a line), markdown or latex")
	flags.StringVarP(&f.output, "output", "o", "", "write to this `FILE` instead of the standard output")
	addForce(flags, &f.force)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usagef("compare takes two files, but %d were given", len(args))
		}
		var tables [2]storedTable
		for i, path := range args {
			var err error
			if tables[i], err = readTable(cmd.Context(), available, path, cmd.ErrOrStderr()); err != nil {
				return err
			}
		}
		for _, path := range tables[0].config.ChangedInputs(tables[1].config) {
			warnTo(cmd.ErrOrStderr())(fmt.Sprintf("the input file %s has other contents in %s than in %s", path, args[1], args[0]))
		}
		c, err := newComparison(tables[0], tables[1], y, except)
		if err != nil {
			return err
		}
		if c.without > 0 {
			warnTo(cmd.ErrOrStderr())(fmt.Sprintf("%d differences are left out: a mean of one run or an exact result has no standard error, or the file does not say how many runs finished", c.without))
		}
		out, err := f.openTable(cmd.Context(), cmd.OutOrStdout(), c.columns())
		if err != nil {
			return err
		}
		return out.finish(cmd.Context(), c.write(cmd.Context(), out))
	}
	return cmd
}

// comparison is two tables of a model, matched.
type comparison struct {
	keys        []table.Column // by which points are matched
	differences []difference
	without     int // differences of two numbers that cannot be judged
}

// difference is a statistic at a point in both tables.
type difference struct {
	point []any
	y     string
	a, b  float64
	welch mc.Welch
	p     float64 // adjusted for all
}

// newComparison matches the rows of two tables.
func newComparison(a, b storedTable, y, except string) (comparison, error) {
	var c comparison
	if a.model.name != b.model.name {
		return c, usagef("%s is a sweep of %s and %s of %s; both must be of the same model", a.path, a.model.name, b.path, b.model.name)
	}
	means, err := a.means(y)
	if err != nil {
		return c, err
	}
	matched, err := a.matched(except)
	if err != nil {
		return c, err
	}
	for _, i := range matched {
		c.keys = append(c.keys, a.columns[i])
	}
	b = b.arranged(a.columns)
	rowsOfB := map[string][]any{}
	for _, row := range b.rows {
		name := fmt.Sprint(pickCells(row, matched)...)
		if rowsOfB[name] != nil {
			return c, usagef("--except: without them several points of %s are the same: %s", b.path, name)
		}
		rowsOfB[name] = row
	}
	for _, row := range a.rows {
		point := pickCells(row, matched)
		other, ok := rowsOfB[fmt.Sprint(point...)]
		if !ok {
			continue
		}
		for _, m := range means {
			d, ok := a.difference(row, other, m)
			if ok {
				d.point = point
				c.differences = append(c.differences, d)
			} else if row[m] != nil && other[m] != nil {
				c.without++
			}
		}
	}
	if len(c.differences) == 0 {
		return c, fmt.Errorf("%s and %s have no point in common that has the columns, with standard errors, in both", a.path, b.path)
	}
	c.adjust()
	return c, nil
}

// matched returns the columns by which points are matched: the parameters, and the
// round of models that observe several.
func (t storedTable) matched(except string) ([]int, error) {
	var left []string
	if except != "" {
		left = strings.Split(except, ",")
	}
	for _, key := range left {
		if !t.model.hasKey(key) {
			var keys []string
			for _, c := range t.model.keys {
				keys = append(keys, c.Key)
			}
			return nil, usagef("--except: %q must be one of %s", key, strings.Join(keys, ", "))
		}
	}
	var found []int
	for i, c := range t.columns {
		if (t.model.hasKey(c.Key) || c.Key == "round") && !slices.Contains(left, c.Key) {
			found = append(found, i)
		}
	}
	return found, nil
}

// arranged returns the table with the cells of other columns; those that it lacks are
// null.
func (t storedTable) arranged(list []table.Column) storedTable {
	from := make([]int, len(list))
	for i, c := range list {
		from[i] = slices.IndexFunc(t.columns, func(own table.Column) bool { return own.Key == c.Key })
	}
	out := storedTable{path: t.path, model: t.model, columns: list}
	for _, row := range t.rows {
		cells := make([]any, len(list))
		for i, k := range from {
			if k >= 0 {
				cells[i] = row[k]
			}
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

// means returns the columns to compare.
func (t storedTable) means(y string) ([]int, error) {
	var found []int
	for i, c := range t.columns {
		if y == "" && !strings.HasSuffix(c.Key, "_se") && t.standardError(i) >= 0 {
			found = append(found, i)
		}
	}
	if y == "" {
		return found, nil
	}
	for key := range strings.SplitSeq(y, ",") {
		i, err := t.column("y", key)
		if err != nil {
			return nil, err
		}
		if t.standardError(i) < 0 {
			return nil, usagef("--y: %q must have a standard error, a column %s", key, standardErrorOf(key))
		}
		found = append(found, i)
	}
	return found, nil
}

// standardError returns the column of the standard error of another one, or -1.
func (t storedTable) standardError(column int) int {
	return slices.IndexFunc(t.columns, func(c table.Column) bool { return c.Key == standardErrorOf(t.columns[column].Key) })
}

// difference compares a statistic in two rows; false if one lacks it, a standard error of
// at least 0 or the number of runs behind it.
func (t storedTable) difference(row, other []any, column int) (difference, bool) {
	se := t.standardError(column)
	var values, errs, runs [2]float64
	for i, r := range [][]any{row, other} {
		value, ok := number(r[column])
		stdErr, estimated := number(r[se])
		n, known := t.runs(r, column)
		if !ok || !estimated || !(stdErr >= 0) || !known {
			return difference{}, false
		}
		values[i], errs[i], runs[i] = value, stdErr, float64(n)
	}
	return difference{
		y: t.columns[column].Key, a: values[0], b: values[1],
		welch: mc.NewWelch(values[1]-values[0], errs[1], runs[1], errs[0], runs[0]),
	}, true
}

// adjust sets the p-values of all differences together, by Holm's rule.
func (c *comparison) adjust() {
	p := make([]float64, len(c.differences))
	for i, d := range c.differences {
		p[i] = d.welch.P
	}
	for i, adjusted := range mc.Holm(p) {
		c.differences[i].p = adjusted
	}
}

// columns returns the columns of a comparison.
func (c comparison) columns() []table.Column {
	return slices.Concat(c.keys, columns([]string{
		"column", "a", "b", "difference", "difference_lo", "difference_hi", "relative_difference", "p", "p_adjusted", "significant",
	}, "column", "significant"))
}

// write writes the rows of a comparison.
func (c comparison) write(_ context.Context, out *rows) error {
	for _, d := range c.differences {
		var relative any
		if d.a != 0 {
			relative = (d.b - d.a) / math.Abs(d.a)
		}
		out.number++
		if err := out.Write(slices.Concat(d.point, []any{
			d.y, d.a, d.b, d.b - d.a, d.welch.Lo, d.welch.Hi, relative, d.welch.P, d.p, d.p < 0.05,
		})); err != nil {
			return err
		}
	}
	return nil
}

// pickCells returns some cells of a row.
func pickCells(row []any, which []int) []any {
	cells := make([]any, len(which))
	for i, k := range which {
		cells[i] = row[k]
	}
	return cells
}
