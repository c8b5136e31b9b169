package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/table"
	"repslab/sweep"
)

// newShow returns the command that prints a result file as a table.
func newShow(available []model) *cobra.Command {
	return newPrint(available, table.Aligned, &cobra.Command{
		Use:     "show FILE",
		Short:   "Print the rows of a sweep's result file as a table",
		Long:    "Prints the finished points of a result file, also while the sweep is running. The\nmodel may be one of a program of your own (package sweep).",
		Example: "  repslab show r.jsonl\n  repslab show r.jsonl --format latex -o r.tex",
	})
}

// newExport returns the command that prints a result file as CSV.
func newExport(available []model) *cobra.Command {
	return newPrint(available, table.CSV, &cobra.Command{
		Use:   "export FILE",
		Short: "Print the rows of a sweep's result file as CSV, for pandas and R",
		Long: `Prints the finished points of a result file as tidy CSV: a row for each point, or
for each observed round of it, the parameters before the results, units in the
header's keys. Numbers are exact, what does not exist is an empty field.`,
		Example: "  repslab export r.jsonl -o r.csv",
	})
}

// newPrint completes a command that prints the rows of a result file.
func newPrint(available []model, format table.Format, cmd *cobra.Command) *cobra.Command {
	var f commonFlags
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", string(format), "table, csv, json (one object a line), markdown or latex")
	flags.StringVarP(&f.output, "output", "o", "", "write to this `FILE` instead of the standard output")
	addForce(flags, &f.force)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := oneFile(cmd, args)
		if err != nil {
			return err
		}
		t, err := readTable(cmd.Context(), available, path, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		out, err := f.openTable(cmd.Context(), cmd.OutOrStdout(), t.columns)
		if err != nil {
			return err
		}
		return out.finish(cmd.Context(), func() error {
			for _, row := range t.rows {
				out.number++
				if err := out.Write(row); err != nil {
					return err
				}
			}
			return nil
		}())
	}
	return cmd
}

// oneFile returns the only argument of a command.
func oneFile(cmd *cobra.Command, args []string) (string, error) {
	if len(args) != 1 {
		return "", usagef("%s takes one FILE, but %d were given", cmd.Name(), len(args))
	}
	return args[0], nil
}

// table holds the rows of a result file.
type storedTable struct {
	path    string
	model   model
	config  sweep.Config
	columns []table.Column
	rows    [][]any // cells as the columns say
}

// readTable reads the finished points of a result file and warns of the others, and
// of a file that another program wrote.
func readTable(ctx context.Context, available []model, path string, stderr io.Writer) (storedTable, error) {
	warn := warnTo(stderr)
	contents, err := promptly(ctx, func() (sweep.Contents, error) { return sweep.Read(path, warn) })
	if err != nil {
		return storedTable{}, err
	}
	origin := contents.Header.Origin()
	m, err := modelNamed(available, contents.Header.Config.Model)
	if err != nil {
		m = foreignModel(contents.Header.Config)
		warn(fmt.Sprintf("%s was written by another program (%s): its model is %.60q", path, origin, m.name))
	} else if d := origin.Differences(m.program()); len(d) > 0 {
		warn(fmt.Sprintf("%s was written by another program (%s): %s", path, origin, strings.Join(d, ", ")))
	}
	t := storedTable{path: path, model: m, config: contents.Header.Config}
	if t.columns, err = columnsOf(m, contents.Rows); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	for _, point := range contents.Rows {
		for _, object := range point.Rows {
			cells, err := readRow(object, t.columns)
			if err != nil {
				return t, fmt.Errorf("%s: %w", path, err)
			}
			t.rows = append(t.rows, cells)
		}
	}
	for _, f := range contents.Failures {
		warn(fmt.Sprintf("%s: the point %s failed: %s", path, f.Point, f.Error))
	}
	if left := contents.Missing - len(contents.Failures); left > 0 {
		warn(fmt.Sprintf("%s: %d of %d points are not finished and left out", path, left, contents.Header.Points))
	}
	return t, nil
}

