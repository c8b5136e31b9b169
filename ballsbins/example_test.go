package ballsbins_test

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/mc"
)

// Queues of a full switch under oblivious spraying grow without end: measured,
// by the exact mean field, and as Brownian motion has it.
func Example() {
	ctx, cfg := context.Background(), ballsbins.Config{Bins: 32}
	rounds := []int{100, 400, 1600}
	result, err := ballsbins.SimulateAt(ctx, cfg, rounds, mc.Plan{Seed: 1, Replicas: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	meanField, err := ballsbins.MeanFieldMaxLoad(ctx, cfg, rounds)
	if err != nil {
		fmt.Println(err)
		return
	}
	brownian, err := ballsbins.NewBrownian(cfg.Bins)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, o := range result.Observations {
		fmt.Printf("round %4d: %.1f in [%.1f, %.1f], mean field %.1f, Brownian %.1f\n",
			o.Round, o.MaxLoad.Value, o.MaxLoad.Lo, o.MaxLoad.Hi, meanField[i], brownian.MeanMax(o.Round))
	}
	// Output:
	// round  100: 24.8 in [24.2, 25.4], mean field 24.2, Brownian 23.1
	// round  400: 48.4 in [47.2, 49.7], mean field 47.3, Brownian 46.2
	// round 1600: 96.7 in [94.3, 99.1], mean field 93.5, Brownian 92.4
}

// With some capacity to spare there is a steady state, and its law is exact.
func ExampleStationaryBinomial() {
	for _, lambda := range []float64{0.9, 0.99} {
		law, err := ballsbins.StationaryBinomial(32, lambda)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("λ = %.2f: mean load %.2f, P[load > 25] = %.4f, mean maximum of 32 bins %.1f\n",
			lambda, law.Mean(), law.Tail(26), law.MeanMax(32))
	}
	// Output:
	// λ = 0.90: mean load 4.82, P[load > 25] = 0.0045, mean maximum of 32 bins 19.2
	// λ = 0.99: mean load 48.46, P[load > 25] = 0.5920, mean maximum of 32 bins 196.1
}
