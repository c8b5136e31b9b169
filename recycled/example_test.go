package recycled_test

import (
	"context"
	"fmt"

	"repslab/mc"
	"repslab/recycled"
)

// The process of the proof settles, the process of the text does not.
func Example() {
	for _, clocking := range []recycled.Clocking{recycled.SelfClocked, recycled.RoundRobin} {
		cfg := recycled.Config{Bins: 32, Clocking: clocking} // τ = 4 ln n, b = 2.4 ln n
		s, err := recycled.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 100})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-12s converged %3d, certified never to %3d, mean rounds %.0f, maximum load until then %.1f\n",
			clocking, s.Converged, s.Certified, s.Rounds.Value, s.MaxLoadAtDecision.Value)
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
