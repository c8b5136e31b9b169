package rows

import (
	"strings"
	"testing"

	"repslab/internal/frame"
)

// FuzzRow reads any bytes as the row of a result file: cells that it accepts can be
// printed.
func FuzzRow(f *testing.F) {
	for _, object := range []string{`{"bins":1,"policy":"x"}`, `{"bins":18446744073709551616,"policy":null}`, `{"bins":1e309,"policy":true}`,
		`{"bins":-0,"policy":-0.0}`, `{"bins":[[]],"policy":{}}`, `{"policy":1}`, `{"bins":1,"bins":2,"policy":""}`, `[[[[`} {
		f.Add([]byte(object))
	}
	list := []frame.Column{frame.Number("bins"), frame.Text("policy")}
	f.Fuzz(func(t *testing.T, object []byte) {
		var results Table
		results.setColumns(list)
		if results.add(object) != nil {
			return
		}
		cells := results.Rows[0].Cells
		w, err := NewWriter(discarded{}, JSON, list)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(cells); err != nil {
			t.Errorf("%s is read as %#v: %v", object, cells, err)
		}
	})
}

// discarded is a writer that discards its output.
type discarded struct{}

func (discarded) Write(p []byte) (int, error) { return len(p), nil }

// TestHostileRows: errors about rows that no program wrote name the faulty key.
func TestHostileRows(t *testing.T) {
	for object, want := range map[string]string{
		`{"bins": 1e309}`: "a row's bins (1e309) must be a number that a 64-bit float holds",
		`{"bins": ` + strings.Repeat("9", 1000) + `}`: "a row's bins (" + strings.Repeat("9", 60) + ") must be",
		`{"bins": [[]]}`:    "a row's bins must be null, true, false, a string or a number",
		`{"bins": {"a":1}}`: "a row's bins must be null, true, false, a string or a number",
		`{"bin": 1}`:        "a row must have the key bins",
		`{}`:                "a row must have a key",
		`{"bins": NaN}`:     "invalid character 'N'",
	} {
		var results Table
		results.setColumns(frame.Numbers("bins"))
		if err := results.add([]byte(object)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: error %v, want %q", object, err, want)
		}
	}
}
