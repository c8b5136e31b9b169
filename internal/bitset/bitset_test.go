package bitset

import (
	"math/rand/v2"
	"testing"
)

// TestSets: every method says of random sets what a list of booleans says.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		size := int32(1 + rng.IntN(300))
		full := rng.Float64()
		s, has := New(int(size)), make([]bool, size)
		for i := range size {
			if has[i] = rng.Float64() < full; has[i] {
				s.Add(i)
			}
		}
		if gone := rng.Int32N(size); has[gone] {
			s.Remove(gone)
			has[gone] = false
		}
		from := rng.Int32N(size)
		to := from + 1 + rng.Int32N(size-from)
		absent, members := to, uint64(0)
		for i := to - 1; i >= from; i-- {
			if !has[i] {
				absent = i
			} else if i < from+64 {
				members |= 1 << (i - from)
			}
		}
		if got := s.FirstAbsent(from, to); got != absent {
			t.Fatalf("first absent of [%d, %d): %d, want %d", from, to, got, absent)
		}
		if got := s.From(from, to); got != members {
			t.Fatalf("members of [%d, %d): %b, want %b", from, to, got, members)
		}
		count := 0
		for i := range size {
			if s.Has(i) != has[i] {
				t.Fatalf("has %d: %v", i, s.Has(i))
			}
			if has[i] {
				count++
			}
		}
		if s.Empty() != (count == 0) {
			t.Fatalf("empty with %d members", count)
		}
	}
}
