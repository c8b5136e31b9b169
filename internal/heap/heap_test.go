package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type number int

func (n number) Before(m number) bool { return n < m }

// TestOrder compares a heap with a sorted list, over random pushes and pops.
func TestOrder(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		var h Heap[number]
		var list []number
		for range 300 {
			if n := number(r.IntN(50)); r.IntN(5) < 3 || len(list) == 0 {
				h.Push(n)
				list = append(list, n)
				slices.Sort(list)
				continue
			}
			if got := h.Pop(); got != list[0] {
				t.Fatalf("Pop = %d, want %d (seed %d)", got, list[0], seed)
			}
			list = list[1:]
		}
		if len(h) != len(list) || len(h) > 0 && h[0] != list[0] {
			t.Fatalf("%d items, want %d (seed %d)", len(h), len(list), seed)
		}
	}
}
