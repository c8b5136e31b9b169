package coalescing_test

import (
	"context"
	"fmt"

	"repslab/coalescing"
	"repslab/mc"
)

// One ACK for two packets on a switch of 32 ports, after 1,000 rounds.
func ExampleSimulate() {
	cfg := coalescing.Config{Ratio: 2}
	result, err := coalescing.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := result.Observations[0]
	fmt.Printf("maximum load after %d rounds: %.1f\n", o.Round, o.MaxLoad)
	// Output:
	// maximum load after 1000 rounds: 20.3 [19.9, 20.6]
}

// A run by hand: with one ACK for two packets, half of the throws or more are random.
func ExampleNew() {
	process, err := coalescing.New(coalescing.Config{Bins: 4, Ratio: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	process.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for process.Round() < 40 {
		process.Step()
		if process.Round()%10 == 0 {
			all, random := process.Throws()
			fmt.Printf("round %d: loads %d %d %d %d, %d of %d throws were random\n",
				process.Round(), process.Load(0), process.Load(1), process.Load(2), process.Load(3), random, all)
		}
	}
	// Output:
	// round 10: loads 1 0 6 1, 29 of 40 throws were random
	// round 20: loads 1 4 6 2, 52 of 80 throws were random
	// round 30: loads 2 7 4 2, 78 of 120 throws were random
	// round 40: loads 4 5 1 7, 106 of 160 throws were random
}

// One ACK for four packets: the maximum load and the random throws of each variant after
// 200 rounds.
func Example() {
	for _, variant := range coalescing.Variants() {
		cfg := coalescing.Config{Ratio: 4, Variant: variant, Rounds: []int{200}}
		result, err := coalescing.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 100})
		if err != nil {
			fmt.Println(err)
			return
		}
		o := result.Observations[0]
		fmt.Printf("%-15s maximum load %.1f, random throws %2.0f %%\n", variant, o.MaxLoad.Value, 100*o.RandomFraction.Value)
	}
	// Output:
	// standard        maximum load 21.6, random throws 81 %
	// carry           maximum load 16.4, random throws 24 %
	// reuse           maximum load 22.8, random throws 56 %
	// every-rth-round maximum load 18.7, random throws 78 %
}
