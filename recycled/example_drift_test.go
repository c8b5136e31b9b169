package recycled_test

import (
	"fmt"

	"repslab/recycled"
)

// How many paths does a frozen sender still use? 100 packets are in flight, a tenth of the ACKs has a mark.
func ExampleFrozenSender_Law() {
	sender := recycled.FrozenSender{Window: 100, Ring: 8, Marked: 0.1}
	for _, roundTrips := range []int{0, 10, 100, 600} {
		law, err := sender.Law(roundTrips)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%3d round trips: %.0f EVs if ACKs keep their order, %.0f if not\n", roundTrips, law.InOrder, law.Shuffled)
	}
	// Output:
	//   0 round trips: 100 EVs if ACKs keep their order, 100 if not
	//  10 round trips: 48 EVs if ACKs keep their order, 48 if not
	// 100 round trips: 16 EVs if ACKs keep their order, 9 if not
	// 600 round trips: 7 EVs if ACKs keep their order, 2 if not
}

// The exact mean, with few packets in flight, beside the estimate.
func ExampleFrozenSender_MeanEVs() {
	sender := recycled.FrozenSender{Window: 8, Ring: 5, Marked: 0.1}
	for _, roundTrips := range []int{0, 5, 20, 100} {
		law, err := sender.Law(roundTrips)
		mean, other := sender.MeanEVs(roundTrips)
		if err != nil || other != nil {
			fmt.Println(err, other)
			return
		}
		fmt.Printf("%3d round trips: %.2f EVs, estimate %.2f\n", roundTrips, mean, law.InOrder)
	}
	// Output:
	//   0 round trips: 8.00 EVs, estimate 8.00
	//   5 round trips: 5.34 EVs, estimate 5.37
	//  20 round trips: 3.06 EVs, estimate 3.06
	// 100 round trips: 1.42 EVs, estimate 1.41
}

// Messages on one connection, one after the other, with an ACK for 4 packets: the ring forgets its EVs without a mark.
func ExampleFrozenSender_Rewritten() {
	sender := recycled.FrozenSender{Window: 64, Ring: 8, AckRatio: 4, Inherited: true}
	for messages := range 4 {
		left, err := sender.Rewritten(messages)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d messages: %d EVs\n", messages, left)
	}
	// Output:
	// 0 messages: 8 EVs
	// 1 messages: 2 EVs
	// 2 messages: 1 EVs
	// 3 messages: 1 EVs
}
