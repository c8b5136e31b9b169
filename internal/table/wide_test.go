package table

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// wideTable returns the text of a table with 12 columns of which the given ones
// vary over the rows.
func wideTable(t *testing.T, rows int, varying ...int) string {
	t.Helper()
	var columns []Column
	for i := range 12 {
		columns = append(columns, Column{Key: fmt.Sprintf("parameter_%02d", i), Numeric: true})
	}
	var buf bytes.Buffer
	w, err := NewWriter(&buf, Aligned, columns)
	if err != nil {
		t.Fatal(err)
	}
	for r := range rows {
		row := make([]any, len(columns))
		for i := range row {
			row[i] = i
		}
		for _, i := range varying {
			row[i] = 100*r + i
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestWideTableListsConstants(t *testing.T) {
	want := ` parameter_00 = 0   parameter_01 = 1   parameter_02 = 2   parameter_04 = 4   parameter_05 = 5
 parameter_06 = 6   parameter_07 = 7   parameter_08 = 8   parameter_10 = 10   parameter_11 = 11
 parameter_03  parameter_09
----------------------------
            3             9
          103           109
`
	if got := wideTable(t, 2, 3, 9); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWideTableOfOneRowIsAList(t *testing.T) {
	got := wideTable(t, 1)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 12 || lines[7] != " parameter_07 = 7" {
		t.Errorf("got\n%s", got)
	}
}

func TestNarrowTableStaysWhole(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewWriter(&buf, Aligned, []Column{{Key: "lb"}, {Key: "seed", Numeric: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, lb := range []string{"ops", "reps"} {
		if err := w.Write([]any{lb, 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(buf.String(), " lb    seed\n") {
		t.Errorf("got\n%s", buf.String())
	}
}
