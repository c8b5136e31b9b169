package reps_test

import (
	"fmt"
	"math/rand/v2"

	"repslab/reps"
)

// What a NIC's counters can show of a connection: the EVs known to be good, the slots ever
// written, freezing mode with its deadline, and the exploration that follows.
func ExampleREPS_AppendValid() {
	r, err := reps.New(reps.Config{BufferSize: 4, EVSSize: 100, PacketsPerWindow: 2, FreezingTimeout: 1_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	random := rand.NewPCG(1, 2)
	show := func(event string) {
		fmt.Printf("%-12s valid %v, %d slots written, frozen %t until %d ns, %d packets to explore\n",
			event, r.AppendValid(nil), r.WrittenSlots(), r.Frozen(), r.ExitTime(), r.Exploring())
	}
	for ev := range uint16(3) {
		r.OnAck(100, 10+ev, false)
	}
	show("three ACKs")
	r.NextEV(random)
	show("a packet")
	r.OnFailure(5_000)
	show("a time-out")
	r.OnAck(6_001, 20, false)
	show("a late ACK")
	// Output:
	// three ACKs   valid [10 11 12], 3 slots written, frozen false until 0 ns, 0 packets to explore
	// a packet     valid [11 12], 3 slots written, frozen false until 0 ns, 0 packets to explore
	// a time-out   valid [11 12], 3 slots written, frozen true until 6000 ns, 0 packets to explore
	// a late ACK   valid [11 12 20], 4 slots written, frozen false until 6000 ns, 2 packets to explore
}

// The rules of the authors' simulator beside those of the paper: after freezing mode the
// paper's REPS keeps its ring, that of the simulator forgets it.
func ExampleArtifact() {
	cfg := reps.Config{FreezingTimeout: 1_000, PacketsPerWindow: 2}
	paper, err := reps.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	var artifact reps.Artifact
	if err := artifact.Init(cfg); err != nil {
		fmt.Println(err)
		return
	}
	for ev := range uint16(3) {
		paper.OnAck(100, ev, false)
		artifact.OnAck(100, ev, false)
	}
	paper.OnFailure(5_000)
	artifact.OnFailure(5_000)
	fmt.Printf("frozen until %d and %d ns, %d and %d slots written\n", paper.ExitTime(), artifact.ExitTime(), paper.WrittenSlots(), artifact.WrittenSlots())
	paper.OnAck(6_001, 7, true)
	artifact.OnAck(6_001, 7, true)
	fmt.Printf("valid EVs %d and %d, packets to explore %d and %d\n", paper.ValidEVs(), artifact.ValidEVs(), paper.Exploring(), artifact.Exploring())
	// Output:
	// frozen until 6000 and 6000 ns, 3 and 3 slots written
	// valid EVs 3 and 0, packets to explore 0 and 2
}

// The second variant of the authors' simulator sweeps the EVs first and then uses the EVs of
// unmarked ACKs, oldest first.
func ExampleFIFO() {
	var f reps.FIFO
	if err := f.Init(reps.FIFOConfig{EVSSize: 3, SweepPackets: 3}); err != nil {
		fmt.Println(err)
		return
	}
	random := rand.NewPCG(1, 2)
	for range 3 {
		ev, _ := f.NextEV(random)
		fmt.Printf("EV %d, %d packets left of the sweep\n", ev, f.Exploring())
		f.OnAck(0, ev, ev == 2) // that of EV 2 is marked
	}
	ev, recycled := f.NextEV(random)
	fmt.Printf("EV %d, recycled %t\n", ev, recycled)
	// Output:
	// EV 1, 2 packets left of the sweep
	// EV 2, 1 packets left of the sweep
	// EV 0, 0 packets left of the sweep
	// EV 1, recycled true
}

// Rules of NICs beside the pseudocode are calls of the sender, without state or options of their own: two connections
// to one destination share a REPS, a packet explores with an EV that the sender draws, a trim at the port to the
// receiver counts as an unmarked ACK, and three round trips without an answer as a failure.
func ExampleREPS_rulesOfNICs() {
	const roundTrip = 8337 // ns
	var shared reps.REPS   // of both connections
	if err := shared.Init(reps.Config{}); err != nil {
		fmt.Println(err)
		return
	}
	random := rand.NewPCG(1, 2)
	explorer := uint16(random.Uint64()) // of the first connection; the ring is not asked
	shared.OnAck(100, explorer, false)  // it was trimmed at the last hop: its path works
	ev, recycled := shared.NextEV(random)
	fmt.Println("the second connection recycles it:", recycled && ev == explorer)
	if now, sent := uint32(30_000), uint32(200); now-sent >= 3*roundTrip {
		shared.OnFailure(now)
	}
	fmt.Println("frozen:", shared.Frozen())
	// Output:
	// the second connection recycles it: true
	// frozen: true
}
