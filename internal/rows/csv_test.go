package rows

import (
	"fmt"
	"io"
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
	if err != nil || len(data.rows) != 1 || len(data.rows[0].cells) != 2 || data.rows[0].get("b") != int64(2) || data.rows[0].get("d") != int64(4) || data.rows[0].get("a") != nil {
		t.Errorf("%+v, error %v", data, err)
	}
	if err := data.check("x", "none"); err == nil || !strings.Contains(err.Error(), "must be one of a, b, c, d") {
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
		if err != nil || len(data.rows) != 2 {
			t.Fatalf("%q: %+v, error %v", text, data, err)
		}
		for i, want := range [][2]float64{{0.5, 12}, {0.7, 15}} {
			x, isX := data.rows[i].number("load")
			if y, isY := data.rows[i].number("fct"); !isX || !isY || x != want[0] || y != want[1] {
				t.Errorf("%q: row %d is %v", text, i, data.rows[i].cells)
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

// TestColumnsWithoutValues: an axis of which no row has a value is an error, as a file without rows is. A value in one
// of several files is enough.
func TestColumnsWithoutValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"empty.csv": "a,b,c\n1,,\n2,NA,3\n", "full.csv": "a,b,c\n1,2,3\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flags Plot
		files []string
		want  string
	}{
		{Plot{X: "a", Y: "b"}, []string{"empty.csv"}, `--y: "b" must have a value, but has none in 2 rows`},
		{Plot{X: "b"}, []string{"empty.csv"}, `--x: "b" must have a value, but has none in 2 rows`},
		{Plot{X: "a", Y: "c", Value: "b"}, []string{"empty.csv"}, `--value: "b" must have a value`},
		{Plot{X: "a", Y: "c", Where: []string{"a=1"}}, []string{"empty.csv"}, `--y: "c" must have a value, but has none in 1 rows`},
		{Plot{X: "a", Y: "b"}, []string{"empty.csv", "full.csv"}, ""}, {Plot{X: "a", Y: "c", Value: rowsKey}, []string{"empty.csv"}, ""},
	} {
		if _, err := c.flags.Read(t.Context(), nil, c.files, io.Discard); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v of %v: error %v, want %q", c.flags, c.files, err, c.want)
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
	if err != nil || len(data.rows) != rows {
		t.Fatalf("%d rows, error %v", len(data.rows), err)
	}
	if size := (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / rows; size > 90 {
		t.Errorf("a row takes %.0f bytes", size)
	}
	data.addFile([]string{path})
	for i, row := range data.rows {
		if row.get("lb") != []any{"ops", "reps"}[i%2] || row.get("x") != float64(i)+0.5 || row.get("left_out") != nil || row.get(fileKey) != "f" {
			t.Fatalf("row %d: %v, of %v", i, row.cells, row.get(fileKey))
		}
	}
	if none, err := readColumns(path, "none"); err != nil || len(none.rows) != rows || none.rows[rows-1].get("lb") != nil {
		t.Errorf("without a column: error %v", err)
	}
}

// TestPlotOrigins: the axis of slowdowns may begin at 1, the least slowdown. Other axes, ratios to a line
// and categories begin at 0.
func TestPlotOrigins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("lb,slowdown,fct_us,slowdown_p99\nops,1.002,4,1.1\nops,1.5,5,1.2\nreps,1.01,4,1.3\nreps,1.4,5,1.4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags Plot
		x, y  float64
	}{
		{Plot{Kind: CdfPlot, X: "slowdown", By: "lb"}, 1, 0}, {Plot{Kind: CdfPlot, X: "fct_us", By: "lb"}, 0, 0},
		{Plot{Kind: LinePlot, X: "fct_us", Y: "slowdown_p99", By: "lb"}, 0, 1}, {Plot{Kind: LinePlot, X: "fct_us", Y: "slowdown_p99", By: "lb", RatioTo: "ops"}, 0, 0},
		{Plot{Kind: BarPlot, X: "slowdown", Y: "slowdown_p99", By: "lb"}, 0, 0},
	} {
		rows, err := readColumns(path)
		if err != nil {
			t.Fatal(err)
		}
		if p := drawn(t, c.flags, rows).Figure.Panels[0][0]; p.X.Origin != c.x || p.Y.Origin != c.y {
			t.Errorf("%+v: axes begin at %v and %v, want %v and %v", c.flags, p.X.Origin, p.Y.Origin, c.x, c.y)
		}
	}
}
