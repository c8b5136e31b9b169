package runbook

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"repslab/internal/wholefile"
	"repslab/mc"
)

type inner struct{ Count int64 }

// everything has all kinds of fields that are recorded.
type everything struct {
	inner
	Name    string
	Whole   uint64
	Share   float64
	Flag    bool
	List    []float64
	Pair    [2]int32
	Numbers map[string]float64
	Rounds  map[int]inner
	Pointer *inner
	Mean    mc.Estimate
	Lines   [][]int64
}

// TestRoundTrip: a value that is decoded is the value that was encoded, also where numbers are not finite.
func TestRoundTrip(t *testing.T) {
	var m mc.Moments
	for _, x := range []int64{3, 5, 9} {
		m.Add(x)
	}
	for name, value := range map[string]everything{
		"zero": {},
		"all": {inner: inner{-1 << 62}, Name: "a \"b\" µ\n", Whole: math.MaxUint64, Share: 0.1, Flag: true, List: []float64{1e300, math.Inf(-1), 0},
			Pair: [2]int32{-1, 2}, Numbers: map[string]float64{"a b": 1.5, "c": math.Inf(1)}, Rounds: map[int]inner{16: {1}, -2: {}},
			Pointer: &inner{7}, Mean: m.Mean(0.95), Lines: [][]int64{{1, 2}, {}}},
		"scales":    {Mean: m.PositiveMean(0.95).Per(3)},
		"bound":     {Mean: m.Mean(0.95).Bound(true, false)},
		"few":       {Mean: mc.Moments{}.Mean(0.95)},
		"identical": {Mean: same(4).Mean(0.95).OfFew(mc.Support{Most: math.Inf(1)})},
	} {
		text := Encode(value)
		if bytes.ContainsRune(text, '\n') {
			t.Errorf("%s: more than a line: %s", name, text)
		}
		var got everything
		if err := Decode(text, &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := Encode(got); !bytes.Equal(again, text) {
			t.Errorf("%s: %s, again %s", name, text, again)
		}
		// NaN is not equal to itself, so estimates are compared by their words.
		a, b := value, got
		a.Mean, b.Mean = mc.Estimate{}, mc.Estimate{}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v, want %+v", name, b, a)
		}
	}
	var nan struct{ Share float64 }
	if err := Decode(Encode(struct{ Share float64 }{math.NaN()}), &nan); err != nil || !math.IsNaN(nan.Share) {
		t.Errorf("NaN is %v, %v", nan.Share, err)
	}
}

// same returns the moments of some equal numbers.
func same(n int) (m mc.Moments) {
	for range n {
		m.Add(14)
	}
	return m
}

