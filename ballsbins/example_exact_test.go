package ballsbins_test

import (
	"fmt"
	"math"

	"repslab/ballsbins"
)

// With many bins the arrivals at one are Poisson. The tail of the load is then exponential.
func ExampleStationaryPoisson() {
	law, err := ballsbins.StationaryPoisson(0.9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P[load = 0] %.4f, decay rate %.4f\n", law.Probability(0), math.Log(law.Tail(60)/law.Tail(61)))
	// Output: P[load = 0] 0.1000, decay rate 0.2071
}

// At full load queues grow as the square root of time.
func ExampleBrownian_MeanLoad() {
	brownian, err := ballsbins.NewBrownian(32)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := ballsbins.NewOneBinLaw(ballsbins.Config{Bins: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	for round := 1; round <= 1000; round++ {
		exact.Step()
		if round == 10 || round == 100 || round == 1000 {
			fmt.Printf("round %4d: mean load %.3f, Brownian %.3f\n", round, exact.Mean(), brownian.MeanLoad(round))
		}
	}
	// Output:
	// round   10: mean load 2.786, Brownian 2.827
	// round  100: mean load 8.184, Brownian 8.197
	// round 1000: mean load 25.174, Brownian 25.178
}
