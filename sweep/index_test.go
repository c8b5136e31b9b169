package sweep

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestLinesBetween: the context of a long reading is looked at before line 2^16, and not before.
func TestLinesBetween(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	tally, err := s.Points[0].Experiment.NewWorker(1)(context.Background(), s.block(0))
	if err != nil {
		t.Fatal(err)
	}
	record := blockRecord(s.ids[0], s.block(0), tally)
	path := inDir(t, "r")
	write(t, path, append(s.Header.line(), bytes.Repeat(record, 1<<16)...))
	f, err := openRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	x := newIndex(s, func(string) {})
	defer x.close()
	if last, err := x.scan(over, f); last.number != 1<<16-1 || !errors.Is(err, context.Canceled) {
		t.Errorf("the last line is %d, want 2^16 - 1 (error %v)", last.number, err)
	}
}

// TestRowsNeedTheirBlocks: the rows of a point that a stopping rule ended are kept if the blocks of their replicas
// are recorded, and made again if one is missing. Of 96 replicas in blocks of 10 the last block has 6.
func TestRowsNeedTheirBlocks(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	for _, c := range []struct {
		replicas, blocks uint64
	}{{1, 1}, {9, 1}, {10, 1}, {11, 2}, {90, 9}, {91, 10}, {96, 10}, {100, 10}, {101, 10}} {
		data := s.Header.line()
		for k := range c.blocks {
			tally, err := s.Points[0].Experiment.NewWorker(1)(context.Background(), s.block(k))
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, blockRecord(s.ids[0], s.block(k), tally)...)
		}
		rows, err := valueRecord(s.ids[0], rowsKind, Rows{Replicas: c.replicas})
		if err != nil {
			t.Fatal(err)
		}
		for missing := range 2 {
			lines := bytes.SplitAfter(data, []byte("\n"))
			path := inDir(t, "r")
			write(t, path, slices.Concat(slices.Concat(lines[:len(lines)-1-missing]...), rows))
			x := newIndex(s, func(w string) { t.Error(w) })
			if err := x.load(context.Background(), []string{path}); err != nil {
				t.Fatal(err)
			}
			if x.hasRows(0) != (missing == 0) {
				t.Errorf("%d replicas, %d blocks less %d: rows are kept: %v", c.replicas, c.blocks, missing, x.hasRows(0))
			}
			x.close()
		}
	}
}

// TestLineCutAway: a file that was cut before a line of the index was changed by another process.
func TestLineCutAway(t *testing.T) {
	x := newIndex(&Sweep{}, nil)
	x.files = append(x.files, headerFile(t, []byte("0123456789")))
	if line, err := x.read(entry{offset: 4, length: 6, line: 2}); err != nil || string(line) != "456789" {
		t.Errorf("line %q, error %v", line, err)
	}
	x.window = nil
	if line, err := x.read(entry{offset: 4, length: 7, line: 2}); err == nil || !strings.Contains(err.Error(), "was changed by another process") {
		t.Errorf("line %q, error %v", line, err)
	}
}
