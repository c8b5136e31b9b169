package ballsbins_test

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/mc"
)

// The queues of a switch with 1 % of spare capacity, after 1,000 rounds.
func ExampleSimulate() {
	cfg := ballsbins.Config{Bins: 32, Lambda: 0.99}
	result, err := ballsbins.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := result.Observations[0]
	fmt.Printf("maximum load after %d rounds: %.1f\n", o.Round, o.MaxLoad)
	// Output:
	// maximum load after 1000 rounds: 65.4 [63.6, 67.2]
}

// A run by hand: one port of four stops serving, and its queue grows.
func ExampleNew() {
	process, err := ballsbins.New(ballsbins.Config{Bins: 4, Lambda: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	process.Reset(mc.NewStream(1, mc.Algorithm, 0))
	process.SetPort(0, 0)
	for process.Round() < 40 {
		process.Step()
		if process.Round()%10 == 0 {
			fmt.Println(process.Round(), process.Load(0), process.Load(1), process.Load(2), process.Load(3))
		}
	}
	// Output:
	// 10 6 0 0 2
	// 20 14 1 0 0
	// 30 18 2 0 0
	// 40 22 1 1 1
}

// Queues of a full switch under oblivious spraying grow without end: simulated, by the
// exact mean field, and by the Brownian approximation.
func Example() {
	ctx, cfg := context.Background(), ballsbins.Config{Bins: 32, Rounds: []int{100, 400, 1600}}
	result, err := ballsbins.Simulate(ctx, cfg, mc.Plan{Seed: 1, Replicas: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	meanField, err := ballsbins.MeanFieldMaxLoad(ctx, cfg)
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
		fmt.Printf("round %4d: %.1f, mean field %.1f, Brownian %.1f\n",
			o.Round, o.MaxLoad, meanField[i], brownian.MeanMax(o.Round))
	}
	// Output:
	// round  100: 24.8 [24.2, 25.4], mean field 24.2, Brownian 23.1
	// round  400: 48.4 [47.2, 49.7], mean field 47.3, Brownian 46.2
	// round 1600: 96.7 [94.3, 99.1], mean field 93.5, Brownian 92.4
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
