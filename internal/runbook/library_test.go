package runbook

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordOf writes books to a library, with their digests, and returns its directory.
func recordOf(t *testing.T, books map[string]*Book) string {
	t.Helper()
	dir, index := t.TempDir(), Index{Figures: map[string]Taken{}}
	for figure, b := range books {
		index.Figures[figure] = Taken{Runs: b.Len(), Digest: b.Digest()}
		if err := WriteBook(dir, figure, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteIndex(dir, index); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestTampered: a record is refused by the figure's name after any change that leaves the digest as it is. With the
// digest changed as well, the draw finds a changed run of an experiment of n runs with probability 1/n.
func TestTampered(t *testing.T) {
	const runs = 5
	whole := map[string]*Book{"fig02": bookOf(t, runs, 1.5, 2.5, 3.5), "fig03": bookOf(t, runs, 4.5, 5.5)}
	changed := Run{`{"lb":1}`, 1, 2}
	tampered := func(change func(b *Book)) *Book {
		b := &Book{values: maps.Clone(whole["fig02"].values)}
		change(b)
		return b
	}
	value := tampered(func(b *Book) { b.values[changed] = []byte("2.6") })
	for name, b := range map[string]*Book{
		"a value":      value,
		"a run less":   tampered(func(b *Book) { delete(b.values, changed) }),
		"a run more":   tampered(func(b *Book) { b.values[Run{`{"lb":1}`, 1, runs}] = []byte("2.5") }),
		"a seed":       tampered(func(b *Book) { b.values[Run{`{"lb":1}`, 2, 2}] = b.values[changed]; delete(b.values, changed) }),
		"no run":       new(Book),
		"other figure": whole["fig03"],
		"two schemes": tampered(func(b *Book) {
			for run := range int64(runs) {
				one, other := Run{`{"lb":0}`, 1, run}, Run{`{"lb":1}`, 1, run}
				b.values[one], b.values[other] = b.values[other], b.values[one]
			}
		}),
	} {
		dir := recordOf(t, whole)
		if err := os.Remove(filepath.Join(dir, "fig02.jsonl.gz")); err != nil {
			t.Fatal(err)
		}
		if err := WriteBook(dir, "fig02", b); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBook(os.DirFS(dir), "fig02"); err == nil || !strings.Contains(err.Error(), "fig02 has other runs than were recorded") {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := ReadBook(os.DirFS(dir), "fig03"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := recordOf(t, map[string]*Book{"fig02": value, "fig03": whole["fig03"]})
	b, err := ReadBook(os.DirFS(dir), "fig02")
	if err != nil {
		t.Fatal(err)
	}
	const draws = 2000
	found := 0
	for number := range uint64(draws) {
		if Draw(number, 3, []Sample{{"fig02", b, 3 * runs, func([]byte) float64 { return 1 }}})["fig02"][changed] {
			found++
		}
	}
	p := float64(found) / draws
	t.Logf("a draw finds one changed run of %d with probability %.3f", runs, p)
	if math.Abs(p-1./runs) > 6*math.Sqrt(0.16/draws) {
		t.Errorf("a draw finds the changed run with probability %v, want 1/%d", p, runs)
	}
}

// TestDigestOfLines: a digest is that of the sorted lines, whatever the order in which runs were put into the book.
func TestDigestOfLines(t *testing.T) {
	b, reversed := bookOf(t, 2, 1, 2), new(Book)
	for _, of := range slices.Backward(b.Runs()) {
		value, _ := b.Value(of)
		if err := reversed.Put(of, value); err != nil {
			t.Fatal(err)
		}
	}
	// printf '{"key":{"lb":%d},"seed":1,"run":%d,"value":%d}\n' 0 0 1 0 1 1 1 0 2 1 1 2 | sha256sum
	const want = "f6bb42413ea4b780260d05292717abc0d424abe79f0014fcd4982ed812ed3aa5"
	if b.Digest() != want || reversed.Digest() != want || new(Book).Digest() != "" {
		t.Errorf("digests %s and %s, want %s; without runs %q", b.Digest(), reversed.Digest(), want, new(Book).Digest())
	}
}
