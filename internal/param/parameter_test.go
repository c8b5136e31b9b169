package param

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repslab/mc"
	"repslab/sweep"
)

// valueOf reads one value of a parameter, and sets the field behind it.
func valueOf(q Parameter, text string) error {
	list, err := q.Read(&InputFiles{}, text)
	if err == nil && list.length != 1 {
		err = fmt.Errorf("%d values", list.length)
	}
	if err == nil {
		err = list.apply(0)
	}
	return err
}

// TestUnits: flags in microseconds set fields in picoseconds, rounded to the nearest; the column gives microseconds.
// Each range has its least and its largest value.
func TestUnits(t *testing.T) {
	var ps int64
	var share float64
	fraction, whole := Microseconds("f", "", 1e6, &ps), WholeMicroseconds("w", "", 1, 1000, &ps)
	for _, c := range []struct {
		q    Parameter
		text string
		want int64 // picoseconds; -1 if the text is refused
	}{
		{fraction, "1.5", 1_500_000}, {fraction, "0.0017777", 1778}, {fraction, "0.0012222", 1222},
		{fraction, "0.001", 1000}, {fraction, "0.0009", -1}, {fraction, "1e6", 1_000_000_000_000}, {fraction, "1000000.1", -1},
		{whole, "3", 3_000_000}, {whole, "1", 1_000_000}, {whole, "0", -1}, {whole, "1000", 1_000_000_000}, {whole, "1001", -1},
	} {
		if err := valueOf(c.q, c.text); (err != nil) != (c.want < 0) || err == nil && ps != c.want {
			t.Errorf("--%s %s: %d ps, error %v, want %d", c.q.Flag, c.text, ps, err, c.want)
		}
	}
	ps = 2_500_000
	if f, w := fraction.Columns[0].Cell(), whole.Columns[0].Cell(); f != 2.5 || w != 2 {
		t.Errorf("2,500,000 ps are %v and %v us", f, w)
	}
	for text, want := range map[string]bool{"0": false, "1e-9": true, "1": true, "1.001": false} {
		if err := valueOf(Probability("p", "", &share), text); (err == nil) != want {
			t.Errorf("probability %s: error %v", text, err)
		}
	}
}

// TestNamedTimes: a word, or whole microseconds from 1 to a million.
func TestNamedTimes(t *testing.T) {
	read := NamesOrTime("after", "off", "always")
	for text, want := range map[string]int64{"off": 0, "Always": 0, "after=50us": 50_000_000, "after=1ms": 1_000_000_000,
		"after=1us": 1_000_000, "after=1000000us": 1_000_000_000_000, "after=1500ns": -1, "after=0.5us": -1, "after=1000001us": -1, "after": -1, "50us": -1} {
		list, err := read(text)
		if (err != nil) != (want < 0) || err == nil && (len(list) != 1 || list[0].PS != want) {
			t.Errorf("%q: %+v, error %v, want %d ps", text, list, err, want)
		}
	}
}

// TestMostValues: a list with formulas has at most a million values.
func TestMostValues(t *testing.T) {
	if all, err := joined("", []valueList{{length: MaxPoints - 1}, {length: 1}}); err != nil || all.length != 1_000_000 {
		t.Errorf("a million values: %d, error %v", all.length, err)
	}
}

// TestZipped: parameters vary together only with lists of the same length.
func TestZipped(t *testing.T) {
	for text, want := range map[string]string{"1..2": "", "1": "--zip: --a has 2 values and --b has 1", "1..3": "--zip: --a has 2 values and --b has 3"} {
		a, b := 1, 1
		m := New(Model{Name: "m"}, func() Space {
			return Space{
				parameters: []Parameter{Integer("a", "a", 1, 9, &a), Integer("b", "b", 1, 9, &b)},
				reset:      func() { a, b = 0, 0 }, complete: func() error { return nil }, Point: func() sweep.Point { return sweep.Point{} },
			}
		})
		_, err := m.Grid(Selection{Parameters: Texts{"a": "1..2", "b": text}, Zip: []string{"a", "b"}})
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("a list of 2 and %s: error %v, want %q", text, err, want)
		}
	}
}

// TestPooledReplicas: a point has a replica for each pooled file; other numbers that the user asks for are refused.
func TestPooledReplicas(t *testing.T) {
	for _, c := range []struct {
		pooled         int
		replicas, want uint64 // 0 if it is refused
		asked          bool
	}{{0, 7, 7, true}, {3, 1000, 3, false}, {3, 3, 3, true}, {3, 2, 0, true}, {3, 4, 0, true}} {
		p, err := (&Grid{pooled: c.pooled}).Replicas(mc.Plan{Replicas: c.replicas}, c.asked)
		if (err != nil) != (c.want == 0) || err == nil && p.Replicas != c.want {
			t.Errorf("%+v: %d replicas, error %v", c, p.Replicas, err)
		}
	}
}

// TestFilesOfParameters: words stand for themselves, other texts are paths. A file whose digest is known, but not its
// text, must have the digest.
func TestFilesOfParameters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sizes")
	if err := os.WriteFile(path, []byte("12"), 0o600); err != nil {
		t.Fatal(err)
	}
	var in *Input[string]
	q := File("sizes", "", func(r io.Reader) (string, error) { text, err := io.ReadAll(r); return string(text), err }, &in, "websearch")
	for text, want := range map[string]string{"websearch": "", path: "12"} {
		if err := valueOf(q, text); err != nil || in.Path != text || in.Data != want {
			t.Errorf("%s: %+v, error %v", text, in, err)
		}
	}
	var files InputFiles
	if _, err := q.Read(&files, path); err != nil || len(files.read) != 1 {
		t.Fatalf("%+v, error %v", files.read, err)
	}
	known := sweep.Input{Path: path, SHA256: files.read[0].SHA256}
	if _, err := q.Read(&InputFiles{carried: []sweep.Input{known}}, path); err != nil {
		t.Errorf("the same file: error %v", err)
	}
	if err := os.WriteFile(path, []byte("13"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Read(&InputFiles{carried: []sweep.Input{known}}, path); err == nil || !strings.HasSuffix(err.Error(), "has changed since the sweep was created") {
		t.Errorf("another file: error %v", err)
	}
}
