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
