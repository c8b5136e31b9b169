package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kind says how a column is aligned. It does not restrict what a cell holds.
type Kind uint8

// The kinds of columns.
const (
	TextKind   Kind = iota // aligned left
	NumberKind             // aligned right
)

// Column heads one column of a table.
type Column struct {
	// Key is printed exactly, and is the member name in JSON. It carries the
	// unit, as in "fct_p99_us". Keys of one table are distinct and not empty.
	Key string
	// Kind is the alignment.
	Kind Kind
}

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

// Formats returns all table formats, in the order they are documented.
func Formats() []Format {
	return []Format{Aligned, CSV, JSON, Markdown, LaTeX}
}

// ParseFormat returns the format called s, or an error that lists the formats.
func ParseFormat(s string) (Format, error) {
	return ParseName("format", s, Formats())
}

// ParseName finds s among the names allowed for a setting called what.
func ParseName[T ~string](what, s string, allowed []T) (T, error) {
	if slices.Contains(allowed, T(s)) {
		return T(s), nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return "", fmt.Errorf("report: %s (%q) must be one of %s", what, s, strings.Join(names, ", "))
}

// RowWriter encodes the rows of one table. It is not safe for concurrent use.
type RowWriter interface {
	// Write adds one row, with one cell per column. A cell is nil (null), bool,
	// string, int, int64, uint64 or float64; NaN and infinities are null. Any
	// other type, and any other length, is an error and writes nothing. Write
	// keeps no reference to row.
	Write(row []any) error
	// Close completes the table; it does not close the underlying writer. A
	// Write after Close is an error, a second Close does nothing.
	Close() error
}

// NewWriter returns a writer of a table in format f with the given columns.
//
// CSV and JSON stream: the CSV header is written by NewWriter, and every row by
// one call of w.Write before [RowWriter.Write] returns. The other formats write
// everything in Close. Numbers are exact in CSV and JSON (the shortest text
// that reads back the same) and have five significant digits elsewhere; null is
// an empty field in CSV, null in JSON, and "-" elsewhere. A text table wider
// than 100 characters lists the columns that hold one value above the others.
//
// It is an error if f is unknown, if there are no columns, or if keys are empty
// or repeated.
func NewWriter(w io.Writer, f Format, columns []Column) (RowWriter, error) {
	if _, err := ParseFormat(string(f)); err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, errors.New("report: a table must have at least one column")
	}
	seen := make(map[string]bool, len(columns))
	for i, c := range columns {
		if c.Key == "" || seen[c.Key] {
			return nil, fmt.Errorf("report: key (%q) of column %d must be distinct and not empty", c.Key, i+1)
		}
		seen[c.Key] = true
	}
	columns = slices.Clone(columns)
	switch f {
	case CSV:
		return newStream(w, columns, encodeCSV, true)
	case JSON:
		return newStream(w, columns, encodeJSON, false)
	case Markdown:
		return &buffered{w: w, columns: columns, encode: encodeMarkdown}, nil
	case LaTeX:
		return &buffered{w: w, columns: columns, encode: encodeLaTeX}, nil
	default:
		return &buffered{w: w, columns: columns, encode: encodeTerminal}, nil
	}
}

// errClosed reports a row written after Close.
var errClosed = errors.New("report: row written after Close")