// TestDecodeRefuses: what a type has not is an error, not lost.
func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{`{"Other":1}`, `{"Count":"x"}`, `{"Count":1.5}`, `{"Count":[1]}`, `[1]`, `{"Count":true}`, `{`, `{"Count":{"a":1}}`, `{"Count":99999999999999999999}`} {
		if err := Decode([]byte(text), new(inner)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if err := Decode([]byte(`[1,2,3]`), new([2]int)); err == nil {
		t.Error("three numbers fit into two")
	}
}

// TestKeys: fields that are not exported are part of a key.
func TestKeys(t *testing.T) {
	type key struct {
		inner
		window int
		name   string
	}
	if got := string(Encode(key{inner{2}, 3, "a"})); got != `{"Count":2,"window":3,"name":"a"}` {
		t.Errorf("key %s", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a function is encoded")
		}
	}()
	Encode(func() {})
}

// TestBook: a book keeps what is put into it, in a file as well, which may end in the middle of a line.
func TestBook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	runs := []Run{{`{"lb":"reps"}`, 1, 1}, {`{"lb":"ops"}`, 1, 0}, {`{"lb":"reps"}`, 1, 0}, {`{"lb":"reps"}`, 2, -500}}
	for i, of := range runs {
		b, file, err := Open(path, false)
		if err != nil {
			t.Fatal(err)
		}
		if b.Len() != i {
			t.Errorf("%d runs, want %d", b.Len(), i)
		}
		if err := b.Put(of, Encode(inner{int64(i)})); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		add, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = add.WriteString(`{"key":{"lb":"re`)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := add.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, file, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path, false); !errors.Is(err, wholefile.ErrLocked) {
		t.Errorf("opened twice: error %v", err)
	}
	var text strings.Builder
	if _, err := b.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	want := `{"key":{"lb":"ops"},"seed":1,"run":0,"value":{"Count":1}}
{"key":{"lb":"reps"},"seed":1,"run":0,"value":{"Count":2}}
{"key":{"lb":"reps"},"seed":1,"run":1,"value":{}}
{"key":{"lb":"reps"},"seed":2,"run":-500,"value":{"Count":3}}
`
	if text.String() != want {
		t.Errorf("%s, want %s", text.String(), want)
	}
	if err := errors.Join(file.Close(), os.WriteFile(path, []byte("no JSON\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path, false); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("error %v", err)
	}
	if b, file, err := Open(path, true); err != nil || b.Len() != 0 || file.Close() != nil {
		t.Errorf("afresh: %v", err)
	}
}

// TestBookOnDisk: a book and the index that are written are read again.
func TestBookOnDisk(t *testing.T) {
	b := new(Book)
	for i, of := range []Run{{`{"lb":"reps"}`, 1, 1}, {`{"lb":"ops"}`, 1, 0}, {`{"lb":"reps"}`, 2, -500}} {
		if err := b.Put(of, Encode(inner{int64(i)})); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := WriteBook(dir, "fig02", b); err != nil {
		t.Fatal(err)
	}
	index := Index{Seed: 1, Processor: "amd64", Results: map[string]int{"fattree": 9}, Figures: map[string]Taken{"fig02": {4, 1.5, b.Digest(), "0123"}}}
	if err := WriteIndex(dir, index); err != nil {
		t.Fatal(err)
	}
	again, err := ReadBook(os.DirFS(dir), "fig02")
	if err != nil || !reflect.DeepEqual(again.values, b.values) {
		t.Errorf("read again: %v, %v", again, err)
	}
	if none, err := ReadBook(os.DirFS(dir), "fig03"); err != nil || none.Len() != 0 {
		t.Errorf("a figure without runs: %v, %v", none, err)
	}
	if got, err := ReadIndex(os.DirFS(dir)); err != nil || !reflect.DeepEqual(got, index) {
		t.Errorf("index %+v, %v", got, err)
	}
}

// TestEveryByteOfRuns: a file of runs in which one byte is another is refused, or the altered line is left out, as an
// incomplete last one is. No run has another value than was put into the book.
func TestEveryByteOfRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	b, file, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	var m mc.Moments
	for i := range int64(2) {
		m.Add(14 + i)
		if err := b.Put(Run{`{"lb":"reps"}`, 1, i}, Encode(everything{Whole: 4096, Mean: m.Mean(0.95)})); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for i := range whole {
		for _, change := range []byte{1, 16} {
			altered := bytes.Clone(whole)
			altered[i] ^= change
			if err := os.WriteFile(path, altered, 0o666); err != nil {
				t.Fatal(err)
			}
			got, file, err := Open(path, false)
			if err != nil {
				continue
			}
			file.Close()
			left++
			for _, of := range got.Runs() {
				value, _ := got.Value(of)
				if want, known := b.Value(of); !known || !bytes.Equal(value, want) {
					t.Errorf("byte %d is %q: run %v is %s", i, altered[i], of, value)
				}
			}
		}
	}
	if left != 2 { // of the last newline
		t.Errorf("%d altered files are read, want 2", left)
	}
}

// TestLibraryIsVerified: an altered byte of a compressed book is an error, or alters no run: it is in gzip's header.
func TestLibraryIsVerified(t *testing.T) {
	dir, b := t.TempDir(), new(Book)
	if err := b.Put(Run{`"key"`, 1, 0}, []byte(`{"Sent":4096,"Lost":17}`)); err != nil {
		t.Fatal(err)
	}
	if err := WriteBook(dir, "fig02", b); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "fig02.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		for bit := range 8 {
			altered := bytes.Clone(whole)
			altered[i] ^= 1 << bit
			if got, err := Unpack(bytes.NewReader(altered)); err == nil && !reflect.DeepEqual(got.values, b.values) {
				t.Errorf("bit %d of byte %d: %v", bit, i, got.values)
			}
		}
	}
}

// TestValueOutsideInterval: an estimate whose value is not within its own interval is refused. A value that does not
// exist is not outside.
func TestValueOutsideInterval(t *testing.T) {
	for text, want := range map[string]bool{
		`{"Mean":{"Value":3,"Lo":2,"Hi":4}}`: true, `{"Mean":{"Value":1.9,"Lo":2,"Hi":4}}`: false, `{"Mean":{"Value":4.1,"Lo":2,"Hi":4}}`: false,
		`{"Mean":{"Value":2,"Lo":2,"Hi":"+Inf"}}`: true, `{"Mean":{"Value":"NaN","Lo":2,"Hi":"+Inf"}}`: true, `{"Mean":{"Lo":2,"Hi":4}}`: false,
	} {
		if err := Decode([]byte(text), new(everything)); (err == nil) != want {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestCompare names the first number that differs.
func TestCompare(t *testing.T) {
	const recorded = `{"A":1,"B":{"C":[1,2.5]},"D":"NaN"}`
	for computed, want := range map[string]string{
		recorded: "",
		`{"A":1,"B":{"C":[1,2.50000000001]},"D":"NaN"}`: "B.C[1]: recorded 2.5, computed 2.50000000001",
		`{"B":{"C":[1,2.5]},"D":"NaN"}`:                 "A: recorded 1, computed 0",
		`{"A":1,"B":{"C":[1]},"D":"NaN"}`:               "B.C: recorded [1 2.5], computed [1]",
		`{"A":1,"B":{"C":[1,2.5]},"D":3}`:               "D: recorded NaN, computed 3",
		`{"A":1,"B":{"C":[1,2.5]},"D":"NaN","E":4}`:     "E: recorded 0, computed 4",
	} {
		if got := Compare([]byte(recorded), []byte(computed), 0); got != want {
			t.Errorf("%s: %q, want %q", computed, got, want)
		}
	}
	if got := Compare([]byte(`{"A":2.5}`), []byte(`{"A":2.50000000001}`), 1e-9); got != "" {
		t.Errorf("within the tolerance: %q", got)
	}
	if got := Compare([]byte(`{"A":2.5}`), []byte(`{"A":2.51}`), 1e-9); got == "" {
		t.Error("beyond the tolerance")
	}
}

// TestFields: nested fields have dotted names, lists are left out, and a value that is no struct has the given name.
func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		`{"A":1,"B":{"C d":"x","E":[1]},"F":true}`: `map[A:1 B.C d:x F:true]`,
		`2.5`:   `map[key:2.5]`,
		`[1,2]`: `map[]`,
	} {
		if got := fmt.Sprint(Fields("key", []byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
