package rows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"repslab/internal/frame"
	"repslab/internal/wholefile"
)

// Format names an encoding of tables.
type Format string

// The encodings of tables.
const (
	Aligned  Format = "table"    // aligned text for terminals
	CSV      Format = "csv"      // header line, then comma-separated values
	JSON     Format = "json"     // one object per row and line
	Markdown Format = "markdown" // a GitHub-flavoured table
	LaTeX    Format = "latex"    // a tabular environment; needs the package booktabs
)

// Formats returns all table formats, in their documented order.
func Formats() []Format {
	return []Format{Aligned, CSV, JSON, Markdown, LaTeX}
}

// ForPrograms reports whether a format has exact numbers for programs; the others are for people.
func (f Format) ForPrograms() bool { return f == CSV || f == JSON }

// NewWriter returns a writer of a table in format f with the given columns.
//
// CSV and JSON stream: the CSV header is written by NewWriter, and every row by
// one call of w.Write before [RowWriter.Write] returns. The other formats write
// everything in Close. Numbers are exact in CSV and JSON (the shortest text
// that reads back the same) and have five significant digits elsewhere; null is
// an empty field in CSV, null in JSON, and "-" elsewhere.
//
// If an aligned table is wider than [RowWriter.Width], the columns with a single value are listed above
// the others, and columns without values and (if there are several) columns that are 0 are named there. A
// single row becomes a list. If the other columns are still too wide, the rows become columns, or blocks
// of columns with the same leading columns follow each other. Cells are never cut: a long cell exceeds
// the width.
//
// It returns an error if f is unknown, if there are no columns, or if keys are empty or repeated.
func NewWriter(w io.Writer, f Format, columns []frame.Column) (*RowWriter, error) {
	out := &RowWriter{Width: defaultWidth, w: w, columns: slices.Clone(columns), streams: f.ForPrograms()}
	encode, known := out.encoders()[f]
	if !known {
		return nil, fmt.Errorf("rows: format (%q) must be one of %v", f, Formats())
	}
	if len(columns) == 0 {
		return nil, errors.New("rows: there must be at least one column")
	}
	keys := make([]any, len(columns))
	seen := make(map[string]bool, len(columns))
	for i, c := range columns {
		if c.Key == "" || seen[c.Key] {
			return nil, fmt.Errorf("rows: key (%q) of column %d must be distinct and not empty", c.Key, i+1)
		}
		keys[i], seen[c.Key] = c.Key, true
	}
	out.encode = encode
	if f == CSV {
		return out, out.Write(keys)
	}
	return out, nil
}

// encoder appends rows to a buffer.
type encoder func(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error

// encoders returns the encoder of each format.
func (w *RowWriter) encoders() map[Format]encoder {
	return map[Format]encoder{
		Aligned: func(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error {
			return encodeTerminal(buf, columns, rows, w.Width)
		},
		CSV: encodeCSV, JSON: encodeJSON, Markdown: encodeMarkdown,
		LaTeX: func(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error {
			encodeLaTeX(buf, columns, rows, w.Remark, w.Caption, w.Label)
			return nil
		},
	}
}

// RowWriter encodes the rows of one table: it writes each row as it arrives, with one call of
// Write, or keeps the rows until Close. It is not safe for concurrent use.
type RowWriter struct {
	Width   int    // width of an aligned table, in characters; 100 unless set before Close
	Remark  string // text of a LaTeX comment above the float
	Caption string // caption of a LaTeX table, in plain text; without a caption there is no float around the tabular
	Label   string // label of the float, for \ref; characters that LaTeX may read as commands become dashes

	w       io.Writer
	columns []frame.Column
	encode  encoder
	streams bool
	rows    [][]any
	buf     bytes.Buffer
	closed  bool
}

// errClosed reports a row written after Close.
var errClosed = errors.New("rows: row written after Close")

// Write adds one row, with one cell per column. A cell is nil (null), bool,
// string, int, int64, uint64 or float64; NaN and infinities are null. Any
// other type, and any other length, is an error and writes nothing. Write
// keeps no reference to row.
func (w *RowWriter) Write(row []any) error {
	if w.closed {
		return errClosed
	}
	cells, err := w.checked(row)
	if err != nil {
		return err
	}
	w.rows = append(w.rows, cells)
	if !w.streams {
		return nil
	}
	defer func() { w.rows = w.rows[:0] }()
	return w.flush()
}

// Close completes the table; it does not close the underlying writer. A
// Write after Close is an error, a second Close does nothing.
func (w *RowWriter) Close() error {
	done := w.closed || w.streams
	w.closed = true
	if done {
		return nil
	}
	return w.flush()
}

// flush writes the rows.
func (w *RowWriter) flush() error {
	w.buf.Reset()
	if err := w.encode(&w.buf, w.columns, w.rows); err != nil {
		return err
	}
	_, err := w.w.Write(w.buf.Bytes())
	return err
}

// checked returns a checked copy of a row.
func (w *RowWriter) checked(row []any) ([]any, error) {
	if len(row) != len(w.columns) {
		return nil, fmt.Errorf("rows: row has %d cells, must have %d, one per column", len(row), len(w.columns))
	}
	out := make([]any, len(row))
	for i, v := range row {
		var err error
		if out[i], err = frame.Check(v); err != nil {
			return nil, fmt.Errorf("rows: column %q: %w", w.columns[i].Key, err)
		}
	}
	return out, nil
}

// encodeCSV appends records.
func encodeCSV(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error {
	w := csv.NewWriter(buf)
	record := make([]string, len(columns))
	for _, row := range rows {
		for i, v := range row {
			record[i] = frame.Exact(v)
		}
		if len(record) == 1 && record[0] == "" {
			buf.WriteString("\"\"\n") // readers would skip a blank line
			continue
		}
		if err := w.Write(record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// encodeJSON appends objects, one per line, with members in column order.
func encodeJSON(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error {
	for _, row := range rows {
		object := buf.AvailableBuffer()
		for i, v := range row {
			object = frame.AppendMember(object, columns[i].Key, v)
		}
		buf.Write(append(object, "}\n"...))
	}
	return nil
}

// WriteFile writes a table to a file, which appears whole or not at all.
func WriteFile(path string, format Format, t frame.Table) error {
	var data bytes.Buffer
	w, err := NewWriter(&data, format, t.Columns)
	if err != nil {
		return err
	}
	for _, row := range t.Rows {
		if err := w.Write(row); err != nil {
			return fmt.Errorf("rows: %s: %w", filepath.Base(path), err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return wholefile.Write(path, data.Bytes())
}
