package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/plot"
	"repslab/mc"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	x, y, by, style, output string
	logX, logY, force       bool
}

// newPlot returns the command that plots a result file.
func newPlot(available []model) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot FILE",
		Short: "Plot a column of a sweep's result file against another",
		Long: `Draws one line for each value of --by. A mean that has a standard error in the file
(rounds_mean and rounds_se) gets a band: its 95 % interval, by Student's t law for the
number of runs behind it. One run gives no interval, nor does a mean over an unknown
number of runs, and a warning says so. Rows that share x and the value of --by would
be drawn on top of each other, which is an error that names the parameter that differs.`,
		Example: "  repslab plot r.jsonl --x bins --y rounds_mean --by threshold_expression --log-x --log-y -o r.pdf",
	}
	var f plotFlags
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.x, "x", "", "column of the horizontal axis")
	flags.StringVar(&f.y, "y", "", "column of the vertical axis")
	flags.StringVar(&f.by, "by", "", "column whose values are the lines (default: one line)")
	flags.BoolVar(&f.logX, "log-x", false, "logarithmic horizontal axis")
	flags.BoolVar(&f.logY, "log-y", false, "logarithmic vertical axis")
	flags.StringVar(&f.style, "style", plot.ACM().String(), "acm (column widths of a paper) or slides")
	flags.StringVarP(&f.output, "output", "o", "", "the `FILE`; its name ends in .pdf, .svg or .png")
	addForce(flags, &f.force)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := oneFile(cmd, args)
		if err != nil {
			return err
		}
		format, style, err := f.check()
		if err != nil {
			return err
		}
		t, err := readTable(cmd.Context(), available, path, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		figure, err := f.figure(t, warnTo(cmd.ErrOrStderr()))
		if err != nil {
			return err
		}
		data, err := figure.Render(style, format)
		if err != nil {
			return err
		}
		return writeOutput("-o", f.output, f.force, data)
	}
	return cmd
}

// check reads the flags that need no data.
func (f *plotFlags) check() (plot.ImageFormat, plot.Style, error) {
	var style plot.Style
	if f.x == "" || f.y == "" || f.output == "" {
		return "", style, usagef("plot needs --x, --y and -o")
	}
	if err := checkOutput("-o", f.output, f.force); err != nil {
		return "", style, err
	}
	format, err := plot.ParseImageFormat(strings.TrimPrefix(filepath.Ext(f.output), "."))
	if err != nil {
		return "", style, usagef("-o: %q must end in one of %v", f.output, plot.ImageFormats())
	}
	style, err = plot.ParseStyle(f.style)
	if err != nil {
		return "", style, usagef("--style: %q must be one of %s, %s", f.style, plot.ACM(), plot.Slides())
	}
	return format, style, nil
}

// figure draws a table and warns of points that lack an interval.
func (f *plotFlags) figure(t storedTable, warn func(string)) (*plot.Plot, error) {
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("%s has no finished point", t.path)
	}
	x, errX := t.column("x", f.x)
	y, errY := t.column("y", f.y)
	by, errBy := -1, error(nil)
	if f.by != "" {
		by, errBy = t.column("by", f.by)
	}
	if err := firstError(errX, errY, errBy); err != nil {
		return nil, err
	}
	if err := t.distinct(x, by); err != nil {
		return nil, err
	}
	lines := map[string]*plot.Series{}
	var names []string
	for _, row := range t.rows {
		name := ""
		if by >= 0 {
			name = t.label(by, row[by])
		}
		if lines[name] == nil {
			lines[name] = &plot.Series{Name: name, Mark: plot.LinePoints}
			names = append(names, name)
		}
		if err := f.add(lines[name], t, row, x, y); err != nil {
			return nil, err
		}
	}
	for _, w := range t.withoutInterval(y) {
		warn(w)
	}
	return &plot.Plot{Panels: [][]plot.Panel{{f.panel(t, x, names, lines)}}}, nil
}

// panel puts lines in the order of their names between axes.
func (f *plotFlags) panel(t storedTable, x int, names []string, lines map[string]*plot.Series) plot.Panel {
	panel := plot.Panel{XLabel: axisLabel(f.x), YLabel: axisLabel(f.y)}
	if f.logX {
		panel.X.Scale = plot.Log10
		if doubling(t, x) {
			panel.X.Scale = plot.Log2
		}
	}
	if f.logY {
		panel.Y.Scale = plot.Log10
	}
	for _, name := range names {
		sortByX(lines[name])
		panel.Series = append(panel.Series, *lines[name])
	}
	return panel
}

