package rows

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repslab/internal/console"
	textfile "repslab/internal/lines"
	"repslab/internal/lists"
	"repslab/internal/model"
	"repslab/internal/table"
)

// fileKey is the key of the column with the name of the file.
const fileKey = "file"

// ReadAny reads a result file, or of a CSV file the columns that are wanted: all if none is named.
func ReadAny(ctx context.Context, available []model.Model, path string, stderr io.Writer, wanted ...string) (*Table, error) {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		t, err := console.Promptly(ctx, func() (*Table, error) { return readColumns(path, wanted...) })
		return t, console.OfInput(err)
	}
	return Read(ctx, available, path, stderr)
}

// allRows returns the rows of tables.
func allRows(tables []*Table) []Record {
	return slices.Concat(lists.Map(tables, func(t *Table) []Record { return t.rows })...)
}

// addFile adds the column with the name of the table's file, one of some paths: without folder and
// ending where that tells them apart.
func (t *Table) addFile(paths []string) {
	short := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	name := short(t.path)
	if slices.ContainsFunc(paths, func(other string) bool { return other != t.path && short(other) == name }) {
		name = t.path
	}
	if t.has(fileKey) {
		return
	}
	t.setColumns(append(t.Columns, table.Text(fileKey)))
	for i := range t.rows {
		t.rows[i].cells = append(t.rows[i].cells, name)
	}
}

// readColumns reads a file of comma-separated values with a header, as --flows-out, --trace and export
// write them. An empty field is null, and so are NA and NaN, as programs for statistics write them. Of the columns it
// keeps those that are wanted: all if none is named.
func readColumns(path string, wanted ...string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &Table{path: path}
	var kept []int // of the columns
	lines := csv.NewReader(textfile.SkipMark(file))
	lines.ReuseRecord = true
	for {
		line, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && t.Columns == nil:
			return nil, fmt.Errorf("%s: is empty, but must begin with a line of keys", path)
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case t.Columns == nil:
			t.setColumns(table.Numbers(line...))
			if len(t.index) < len(line) {
				return nil, fmt.Errorf("%s: must have each key once", path)
			}
			kept = t.keep(wanted)
			continue
		}
		row := Record{t, make([]any, len(kept), len(kept)+1)}
		for i, column := range kept {
			if row.cells[i], err = readField(t.Columns[i].Key, line[column]); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		t.rows = append(t.rows, row)
	}
}

// keep leaves the columns that are wanted, all if none is named, and returns their places before.
func (t *Table) keep(wanted []string) (kept []int) {
	isWanted := setOf(wanted)
	columns := []table.Column{} // not nil: the header is read
	for i, c := range t.Columns {
		if len(wanted) == 0 || isWanted[c.Key] {
			kept, columns = append(kept, i), append(columns, c)
		}
	}
	t.inFile = table.Keys(t.Columns)
	t.setColumns(columns)
	return kept
}

// readField returns the cell of a field: a number, a text, or nil for a missing one.
func readField(key, field string) (any, error) {
	switch {
	case field == "", strings.EqualFold(field, "NA"), strings.EqualFold(field, "NaN"):
		return nil, nil
	case json.Valid([]byte(field)) && strings.ContainsAny(field[:1], "-0123456789"):
		return readCell(key, json.Number(field))
	}
	return strings.Clone(field), nil
}
