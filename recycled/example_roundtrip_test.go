package recycled_test

import (
	"fmt"
	"log"

	"repslab/recycled"
)

// A switch marks every packet above 28, and a round trip is 100 packets. By the law, REPS senders whose
// windows exceed it by more than 11.4 packets break down; under senders that throw each returned ball at once
// this happens earlier.
func ExampleBoundaryLaw() {
	perFlow, err := recycled.BoundaryLaw(28, 100)
	if err != nil {
		log.Fatal(err)
	}
	ack, err := recycled.CriticalWindow(28, 100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("per-flow: W = d + %.1f, ack: W = d + %.1f\n", perFlow, ack)
	_, err = recycled.BoundaryLaw(28, 10)
	fmt.Println(err)
	// Output:
	// per-flow: W = d + 11.4, ack: W = d + 5.9
	// recycled: delay (10) must be finite and at least 2πe (17.08)
}

// Without a delay the critical window is the threshold. For small delays it is τ + d/2 balls, half a round
// trip below what a port can own.
func ExampleCriticalWindow() {
	for _, delay := range []int{0, 10, 25, 60} {
		room, err := recycled.CriticalWindow(28, delay)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("d = %2d: W - d = %.2f\n", delay, room)
	}
	// Output:
	// d =  0: W - d = 28.00
	// d = 10: W - d = 23.00
	// d = 25: W - d = 17.56
	// d = 60: W - d = 11.22
}

// With 512 senders, windows of 5 packets more than the round trip, and returned packets sent at once,
// recycling settles: the probability that 4.5 packets a port are sent at random beyond the first windows is
// below 0.04 %.
func ExampleSettlesBound() {
	cfg := recycled.Config{
		Bins: 512, Threshold: 28, Delay: 60, Window: 65, Clocking: recycled.Ack,
	}
	probability, _, err := recycled.SettlesBound(cfg, 4.5*512, 0)
	if err != nil {
		log.Fatal(err)
	}
	best, rethrows, err := recycled.SettlesBound(cfg, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1e; at best %.1e, with %.2f a port\n", probability, best, float64(rethrows)/512)
	// Output:
	// 3.3e-04; at best 3.1e-04, with 4.24 a port
}
