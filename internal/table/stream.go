package table

import (
	"bytes"
	"encoding/csv"
	"io"

	"repslab/internal/cell"
)

// stream writes each row as it arrives, with one Write call per row.
type stream struct {
	w       io.Writer
	columns []Column
	encode  func(buf *bytes.Buffer, columns []Column, row []any) error
	buf     bytes.Buffer
	closed  bool
}

// newStream returns a streaming writer, after writing the header if there is one.
func newStream(w io.Writer, columns []Column, encode func(*bytes.Buffer, []Column, []any) error, header bool) (*stream, error) {
	s := &stream{w: w, columns: columns, encode: encode}
	if !header {
		return s, nil
	}
	keys := make([]any, len(columns))
	for i, c := range columns {
		keys[i] = c.Key
	}
	return s, s.Write(keys)
}

// Write implements [RowWriter].
func (s *stream) Write(row []any) error {
	if s.closed {
		return errClosed
	}
	cells, err := checkRow(s.columns, row)
	if err != nil {
		return err
	}
	s.buf.Reset()
	if err := s.encode(&s.buf, s.columns, cells); err != nil {
		return err
	}
	_, err = s.w.Write(s.buf.Bytes())
	return err
}

// Close implements [RowWriter].
func (s *stream) Close() error {
	s.closed = true
	return nil
}

// encodeCSV appends one record.
func encodeCSV(buf *bytes.Buffer, _ []Column, row []any) error {
	record := make([]string, len(row))
	for i, v := range row {
		record[i] = cell.Text(v)
	}
	if len(record) == 1 && record[0] == "" {
		// A blank line would be skipped by readers.
		buf.WriteString("\"\"\n")
		return nil
	}
	w := csv.NewWriter(buf)
	if err := w.Write(record); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// encodeJSON appends one object and a newline, members in column order.
func encodeJSON(buf *bytes.Buffer, columns []Column, row []any) error {
	object := buf.AvailableBuffer()
	for i, v := range row {
		object = cell.AppendMember(object, columns[i].Key, v)
	}
	buf.Write(append(object, "}\n"...))
	return nil
}
