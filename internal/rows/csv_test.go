package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReadsOnlyUsedColumns: only the columns that the plot uses are kept from a CSV file, but an error
// about a wrong key still lists all columns.
func TestReadsOnlyUsedColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("a,b,c,d\n1,2,3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := readColumns(path, "d", "b", "none")
	if err != nil || len(data.Rows) != 1 || len(data.Rows[0].Cells) != 2 || data.Rows[0].Get("b") != int64(2) || data.Rows[0].Get("d") != int64(4) || data.Rows[0].Get("a") != nil {
		t.Errorf("%+v, error %v", data, err)
	}
	if err := data.Check("x", "none"); err == nil || !strings.Contains(err.Error(), "must be one of a, b, c, d") {
		t.Errorf("error %v", err)
	}
}

// TestMissingFields: NA and NaN in a CSV file are missing values, and a byte-order mark is not part of
// the first key.
func TestMissingFields(t *testing.T) {
	for field, missing := range map[string]bool{"": true, "NA": true, "na": true, "NaN": true, "nan": true, "n": false, "0": false, "NAN1": false} {
		if cell, err := readField("x", field); err != nil || (cell == nil) != missing {
			t.Errorf("%q is read as %v, error %v", field, cell, err)
		}
	}
}

// TestFieldsAreNumbers: a field is a number as awk, bc, Fortran and C++ write it. What is no decimal number stays a
// text.
func TestFieldsAreNumbers(t *testing.T) {
	for field, want := range map[string]any{
		".5": 0.5, "+0.7": 0.7, "1.": 1.0, "-.5": -0.5, "+3": int64(3), "-3": int64(-3), "0": int64(0), "0.50": 0.5, "1e3": 1e3, "1.E-3": 1e-3, "+.5e+1": 5.0,
		"18446744073709551615": uint64(18446744073709551615),
		"007":                  "007", "00.5": "00.5", "-01": "-01", "2020-01-02": "2020-01-02", "1.2.3": "1.2.3", "e": "e", "E5": "E5", "-": "-", ".": ".", "+": "+", "++1": "++1",
		"0x10": "0x10", "inf": "inf", "1_000": "1_000", "1e": "1e", "5 6": "5 6", "50%": "50%", "0,5": "0,5",
	} {
		if cell, err := readField("x", field); err != nil || cell != want {
			t.Errorf("%q is read as %#v, error %v, want %#v", field, cell, err, want)
		}
	}
	if cell, err := readField("x", "1e999"); err == nil {
		t.Errorf("1e999 is read as %v", cell)
	}
	if cell, err := readField("lb", "o\x00ps"); err == nil || err.Error() != `a row's lb must be a number or a text, but "o\x00ps" has a zero byte` {
		t.Errorf("a zero byte is read as %q, error %v", cell, err)
	}
}

// TestHeadersOfCSV: blanks around keys and fields do not count; a first line of numbers alone is no line of keys, so
// that no point is lost; UTF-16 is refused by name.
func TestHeadersOfCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	read := func(text string) (*Table, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return readColumns(path)
	}
	for _, text := range []string{"load, fct\n0.5, 12\n0.7, 15\n", "\ufeffload ,fct \r\n0.5\t,12 \r\n .7,15.\r\n", "\"load\", \"fct\"\n+0.5, \"12\"\n\"0.7 \",\" 15\""} {
		data, err := read(text)
		if err != nil || len(data.Rows) != 2 {
			t.Fatalf("%q: %+v, error %v", text, data, err)
		}
		for i, want := range [][2]float64{{0.5, 12}, {0.7, 15}} {
			x, isX := data.Rows[i].Number("load")
			if y, isY := data.Rows[i].Number("fct"); !isX || !isY || x != want[0] || y != want[1] {
				t.Errorf("%q: row %d is %v", text, i, data.Rows[i].Cells)
			}
		}
	}
	for _, text := range []string{"1,2\n3,4\n", "0.5,,12\n.7,1,15\n", "7\n", "+1.,-2e3\n"} {
		first, _, _ := strings.Cut(text, "\n")
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("must begin with a line of keys, such as load,fct_us, but the first line has numbers alone: %q", first)) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if data, err := read("lb,0.5\nops,12\n"); err != nil || !data.has("0.5") {
		t.Errorf("a number among keys: error %v", err)
	}
	for _, text := range []string{"\xff\xfea\x00,\x00", "\xfe\xff\x00a\x00,", "a\x00,\x00b\x00", "\x00a\x00,"} {
		if _, err := read(text); err == nil || !strings.HasSuffix(err.Error(), "f.csv: the text is in UTF-16, but must be in UTF-8; iconv -f UTF-16 -t UTF-8 converts it") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestRowsOfCSV: a file with more rows than a block of cells has all rows, equal fields share a cell, and
// the name of the file comes last, also if no column of the file is wanted. A row takes at most 90 bytes;
// with an allocation for each row it would take 120.
func TestRowsOfCSV(t *testing.T) {
	const rows = 20*blockOfRows + 7
	path := filepath.Join(t.TempDir(), "f.csv")
	var text strings.Builder
	text.WriteString("lb,x,left_out\n")
	for i := range rows {
		fmt.Fprintf(&text, "%s,%d.5,%d\n", []string{"ops", "reps"}[i%2], i, i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	data, err := readColumns(path, "lb", "x")
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || len(data.Rows) != rows {
		t.Fatalf("%d rows, error %v", len(data.Rows), err)
	}
	if size := (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / rows; size > 90 {
		t.Errorf("a row takes %.0f bytes", size)
	}
	data.AddFile([]string{path})
	for i, row := range data.Rows {
		if row.Get("lb") != []any{"ops", "reps"}[i%2] || row.Get("x") != float64(i)+0.5 || row.Get("left_out") != nil || row.Get(FileKey) != "f" {
			t.Fatalf("row %d: %v, of %v", i, row.Cells, row.Get(FileKey))
		}
	}
	if none, err := readColumns(path, "none"); err != nil || len(none.Rows) != rows || none.Rows[rows-1].Get("lb") != nil {
		t.Errorf("without a column: error %v", err)
	}
}
