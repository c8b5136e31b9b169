package table

import (
	"bytes"
	"fmt"
	"path/filepath"

	"repslab/internal/lists"
	"repslab/internal/wholefile"
)

// Table is a table of numbers.
type Table struct {
	Name    string // part of the file name after the figure's id; empty for the main table
	Columns []Column
	Rows    [][]any
}

// Text returns a column of texts.
func Text(key string) Column { return Column{Key: key} }

// Number returns a column of numbers.
func Number(key string) Column { return Column{Key: key, Numeric: true} }

// Numbers returns several columns of numbers.
func Numbers(keys ...string) []Column { return lists.Map(keys, Number) }

// Keys returns the keys of columns.
func Keys(columns []Column) []string {
	return lists.Map(columns, func(c Column) string { return c.Key })
}

// WriteFile writes the table to a file, which appears whole or not at all.
func (t Table) WriteFile(path string, format Format) error {
	var data bytes.Buffer
	w, err := NewWriter(&data, format, t.Columns)
	if err != nil {
		return err
	}
	for _, row := range t.Rows {
		if err := w.Write(row); err != nil {
			return fmt.Errorf("table: %s: %w", filepath.Base(path), err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return wholefile.Write(path, data.Bytes())
}
