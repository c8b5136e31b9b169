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

// packet holds the fields that the NIC model sends and an ACK echoes.
type packet struct {
	ev     uint16
	marked bool
}

// connection is the NIC model's state for a peer.
type connection struct {
	reps   reps.REPS
	random *rand.PCG
}

func (c *connection) open(seed, id uint64) error {
	c.random = rand.NewPCG(seed, id)
	return c.reps.Init(reps.Config{}) // 8 entries, 65536 EVs, 10 ms
}
func (c *connection) send(p *packet)             { p.ev, _ = c.reps.NextEV(c.random) }
func (c *connection) acked(p *packet, ns uint64) { c.reps.OnAck(uint32(ns), p.ev, p.marked) }
func (c *connection) timedOut(ns uint64)         { c.reps.OnFailure(uint32(ns)) }

// A NIC model of someone else's: two connections, of which one meets congestion
// and the other a failure.
func Example_nic() {
	nic := make([]connection, 2)
	for id := range nic {
		if err := nic[id].open(1, uint64(id)); err != nil {
			fmt.Println(err)
			return
		}
	}
	for id := range nic {
		c := &nic[id]
		window := make([]packet, 4)
		for i := range window {
			c.send(&window[i])
		}
		for i := range window { // a round trip of 8 us later
			window[i].marked = id == 0 && i%2 == 0
			c.acked(&window[i], 8_000+uint64(i)*83)
		}
		if id == 1 {
			c.timedOut(20_000)
		}
		fmt.Printf("connection %d: %d EVs known to be good, frozen %t\n", id, c.reps.ValidEVs(), c.reps.Frozen())
	}
	// Output:
	// connection 0: 2 EVs known to be good, frozen false
	// connection 1: 4 EVs known to be good, frozen true
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
