package recycled_test

import (
	"fmt"

	"repslab/recycled"
)

// One of 8 paths fails. A memory of good paths misses it after a round trip of 24 packets, one of bad paths when a
// time-out of 197 packets is over; but where a tenth of the good paths is not used again, because their packets were
// marked, the former loses packets for ever.
func ExampleFailedPaths() {
	p := recycled.FailedPaths{Paths: 8, Failed: 1, RoundTrip: 24, Timeout: 197}
	if err := p.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("no packet lost: %.2f by good paths, %.2f by bad paths\n", p.ReusingLaw(0)[0], p.RulingOutLaw(7)[0])
	fmt.Printf("bad paths, 7 in use: %.1f packets\n", p.RulingOut(7))
	fmt.Printf("good paths: %.1f packets\n", p.Reusing(1, 1000))
	for _, roundTrips := range []int{1, 10, 21, 78} {
		fmt.Printf("after %d round trips, 90 %% used again: %.1f packets\n", roundTrips, p.Reusing(0.9, roundTrips))
	}
	// Output:
	// no packet lost: 0.04 by good paths, 0.12 by bad paths
	// bad paths, 7 in use: 25.4 packets
	// good paths: 3.4 packets
	// after 1 round trips, 90 % used again: 3.0 packets
	// after 10 round trips, 90 % used again: 6.4 packets
	// after 21 round trips, 90 % used again: 10.1 packets
	// after 78 round trips, 90 % used again: 29.4 packets
}
