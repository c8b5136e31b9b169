package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/mc"
	"repslab/internal/report"
)

// newCompare returns the command that compares two result files.
func newCompare(available []model) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two result files of a model, point by point",
		Long: `Prints for every point that both files have, and every mean with a standard error,
the difference B - A with its 95 % interval (Welch's t). p is the probability of so
large a difference between equal means; p_adjusted holds for all rows together
(Holm), and significant says whether it is below 0.05.

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
	flags.StringVar(&f.format, "format", string(report.Table), "table, csv, json (one object a line), markdown or latex")
	flags.StringVarP(&f.output, "output", "o", "", "write to this `FILE` instead of the standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usagef("compare takes two files, but %d were given", len(args))
		}
		var tables [2]table
		for i, path := range args {
			var err error
			if tables[i], err = readTable(cmd.Context(), available, path, cmd.ErrOrStderr()); err != nil {
				return err
			}
		}
		c, err := newComparison(tables[0], tables[1], y, except)
		if err != nil {
			return err
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
	keys        []report.Column // by which points are matched
	differences []difference
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
func newComparison(a, b table, y, except string) (comparison, error) {
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
			if d, ok := a.difference(row, other, m); ok {
				d.point = point
				c.differences = append(c.differences, d)
			}
		}
	}
	if len(c.differences) == 0 {
		return c, fmt.Errorf("%s and %s have no point in common that has the columns in both", a.path, b.path)
	}
	c.adjust()
	return c, nil
}

// matched returns the columns by which points are matched: the parameters, and the
// round of models that observe several.
func (t table) matched(except string) ([]int, error) {
	var left []string
	if except != "" {
		left = strings.Split(except, ",")
	}
	for _, key := range left {
		if !slices.ContainsFunc(t.model.keys, func(c report.Column) bool { return c.Key == key }) {
			var keys []string
			for _, c := range t.model.keys {
				keys = append(keys, c.Key)
			}
			return nil, usagef("--except: %q must be one of %s", key, strings.Join(keys, ", "))
		}
	}
	var found []int
	for i, c := range t.columns {
		if (i < len(t.model.keys) || c.Key == "round") && !slices.Contains(left, c.Key) {
			found = append(found, i)
		}
	}
	return found, nil
}

// means returns the columns to compare.
func (t table) means(y string) ([]int, error) {
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
func (t table) standardError(column int) int {
	return slices.IndexFunc(t.columns, func(c report.Column) bool { return c.Key == standardErrorOf(t.columns[column].Key) })
}

// difference compares a statistic in two rows; false if one lacks it.
func (t table) difference(row, other []any, column int) (difference, bool) {
	se, replicas := t.standardError(column), len(t.columns)-1
	var values [6]float64
	for i, cell := range []any{row[column], row[se], row[replicas], other[column], other[se], other[replicas]} {
		v, ok := number(cell)
		if !ok {
			return difference{}, false
		}
		values[i] = v
	}
	return difference{
		y: t.columns[column].Key, a: values[0], b: values[3],
		welch: mc.NewWelch(values[3]-values[0], values[4], values[5], values[1], values[2]),
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
func (c comparison) columns() []report.Column {
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
