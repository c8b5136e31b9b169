// Package rows holds results as rows: it reads them from result files, recorded runs and CSV files, and [NewWriter]
// writes tables as aligned text, CSV, JSON lines, Markdown or LaTeX. A value that does not exist is written as an empty
// field, as null or as "-". Equal input gives equal bytes.
package rows

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/metric"
	"repslab/internal/param"
	"repslab/internal/values"
	"repslab/sweep"
)

// Table holds the rows of a result file.
type Table struct {
	Path    string // of the file; empty for rows of a command
	Model   param.Model
	Config  sweep.Config
	streams int // streams number of the program that wrote the file
	Columns []frame.Column
	index   map[string]int          // index of the columns, by key
	Beside  map[string]frame.Beside // keys beside the estimates
	Points  []string                // keys of the parameters, and of the round or the group if a model has several
	inFile  []string                // keys of all columns of a CSV file, kept or not
	file    any                     // name of the file, if the last column holds it
	Rows    []Row

	origins []origin             // of the rows of a result file, as it was read
	results []string             // keys of the results of a sweep
	blocks  map[*any]blocksOfRow // by the first cell of a row
}

// New returns a table of a model without rows.
func New(m param.Model, columns []frame.Column) *Table {
	t := &Table{Model: m}
	t.setColumns(columns)
	return t
}

// AddRow adds a row with a cell for each column.
func (t *Table) AddRow(cells []any) { t.Rows = append(t.Rows, Row{t, cells}) }

// Long returns a table with one row for each result that is a number or has a bound. A row has the
// parameters of the point, the key of the result, its value, standard error, 95 % interval or bound, and
// its unit. Other results are left out.
func (t *Table) Long() *Table {
	point := slices.DeleteFunc(append(t.PointKeys(), "seed", "replicas"), func(key string) bool { return !t.has(key) })
	results := append([]frame.Column{frame.Text(QuantityKey)}, frame.Numbers("value", "se", "lo", "hi")...)
	results = append(results, frame.Text("unit"))
	whole := t.Model
	whole.Brief = nil
	out := New(whole, slices.Concat(t.ColumnsOf(point), results))
	for _, row := range t.Rows {
		for _, c := range t.Columns {
			e := row.Estimate(c.Key)
			if math.IsNaN(e.Value) && !e.Bounded() || slices.Contains(point, c.Key) || t.IsBound(c.Key) {
				continue
			}
			_, unit := metric.QuantityOf(c.Key)
			out.AddRow(append(row.Pick(point), c.Key, row.Get(c.Key), row.Get(t.Beside[c.Key].Se), e.Lo, e.Hi, unit))
		}
	}
	return out
}

// QuantityKey is the key of the column with the keys of results in a long table.
const QuantityKey = "quantity"

// Row is a row of a table.
type Row struct {
	Table *Table
	Cells []any // one for each column
}

// Get returns the cell under a key, nil if there is no such column. The empty key, which a column of a CSV file may
// have, is no key.
func (r Row) Get(key string) any {
	i, ok := r.Table.index[key]
	switch {
	case !ok || key == "":
		return nil
	case i == len(r.Cells):
		return r.Table.file
	}
	return r.Cells[i]
}

// With returns the row with another cell under a key that its table has.
func (r Row) With(key string, cell any) Row {
	i := r.Table.index[key]
	cells := append(make([]any, 0, max(len(r.Cells), i+1)), r.Cells...)
	cells[i] = cell
	return Row{r.Table, cells}
}

// Pick returns the cells under the given keys.
func (r Row) Pick(keys []string) []any { return lists.Map(keys, r.Get) }

// runsKey returns the key of the number of runs behind the estimate under a key: the converged runs for the rounds
// until convergence, otherwise the replicas, which are 0 for an exact result.
func (r Row) runsKey(key string) string {
	if strings.HasPrefix(key, "rounds_") && r.Table.has("converged") {
		return "converged"
	}
	return "replicas"
}

// Number returns the cell under a key as a number, or false if it is not a number.
func (r Row) Number(key string) (float64, bool) { return AsNumber(r.Get(key)) }

// AsNumber returns a cell as a number, or false if it is not a number.
func AsNumber(cell any) (float64, bool) {
	switch v := cell.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return 0, false
}

// has reports whether the table has a column.
func (t *Table) has(key string) bool {
	_, ok := t.index[key]
	return ok
}

// ColumnsOf returns the columns with the given keys.
func (t *Table) ColumnsOf(keys []string) []frame.Column {
	return lists.Map(keys, func(key string) frame.Column { return t.Columns[t.index[key]] })
}

// Check returns a usage error about a flag if the table lacks a column.
func (t *Table) Check(flag, key string) error {
	if !t.has(key) {
		return console.Usagef("--%s: %q %s", flag, key, values.MustBeOneOf(key, t.allKeys()))
	}
	return nil
}

// allKeys returns the keys of the columns, kept or not, of the table's file, and of columns that the file lacks.
func (t *Table) allKeys() []string {
	return slices.Concat(t.inFile, slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool { return slices.Contains(t.inFile, key) }))
}

// PointKeys returns the columns that tell points apart: the parameters, and the round if the model
// observes several rounds.
func (t *Table) PointKeys() []string {
	return slices.DeleteFunc(frame.Keys(t.Columns), func(key string) bool { return !slices.Contains(t.Points, key) })
}

