package rows

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"repslab/internal/frame"
)

// wideTable returns the text of a table of a width with 12 columns of which the given ones vary over
// the rows; parameter_02 has no value.
func wideTable(t *testing.T, width, rows int, varying ...int) string {
	t.Helper()
	var columns []frame.Column
	for i := range 12 {
		columns = append(columns, frame.Column{Key: fmt.Sprintf("parameter_%02d", i), Numeric: true})
	}
	var buf bytes.Buffer
	w, err := NewWriter(&buf, Aligned, columns)
	if err != nil {
		t.Fatal(err)
	}
	w.Width = width
	for r := range rows {
		row := make([]any, len(columns))
		for i := range row {
			row[i] = i
		}
		row[2] = nil
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
	want := ` parameter_00 = 0   parameter_01 = 1   parameter_04 = 4   parameter_05 = 5   parameter_06 = 6
 parameter_07 = 7   parameter_08 = 8   parameter_10 = 10   parameter_11 = 11
 no value: parameter_02
 parameter_03  parameter_09
----------------------------
            3             9
          103           109
`
	if got := wideTable(t, 100, 2, 3, 9); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWideTableOfOneRowIsAList(t *testing.T) {
	got := wideTable(t, 100, 1)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 12 || lines[6] != " parameter_07 = 7" || lines[11] != " no value: parameter_02" {
		t.Errorf("got\n%s", got)
	}
}

// TestWideTableNamesZeros: several columns of zeros are named in a line.
func TestWideTableNamesZeros(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewWriter(&buf, Aligned, frame.Numbers("one", "a", "b", "c", "d", "none"))
	if err != nil {
		t.Fatal(err)
	}
	w.Width = 20
	for row := range 2 {
		if err := w.Write([]any{1, 0, 0.0, int64(0), row, nil}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := buf.String(); !strings.HasPrefix(got, " one = 1\n zero: a, b, c\n no value: none\n d\n") {
		t.Errorf("%s", got)
	}
}

// TestFewZeros: only three or more zeros are named in a line of their own.
func TestFewZeros(t *testing.T) {
	for _, c := range []struct {
		list         []string
		others, zero int
	}{{[]string{"a = 0", "b = 5", "c = 0"}, 3, 0}, {[]string{"a = 0", "b = 0", "c = 0", "d = 10"}, 1, 3}, {nil, 0, 0}} {
		if others, zero := withoutZeros(c.list); len(others) != c.others || len(zero) != c.zero {
			t.Errorf("%v: %v and zeros %v", c.list, others, zero)
		}
	}
}

// TestTableOfTheWidth: a table is whole if it has the width, a blank before and one after each column included.
func TestTableOfTheWidth(t *testing.T) {
	columns, rows := frame.Numbers("load", "seed"), [][]any{{1, 12345678}, {1, 2}}
	const needed = 1 + 4 + 1 + 1 + 8 + 1
	for width, whole := range map[int]bool{needed: true, needed - 1: false} {
		var buf bytes.Buffer
		if err := encodeTerminal(&buf, columns, rows, width); err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(buf.String(), " load      seed\n"); got != whole {
			t.Errorf("width %d:\n%s", width, buf.String())
		}
	}
}

// TestWideTableOfFewRowsIsTurned: rows become columns.
func TestWideTableOfFewRowsIsTurned(t *testing.T) {
	want := ` parameter_01 = 1   parameter_04 = 4
 parameter_05 = 5   parameter_06 = 6
 parameter_07 = 7   parameter_08 = 8
 parameter_10 = 10   parameter_11 = 11
 no value: parameter_02
 parameter_00  0  100  200
---------------------------
 parameter_03  3  103  203
 parameter_09  9  109  209
`
	if got := wideTable(t, 40, 3, 0, 3, 9); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWideTableDropsNothing: at any width each cell that varies is printed once, after the first
// column, which tells the rows apart; no line is wider than the width, if it has room for two columns.
func TestWideTableDropsNothing(t *testing.T) {
	for width := 30; width < 180; width += 5 {
		got := wideTable(t, width, 20, 0, 1, 3, 4, 5, 8, 11)
		for line := range strings.Lines(got) {
			if len(line)-1 > width {
				t.Errorf("width %d: %q", width, line)
			}
		}
		for r := 1; r < 20; r++ {
			for _, i := range []int{1, 3, 4, 5, 8, 11} {
				if cell := fmt.Sprintf(" %d ", 100*r+i); strings.Count(strings.ReplaceAll(got, "\n", " \n"), cell) != 1 {
					t.Errorf("width %d: cell %s in\n%s", width, cell, got)
				}
			}
		}
		blocks := strings.Count(got, "--\n")
		if strings.Count(got, " parameter_00 ") != blocks || blocks != 1+strings.Count(got, "more columns (") {
			t.Errorf("width %d: the blocks of\n%s", width, got)
		}
	}
}

func TestNarrowTableStaysWhole(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewWriter(&buf, Aligned, []frame.Column{{Key: "lb"}, {Key: "seed", Numeric: true}})
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

// TestBlocksRepeatKeys: each block of columns begins with all columns that tell the rows apart, also if one of them
// takes more than half of the width; without one that leaves no room.
func TestBlocksRepeatKeys(t *testing.T) {
	for failure, want := range map[string]string{
		strings.Repeat("cables=1;", 4): "failure lb", strings.Repeat("cables=1;", 11): "failure",
	} {
		columns := []frame.Column{frame.Text("failure"), frame.Text("lb")}
		rows := [][]any{{failure, "ops"}, {failure, "reps"}, {"none", "ops"}, {"none", "reps"}}
		for i := range 40 {
			columns = append(columns, frame.Number(fmt.Sprintf("result_%02d", i)))
			for r := range rows {
				rows[r] = append(rows[r], 10*r+i)
			}
		}
		var buf bytes.Buffer
		if err := encodeTerminal(&buf, columns, rows, 70); err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(buf.String(), "more columns (")
		_, after, _ = strings.Cut(after, "\n")
		head, _, _ := strings.Cut(after, "result")
		if got := strings.Join(strings.Fields(head), " "); got != want || strings.Count(buf.String(), "result_39") != 1 {
			t.Errorf("a block begins with %q, want %q:\n%s", got, want, buf.String())
		}
	}
}
