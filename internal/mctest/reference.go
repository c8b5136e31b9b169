package mctest

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// Row is a row of a table of reference numbers: the text of each column.
type Row map[string]string

// Reference returns the rows of a CSV file with a header, or ends the test.
func Reference(t testing.TB, path string) []Row {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for _, line := range lines[1:] {
		row := Row{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// Number returns the number in a column, or ends the test if there is none.
func (r Row) Number(t testing.TB, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %q: %v", column, err)
	}
	return v
}

// SameForAnyWorkers reports an error unless run gives the same result, as %+v writes it, with one, two
// and three workers.
func SameForAnyWorkers(t testing.TB, what string, run func(workers int) (any, error)) {
	t.Helper()
	var want string
	for workers := 1; workers <= 3; workers++ {
		result, err := run(workers)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got := fmt.Sprintf("%+v", result)
		if workers == 1 {
			want = got
		}
		if got != want {
			t.Errorf("%s: %d workers give %s, one gives %s", what, workers, got, want)
		}
	}
}
