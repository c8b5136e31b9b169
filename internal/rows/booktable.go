package rows

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/runbook"
)

// bookSuffix is the ending of the names of files with recorded runs.
const bookSuffix = ".jsonl.gz"

// readBook reads a file of recorded runs (results/README.md). Each run becomes a row with the fields of
// its key, the seed, the number of the run, and the recorded numbers, 0 for a number that the run lacks.
// Lists are left out.
func readBook(path string) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	book, err := runbook.Unpack(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var rows []map[string]any
	kinds := [2]map[string]bool{{}, {}} // columns of keys and of values; true for columns with text
	for _, run := range book.Runs() {
		value, _ := book.Value(run)
		row := map[string]any{"seed": run.Seed, "run": run.Run}
		for i, fields := range []map[string]any{runbook.Fields("key", []byte(run.Key)), runbook.Fields("value", value)} {
			for name, field := range fields {
				cell, err := readCell(name, field)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				_, isText := cell.(string)
				kinds[i][name] = kinds[i][name] || isText
				row[name] = cell
			}
		}
		rows = append(rows, row)
	}
	columns := func(kind map[string]bool) (list []frame.Column) {
		for _, name := range slices.Sorted(maps.Keys(kind)) {
			list = append(list, frame.Column{Key: name, Numeric: !kind[name]})
		}
		return list
	}
	keys := append(columns(kinds[0]), frame.Numbers("seed", "run")...)
	t := New(param.Model{Name: "reproduce", Keys: keys}, append(slices.Clone(keys), columns(kinds[1])...))
	t.Path = path
	for _, row := range rows {
		cells := make([]any, len(t.Columns))
		for i, c := range t.Columns {
			cell, known := row[c.Key]
			switch {
			case !known && c.Numeric:
				cell = int64(0)
			case !known:
				cell = ""
			case !c.Numeric:
				cell = fmt.Sprint(cell)
			}
			cells[i] = cell
		}
		t.AddRow(cells)
	}
	return t, nil
}
