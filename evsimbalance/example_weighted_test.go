package evsimbalance_test

import (
	"fmt"

	"repslab/evsimbalance"
)

// A hash gives one uplink twice as many EVs as each of the others.
func ExampleNewWeightedMaxLaw() {
	for _, weights := range [][]int{{2, 2, 2, 2}, {4, 2, 2, 2}} {
		law, err := evsimbalance.NewWeightedMaxLaw(1000, weights)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("EVs %v: busiest uplink has %.1f of 1,000 packets, 95 %% quantile %d\n", weights, law.Mean(), law.Quantile(0.95))
	}
	// Output:
	// EVs [2 2 2 2]: busiest uplink has 266.4 of 1,000 packets, 95 % quantile 281
	// EVs [4 2 2 2]: busiest uplink has 400.0 of 1,000 packets, 95 % quantile 426
}
