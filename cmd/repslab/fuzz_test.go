package main

import (
	"fmt"
	"testing"
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
