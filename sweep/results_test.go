package sweep

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// facesSweep computes as many result columns as results names.
func facesSweep(t *testing.T, results ...string) *Sweep {
	t.Helper()
	var points []Point
	for faces := range 3 {
		points = append(points, Exact("faces", []any{faces}, func(context.Context) (Results, error) {
			if faces == 2 && len(results) == 1 {
				return Results{}, errBad // fails, so that resuming computes it
			}
			row := make([]any, len(results))
			for i := range row {
				row[i] = faces
			}
			return Results{Rows: [][]any{row}}, nil
		}))
	}
	s, err := New(testProgram, Config{Model: "dice", Seed: 1, Replicas: 1}, Columns{Parameters: []string{"faces"}, Results: results}, points)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOtherResultsAreRefused: a file is neither resumed nor merged by a sweep with other
// result columns, since its rows would have different columns; the error names the first
// one that differs.
func TestOtherResultsAreRefused(t *testing.T) {
	own := facesSweep(t, "r")
	path := inDir(t, "r")
	if failed, err := own.Run(context.Background(), path, Options{}); failed != 1 || err != nil {
		t.Fatalf("%d points failed, error %v", failed, err)
	}
	want := contents(t, path)
	if !bytes.Contains(want, []byte(`,"points":3,"results":["r"],"config":{`)) {
		t.Errorf("no result columns in the header of\n%s", want)
	}
	for _, c := range []struct {
		results []string
		want    string
	}{
		{[]string{"other", "more"}, `result column 1 is "r" there and "other" here`},
		{[]string{"r", "missing"}, `result column 2 is missing there and "missing" here`},
	} {
		other := facesSweep(t, c.results...)
		_, err := other.Run(context.Background(), path, Options{Resume: true})
		_, errMerge := other.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{})
		for _, err := range []error{err, errMerge} {
			if !errors.Is(err, ErrOther) || !strings.HasSuffix(err.Error(), ErrOther.Error()+": "+c.want) {
				t.Errorf("%v: error %v, want %s", c.results, err, c.want)
			}
		}
		if got := contents(t, path); !bytes.Equal(got, want) {
			t.Fatalf("%v: the refused file was changed to\n%s", c.results, got)
		}
	}
}

// TestHeaderWithoutResults: a file of an earlier version, without result columns in its header, is
// resumed to the file of this version.
func TestHeaderWithoutResults(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6, 20)
	path := inDir(t, "r")
	want := mustRun(t, s, path, Options{})
	h := s.Header
	h.Results = nil
	lines := bytes.SplitAfter(want, []byte("\n"))
	write(t, path, bytes.Join(slices.Concat([][]byte{h.line()}, lines[1:4]), nil))
	if bytes.Contains(contents(t, path), []byte(`"results"`)) {
		t.Fatal("the earlier header has the result columns")
	}
	if d := slices.Concat(h.differences(s.Header), s.Header.differences(h)); len(d) > 0 {
		t.Errorf("the headers differ: %v", d)
	}
	if got := mustRun(t, s, path, Options{Resume: true}); !bytes.Equal(got, want) {
		t.Errorf("resumed\n%s\nwant\n%s", got, want)
	}
}