// foreignModel returns what a result file says of a model that this program does not
// have: its name and its parameters.
func foreignModel(c sweep.Config) model {
	return model{name: c.Model, keys: columns(slices.Sorted(maps.Keys(c.Parameters)))}
}

// columnsOf returns the columns of rows, in the order of the keys of the first one:
// those of the model unless another program wrote the rows. A column is text if it is
// in the model or its first cell is.
func columnsOf(m model, points []sweep.Rows) ([]table.Column, error) {
	known := m.columns()
	i := slices.IndexFunc(points, func(point sweep.Rows) bool { return len(point.Rows) > 0 })
	if i < 0 {
		return known, nil
	}
	keys, err := keysOf(points[i].Rows[0])
	if err != nil {
		return nil, err
	}
	list := make([]table.Column, len(keys))
	for i, k := range keys {
		list[i] = table.Column{Key: k.name, Kind: k.kind}
		if j := slices.IndexFunc(known, func(c table.Column) bool { return c.Key == k.name }); j >= 0 {
			list[i].Kind = min(k.kind, known[j].Kind)
		}
	}
	return list, nil
}

// rowKey is a key of a row's object and the kind of its cell.
type rowKey struct {
	name string
	kind table.Kind
}

// keysOf returns the keys of an object, in order.
func keysOf(object []byte) ([]rowKey, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("a row must be an object")
	}
	var keys []rowKey
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var cell any
		if err := decoder.Decode(&cell); err != nil {
			return nil, err
		}
		k := rowKey{name.(string), table.NumberKind}
		if _, text := cell.(string); text {
			k.kind = table.TextKind
		}
		if slices.ContainsFunc(keys, func(other rowKey) bool { return other.name == k.name }) {
			return nil, fmt.Errorf("a row must have the key %s once", k.name)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// readRow returns the cells of a row's object.
func readRow(object []byte, list []table.Column) ([]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var members map[string]any
	if err := decoder.Decode(&members); err != nil {
		return nil, err
	}
	cells := make([]any, len(list))
	for i, c := range list {
		v, ok := members[c.Key]
		if !ok {
			return nil, fmt.Errorf("a row must have the key %s", c.Key)
		}
		cells[i] = v
		if number, ok := v.(json.Number); ok {
			var err error
			if cells[i], err = readNumber(number); err != nil {
				return nil, fmt.Errorf("a row's %s (%.60s) must be a number that a 64-bit float holds", c.Key, number)
			}
		}
		switch v.(type) {
		case map[string]any, []any:
			return nil, fmt.Errorf("a row's %s must be null, true, false, a string or a number", c.Key)
		}
	}
	return cells, nil
}

// readNumber returns an integer where the text is one, else a float64.
func readNumber(n json.Number) (any, error) {
	if !strings.ContainsAny(n.String(), ".eE") {
		if v, err := n.Int64(); err == nil {
			return v, nil
		}
		var v uint64
		if _, err := fmt.Sscan(n.String(), &v); err == nil {
			return v, nil
		}
	}
	return n.Float64()
}

// column returns the number of the column with a key, or a usage error about a
// flag.
func (t storedTable) column(flag, key string) (int, error) {
	var keys []string
	for i, c := range t.columns {
		if c.Key == key {
			return i, nil
		}
		keys = append(keys, c.Key)
	}
	return 0, usagef("--%s: %q must be one of %s", flag, key, strings.Join(keys, ", "))
}

// runs returns the number of runs behind the mean in a column of a row: 0 for an exact
// result, and false where the row does not say.
func (t storedTable) runs(row []any, column int) (uint64, bool) {
	cell := func(key string) any {
		if i := slices.IndexFunc(t.columns, func(c table.Column) bool { return c.Key == key }); i >= 0 {
			return row[i]
		}
		return nil // another program wrote the file
	}
	if t.model.over != nil {
		return t.model.over(t.columns[column].Key, cell)
	}
	replicas, known := number(cell("replicas"))
	return uint64(replicas), known
}

// number returns a cell as a number, false if it is none.
func number(cell any) (float64, bool) {
	switch v := cell.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
