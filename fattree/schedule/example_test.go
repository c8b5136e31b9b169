package schedule_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"repslab/fattree"
	"repslab/fattree/schedule"
)

// A rank computes and sends its result to another rank, which continues with it. Every message takes 2
// us, and 3 us until it is acknowledged.
func Example() {
	s, err := schedule.Read(strings.NewReader(`num_ranks 2
rank 0 {
produce: calc 5000
give: send 4096b to 1 tag 0
give requires produce
}
rank 1 {
take: recv 4096b from 0 tag 0
use: calc 1000
use requires take
}
`))
	if err != nil {
		log.Fatal(err)
	}
	const us = 1_000_000 // picoseconds
	p := schedule.NewPlayer(schedule.Job{Schedule: s, Steps: 1})
	for p.Next() < schedule.Never {
		p.Play(p.Next(), func(flow int32, at fattree.Picoseconds) {
			p.Delivered(flow, at+2*us)
			p.Ended(flow, at+3*us)
		})
	}
	steps, _ := p.Results(p.Next())
	fmt.Printf("%d us, without the network %d us\n", steps[0].Time/us, schedule.Ideal(s)/us)
	fmt.Printf("ranks wait for the network %.3f of it\n", steps[0].Waiting)
	for step := range p.CriticalPath() {
		fmt.Printf("rank %d: %d to %d us\n", s.Ops[step.Op].Rank, step.Start/us, step.End/us)
	}
	// Output:
	// 8 us, without the network 6 us
	// ranks wait for the network 0.125 of it
	// rank 1: 7 to 8 us
	// rank 0: 5 to 7 us
	// rank 0: 0 to 5 us
}

// An all-reduce over a ring of three ranks, as text.
func ExampleWrite() {
	s, err := schedule.RingAllreduce(3, 3000)
	if err != nil {
		log.Fatal(err)
	}
	var text bytes.Buffer
	if err := schedule.Write(&text, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(strings.Split(text.String(), "\n")[:6], "\n"))
	// Output:
	// num_ranks 3
	// rank 0 {
	// l1: send 1000b to 1 tag 2 cpu 0
	// l2: recv 1000b from 2 tag 2 cpu 0
	// l3: send 1000b to 1 tag 2 cpu 0
	// l4: recv 1000b from 2 tag 2 cpu 0
}
