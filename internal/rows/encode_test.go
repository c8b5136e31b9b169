package rows

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"repslab/internal/frame"
)

var update = flag.Bool("update", false, "rewrite testdata")

func sampleColumns() []frame.Column {
	return []frame.Column{{Key: "lb"}, {Key: "fct_p99_us", Numeric: true}, {Key: "replicas", Numeric: true}, {Key: "certified"}}
}

func sampleRows() [][]any {
	return [][]any{
		{"reps", 123.456789, 3, true},
		{"a|b\nc 100% _x_ x_y \\ $ & # {~^} <τ>", -0.5, int64(-12), false},
		{"[--lb \"x, y\"", 1e-9, uint64(1) << 63, nil},
		{"", math.NaN(), nil, nil},
		{"ecmp", 1234567.0, 16, true},
	}
}

func encode(t *testing.T, f Format, columns []frame.Column, rows [][]any) string {
	t.Helper()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, f, columns)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestTablesGolden(t *testing.T) {
	for _, f := range Formats() {
		got := encode(t, f, sampleColumns(), sampleRows()) + "==== no rows\n" + encode(t, f, sampleColumns(), nil)
		name := filepath.Join("testdata", string(f)+".golden")
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", f, got, want)
		}
	}
}

func TestCSVAndJSONReadBack(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(encode(t, CSV, sampleColumns(), sampleRows()))).ReadAll()
	if err != nil || len(records) != 6 {
		t.Fatalf("csv: %d records, error %v, want 6", len(records), err)
	}
	lines := strings.Split(strings.TrimSuffix(encode(t, JSON, sampleColumns(), sampleRows()), "\n"), "\n")
	if len(lines) != 5 {
		t.Fatalf("json: %d lines, want 5", len(lines))
	}
	for i, row := range sampleRows() {
		var object map[string]any
		d := json.NewDecoder(strings.NewReader(lines[i]))
		d.UseNumber()
		if err := d.Decode(&object); err != nil {
			t.Fatalf("line %q: %v", lines[i], err)
		}
		if object["lb"] != row[0] || records[i+1][0] != row[0] {
			t.Errorf("row %d: json %q, csv %q, want %q", i, object["lb"], records[i+1][0], row[0])
		}
		number := ""
		if n, ok := object["fct_p99_us"].(json.Number); ok {
			number = n.String()
		}
		if number != records[i+1][1] {
			t.Errorf("row %d: json number %q, csv %q must be the same", i, number, records[i+1][1])
		}
	}
}

// writes records every call of Write.
type writes struct{ calls []string }

func (w *writes) Write(p []byte) (int, error) {
	w.calls = append(w.calls, string(p))
	return len(p), nil
}

func TestStreaming(t *testing.T) {
	for f, header := range map[Format]int{CSV: 1, JSON: 0} {
		var out writes
		w, err := NewWriter(&out, f, sampleColumns())
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("long ", 5000)
		for i, r := range [][]any{{long, 1.0, 2, true}, {"b", 1.5, 2, nil}} {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
			if n := len(out.calls); n != header+i+1 {
				t.Errorf("%s: after row %d: %d writes, want %d", f, i+1, n, header+i+1)
			}
			if last := out.calls[len(out.calls)-1]; !strings.HasSuffix(last, "\n") {
				t.Errorf("%s: row does not end its line: %q", f, last)
			}
		}
	}
}

func TestWriterErrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		format  Format
		columns []frame.Column
		want    string
	}{
		{"format", "xml", sampleColumns(), `rows: format ("xml") must be one of [table csv json markdown latex]`},
		{"no columns", CSV, nil, "rows: there must be at least one column"},
		{"repeated", JSON, []frame.Column{{Key: "a"}, {Key: "a"}}, `rows: key ("a") of column 2 must be distinct and not empty`},
	} {
		if _, err := NewWriter(io.Discard, tt.format, tt.columns); err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
	for _, f := range Formats() {
		var out bytes.Buffer
		w, err := NewWriter(&out, f, []frame.Column{{Key: "lb"}, {Key: "n", Numeric: true}})
		if err != nil {
			t.Fatal(err)
		}
		before := out.Len()
		if err := w.Write([]any{"x"}); err == nil || err.Error() != "rows: row has 1 cells, must have 2, one per column" {
			t.Errorf("%s: short row: %v", f, err)
		}
		want := `rows: column "n": cell type []int must be nil, bool, string, int, int64, uint64 or float64`
		if err := w.Write([]any{"x", []int{1}}); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", f, err, want)
		}
		if out.Len() != before {
			t.Errorf("%s: a refused row was written", f)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := w.Write([]any{"x", 1}); !errors.Is(err, errClosed) {
			t.Errorf("%s: write after Close: %v", f, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		v            float64
		exact, human string
	}{
		{0, "0", "0"},
		{math.Copysign(0, -1), "0", "0"},
		{1.5, "1.5", "1.5"},
		{0.30000000000000004, "0.30000000000000004", "0.3"},
		{123456.789, "123456.789", "123457"},
		{9999.96, "9999.96", "10000"},
		{0.000123456, "0.000123456", "0.00012346"},
		{1e14, "100000000000000", "100000000000000"},
		{1e15, "1e+15", "1e+15"},
		{-1.25e-9, "-1.25e-09", "-1.25e-09"},
	} {
		if got := frame.Exact(tt.v); got != tt.exact {
			t.Errorf("cell.Text(%g) = %s, want %s", tt.v, got, tt.exact)
		}
		if got := frame.Human(tt.v); got != tt.human {
			t.Errorf("Human(%g) = %s, want %s", tt.v, got, tt.human)
		}
	}
	if got := encode(t, CSV, []frame.Column{{Key: "a"}}, [][]any{{nil}}); got != "a\n\"\"\n" {
		t.Errorf("a lone empty field is %q, which readers must not skip", got)
	}
}

func TestLaTeXText(t *testing.T) {
	for s, want := range map[string]string{
		"50 % of rounds_mean":     "50 \\% of rounds\\_mean",
		"x ≤ −1":                  "x $\\leq $ $-$1",
		"\\ & # $ ~":              "\\textbackslash{} \\& \\# \\$ \\textasciitilde{}",
		"λτ° Ω":                   "$\\lambda $$\\tau $$^{\\circ}$ $\\Omega $",
		"Los & Sauerwald, Zürich": "Los \\& Sauerwald, Zürich",
		"a---b – c\td":            "a-{}-{}-b -- c d",
	} {
		if got := LaTeXText(s); got != want {
			t.Errorf("LaTeXText(%q) = %q, want %q", s, got, want)
		}
	}
}

// TestLaTeXRemark: control characters and line breaks of a remark do not reach the file: they would end the comment.
func TestLaTeXRemark(t *testing.T) {
	var out bytes.Buffer
	encodeLaTeX(&out, []frame.Column{{Key: "lb"}}, [][]any{{"ops"}}, "topology = a\x1b[2Jb\n\\input{c}\r\td", "Rows.", "tab:a")
	comment, rest, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(comment, "% ") || strings.ContainsFunc(comment, unicode.IsControl) || !strings.HasPrefix(rest, "\\begin{table}") {
		t.Errorf("%q", out.String())
	}
}
