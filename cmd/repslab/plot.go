package main

import (
	"cmp"
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
	x, y, by, output  string
	style             plot.Style
	logX, logY, force bool

	few, unknown int // points without an interval: of too few runs, of an unknown number
}

// newPlot returns the command that plots a result file.
func newPlot(available []model) *cobra.Command {
	cmd := newCommand("plot")
	cmd.Args = exactly(1, "one FILE")
	var f plotFlags
	flags := cmd.Flags()
	flags.StringVar(&f.x, "x", "", "column of the horizontal axis")
	flags.StringVar(&f.y, "y", "", "column of the vertical axis")
	flags.StringVar(&f.by, "by", "", "column whose values are the lines (default: one line)")
	flags.BoolVar(&f.logX, "log-x", false, "logarithmic horizontal axis")
	flags.BoolVar(&f.logY, "log-y", false, "logarithmic vertical axis")
	addStyle(flags, &f.style)
	flags.StringVarP(&f.output, "output", "o", "", "the `FILE`; its name ends in .pdf, .svg or .png")
	addForce(flags, &f.force)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := f.check()
		if err != nil {
			return err
		}
		t, err := readTable(cmd.Context(), available, args[0], cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		figure, err := f.plot(t)
		if err != nil {
			return err
		}
		for _, w := range f.warnings(len(t.rows)) {
			warnTo(cmd.ErrOrStderr())(w)
		}
		data, err := figure.Render(f.style, format)
		if err != nil {
			return err
		}
		return writeOutput(nil, f.output, f.force, data)
	}
	return cmd
}

// check reads the flags that need no data.
func (f *plotFlags) check() (plot.ImageFormat, error) {
	if f.x == "" || f.y == "" || f.output == "" {
		return "", usagef("plot needs --x, --y and -o")
	}
	if err := checkOutput("-o", f.output, f.force); err != nil {
		return "", err
	}
	format, err := plot.ParseImageFormat(strings.TrimPrefix(filepath.Ext(f.output), "."))
	if err != nil {
		err = usagef("-o: %q must end in one of %v", f.output, plot.ImageFormats())
	}
	return format, err
}

// plot draws a table.
func (f *plotFlags) plot(t *storedTable) (*plot.Plot, error) {
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("%s has no finished point", t.path)
	}
	err := cmp.Or(t.check("x", f.x), t.check("y", f.y))
	if err == nil && f.by != "" {
		err = t.check("by", f.by)
	}
	if err := cmp.Or(err, f.checkDistinct(t)); err != nil {
		return nil, err
	}
	panel := plot.Panel{XLabel: axisLabel(f.x), YLabel: axisLabel(f.y)}
	if f.logX {
		panel.X.Scale = plot.Log10
		if t.doubles(f.x) {
			panel.X.Scale = plot.Log2
		}
	}
	if f.logY {
		panel.Y.Scale = plot.Log10
	}
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(a, b record) int {
		x, _ := a.number(f.x)
		other, _ := b.number(f.x)
		return cmp.Compare(x, other)
	})
	lines := map[any]int{} // by the value of --by
	for _, row := range t.rows {
		if _, known := lines[row.get(f.by)]; !known {
			lines[row.get(f.by)] = len(panel.Series)
			panel.Series = append(panel.Series, plot.Series{Name: f.label(row.get(f.by)), Mark: plot.LinePoints})
		}
	}
	for _, row := range rows {
		if err := f.add(&panel.Series[lines[row.get(f.by)]], row); err != nil {
			return nil, err
		}
	}
	return &plot.Plot{Panels: [][]plot.Panel{{panel}}}, nil
}

// add appends a row to a line.
func (f *plotFlags) add(s *plot.Series, row record) error {
	x, errX := coordinate(row, "x", f.x, f.logX)
	y, errY := coordinate(row, "y", f.y, f.logY)
	if err := cmp.Or(errX, errY); err != nil {
		return err
	}
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	if !row.table.has(standardErrorOf(f.y)) {
		return nil
	}
	lo, hi := math.NaN(), math.NaN()
	stdErr, estimated := row.number(standardErrorOf(f.y))
	runs, known := row.runs(f.y)
	switch {
	case math.IsNaN(y):
	case !known:
		f.unknown++
	case 0 < runs && runs < plot.LeastRuns:
		f.few++
	}
	if estimated && known && runs >= plot.LeastRuns {
		lo, hi = mc.StudentInterval(y, stdErr, runs, mc.DefaultConfidence)
	}
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
	return nil
}

// coordinate returns the cell of a row on an axis, which is "x" or "y"; NaN for a y that is null.
func coordinate(row record, axis, key string, logarithmic bool) (float64, error) {
	v, ok := row.number(key)
	switch {
	case !ok && axis == "y" && row.get(key) == nil:
		return math.NaN(), nil
	case !ok:
		return 0, usagef("--%s: %q must be a column of numbers, but it has %v", axis, key, row.get(key))
	case logarithmic && v <= 0:
		return 0, usagef("--log-%s: %s must be positive, but it is %v", axis, key, v)
	}
	return v, nil
}

// warnings says, once the plot is drawn, how many of the points of a column that has standard
// errors lack an interval, and why; exact results need none.
func (f *plotFlags) warnings(points int) (warnings []string) {
	const text = "%d of %d points have no interval of %s: %s"
	if f.few > 0 {
		warnings = append(warnings, fmt.Sprintf(text, f.few, points, f.y, "fewer than three runs give none"))
	}
	if f.unknown > 0 {
		warnings = append(warnings, fmt.Sprintf(text, f.unknown, points, f.y,
			"some runs did not finish, and the file does not say how many"))
	}
	return warnings
}

// standardErrorOf returns the key of the standard error of a column, by the rule of
// the keys: rounds_mean has rounds_se, and max_fct_us has max_fct_us_se.
func standardErrorOf(key string) string {
	return strings.TrimSuffix(key, "_mean") + "_se"
}

// checkDistinct returns a usage error if two rows have the same x and line.
func (f *plotFlags) checkDistinct(t *storedTable) error {
	type place struct{ x, by any }
	seen := map[place]record{}
	for _, row := range t.rows {
		p := place{row.get(f.x), row.get(f.by)}
		before, twice := seen[p]
		if !twice {
			seen[p] = row
			continue
		}
		for _, key := range t.pointKeys() {
			if row.get(key) != before.get(key) {
				return usagef("--by: several rows have %s = %v and differ in %s: sweep fewer parameters, or give --by %s",
					f.x, p.x, key, key)
			}
		}
	}
	return nil
}

// label returns the name of a line in the legend; numbers are preceded by their key.
func (f *plotFlags) label(cell any) string {
	switch v := cell.(type) {
	case string:
		return v
	case nil:
		if f.by == "" {
			return ""
		}
	}
	return fmt.Sprintf("%s = %v", axisLabel(f.by), cell)
}

// axisLabel writes a key for people.
func axisLabel(key string) string { return strings.ReplaceAll(key, "_", " ") }

// doubles reports whether all values of a column are powers of two.
func (t *storedTable) doubles(key string) bool {
	return !slices.ContainsFunc(t.rows, func(row record) bool {
		v, ok := row.number(key)
		fraction, _ := math.Frexp(v)
		return !ok || fraction != 0.5
	})
}
