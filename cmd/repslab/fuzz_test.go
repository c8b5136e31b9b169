package main

import (
	"fmt"
	"testing"

	"repslab/internal/table"
)

// FuzzShards reads any text as --shard: what is accepted is in range and, printed, read as the same.
func FuzzShards(f *testing.F) {
	for _, text := range []string{"3/8", "0/1", "1/1000001", "-1/-1", "slurm", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseShard(text, func(string) string { return "x" }); err == nil && text != "" {
			if again, err := parseShard(fmt.Sprintf("%d/%d", s.Index, s.Of), nil); err != nil || again != s || s.Index < 1 || s.Index > s.Of {
				t.Errorf("%q is the shard %+v, and that %+v, error %v", text, s, again, err)
			}
		}
	})
}

// FuzzRow reads any bytes as the row of a result file: cells that it accepts can be
// printed.
func FuzzRow(f *testing.F) {
	for _, object := range []string{`{"bins":1,"policy":"x"}`, `{"bins":18446744073709551616,"policy":null}`, `{"bins":1e309,"policy":true}`,
		`{"bins":-0,"policy":-0.0}`, `{"bins":[[]],"policy":{}}`, `{"policy":1}`, `{"bins":1,"bins":2,"policy":""}`, `[[[[`} {
		f.Add([]byte(object))
	}
	list := []table.Column{table.Number("bins"), table.Text("policy")}
	f.Fuzz(func(t *testing.T, object []byte) {
		var results storedTable
		results.setColumns(list)
		if results.add(object) != nil {
			return
		}
		cells := results.rows[0].cells
		w, err := table.NewWriter(discarded{}, table.JSON, list)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(cells); err != nil {
			t.Errorf("%s is read as %#v: %v", object, cells, err)
		}
	})
}

// discarded is where output goes that nobody reads.
type discarded struct{}

func (discarded) Write(p []byte) (int, error) { return len(p), nil }
