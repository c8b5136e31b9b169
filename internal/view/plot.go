package view

import (
	"context"
	"io"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/internal/values"
)

// Plot holds the flags of the command plot: the columns to draw, and how to draw them.
type Plot struct {
	Kind                           Kind
	X, Y, Value, By, Facet, Output string
	RatioTo, XLabel, YLabel, Title string
	Legend, Colors                 string
	LegendPlace                    plot.LegendPlace
	Where                          []string // KEY=VALUE
	Style                          plot.Style
	Width, Height, FontSize        float64     // 0 for the values of the style
	Ends                           [4]*float64 // in the order of endFlags; nil if not given
	LogX, LogY, LogValue           bool
	Total                          bool    // cells of a heat map add up the values of their rows
	XBin                           float64 // width of the cells of a heat map along x; 0 means a cell for each value
	Stack                          bool    // panels stand one under the other, each with a vertical axis of its own
	Force                          bool
}

// Kind is a kind of plot.
type Kind string

// The kinds of plots.
const (
	LinePlot  Kind = "line"
	BarPlot   Kind = "bar"
	CdfPlot   Kind = "cdf"
	HeatPlot  Kind = "heat"
	PointPlot Kind = "points"
)

// Read reads result files and CSV files. Their rows get a column with the name of the file.
func (f *Plot) Read(
	ctx context.Context, available []param.Model, paths []string, stderr io.Writer,
) (tables []*rows.Table, err error) {
	if err := f.checkLineKeys(); err != nil {
		return nil, err
	}
	for _, path := range paths {
		t, err := rows.ReadAny(ctx, available, path, stderr, f.uses()...)
		if err != nil {
			return nil, err
		}
		t.AddFile(paths)
		tables = append(tables, t)
		columns := []struct{ flag, key string }{{"x", f.X}, {"y", f.Y}, {"value", f.Value}, {"facet", f.Facet}}
		for _, key := range f.lineKeys() {
			columns = append(columns, struct{ flag, key string }{"by", key})
		}
		for _, column := range columns {
			if column.flag == "value" && column.key == rowsKey {
				continue
			}
			if err := t.Check(column.flag, column.key); column.key != "" && err != nil {
				return nil, console.Usagef("%s: %w", path, err)
			}
		}
		if keys := f.lineKeys(); len(keys) > 1 {
			t.Join(f.By, keys, func(cells []any) string { return strings.Join(lists.Map(cells, cellText), ", ") })
		}
	}
	if f.RatioTo != "" {
		if err := Pair(ctx, available, tables, console.WarnTo(stderr)); err != nil {
			return nil, err
		}
	}
	if err = Select(tables, f.Where); err == nil {
		err = f.checkValues(allRows(tables))
	}
	if err == nil && !slices.ContainsFunc(tables, func(t *rows.Table) bool { return !t.IsTrace() }) {
		f.chooseOfTrace(tables, stderr)
	}
	return tables, err
}

// lineKeys returns the keys of --by.
func (f *Plot) lineKeys() []string { return lists.Map(strings.Split(f.By, ","), strings.TrimSpace) }

// checkLineKeys returns a usage error for several keys of --by of which one is empty or stands twice.
func (f *Plot) checkLineKeys() error {
	keys := f.lineKeys()
	for i, key := range keys {
		if len(keys) > 1 && (key == "" || slices.Contains(keys[:i], key)) {
			return console.Usagef("--by: %q must be keys with commas between them, each once", f.By)
		}
	}
	return nil
}

// allRows returns the rows of all tables. It does not copy the rows of a single table.
func allRows(tables []*rows.Table) []rows.Row {
	if len(tables) == 1 {
		return tables[0].Rows
	}
	return slices.Concat(lists.Map(tables, func(t *rows.Table) []rows.Row { return t.Rows })...)
}

// checkValues returns a usage error about an axis, or the colours, of which no row has a value.
func (f *Plot) checkValues(list []rows.Row) error {
	for _, axis := range []struct{ flag, key string }{{"x", f.X}, {"y", f.Y}, {"value", f.Value}} {
		if axis.key != "" && axis.key != rowsKey && !slices.ContainsFunc(list, func(row rows.Row) bool { return row.Get(axis.key) != nil }) {
			return console.Usagef("--%s: %q must have a value, but has none in %d rows", axis.flag, axis.key, len(list))
		}
	}
	return nil
}

// uses returns the keys of the columns that the plot may use.
func (f *Plot) uses() []string {
	used := append(f.lineKeys(), rows.QuantityKey, numberKey, f.X, f.Y, f.Value, f.Facet, rows.FileKey, "replicas", "converged", "round")
	for _, text := range f.Where {
		key, _, _ := strings.Cut(text, "=")
		used = append(used, key)
	}
	return used
}

// Select removes the rows that do not match --where, a list of KEY=VALUE. Each key must be a column of
// all tables, each value must occur in a row, and some row must match all keys. Without a row it returns an error.
func Select(tables []*rows.Table, where []string) error {
	if len(allRows(tables)) == 0 {
		paths := lists.Map(tables, func(t *rows.Table) string { return t.Path })
		return console.Usagef("%s: no row, or no finished point", strings.Join(paths, ", "))
	}
	wanted := map[string][]string{}
	for _, text := range where {
		key, value, given := strings.Cut(text, "=")
		if !given {
			return console.Usagef("--where: %q must be KEY=VALUE", text)
		}
		for _, t := range tables {
			if err := t.Check("where", key); err != nil {
				return console.Usagef("%s: %w", t.Path, err)
			}
		}
		there := lists.Map(valuesOf(key, allRows(tables)), cellText)
		if !slices.Contains(there, value) {
			return console.Usagef("--where: %s: %q %s", key, value, values.MustBeOneOf(value, there))
		}
		wanted[key] = append(wanted[key], value)
	}
	for _, t := range tables {
		t.Rows = slices.DeleteFunc(t.Rows, func(row rows.Row) bool {
			for key, values := range wanted {
				if !slices.Contains(values, cellText(row.Get(key))) {
					return true
				}
			}
			return false
		})
	}
	if len(allRows(tables)) == 0 {
		return console.Usagef("--where: no row has %s", strings.Join(where, " and "))
	}
	return nil
}