// add appends a row to a line.
func (f *plotFlags) add(s *plot.Series, t storedTable, row []any, x, y int) error {
	at, ok := number(row[x])
	if !ok {
		return usagef("--x: %q must be a column of numbers, but it has %v", f.x, row[x])
	}
	value, ok := number(row[y])
	if !ok {
		if row[y] != nil {
			return usagef("--y: %q must be a column of numbers, but it has %v", f.y, row[y])
		}
		value = math.NaN()
	}
	if f.logX && at <= 0 {
		return usagef("--log-x: %s must be positive, but it is %v", f.x, at)
	}
	if f.logY && value <= 0 {
		return usagef("--log-y: %s must be positive, but it is %v", f.y, value)
	}
	s.X, s.Y = append(s.X, at), append(s.Y, value)
	se := t.standardError(y)
	if se < 0 {
		return nil
	}
	lo, hi := math.NaN(), math.NaN()
	stdErr, estimated := number(row[se])
	if runs, known := t.runs(row, y); estimated && known {
		lo, hi = mc.StudentInterval(value, stdErr, runs, mc.DefaultConfidence)
	}
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
	return nil
}

// withoutInterval says how many means of a column that has standard errors lack an
// interval, and why; exact results need none.
func (t storedTable) withoutInterval(y int) []string {
	if t.standardError(y) < 0 {
		return nil
	}
	single, unknown := 0, 0
	for _, row := range t.rows {
		if _, has := number(row[y]); !has {
			continue
		}
		switch runs, known := t.runs(row, y); {
		case !known:
			unknown++
		case runs == 1:
			single++
		}
	}
	var warnings []string
	for _, c := range []struct {
		points int
		why    string
	}{
		{single, "one run gives none"},
		{unknown, "some runs did not finish, and the file does not say how many"},
	} {
		if c.points > 0 {
			warnings = append(warnings, fmt.Sprintf("%d of %d points have no interval of %s: %s", c.points, len(t.rows), t.columns[y].Key, c.why))
		}
	}
	return warnings
}

// standardErrorOf returns the key of the standard error of a column, by the rule of
// the keys: rounds_mean has rounds_se, and max_fct_us has max_fct_us_se.
func standardErrorOf(key string) string {
	return strings.TrimSuffix(key, "_mean") + "_se"
}

// distinct returns a usage error if two rows have the same x and line.
func (t storedTable) distinct(x, by int) error {
	type place struct{ x, by any }
	seen := map[place][]any{}
	for _, row := range t.rows {
		p := place{x: row[x]}
		if by >= 0 {
			p.by = row[by]
		}
		before, twice := seen[p]
		if !twice {
			seen[p] = row
			continue
		}
		for i, c := range t.columns { // the parameters, and the round of those that are observed often
			if (t.model.hasKey(c.Key) || c.Key == "round") && row[i] != before[i] {
				return usagef("--by: several rows have %s = %v and differ in %s: sweep fewer parameters, or give --by %s", t.columns[x].Key, row[x], t.columns[i].Key, t.columns[i].Key)
			}
		}
	}
	return nil
}

// label writes the value of a line for the legend; numbers say what they are of.
func (t storedTable) label(column int, cell any) string {
	if text, ok := cell.(string); ok {
		return text
	}
	return fmt.Sprintf("%s = %v", axisLabel(t.columns[column].Key), cell)
}

// axisLabel writes a key for people.
func axisLabel(key string) string { return strings.ReplaceAll(key, "_", " ") }

// doubling says whether all values of a column are powers of two.
func doubling(t storedTable, column int) bool {
	for _, row := range t.rows {
		v, ok := number(row[column])
		if fraction, _ := math.Frexp(v); !ok || fraction != 0.5 {
			return false
		}
	}
	return true
}

// sortByX orders the points of a line.
func sortByX(s *plot.Series) {
	order := make([]int, len(s.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, s.X[a]-s.X[b])) })
	pick := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		sorted := make([]float64, len(v))
		for i, k := range order {
			sorted[i] = v[k]
		}
		return sorted
	}
	s.X, s.Y, s.Lo, s.Hi = pick(s.X), pick(s.Y), pick(s.Lo), pick(s.Hi)
}
