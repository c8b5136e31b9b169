package reps_test

import (
	"fmt"
	"math/rand/v2"

	"repslab/reps"
)

// A connection explores, recycles what comes back unmarked, and keeps to it
// when a packet times out.
func Example() {
	r, err := reps.New(reps.Config{EVSSize: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	random := rand.NewPCG(1, 2)

	send := func() uint16 {
		ev, recycled := r.NextEV(random)
		fmt.Printf("send %3d  recycled %t\n", ev, recycled)
		return ev
	}
	first, second, third := send(), send(), send()

	r.OnAck(8_000, first, false)
	r.OnAck(8_083, second, true) // marked: not cached
	r.OnAck(8_166, third, false)
	send()
	send()

	r.OnFailure(50_000)
	for range 3 {
		send() // nothing valid is left, but nothing new is tried either
	}

	state, err := r.MarshalBinary()
	fmt.Println(len(state), "bytes of state,", err)
	// Output:
	// send 196  recycled false
	// send 157  recycled false
	// send 200  recycled false
	// send 196  recycled true
	// send 200  recycled true
	// send 196  recycled true
	// send 200  recycled true
	// send 196  recycled true
	// 25 bytes of state, <nil>
}

// Table 1 of the paper for a ring of 8 entries.
func ExampleFootprint() {
	components, err := reps.Footprint(reps.Config{BufferSize: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range components {
		fmt.Printf("%-17s %d x %2d  in Table 1: %t\n", c.Name, c.Count, c.Bits, c.InTable)
	}
	table, all := reps.SumBits(components)
	fmt.Println(table, "bits in Table 1,", all, "encoded")
	// Output:
	// cachedEV          8 x 16  in Table 1: true
	// isValid           8 x  1  in Table 1: true
	// head              1 x  8  in Table 1: true
	// numberOfValidEVs  1 x  8  in Table 1: true
	// exitFreezingMode  1 x 32  in Table 1: true
	// isFreezingMode    1 x  1  in Table 1: true
	// exploreCounter    1 x  8  in Table 1: true
	// writtenSlots      1 x  4  in Table 1: false
	// 193 bits in Table 1, 197 encoded
}