// Existing returns a usage error if there is no file at one of the paths.
func Existing(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return console.Usagef("FILE: %q must be a file, but it does not exist", path)
		}
	}
	return nil
}

// Read reads the finished points of a result file, or recorded runs. It warns of unfinished points and of
// a file that another program wrote.
func Read(ctx context.Context, available []param.Model, path string, stderr io.Writer) (*Table, error) {
	if err := Existing(path); err != nil {
		return nil, err
	}
	t, err := console.Promptly(ctx, func() (*Table, error) {
		if strings.HasSuffix(path, bookSuffix) {
			return readBook(path)
		}
		return readResult(available, path, console.WarnTo(stderr))
	})
	return t, console.OfInput(err)
}

// readResult reads the finished points of a result file.
func readResult(available []param.Model, path string, warn func(string)) (*Table, error) {
	contents, err := sweep.Read(path, warn)
	if err != nil {
		return nil, err
	}
	program := contents.Header.Program
	t := &Table{Path: path, Config: contents.Header.Config, streams: program.Streams, results: contents.Header.Results}
	if t.Model, err = param.Named(available, t.Config.Model); err != nil {
		parameters := slices.Sorted(maps.Keys(t.Config.Parameters))
		t.Model = param.Model{Name: t.Config.Model, Keys: frame.Numbers(parameters...)}
		warn(fmt.Sprintf("%s was written by another program (%s): its model is %.60q", path, program, t.Model.Name))
	} else if d := t.Model.Differences(program); d != "" {
		warn(fmt.Sprintf("%s was written by another program (%s): %s", path, program, d))
	}
	for _, point := range contents.Rows {
		for i, object := range point.Rows {
			if err := t.add(object); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			t.origins = append(t.origins, origin{point.Number, i})
		}
	}
	if t.Columns == nil {
		t.setColumns(t.Model.Columns())
	}
	for _, f := range contents.Failures {
		warn(fmt.Sprintf("%s: the point %s failed: %s", path, f.Point, f.Error))
	}
	if left := contents.Missing - len(contents.Failures); left > 0 {
		warn(fmt.Sprintf("%s: %d of %d points are not finished and left out", path, left, contents.Header.Points))
	}
	return t, nil
}

// add adds a row, a JSON object. The keys of the first row give the columns, in their order, since
// another program may have written other columns than the model has. Further rows must have the same
// keys.
func (t *Table) add(object []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return errors.New("a row must be an object")
	}
	var names []string
	var cells []any
	seen := map[string]bool{}
	for decoder.More() {
		token, errKey := decoder.Token()
		v, errValue := decoder.Token()
		if err := cmp.Or(errKey, errValue); err != nil {
			return err
		}
		key := token.(string) // by the syntax of JSON
		cell, err := readCell(key, v)
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("a row must have the key %s once", key)
		}
		seen[key] = t.Columns == nil // further rows have the keys of the first
		if text, is := cell.(string); is && t.Model.Older != nil {
			cell = t.Model.Older(t.streams, key, text)
		}
		names, cells = append(names, key), append(cells, cell)
	}
	if names == nil {
		return errors.New("a row must have a key")
	}
	if t.Columns == nil {
		t.setColumns(t.heads(names, cells))
	}
	for i, c := range t.Columns {
		if i >= len(names) || names[i] != c.Key {
			return fmt.Errorf("a row must have the key %s", c.Key)
		}
	}
	t.AddRow(cells[:len(t.Columns)])
	return nil
}

// heads returns the heads of the columns of a row. A column has text if it does in the table's model, or
// if its cell is a text.
func (t *Table) heads(names []string, cells []any) []frame.Column {
	texts, heads := slices.DeleteFunc(t.Model.Columns(), func(c frame.Column) bool { return c.Numeric }), frame.Numbers(names...)
	for i, key := range names {
		if _, isText := cells[i].(string); isText || slices.Contains(texts, frame.Text(key)) {
			heads[i] = frame.Text(key)
		}
	}
	return heads
}

// setColumns sets the columns.
func (t *Table) setColumns(list []frame.Column) {
	t.Columns, t.index = list, map[string]int{}
	for i, c := range list {
		t.index[c.Key] = i
	}
	t.Points = append(frame.Keys(t.Model.Keys), "round", "group")
	t.Beside = frame.Estimates(t.allKeys())
}

// readCell returns the cell of a JSON token. A number becomes an integer if its text is one, otherwise a
// float64.
func readCell(key string, v json.Token) (any, error) {
	switch x := v.(type) {
	case json.Delim:
		return nil, fmt.Errorf("a row's %s must be null, true, false, a string or a number", key)
	case json.Number:
		if !strings.ContainsAny(x.String(), ".eE") { // avoids an error value for each fraction
			if i, err := strconv.ParseInt(x.String(), 10, 64); err == nil {
				return i, nil
			}
			if u, err := strconv.ParseUint(x.String(), 10, 64); err == nil {
				return u, nil
			}
		}
		f, err := x.Float64()
		if err != nil {
			return nil, fmt.Errorf("a row's %s (%.60s) must be a number that a 64-bit float holds", key, x)
		}
		return f, nil
	}
	return v, nil
}
