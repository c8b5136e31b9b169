package recycled_test

import (
	"context"
	"fmt"

	"repslab/mc"
	"repslab/recycled"
)

// The process of the proof with 16 ports: rounds until it has converged.
func ExampleSimulate() {
	cfg := recycled.Config{Bins: 16}
	result, err := recycled.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d runs converged, after %.1f rounds in [%.1f, %.1f]\n",
		result.Converged, result.Replicas, result.Rounds.Value, result.Rounds.Lo, result.Rounds.Hi)
	// Output:
	// 200 of 200 runs converged, after 22.4 rounds in [20.6, 24.3]
}

// A run by hand, until no port is empty and none holds more than τ balls.
func ExampleNew() {
	process, err := recycled.New(recycled.Config{Bins: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	process.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for process.Status() == recycled.Running {
		process.Step()
		all, random := process.Throws()
		fmt.Printf("round %d: loads %d %d %d %d, %d of %d throws were random\n",
			process.Round(), process.Load(0), process.Load(1), process.Load(2), process.Load(3), random, all)
	}
	// Output:
	// round 1: loads 2 1 1 0, 4 of 4 throws were random
	// round 2: loads 2 1 2 0, 5 of 8 throws were random
	// round 3: loads 2 1 3 0, 6 of 12 throws were random
	// round 4: loads 2 1 3 1, 7 of 16 throws were random
}

// The process of the proof settles, the process of the text does not.
func Example() {
	for _, clocking := range []recycled.Clocking{recycled.SelfClocked, recycled.RoundRobin} {
		cfg := recycled.Config{Bins: 32, Clocking: clocking} // τ = 4 ln n, b = 2.4 ln n
		result, err := recycled.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 100})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-12s converged %3d, certified never to %3d, mean rounds %.0f, maximum load until then %.1f\n",
			clocking, result.Converged, result.Certified, result.Rounds.Value, result.MaxLoadAtDecision.Value)
	}
	// Output:
	// self-clocked converged 100, certified never to   0, mean rounds 52, maximum load until then 8.8
	// round-robin  converged   0, certified never to  92, mean rounds NaN, maximum load until then 26.8
}

// For a few bins the probability that a run never converges is exact.
func ExampleNewChain() {
	chain, err := recycled.NewChain(recycled.Config{Bins: 2, Threshold: 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	limit := chain.Run()
	fmt.Printf("P[never] = %.7f, rounds if it does: %.4f\n", limit.Never, limit.RoundsMean)
	// Output:
	// P[never] = 0.0078125, rounds if it does: 2.0866
}
