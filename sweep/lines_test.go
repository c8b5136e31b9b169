package sweep

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestCheckLength: the longest line that is read again is written, and no longer one.
func TestCheckLength(t *testing.T) {
	line := make([]byte, maxLine+1)
	if err := checkLength(line[:maxLine]); err != nil {
		t.Error(err)
	}
	if err := checkLength(line); !errors.Is(err, errLong) {
		t.Errorf("error %v", err)
	}
}

// TestTornLineIsTold: a warning tells how many bytes behind the last whole line are left out.
func TestTornLineIsTold(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	path := inDir(t, "r")
	write(t, path, append(mustRun(t, s, path, Options{}), "torn!"...))
	var told []string
	x := newIndex(s, func(w string) { told = append(told, w) })
	defer x.close()
	if err := x.load(context.Background(), []string{path}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], ": the last 5 bytes are a line without an end") {
		t.Errorf("told %q", told)
	}
}

// TestShards: the first and last shards of a sweep; one shard of one is the whole sweep.
func TestShards(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	for _, c := range []struct {
		shard     Shard
		ok, whole bool
	}{
		{Shard{}, true, true}, {Shard{1, 1}, true, true}, {Shard{1, 2}, true, false}, {Shard{2, 2}, true, false}, {Shard{3, 2}, false, false}, {Shard{0, 2}, false, false},
		{Shard{MaxShards, MaxShards}, true, false}, {Shard{1, MaxShards + 1}, false, false}, {Shard{-1, 2}, false, false},
	} {
		part, err := s.Part(c.shard)
		if (err == nil) != c.ok || c.ok && part.whole() != c.whole {
			t.Errorf("%v: error %v, want none: %v, and whole: %v", c.shard, err, c.ok, c.whole)
		}
	}
}

// TestSchemas: headers of all schemas up to the current one are read.
func TestSchemas(t *testing.T) {
	for number := range schema + 2 {
		h := diceSweep(t, usual, Shard{}, 6).Header
		h.Schema = number
		line := h.line()
		if _, err := parseHeader(line[:len(line)-1]); (err == nil) != (1 <= number && number <= schema) {
			t.Errorf("schema %d: error %v", number, err)
		}
	}
}
