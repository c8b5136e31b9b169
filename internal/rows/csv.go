package rows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/largepages"
	textfile "repslab/internal/lines"
	"repslab/internal/lists"
	"repslab/internal/param"
)

// FileKey is the key of the column with the name of the file.
const FileKey = "file"

// ReadAny reads a result file or a CSV file. From a CSV file it reads only the wanted columns, or all if
// none is named.
func ReadAny(ctx context.Context, available []param.Model, path string, stderr io.Writer, wanted ...string) (*Table, error) {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		t, err := console.Promptly(ctx, func() (*Table, error) { return readColumns(path, wanted...) })
		return t, console.OfInput(err)
	}
	return Read(ctx, available, path, stderr)
}

// AddFile adds a column with the name of the table's file. Folder and ending are left out if the names of
// all paths still differ without them.
func (t *Table) AddFile(paths []string) {
	short := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	name := short(t.Path)
	if slices.ContainsFunc(paths, func(other string) bool { return other != t.Path && short(other) == name }) {
		name = t.Path
	}
	if t.has(FileKey) {
		return
	}
	t.setColumns(append(t.Columns, frame.Text(FileKey)))
	t.file = name
}

// Join adds a column with the cells of several columns as one text. It is the last change of the columns.
func (t *Table) Join(key string, keys []string, text func(cells []any) string) {
	width := len(t.Columns)
	for i, row := range t.Rows {
		cells := make([]any, width+1)
		copy(cells, row.Cells)
		if t.file != nil {
			cells[t.index[FileKey]] = t.file
		}
		cells[width] = text(row.Pick(keys))
		t.Rows[i].Cells = cells
	}
	t.setColumns(append(t.Columns, frame.Text(key)))
}

// readColumns reads a file of comma-separated values with a header, as --flows-out, --trace and export
// write them. An empty field is null, and so are NA and NaN, as statistics programs write them. Blanks around
// fields do not count. It keeps only the wanted columns, or all if none is named.
func readColumns(path string, wanted ...string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() >= largeCSV {
		largepages.CollectEarly()
	}
	t := &Table{Path: path}
	var fields []fieldReader
	var blocks [][]any // cells of blockOfRows rows each
	number := 0        // number of rows
	lines := textfile.NewRecords(file, longestRow)
	lines.ReuseRecord, lines.TrimLeadingSpace = true, true
	for {
		line, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && t.Columns == nil:
			return nil, fmt.Errorf("%s: is empty, but must begin with a line of keys", path)
		case errors.Is(err, io.EOF):
			t.addRows(number, len(fields), blocks)
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case t.Columns == nil:
			if err := t.setKeys(line); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			fields = t.keep(wanted)
			continue
		}
		if number%blockOfRows == 0 {
			blocks = append(blocks, make([]any, blockOfRows*len(fields)))
		}
		cells := cellsAt(number, len(fields), blocks)
		for i := range fields {
			if cells[i], err = fields[i].read(line); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		number++
	}
}

// setKeys sets the columns from the line of keys.
func (t *Table) setKeys(line []string) error {
	keys := lists.Map(line, strings.TrimSpace)
	t.setColumns(frame.Numbers(keys...))
	if len(t.index) < len(keys) {
		return errors.New("must have each key once")
	}
	if !slices.ContainsFunc(keys, func(key string) bool { return key != "" && !isNumber(key) }) {
		return fmt.Errorf("must begin with a line of keys, such as load,fct_us, but the first line has numbers alone: %.60q", strings.Join(keys, ","))
	}
	return nil
}

// largeCSV is the size in bytes from which the rows of a file take more memory than everything else.
const largeCSV = 4 << 20

// longestRow bounds the bytes of a row; the largest of the command repslab take half as many.
const longestRow = 64 << 20

// blockOfRows is the number of rows that get their cells in one allocation.
const blockOfRows = 1 << 10

// cellsAt returns the cells of a row with the given number of columns.
func cellsAt(row, width int, blocks [][]any) []any {
	return blocks[row/blockOfRows][row%blockOfRows*width:][:width:width]
}

// addRows adds many rows at once, since a table that grows row by row is copied often.
func (t *Table) addRows(number, width int, blocks [][]any) {
	t.Rows = make([]Row, number)
	for i := range t.Rows {
		t.Rows[i] = Row{t, cellsAt(i, width, blocks)}
	}
}

// keep removes all but the wanted columns and the columns beside them, or none if none is named, and returns the
// readers of the columns kept.
func (t *Table) keep(wanted []string) (kept []fieldReader) {
	for _, key := range wanted {
		beside := t.Beside[key]
		wanted = append(slices.Clip(wanted), beside.Se, beside.Lo, beside.Hi)
	}
	columns := []frame.Column{} // not nil: the header is read
	for i, c := range t.Columns {
		if len(wanted) == 0 || slices.Contains(wanted, c.Key) {
			kept, columns = append(kept, fieldReader{c.Key, i, map[string]any{}}), append(columns, c)
		}
	}
	t.inFile = frame.Keys(t.Columns)
	t.setColumns(columns)
	return kept
}

// fieldReader reads the cells of a column. Equal fields share a cell if known has it.
type fieldReader struct {
	key   string
	place int // position in a line
	known map[string]any
}

// mostKnown is the number of different fields of a column that share their cells.
const mostKnown = 1 << 10

// read returns the cell of the column in a line.
func (f *fieldReader) read(line []string) (any, error) {
	field := strings.TrimSpace(line[f.place])
	if cell, known := f.known[field]; known {
		return cell, nil
	}
	cell, err := readField(f.key, field)
	if err == nil && len(f.known) < mostKnown {
		f.known[strings.Clone(field)] = cell
	}
	return cell, err
}

// readField returns the cell of a field: a number, a text, or nil for a missing one.
func readField(key, field string) (any, error) {
	switch {
	case field == "", strings.EqualFold(field, "NA"), strings.EqualFold(field, "NaN"):
		return nil, nil
	case isNumber(field):
		return readCell(key, json.Number(field))
	case strings.ContainsRune(field, 0):
		return nil, fmt.Errorf("a row's %s must be a number or a text, but %.40q has a zero byte", key, field)
	}
	return strings.Clone(field), nil
}

// isNumber reports whether a field is a decimal number, such as 7, -0.5, .5, +0.7, 1. or 1e-3. A field with a zero
// before further digits, such as 007, is a text.
func isNumber(field string) bool {
	digits := strings.TrimLeft(field, "+-")
	if strings.Trim(field, "+-.0123456789eE") != "" || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	_, err := strconv.ParseFloat(field, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
